"""The operator's listener on real sockets."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus

import pytest

from protocol.errors import ErrorCode
from server.gateway.http import Page
from server.node.port import Refusal
from server.operator.listener import BODY_BYTES, listening
from server.operator.routes import Asked, Route, state_of_health
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import FakeNode
from tests.server.operator.asking import ask

SECRET = "hand of seat 1: 36 66"


async def echo(asked: Asked) -> Page:
    return Page(HTTPStatus.OK, f"{asked.parameters.get('code')} {dict(asked.query)} {asked.body.decode()}\n")


async def fail(_: Asked) -> Page:
    raise ValueError(SECRET)


class Slow:
    """Answers once it may."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def answer(self, _: Asked) -> Page:
        self.asked.set()
        await self.go_on.wait()
        return Page(HTTPStatus.OK, "done\n")


@asynccontextmanager
async def listener(node: FakeNode | None = None, host: str = "127.0.0.1") -> AsyncIterator[int]:
    health = state_of_health(node or FakeNode(), MovedClock())
    more = (Route("POST", "/rooms/{code}/close", echo), Route("GET", "/echo", echo), Route("GET", "/fault", fail))
    async with listening(host, 0, (*health, *more)) as port:
        yield port


async def test_health_is_told_in_plain_text_that_nobody_keeps() -> None:
    async with listener() as port:
        answered = await ask(port, "/healthz")
        assert (answered.status, answered.text) == (200, "ok\n")
        assert answered.headers["cache-control"] == "no-store"
        assert answered.headers["content-type"] == "text/plain; charset=utf-8"
        assert answered.headers["server"] == "paizhuo"
        assert (await ask(port, "/readyz")).text == "ready\n"
        assert '"protocols":' in (await ask(port, "/version")).text


async def test_a_server_that_cannot_serve_is_not_ready() -> None:
    node = FakeNode()
    node.unready = Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.")
    async with listener(node) as port:
        answered = await ask(port, "/readyz")
    assert (answered.status, answered.text) == (503, "The store is out of reach.\n")


async def test_a_server_that_stops_is_not_ready_from_that_moment_on() -> None:
    stops: list[str] = []
    routes = state_of_health(FakeNode(), MovedClock(), lambda: bool(stops))
    async with listening("127.0.0.1", 0, routes) as port:
        assert (await ask(port, "/readyz")).status == 200
        stops.append("now")
        assert (await ask(port, "/readyz")).status == 503
        assert (await ask(port, "/healthz")).status == 200


async def test_a_route_gets_what_stands_in_path_query_and_body() -> None:
    async with listener() as port:
        answered = await ask(port, "/rooms/ABCD2345/close?reason=late%20hour", "POST", b"now")
    assert answered.text == "ABCD2345 {'reason': 'late hour'} now\n"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/ws", 404),
        ("GET", "/rooms/ABCD2345/close", 405),
        ("DELETE", "/healthz", 405),
        ("HEAD", "/healthz", 200),
    ],
)
async def test_only_its_routes_are_answered(method: str, path: str, status: int) -> None:
    async with listener() as port:
        assert (await ask(port, path, method)).status == status


async def test_a_body_is_read_up_to_a_bound() -> None:
    async with listener() as port:
        assert (await ask(port, "/rooms/A/close", "POST", b"a" * BODY_BYTES)).status == 200
        assert (await ask(port, "/rooms/A/close", "POST", b"a" * (BODY_BYTES + 1))).status == 413


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "10.0.0.1"},
        {"Host": "[::1"},
        {"Host": ""},
    ],
    ids=lambda headers: " ".join(*headers.items()),
)
async def test_web_pages_are_refused_however_they_came(headers: dict[str, str]) -> None:
    async with listener() as port:
        for method, path in (("GET", "/healthz"), ("POST", "/rooms/A/close")):
            answered = await ask(port, path, method, headers=headers)
            assert answered.status == 403
            assert "for no web page" in answered.text


