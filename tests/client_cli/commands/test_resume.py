"""Saved seats are listed without what opens them."""

import io
import json
import time
from pathlib import Path

import pytest

from client_cli.commands.resume import go_back, resume
from client_cli.console import Console
from client_cli.failure import CommandFailed
from client_cli.own_certificate import own_file
from client_cli.tickets import SavedSeat, TicketStore
from protocol.errors import ExitCode

URL = "ws://10.0.0.1:8470/ws"


@pytest.fixture
def seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TicketStore:
    store = TicketStore(tmp_path)
    monkeypatch.setattr("client_cli.commands.resume.user_tickets", lambda: store)
    monkeypatch.setattr("sys.stdin", None)
    return store


def test_they_are_listed_for_people_and_for_programs(seats: TicketStore, capsys: pytest.CaptureFixture[str]) -> None:
    seats.keep(SavedSeat(URL, "K7QF2MXR", 0, "Anna", "K7QF2MXR.secret", 4e9))
    seats.keep(SavedSeat(URL, "OLDER", 2, "Budi\x1b[2J", "OLDER.secret", 3e9, (URL, "ws://10.0.0.2:8470/ws")))
    assert resume(list_=True) == ExitCode.OK
    assert capsys.readouterr().out.splitlines() == [
        "K7QF-2MXR at 10.0.0.1, seat 1 as Anna",
        "OLDER at 10.0.0.1, seat 3 as Budi\\x1b[2J",
    ]
    assert resume(list_=True, json=True) == ExitCode.OK
    out = capsys.readouterr().out
    assert "secret" not in out
    assert json.loads(out) == [
        {"code": "K7QF2MXR", "seat": 1, "name": "Anna", "servers": [URL], "saved_s": 4e9},
        {"code": "OLDER", "seat": 3, "name": "Budi\x1b[2J", "servers": [URL, "ws://10.0.0.2:8470/ws"], "saved_s": 3e9},
    ]
    resume("older", list_=True)
    assert capsys.readouterr().out.startswith("OLDER at ")


def test_without_seats_there_is_nothing_to_list(seats: TicketStore) -> None:
    with pytest.raises(CommandFailed) as none:
        resume(list_=True)
    assert none.value.exit_code == ExitCode.NO_SUCH_ROOM


def test_json_is_for_a_list(seats: TicketStore) -> None:
    with pytest.raises(CommandFailed, match="--json is for --list") as wrong:
        resume(json=True)
    assert wrong.value.exit_code == ExitCode.USAGE


async def test_an_encrypted_table_of_this_machine_is_served_again_with_its_certificate(
    seats: TicketStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "wss://127.0.0.1:9/ws#ABCDEFGHJKMNPQRS"
    seats.keep(SavedSeat(url, "K7QF2MXR", 0, "Anna", "K7QF2MXR.secret", time.time()))
    monkeypatch.setattr("client_cli.connection.FIRST_CONNECT_S", 0)
    notes = io.StringIO()
    with pytest.raises(CommandFailed, match=r"no answer from 127\.0\.0\.1:9 ") as failed:
        await go_back(Console(None, io.StringIO(), notes), "K7QF2MXR", auto=False)
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    assert f"serve --host 127.0.0.1 --port 9 --tls-cert {own_file()} --tls-key {own_file()}" in notes.getvalue()
