"""The connection comes back by itself where that makes sense, with jittered waits, and gives up where it does not."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from http import HTTPStatus
from itertools import count

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from client_cli.connection import FIRST_CONNECT_S, NEWER_FROM_S, Connection, Lost, Opened, Sought
from client_cli.endings import Replaced, TicketRefused, Why
from client_cli.failure import CommandFailed
from client_cli.servers import LONGEST_WAIT_S
from protocol.errors import CloseCode, ErrorCode, ExitCode
from protocol.messages import Hello, Notice, Refused, Seated, ServerMessage, Welcome
from tests.client_cli.scripted_server import Peer, Script, scripted
from tests.client_cli.tables import CODE, TICKET, table, view
from tests.ports import free_ports

WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
HELLO = Hello("Anna")
TABLE = table(view())


class MovedTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept: list[float] = []

    def clock_s(self) -> float:
        return self.now_s

    async def sleep(self, wait_s: float) -> None:
        self.slept.append(wait_s)
        self.now_s += wait_s
        await asyncio.sleep(0)


Events = AsyncIterator[Opened | Sought | Lost | ServerMessage]


@asynccontextmanager
async def events_of(
    url: str, time: MovedTime | None = None, *, chance: float = 1.0
) -> AsyncIterator[tuple[Connection, Events]]:
    time = time or MovedTime()
    connection = Connection(url, sleep=time.sleep, chance=lambda: chance, clock_s=time.clock_s)
    async with aclosing(connection.events()) as events:
        yield connection, events


def closing(code: int, reason: str = "") -> Script:
    """Says welcome and hangs up."""

    async def script(peer: Peer) -> None:
        await peer.says(WELCOME)
        await peer.hangs_up(code, reason)

    return script


async def staying(peer: Peer) -> None:
    await peer.says(WELCOME)
    await peer.waits()


async def test_messages_go_both_ways_in_order() -> None:
    async def script(peer: Peer) -> None:
        assert await peer.hears() == HELLO
        await peer.says(WELCOME, TABLE)
        await peer.waits()

    async with scripted(script) as url, events_of(url) as (connection, events):
        assert await anext(events) == Opened(url)
        await connection.send(HELLO)
        assert await anext(events) == WELCOME
        assert await anext(events) == TABLE


async def test_frames_are_not_compressed() -> None:
    async def script(peer: Peer) -> None:
        assert not peer.socket.protocol.extensions
        assert peer.socket.request is not None
        assert "Sec-WebSocket-Extensions" not in peer.socket.request.headers
        await staying(peer)

    async with scripted(script) as url, events_of(url) as (_, events):
        assert await anext(events) == Opened(url)
        assert await anext(events) == WELCOME


@pytest.mark.parametrize(
    "code", [1000, 1001, 1011, CloseCode.RESTART, 1013, CloseCode.TIMEOUT, CloseCode.TOO_SLOW, 4029]
)
async def test_a_closed_connection_is_opened_again(code: int) -> None:
    async with scripted(closing(code), staying) as url, events_of(url) as (_, events):
        seen = [await anext(events) for _ in range(5)]
    assert seen[:2] == [Opened(url), WELCOME]
    assert isinstance(seen[2], Lost)
    assert seen[3:] == [Opened(url), WELCOME]


async def test_a_cut_line_is_mended() -> None:
    async def welcome_and_drop(peer: Peer) -> None:
        await peer.says(WELCOME)
        await peer.drops()

    async with scripted(welcome_and_drop, staying) as url, events_of(url) as (_, events):
        assert [await anext(events) for _ in range(2)] == [Opened(url), WELCOME]
        assert isinstance(await anext(events), Lost)
        assert await anext(events) == Opened(url)


async def silent(peer: Peer) -> None:
    await peer.waits()


@pytest.mark.parametrize(("script", "reason"), [(silent, "says nothing"), (Peer.drops, "no close frame")])
async def test_a_server_that_takes_connections_but_says_nothing_is_unreachable(script: Script, reason: str) -> None:
    time = MovedTime()
    async with scripted(*[script] * 5) as url:
        connection = Connection(
            url, sleep=time.sleep, chance=lambda: 1.0, clock_s=time.clock_s, welcome_s=0.0 if script is silent else 10
        )
        async with aclosing(connection.events()) as events:
            with pytest.raises(CommandFailed, match=reason) as failed:
                async for _ in events:
                    pass
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    assert time.now_s == FIRST_CONNECT_S


@pytest.mark.slow
async def test_a_server_that_falls_silent_is_tried_again_during_a_game() -> None:
    async with scripted(closing(1011), silent, staying) as url:
        connection = Connection(url, chance=lambda: 0.0, welcome_s=0.2)
        async with aclosing(connection.events()) as events:
            seen = [await anext(events) for _ in range(7)]
    assert seen == [
        Opened(url),
        WELCOME,
        Lost(url, url, 0.0),
        Opened(url),
        Lost(url, url, 0.0, "unanswered"),
        Opened(url),
        WELCOME,
    ]


@pytest.mark.slow
async def test_a_line_that_answers_no_ping_is_cut_and_mended() -> None:
    async def deaf(peer: Peer) -> None:
        await peer.says(WELCOME)
        peer.socket.transport.pause_reading()
        await peer.waits()

    async with scripted(deaf, staying) as url:
        connection = Connection(url, ping_every_s=0.05, chance=lambda: 0.0)
        async with aclosing(connection.events()) as events:
            assert [await anext(events) for _ in range(2)] == [Opened(url), WELCOME]
            assert isinstance(await anext(events), Lost)
            assert await anext(events) == Opened(url)


async def test_waits_grow_until_a_table_comes_and_then_begin_anew() -> None:
    async def table_then_drop(peer: Peer) -> None:
        await peer.says(TABLE)
        await peer.hangs_up(1011)

    time = MovedTime()
    scripts = [closing(1011), closing(1011), closing(1011), table_then_drop, staying]
    async with scripted(*scripts) as url, events_of(url, time) as (_, events):
        async for event in events:
            if event == Opened(url) and len(time.slept) == 4:
                break
    assert time.slept == [0.5, 1.0, 2.0, 0.5]


@pytest.mark.parametrize(
    ("code", "wait_s", "why"),
    [(1011, 0.5, "broken"), (CloseCode.RESTART, 2.0, "stopped"), (1013, 8.0, "busy"), (4029, 8.0, "busy")],
)
async def test_a_server_that_asks_for_patience_gets_it(code: int, wait_s: float, why: Why) -> None:
    time = MovedTime()
    async with scripted(closing(code), staying) as url, events_of(url, time) as (_, events):
        assert [await anext(events) for _ in range(3)] == [Opened(url), WELCOME, Lost(url, url, wait_s, why)]
        assert await anext(events) == Opened(url)
    assert time.slept == [wait_s]


async def test_a_server_that_is_gone_for_good_is_told_from_a_broken_line() -> None:
    async with AsyncExitStack() as until_stopped:
        url = await until_stopped.enter_async_context(scripted(closing(CloseCode.RESTART)))
        async with events_of(url) as (_, events):
            seen = [await anext(events) for _ in range(3)]
            await until_stopped.aclose()
            seen += [await anext(events) for _ in range(2)]
    assert seen == [
        Opened(url),
        WELCOME,
        Lost(url, url, 2.0, "stopped"),
        Lost(url, url, 4.0, "unanswered"),
        Lost(url, url, 8.0, "unanswered"),
    ]


async def test_a_replaced_connection_never_comes_back() -> None:
    time = MovedTime()
    async with scripted(closing(CloseCode.REPLACED)) as url, events_of(url, time) as (_, events):
        with pytest.raises(Replaced):
            async for _ in events:
                pass
    assert time.slept == []


async def test_whoever_the_operator_sends_away_does_not_come_back_by_itself() -> None:
    async with scripted(closing(CloseCode.KICKED)) as url, events_of(url) as (_, events):
        assert [await anext(events) for _ in range(2)] == [Opened(url), WELCOME]
        with pytest.raises(CommandFailed, match="operator") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.REFUSED


async def test_a_refused_ticket_is_not_tried_again() -> None:
    async with scripted(closing(CloseCode.BAD_TICKET)) as url, events_of(url) as (_, events):
        with pytest.raises(TicketRefused):
            async for _ in events:
                pass


@pytest.mark.parametrize("code", [1002, 1003, 1007, 1008, 1009])
async def test_a_fault_of_ours_is_not_repeated(code: int) -> None:
    async with scripted(closing(code, "what was wrong")) as url, events_of(url) as (_, events):
        with pytest.raises(CommandFailed, match="what was wrong") as failed:
            async for _ in events:
                pass
    assert failed.value.exit_code == ExitCode.REFUSED


async def test_another_version_is_told_in_the_servers_words_and_not_tried_again() -> None:
    def refuse(connection: ServerConnection, _request: Request) -> Response:
        return connection.respond(HTTPStatus.BAD_REQUEST, "This server speaks v2, you offered v1.\n")

    time = MovedTime()
    async with scripted(refuse=refuse) as url, events_of(url, time) as (_, events):
        with pytest.raises(CommandFailed, match="This server speaks v2, you offered v1") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.VERSION_MISMATCH
    assert time.slept == []


async def test_a_server_without_our_subprotocol_is_another_version() -> None:
    async with scripted(silent, subprotocols=()) as url, events_of(url) as (_, events):
        with pytest.raises(CommandFailed) as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.VERSION_MISMATCH


async def test_what_a_newer_server_says_of_its_own_is_passed_over() -> None:
    async def script(peer: Peer) -> None:
        for message in ({"type": "weather", "rain": True}, {"type": "notice", "kind": "live", "since": 3}):
            await peer.socket.send(msgspec.msgpack.encode(message))
        await peer.waits()

    async with scripted(script) as url, events_of(url) as (_, events):
        assert [await anext(events), await anext(events)] == [Opened(url), Notice("live")]


@pytest.mark.parametrize(
    "frame", [b"\xc1", b"", "text", msgspec.msgpack.encode({"type": "seated"}), b"\x80", b"\x81\xa4type\x01"]
)
async def test_a_server_that_speaks_nonsense_is_another_version(frame: bytes | str) -> None:
    async def script(peer: Peer) -> None:
        await peer.socket.send(frame)
        await peer.waits()

    async with scripted(script) as url, events_of(url) as (_, events):
        assert await anext(events) == Opened(url)
        with pytest.raises(CommandFailed, match="unreadable") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.VERSION_MISMATCH


async def test_a_web_server_of_another_kind_is_a_wrong_address() -> None:
    def refuse(connection: ServerConnection, _request: Request) -> Response:
        return connection.respond(HTTPStatus.NOT_FOUND, "no such page")

    async with scripted(refuse=refuse) as url, events_of(url) as (_, events):
        with pytest.raises(CommandFailed, match="HTTP 404") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE


async def test_a_proxy_without_its_server_is_waited_for_during_a_game() -> None:
    refusals = [HTTPStatus.BAD_GATEWAY, HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE]
    accepted = 0

    def refuse(connection: ServerConnection, _request: Request) -> Response | None:
        nonlocal accepted
        if accepted == 1 and refusals:
            return connection.respond(refusals.pop(), "not now")
        accepted += 1
        return None

    async with scripted(closing(1012), staying, refuse=refuse) as url, events_of(url) as (_, events):
        seen = [await anext(events) for _ in range(7)]
    assert [type(event) for event in seen] == [Opened, Welcome, Lost, Lost, Lost, Lost, Opened]


def turned_away(status: HTTPStatus, code: str, **headers: str) -> Callable[[ServerConnection, Request], Response]:
    def refuse(connection: ServerConnection, _request: Request) -> Response:
        response = connection.respond(status, "Not you, not now.\n")
        response.headers["Paizhuo-Code"] = code
        for name, value in headers.items():
            response.headers[name.replace("_", "-")] = value
        return response

    return refuse


async def test_a_server_that_names_a_time_to_come_back_is_not_asked_before() -> None:
    time, refuse = MovedTime(), turned_away(HTTPStatus.TOO_MANY_REQUESTS, "rate_limited", Retry_After="2")
    waits: list[float] = []

    def refuse_once(connection: ServerConnection, request: Request) -> Response | None:
        waits.append(time.now_s)
        return refuse(connection, request) if len(waits) == 1 else None

    async with scripted(staying, refuse=refuse_once) as url, events_of(url, time, chance=0.25) as (_, events):
        assert await anext(events) == Opened(url)
    assert waits == [0.0, 2.5]


@pytest.mark.parametrize("after", ["soon", "-1", "", "9" * 20])
async def test_a_time_that_is_none_is_passed_over_and_the_server_is_given_up_in_its_own_words(after: str) -> None:
    time, refuse = MovedTime(), turned_away(HTTPStatus.TOO_MANY_REQUESTS, "rate_limited", Retry_After=after)
    async with scripted(refuse=refuse) as url, events_of(url, time) as (_, events):
        with pytest.raises(CommandFailed, match="Not you, not now") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    assert time.now_s == FIRST_CONNECT_S


@pytest.mark.parametrize("code", ["blocked", "origin"])
async def test_whoever_is_turned_away_for_good_is_told_so_in_the_servers_words(code: str) -> None:
    time, refuse = MovedTime(), turned_away(HTTPStatus.FORBIDDEN, code, Retry_After="2")
    async with scripted(refuse=refuse) as url, events_of(url, time) as (_, events):
        with pytest.raises(CommandFailed, match="turned you away: Not you, not now") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.REFUSED
    assert time.slept == []


async def test_a_server_that_never_answers_is_given_up_after_a_bounded_time_and_that_it_is_sought_is_told_once() -> (
    None
):
    time, url = MovedTime(), f"ws://127.0.0.1:{free_ports(1)[0]}/ws"
    async with events_of(url, time) as (_, events):
        assert await anext(events) == Sought(url)
        assert time.now_s == 0
        with pytest.raises(CommandFailed, match="Connection refused") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    assert time.now_s == FIRST_CONNECT_S


async def test_a_name_that_nobody_knows_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: object, **_kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    time, url = MovedTime(), "ws://no-such-host.invalid:1/ws"
    async with events_of(url, time) as (_, events):
        assert await anext(events) == Sought(url)
        with pytest.raises(CommandFailed, match="Name or service not known") as failed:
            await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE


async def test_what_is_sent_while_the_line_is_down_is_dropped() -> None:
    connection = Connection("ws://127.0.0.1:1/ws")
    await connection.send(HELLO)


SEATED = Seated(CODE, 0, TICKET)


def knowing(*others: str) -> Welcome:
    return Welcome("0.1.0", "Anna", ("chuo-pai",), others)


def saying(*messages: ServerMessage, code: int | None = None) -> Script:
    """Says all this, and hangs up with `code`, or stays."""

    async def script(peer: Peer) -> None:
        await peer.says(*messages)
        if code is not None:
            await peer.hangs_up(code)
        await peer.waits()

    return script


at_b = saying(WELCOME, SEATED, TABLE)


@pytest.mark.parametrize(
    ("last_words", "code", "why"),
    [
        ((), CloseCode.RESTART, "stopped"),
        ((), 1013, "busy"),
        ((Notice("stale"),), CloseCode.RESTART, "stale"),
        ((Notice("stale"), Notice("live")), CloseCode.RESTART, "stopped"),
        ((Notice("draining", 5000),), None, "stopped"),
        ((Notice("newer"),), None, "newer"),
        ((Refused(ErrorCode.ROOM_NEWER, "A newer server plays here.", 3),), None, "newer"),
        ((Refused(ErrorCode.DRAINING, "The server stops.", None, 5000),), None, "stopped"),
    ],
)
async def test_a_server_that_asks_to_be_left_is_left_for_another_at_once(
    last_words: tuple[ServerMessage, ...], code: int | None, why: Why
) -> None:
    async with scripted(at_b) as b:
        a_script = saying(knowing(b), SEATED, TABLE, *last_words, code=code)
        async with scripted(a_script) as a, events_of(a, chance=0.0) as (connection, events):
            seen = [await anext(events) for _ in range(4)]
            assert seen == [Opened(a), knowing(b), SEATED, TABLE]
            heard = [message for message in last_words if message in (Notice("stale"), Notice("live"))]
            assert [await anext(events) for _ in heard] == heard
            assert [await anext(events) for _ in range(2)] == [Lost(a, b, 0.0, why), Opened(b)]
            assert [await anext(events) for _ in range(3)] == [WELCOME, SEATED, TABLE]
            assert connection.servers.known == (b, a)


async def test_a_broken_line_is_mended_where_it_was_before_another_server_is_tried() -> None:
    async with scripted(at_b) as b, scripted(saying(knowing(b), SEATED, TABLE, code=1011), at_b) as a:
        async with events_of(a) as (_, events):
            seen = [await anext(events) for _ in range(6)]
            assert seen[4:] == [Lost(a, a, 0.5), Opened(a)]
        async with events_of(b) as (_, events):
            assert await anext(events) == Opened(b)


async def test_a_killed_server_is_tried_once_more_and_then_the_next_at_once() -> None:
    time = MovedTime()
    async with AsyncExitStack() as until_killed, scripted(at_b) as b:
        a = await until_killed.enter_async_context(scripted(saying(knowing(b), SEATED, TABLE, code=1011)))
        async with events_of(a, time) as (_, events):
            assert [await anext(events) for _ in range(5)] == [
                *(Opened(a), knowing(b), SEATED, TABLE),
                Lost(a, a, 0.5),
            ]
            await until_killed.aclose()
            assert [await anext(events) for _ in range(2)] == [Lost(a, b, 0.0, "unanswered"), Opened(b)]
    assert time.slept == [0.5, 0.0]


@pytest.mark.parametrize(("named_ms", "wait_s"), [(5000, 5.0), (2**53 - 1, LONGEST_WAIT_S)])
async def test_a_server_that_stops_is_come_back_to_within_the_time_that_it_named_if_that_is_no_age(
    named_ms: int, wait_s: float
) -> None:
    time = MovedTime()
    script = saying(WELCOME, SEATED, TABLE, Notice("draining", named_ms), code=CloseCode.RESTART)
    async with scripted(script, staying) as url, events_of(url, time) as (_, events):
        seen = [await anext(events) for _ in range(7)]
    assert seen[4:] == [Notice("draining", named_ms), Lost(url, url, wait_s, "stopped"), Opened(url)]
    assert time.slept == [wait_s]


async def test_the_only_server_is_too_old_and_told_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client_cli.connection.NEWER_FROM_S", 0.0)
    script = saying(WELCOME, SEATED, TABLE, Notice("newer"))
    async with scripted(script, at_b) as url, events_of(url, chance=0.0) as (_, events):
        seen = [await anext(events) for _ in range(7)]
    assert seen[4:] == [Notice("newer"), Lost(url, url, 0.0, "newer"), Opened(url)]
    assert NEWER_FROM_S >= 30


async def test_a_server_of_other_rooms_takes_no_seat_away() -> None:
    refused = Refused(ErrorCode.BAD_TICKET, "This ticket opens no seat.")
    async with scripted(saying(WELCOME, refused, code=CloseCode.BAD_TICKET)) as stranger:
        here = saying(knowing(stranger), SEATED, TABLE, code=CloseCode.RESTART)
        async with scripted(here, at_b) as url, events_of(url, chance=0.0) as (connection, events):
            seen = [await anext(events) for _ in range(9)]
            assert connection.servers.known == (url,)
    assert seen[4:] == [
        Lost(url, stranger, 0.0, "stopped"),
        Opened(stranger),
        WELCOME,
        Lost(stranger, url, 0.0, "stranger"),
        Opened(url),
    ]


def of_another_version(after: int) -> Callable[[ServerConnection, Request], Response | None]:
    """A server that is replaced by one of another version after so many connections."""
    connections = count()

    def refuse(connection: ServerConnection, _request: Request) -> Response | None:
        return (
            connection.respond(HTTPStatus.BAD_REQUEST, "This server speaks v2.") if next(connections) >= after else None
        )

    return refuse


async def test_another_server_of_another_version_does_not_end_the_game() -> None:
    async with scripted(refuse=of_another_version(0)) as other:
        here = saying(knowing(other), SEATED, TABLE, code=CloseCode.RESTART)
        async with scripted(here, staying) as url, events_of(url, chance=0.0) as (_, events):
            seen = [await anext(events) for _ in range(7)]
    assert seen[5:] == [Lost(other, url, 0.0, "stranger"), Opened(url)]


async def test_a_server_that_comes_back_in_another_version_does_not_end_a_game_that_another_can_serve() -> None:
    async with scripted(at_b) as other:
        here = saying(knowing(other), SEATED, TABLE, code=1011)
        async with scripted(here, refuse=of_another_version(1)) as url, events_of(url, chance=0.0) as (_, events):
            seen = [await anext(events) for _ in range(7)]
    assert seen[4:] == [Lost(url, url, 0.0), Lost(url, other, 0.0, "stranger"), Opened(other)]


async def test_a_seat_is_found_at_another_server_when_the_first_is_gone_for_good() -> None:
    gone = f"ws://127.0.0.1:{free_ports(1)[0]}/ws"
    time = MovedTime()
    async with scripted(at_b) as b:
        connection = Connection(gone, (gone, b), sleep=time.sleep, chance=lambda: 1.0, clock_s=time.clock_s)
        async with aclosing(connection.events()) as events:
            assert await anext(events) == Opened(b)
    assert time.slept == [0.0]


class Nights:
    """When the machine sleeps."""

    def __init__(self) -> None:
        self._over = asyncio.Event()

    def over(self) -> None:
        self._over.set()

    async def woken(self) -> None:
        await self._over.wait()
        self._over.clear()


async def test_a_link_that_may_have_died_in_the_night_is_not_waited_for() -> None:
    nights, time = Nights(), MovedTime()
    async with scripted(at_b, at_b) as url:
        connection = Connection(url, sleep=time.sleep, chance=lambda: 0.0, woken=nights.woken)
        async with aclosing(connection.events()) as events:
            assert [await anext(events) for _ in range(4)] == [Opened(url), WELCOME, SEATED, TABLE]
            nights.over()
            assert [await anext(events) for _ in range(2)] == [Lost(url, url, 0.0, "slept"), Opened(url)]


async def test_a_wait_is_cut_short_when_the_machine_wakes() -> None:
    nights = Nights()
    waiting = asyncio.Event()

    async def for_ever(_wait_s: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with scripted(closing(CloseCode.RESTART), staying) as url:
        connection = Connection(url, sleep=for_ever, woken=nights.woken)
        async with aclosing(connection.events()) as events:
            seen = [await anext(events) for _ in range(3)]
            assert isinstance(seen[2], Lost)
            following = asyncio.ensure_future(anext(events))
            await waiting.wait()
            nights.over()
            assert await following == Opened(url)
