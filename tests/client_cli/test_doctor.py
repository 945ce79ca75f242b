"""Each check says what it found and, where something is missing, what to do."""

import asyncio
import errno
import os
import sys
from http import HTTPStatus
from pathlib import Path

import msgspec
import pytest
from wcwidth import wcswidth
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from client_cli import doctor
from client_cli.doctor import (
    SAMPLE_CELLS,
    Check,
    exit_is_clean,
    lan_check,
    parts_check,
    python_check,
    reach_checks,
    sample_rows,
    seats_check,
    server_check,
    settings_checks,
    store_check,
    terminal_checks,
)
from client_cli.fingerprint import fingerprint
from client_cli.settings import Settings
from client_cli.terminal import USUAL
from client_cli.tickets import SavedSeat, TicketStore
from client_cli.tui.table.plan import LEAST_HEIGHT, LEAST_WIDTH
from client_cli.words_doctor import titles
from tests.certificates import Authority, der, server_context
from tests.client_cli.scripted_server import Peer, scripted


def states(checks: list[Check]) -> dict[str, str]:
    return {check.check: check.state for check in checks}


def test_python_and_the_parts_are_named_with_their_versions() -> None:
    assert python_check().found.startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    parts = parts_check()
    assert parts.state == "ok"
    assert f"msgspec {msgspec.__version__}" in parts.found


def test_parts_that_are_not_installed_are_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PARTS", ("no-such-part",))
    assert parts_check() == Check("parts", "ok", "no no-such-part")


def test_a_usual_terminal_has_nothing_to_complain_of() -> None:
    checks = terminal_checks(USUAL, "utf-8", is_terminal=True)
    assert states(checks) == {"terminal": "ok", "encoding": "ok", "width": "ok"}
    assert checks[0].found == "xterm-256color, 80x24, 256 colours"
    assert not any(check.remedy for check in checks)


def test_what_a_terminal_lacks_has_a_remedy() -> None:
    poor = USUAL._replace(columns=40, utf8=False, ambiguous_cells=None, colours="none")
    checks = terminal_checks(poor, "ascii", is_terminal=True)
    assert states(checks) == {"terminal": "warning", "encoding": "warning", "width": "warning"}
    assert all(check.remedy for check in checks)
    assert f"{LEAST_WIDTH}x{LEAST_HEIGHT}" in checks[0].remedy
    wide = terminal_checks(USUAL._replace(ambiguous_cells=2), "utf-8", is_terminal=True)[-1]
    assert wide == Check("width", "ok", "2 cells, so frames are drawn with ASCII")


def test_pipes_and_dumb_terminals_are_for_lines_and_no_fault() -> None:
    for terminal, is_terminal in ((USUAL, False), (USUAL._replace(kind="dumb"), True)):
        checks = terminal_checks(terminal, "utf-8", is_terminal=is_terminal)
        assert states(checks) == {"terminal": "ok", "encoding": "ok"}


def test_rows_of_samples_end_in_the_same_column() -> None:
    assert {wcswidth(row[: row.rindex("| ")]) for row in sample_rows()} == {SAMPLE_CELLS}


def test_all_faults_of_the_settings_are_listed_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert settings_checks(path, {}) == [Check("settings", "ok", f"all by default; they would be in {path}")]
    path.write_text('theme = "pink"\ncolour = 1\n')
    checks = settings_checks(path, {"PAIZHUO_BELL": "loud"})
    assert [check.state for check in checks] == ["failure"] * 3
    assert [check.found.split(":")[0] for check in checks] == [
        f"{path}, line 1",
        f"{path}, line 2",
        "the variable PAIZHUO_BELL",
    ]
    path.write_text("= 1\n")
    assert "line 1: this is no TOML" in settings_checks(path, {})[0].found
    path.write_bytes(b"\xff")
    assert "cannot be read" in settings_checks(path, {})[0].found
    path.write_text("bell = true\n")
    assert settings_checks(path, {}) == [Check("settings", "ok", str(path))]


