"""What the operator does, on real sockets, to a real node with people in its rooms."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from protocol.codec import JSON
from protocol.errors import CloseCode
from server.app import UnusableToken, running, token_in
from server.bots.pool import BotPool
from server.gateway.http import Page
from server.operator.listener import listening
from server.operator.routes import Asked, Route
from server.settings import ServerSettings
from tests.server.operator.asking import Answered, ask

TOKEN = "0123456789abcdef"


class Running:
    """A server with people, and its operator."""

    def __init__(self, url: str, admin_port: int) -> None:
        self.url = url
        self.admin_port = admin_port

    async def get(self, path: str) -> Any:
        answered = await ask(self.admin_port, path)
        assert answered.status == 200, answered
        return json.loads(answered.text)

    async def post(self, path: str, body: object = None, **headers: str) -> Answered:
        given = {"Content-Type": "application/json", **headers}
        return await ask(self.admin_port, path, "POST", json.dumps(body).encode(), given)

    @asynccontextmanager
    async def person(self, *said: object) -> AsyncIterator[ClientConnection]:
        async with connect(self.url, subprotocols=[Subprotocol(JSON)], proxy=None) as connection:
            for message in ({"type": "hello", "name": "Ann"}, *said):
                await connection.send(json.dumps(message))
            yield connection


CREATE = {"type": "create", "game": "chuo-pai", "fill": "easy"}


async def until(connection: ClientConnection, kind: str) -> Any:
    while True:
        message = json.loads(await connection.recv())
        if message["type"] == kind:
            return message


async def close_code(connection: ClientConnection) -> int | None:
    with suppress(ConnectionClosed):
        while True:
            await connection.recv()
    return connection.close_code


@pytest.fixture
async def server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    caplog.set_level(logging.INFO)
    settings = ServerSettings(port=0, store=f"sqlite:{tmp_path / 'rooms'}", admin_port=0, beat_ms=0, drain_s=1)
    async with running(settings, BotPool(1)) as port:
        (line,) = [text for text in caplog.messages if "operator's listener" in text]
        yield Running(f"ws://127.0.0.1:{port}/ws", int(line.rpartition(":")[2]))


async def test_rooms_and_connections_are_listed_without_a_card_or_a_ticket(server: Running) -> None:
    async with server.person(CREATE) as ann, server.person() as other:
        seated = await until(ann, "seated")
        view = (await until(ann, "table"))["view"]
        while view["prompt"] is None:
            view = (await until(ann, "table"))["view"]
        await until(other, "welcome")
        (room,) = rooms = await server.get("/admin/rooms")
        connections = await server.get("/admin/connections")
    assert (room["code"], room["game"], room["phase"], room["connections"]) == (
        seated["code"],
        "chuo-pai",
        "playing",
        1,
    )
    assert [(seat["kind"], seat["name"]) for seat in room["seats"]] == [
        ("human", "Ann"), ("bot", "Bot 2"), ("bot", "Bot 3"),
    ]  # fmt: skip
    assert [(one["state"], one["room"], one["seat"], one["address"]) for one in connections] == [
        ("seated", seated["code"], 0, "127.0.0.1"),
        ("lobby", "", None, "127.0.0.1"),
    ]
    told = json.dumps([rooms, connections])
    assert seated["ticket"].partition(".")[2] not in told
    assert "hand" not in told
    assert "deck" not in told


async def test_a_kicked_connection_ends_with_its_own_code_and_the_seat_stays(server: Running) -> None:
    async with server.person(CREATE) as ann:
        ticket = (await until(ann, "seated"))["ticket"]
        (one,) = await server.get("/admin/connections")
        assert (await server.post(f"/admin/connections/{one['id']}/kick")).status == 200
        assert await close_code(ann) == CloseCode.KICKED
    async with server.person() as ann:
        await until(ann, "welcome")
    async with connect(server.url, subprotocols=[Subprotocol(JSON)], proxy=None) as back:
        await back.send(json.dumps({"type": "hello", "name": "Ann", "ticket": ticket}))
        assert (await until(back, "seated"))["seat"] == 0
    answered = await server.post("/admin/connections/c999/kick")
    assert (answered.status, json.loads(answered.text)["code"]) == (404, "no_such_connection")


async def test_players_of_a_closed_room_are_told_who_closed_it(
    server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    async with server.person(CREATE) as ann:
        code = (await until(ann, "seated"))["code"]
        assert (await server.post(f"/admin/rooms/{code.lower()}/close")).status == 200
        assert (await until(ann, "unseated"))["reason"] == "closed_by_operator"
        assert await server.get("/admin/rooms") == []
        await ann.send(json.dumps({"type": "join", "code": code}))
        assert (await until(ann, "refused"))["code"] == "no_such_room"
    answered = await server.post("/admin/rooms/ABCD2345/close")
    assert (answered.status, json.loads(answered.text)["code"]) == (404, "no_such_room")
    noted = [record.getMessage() for record in caplog.records if record.name == "server.operator.audit"]
    assert noted[0] == f"127.0.0.1: close room {code.lower()}"


async def test_a_player_is_taken_off_a_seat_for_good(server: Running) -> None:
    async with server.person({"type": "create", "game": "chuo-pai"}) as ann:
        place = await until(ann, "seated")
        async with server.person({"type": "join", "code": place["code"]}) as bo:
            seat = (await until(bo, "seated"))["seat"]
            assert (await server.post(f"/admin/rooms/{place['code']}/seats/{seat}/kick")).status == 200
            assert (await until(bo, "unseated"))["reason"] == "removed"
        for nobody in (2, 7, "x"):
            answered = await server.post(f"/admin/rooms/{place['code']}/seats/{nobody}/kick")
            assert (answered.status, json.loads(answered.text)["code"]) == (404, "no_such_seat")


async def test_a_blocked_address_loses_its_connections_and_opens_none_until_it_is_let_in_again(server: Running) -> None:
    async with server.person() as ann:
        await until(ann, "welcome")
        answered = await server.post("/admin/block", {"address": "127.0.0.1", "seconds": 60})
        assert json.loads(answered.text) == {"kicked": 1}
        assert await close_code(ann) == CloseCode.KICKED
    with pytest.raises(InvalidStatus) as refused:
        async with server.person():
            pass
    response = refused.value.response
    assert (response.status_code, response.headers["Paizhuo-Code"]) == (403, "blocked")
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    (blocked,) = await server.get("/admin/blocks")
    assert blocked["address"] == "127.0.0.1/32"
    await server.post("/admin/block", {"address": "127.0.0.1", "seconds": 0})
    async with server.person() as ann:
        await until(ann, "welcome")


@pytest.mark.parametrize(
    "body", [None, {}, {"address": "here", "seconds": 1}, {"address": "10.0.0.1", "seconds": -1}, {"address": 1}]
)
async def test_what_cannot_be_blocked_is_refused_in_a_sentence(server: Running, body: object) -> None:
    answered = await server.post("/admin/block", body)
    assert (answered.status, json.loads(answered.text)["code"]) == (400, "malformed")


async def test_a_server_that_drains_sends_its_players_away_and_goes_on(server: Running) -> None:
    async with server.person(CREATE) as ann:
        await until(ann, "table")
        assert json.loads((await server.post("/admin/drain")).text) == {"connections": 1}
        assert await close_code(ann) == CloseCode.RESTART
    with pytest.raises(InvalidStatus) as refused:
        async with server.person():
            pass
    assert refused.value.response.status_code == 503
    assert (await ask(server.admin_port, "/readyz")).status == 503
    assert (await ask(server.admin_port, "/healthz")).status == 200
    assert (await server.post("/admin/drain")).status == 200


# Who may


async def test_nothing_is_changed_by_get_by_web_pages_or_by_what_is_no_json(server: Running) -> None:
    assert (await ask(server.admin_port, "/admin/drain")).status == 405
    for headers in ({"Origin": "http://127.0.0.1"}, {"Host": "evil.example"}, {"Content-Type": "text/plain"}):
        assert (await server.post("/admin/drain", **headers)).status in (403, 415)
    assert (await ask(server.admin_port, "/admin/connections", headers={"Host": "evil.example"})).status == 403
    assert (await ask(server.admin_port, "/readyz")).status == 200


async def hello(_: Asked) -> Page:
    return Page(HTTPStatus.OK, "hello\n")


@pytest.mark.parametrize(
    ("host", "token", "given", "status"),
    [
        ("127.0.0.1", "", None, 200),
        ("127.0.0.1", TOKEN, f"Bearer {TOKEN}", 200),
        ("127.0.0.1", TOKEN, None, 401),
        ("127.0.0.1", TOKEN, f"Bearer {TOKEN}0", 401),
        ("127.0.0.1", TOKEN, "Bearer ", 401),
        ("0.0.0.0", TOKEN, f"Bearer {TOKEN}", 200),
        ("0.0.0.0", TOKEN, TOKEN, 401),
        ("0.0.0.0", "", None, 403),
        ("0.0.0.0", "", "Bearer ", 403),
    ],
)
async def test_where_others_reach_the_listener_only_the_token_opens_it(
    host: str, token: str, given: str | None, status: int
) -> None:
    routes = (Route("GET", "/admin/rooms", hello, guarded=True), Route("GET", "/open", hello))
    async with listening(host, 0, routes, token=token) as port:
        headers = {} if given is None else {"Authorization": given}
        assert (await ask(port, "/admin/rooms", headers=headers)).status == status
        assert (await ask(port, "/open")).status == 200


def test_a_token_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    good, short = tmp_path / "good", tmp_path / "short"
    good.write_text(f"{TOKEN}\n")
    short.write_text("secret\n")
    assert token_in(str(good)) == TOKEN
    for path in (short, tmp_path / "none", tmp_path):
        with pytest.raises(UnusableToken) as refused:
            token_in(str(path))
        assert "secret" not in str(refused.value)
