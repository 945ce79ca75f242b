"""`paizhuo-server admin ...` against a listener that answers as a server's does."""

import json
from collections.abc import AsyncIterator
from functools import partial
from http import HTTPStatus
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed, admin
from server.commands.admin import Listener
from server.gateway.http import Page
from server.operator.listener import listening
from server.operator.routes import Asked, Route
from tests.server.operator.asking import off_the_loop

TOKEN = "0123456789abcdef"
ROOM = {
    "code": "ABCD2345", "game": "chuo-pai", "phase": "playing", "deal": 1, "deals": 3, "connections": 1,
    "age_s": 90, "idle_s": 4,
    "seats": [
        {"seat": 0, "kind": "human", "name": "A\x1b[2Jnn", "connected": False, "away": True},
        {"seat": 1, "kind": "bot", "name": "Bot 2", "connected": False, "away": False},
        {"seat": 2, "kind": "empty", "name": "", "connected": False, "away": False},
    ],
}  # fmt: skip
CONNECTION = {
    "id": "c7", "address": "203.0.113.7", "name": "\u202e张三", "state": "seated", "room": "ABCD2345", "seat": 0,
    "messages": 3, "waiting_bytes": 0,
}  # fmt: skip


class Desk:
    """What was asked, and what is answered."""

    def __init__(self, tmp_path: Path) -> None:
        self.port = 0
        self.asked: list[tuple[str, str]] = []
        self.page: Page | None = None
        self._token = tmp_path / "token"
        self._token.write_text(TOKEN)

    @property
    def listener(self) -> Listener:
        return Listener(admin_port=self.port, admin_token_file=str(self._token))

    def routes(self) -> tuple[Route, ...]:
        def route(method: str, path: str, found: object) -> Route:
            async def answer(asked: Asked) -> Page:
                self.asked.append((path.format(**asked.parameters), asked.body.decode()))
                return self.page or Page(HTTPStatus.OK, json.dumps(found), "application/json")

            return Route("GET" if method == "GET" else "POST", path, answer, guarded=True)

        return (
            route("GET", "/admin/rooms", [ROOM]),
            route("GET", "/admin/connections", [CONNECTION]),
            route("POST", "/admin/connections/{id}/kick", {}),
            route("POST", "/admin/rooms/{code}/close", {}),
            route("POST", "/admin/rooms/{code}/seats/{seat}/kick", {}),
            route("POST", "/admin/block", {"kicked": 2}),
            route("POST", "/admin/drain", {"connections": 5}),
        )


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    async with listening("127.0.0.1", 0, desk.routes(), token=TOKEN) as desk.port:
        yield desk


async def test_rooms_are_a_line_each_and_no_name_reaches_the_terminal_raw(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    await off_the_loop(lambda: admin.rooms(listener=desk.listener))
    assert capsys.readouterr().out == (
        "ABCD2345  chuo-pai  playing  deal 1/3  [1 human A[2Jnn (gone), 2 bot Bot 2, 3 empty]  1 connections  "
        "90 s old, idle for 4 s\n"
    )


async def test_connections_are_a_line_each_and_no_name_reaches_the_terminal_raw(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    await off_the_loop(lambda: admin.connections(listener=desk.listener))
    assert capsys.readouterr().out == "c7  203.0.113.7  张三  seated  ABCD2345 seat 1\n"


async def test_with_json_it_is_printed_as_it_came_in_ascii(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    listener = Listener(admin_port=desk.port, admin_token_file=desk.listener.admin_token_file, json=True)
    await off_the_loop(lambda: admin.connections(listener=listener))
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out) == [CONNECTION]
    await off_the_loop(lambda: admin.block("203.0.113.7", listener=listener))
    assert json.loads(capsys.readouterr().out) == {"kicked": 2}


async def test_what_is_to_be_done_is_asked_at_its_place(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    def all_of_them() -> None:
        admin.kick("c7", listener=desk.listener)
        admin.kick("ABCD2345", 3, listener=desk.listener)
        admin.close("ABCD2345", listener=desk.listener)
        admin.block("203.0.113.7", 60, listener=desk.listener)
        admin.drain(listener=desk.listener)

    await off_the_loop(all_of_them)
    assert desk.asked == [
        ("/admin/connections/c7/kick", "{}"),
        ("/admin/rooms/ABCD2345/seats/2/kick", "{}"),
        ("/admin/rooms/ABCD2345/close", "{}"),
        ("/admin/block", '{"address": "203.0.113.7", "seconds": 60}'),
        ("/admin/drain", "{}"),
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("status", "code", "exit_code"),
    [
        (HTTPStatus.NOT_FOUND, "no_such_room", ExitCode.NO_SUCH_ROOM),
        (HTTPStatus.NOT_FOUND, "no_such_connection", ExitCode.REFUSED),
        (HTTPStatus.SERVICE_UNAVAILABLE, "store_unavailable", ExitCode.STORE_UNAVAILABLE),
        (HTTPStatus.BAD_REQUEST, "malformed", ExitCode.USAGE),
    ],
)
async def test_a_refusal_is_told_in_its_words_with_its_exit_code(
    desk: Desk, status: HTTPStatus, code: str, exit_code: ExitCode
) -> None:
    desk.page = Page(status, json.dumps({"code": code, "text": "It is \x1bnot so."}), "application/json")
    with pytest.raises(CommandFailed, match=r"^It is not so\.$") as failed:
        await off_the_loop(lambda: admin.close("ABCD2345", listener=desk.listener))
    assert failed.value.exit_code == exit_code


async def test_a_wrong_token_and_a_listener_that_is_none_are_told(desk: Desk, tmp_path: Path) -> None:
    asked = (
        (Listener(admin_port=desk.port), ExitCode.REFUSED, "token is missing or wrong"),
        (Listener(admin_port=1), ExitCode.UNREACHABLE, "start the server with --admin-port 1"),
        (Listener(admin_port=desk.port, admin_token_file=str(tmp_path / "no")), ExitCode.USAGE, "cannot be read"),
    )
    for listener, exit_code, words in asked:
        with pytest.raises(CommandFailed, match=words) as failed:
            await off_the_loop(partial(admin.rooms, listener=listener))
        assert failed.value.exit_code == exit_code