def test_seats_are_counted_and_unreadable_ones_pointed_out(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "seats"
    assert seats_check(directory) == Check("seats", "ok", f"0 in {directory}")
    TicketStore(directory).keep(SavedSeat("ws://h:8470/ws", "K7QF2MXR", 0, "Anna", "K7QF2MXR.t", 4e9))
    assert seats_check(directory) == Check("seats", "ok", f"1 in {directory}")
    (directory / "broken.json").write_bytes(b"\x00")
    check = seats_check(directory)
    assert (check.state, check.found) == ("warning", f"1 file in {directory} is no seat")
    assert len(list(directory.iterdir())) == 2, "the check leaves nothing behind"


def test_a_folder_that_takes_no_seats_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = seats_check(tmp_path / "file" / "seats")
    assert (check.check, check.state) == ("seats", "failure")
    assert check.remedy
    assert not exit_is_clean([check])
    assert exit_is_clean([Check("lan", "warning", "")])


@pytest.mark.slow
async def test_a_server_of_our_own_starts_and_stops() -> None:
    assert (await server_check()).state == "ok"


async def test_a_server_that_does_not_start_is_a_warning_for_who_only_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", _program(tmp_path / "python", "echo 'paizhuo-server: no' >&2; exit 1"))
    check = await server_check()
    assert (check.state, check.found) == ("warning", "no")
    assert check.remedy


def _program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


async def test_a_store_is_found_with_its_version_or_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await store_check() == Check("store", "ok", "not found, and not needed")
    _program(tmp_path / "valkey-server", "exit 1")
    _program(tmp_path / "redis-server", "echo 'Redis server v=7.0.15 sha=0:0 bits=64'")
    found = await store_check()
    assert found == Check("store", "ok", "redis-server 7.0.15, which can be used with --store")


async def test_the_local_network_is_tried_and_the_setting_named() -> None:
    assert (await lan_check("127.0.0.1", Settings())).state == "ok"
    assert "the setting lan is off" in (await lan_check("127.0.0.1", Settings(lan=False))).found
    assert (await lan_check("192.0.2.1", Settings())).state == "warning"


async def stays(peer: Peer) -> None:
    await peer.waits()


async def test_the_way_to_a_server_is_looked_at_step_by_step() -> None:
    def answers(connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/version":
            return connection.respond(HTTPStatus.OK, '{"server":"9.9\\u001b[2J","protocols":["paizhuo.v1.json"]}')
        return None

    async with scripted(stays, refuse=answers) as url:
        checks = await reach_checks(url)
    assert states(checks) == {"dns": "ok", "tcp": "ok", "http": "ok", "websocket": "ok"}
    assert checks[2].found == "paizhuo-server 9.9\x1b[2J, paizhuo.v1.json", "made safe where it is written"


async def test_of_a_server_with_tls_it_is_said_why_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/version":
            return connection.respond(HTTPStatus.OK, '{"server":"9.9","protocols":["paizhuo.v1.json"]}')
        return None

    authority = Authority(tmp_path)
    files = authority.issues()
    fine = {"dns": "ok", "tcp": "ok", "tls": "ok", "http": "ok", "websocket": "ok"}
    async with scripted(stays, refuse=answers, tls=server_context(files)) as url:
        strangers = await reach_checks(url)
        others = await reach_checks(f"{url}#ABCDEFGHJKMNPQRS")
        known = await reach_checks(f"{url}#{fingerprint(der(files.certificate))}")
    assert states(strangers) == states(others) == {"dns": "ok", "tcp": "ok", "tls": "failure"}
    assert "nobody whom this machine trusts" in strangers[-1].found
    assert "another server than that of your invitation" in others[-1].found
    assert states(known) == fine
    assert known[2].found == "TLSv1.3, and the fingerprint is that of the address"
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with scripted(stays, refuse=answers, tls=server_context(files)) as url:
        trusted = await reach_checks(url)
    assert states(trusted) == fine
    assert trusted[2].found.startswith("TLSv1.3, with a trusted certificate until ")


async def test_a_server_that_hangs_up_on_tls_is_asked_whether_it_has_it() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        checks = await reach_checks(f"wss://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws")
    assert states(checks) == {"dns": "ok", "tcp": "ok", "tls": "failure"}
    assert "has it TLS at all?" in checks[-1].found


async def test_a_page_that_is_kept_back_is_a_warning_and_another_version_a_failure() -> None:
    def refuses(connection: ServerConnection, _request: Request) -> Response:
        return connection.respond(HTTPStatus.BAD_REQUEST, "This server speaks v2.\n")

    async with scripted(refuse=refuses) as url:
        checks = await reach_checks(url)
    assert states(checks) == {"dns": "ok", "tcp": "ok", "http": "warning", "websocket": "failure"}
    assert "This server speaks v2." in checks[-1].found


async def test_nothing_is_asked_behind_a_step_that_failed() -> None:
    checks = await reach_checks("ws://127.0.0.1:1/ws")
    assert states(checks) == {"dns": "ok", "tcp": "failure"}
    assert checks[-1].found == f"port 1 does not answer: {os.strerror(errno.ECONNREFUSED)}"
    nowhere = await reach_checks("ws://no-such-host.invalid:8470/ws")
    assert states(nowhere) == {"dns": "failure"}
    assert nowhere[0].remedy


def test_every_check_has_a_title() -> None:
    assert {check.check for check in [python_check(), parts_check()]} <= set(titles())
    assert list(titles())[-5:] == ["dns", "tcp", "tls", "http", "websocket"]