@pytest.mark.parametrize("host", ["localhost", "localhost:8471", "127.0.0.1", "[::1]:8471"])
async def test_a_loopback_listener_answers_to_every_name_of_this_machine(host: str) -> None:
    async with listener() as port:
        assert (await ask(port, "/healthz", headers={"Host": host})).status == 200


async def test_a_listener_for_a_network_answers_to_whatever_it_is_called_there() -> None:
    async with listener(host="0.0.0.0") as port:
        assert (await ask(port, "/healthz", headers={"Host": "paizhuo.games.svc:8471"})).status == 200
        assert (await ask(port, "/healthz", headers={"Origin": "https://evil.example"})).status == 403


async def test_a_fault_is_logged_without_what_it_quotes_and_ends_one_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with listener() as port:
        answered = await ask(port, "/fault")
        assert answered.status == 500
        assert SECRET not in answered.text
        assert (await ask(port, "/healthz")).status == 200
    assert "ValueError" in caplog.text
    assert SECRET not in caplog.text


async def test_rubbish_is_answered_and_not_quoted_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with listener() as port:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as raw:
            raw.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(raw, b"\x1b[2J 36 66 \r\n\r\n")
            assert (await loop.sock_recv(raw, 4096)).startswith(b"HTTP/1.")
    assert "36 66" not in caplog.text


async def test_connections_that_ask_nothing_are_ended_and_others_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.operator.listener.HEARD_S", 0.1)
    async with listener() as port, asyncio.timeout(10):
        asks = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        in_use, to_it = await asyncio.open_connection("127.0.0.1", port)
        to_it.write(asks)
        assert b"200" in await in_use.readline()
        for began in (b"", b"GET /healthz HTTP/1.1\r\nHost: loc"):
            silent, to_silent = await asyncio.open_connection("127.0.0.1", port)
            to_silent.write(began)
            assert await silent.read() == b""
            to_silent.close()
        await in_use.readuntil(b"ok\n")
        to_it.write(asks)
        assert b"200" in await in_use.readline()
        to_it.close()


async def test_one_connection_too_many_ends_the_oldest_that_is_not_being_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("server.operator.listener.MOST_CONNECTIONS", 3)
    slow = Slow()
    routes = (Route("POST", "/backup", slow.answer), Route("POST", "/close", echo), Route("GET", "/echo", echo))
    async with listening("127.0.0.1", 0, routes) as port, asyncio.timeout(20), AsyncExitStack() as ends:

        async def connected(request: bytes) -> asyncio.StreamReader:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            ends.callback(writer.close)
            writer.write(request)
            return reader

        answered = await connected(b"POST /backup HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await slow.asked.wait()
        half_asked = await connected(b"POST /close HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
        kept = await connected(b"GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await kept.readuntil(b"None {} \n")
        for oldest in (half_asked, kept):
            assert (await ask(port, "/echo")).status == 200
            assert await oldest.read() == b""
            await connected(b"")
        slow.go_on.set()
        await answered.readuntil(b"done\n")
    assert not caplog.text


async def test_where_all_are_being_answered_one_more_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.operator.listener.MOST_CONNECTIONS", 1)
    slow = Slow()
    async with listening("127.0.0.1", 0, (Route("GET", "/metrics", slow.answer),)) as port, asyncio.timeout(20):
        first = asyncio.create_task(ask(port, "/metrics"))
        await slow.asked.wait()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await ask(port, "/metrics")
        slow.go_on.set()
        assert (await first).text == "done\n"


async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.operator.listener.HEARD_S", 0.1)
    async with listener() as port, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /rooms/A/close HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf")
        assert b"408" in await reader.readline()
        writer.close()


async def test_a_port_that_is_taken_cannot_be_bound() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address already in use"):
        async with listening("127.0.0.1", taken.getsockname()[1], ()):
            pytest.fail("it was bound")
