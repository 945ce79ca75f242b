"""What a client may not send, and how much of what it may."""

import asyncio
import logging
from collections import Counter
from contextlib import AsyncExitStack, suppress
from http.client import HTTPException

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from protocol.codec import JSON, MSGPACK, SUBPROTOCOLS
from protocol.errors import CloseCode, ErrorCode, TurnedAway
from protocol.messages import MAX_FRAME_BYTES, Act, Create, Done, Join, ListRooms, Refused, Rooms, Seated, Table
from server.gateway.admission import SPARE_CONNECTIONS
from server.gateway.counted import CONTROLS_AT_ONCE
from server.gateway.session import Request, Session
from server.gateway.websocket import AT_A_STRETCH, LOOK_UP_S, Ending
from server.limits import Limits
from tests.server.gateway.gateways import ANN, BOB, Gateway, gateway


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_frame_of_the_largest_size_is_read_and_a_larger_one_closes(
    open_gateway: Gateway, subprotocol: str
) -> None:
    text = subprotocol == JSON
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.connection.send(b" " * MAX_FRAME_BYTES, text=text)
        refusal = await client.receive()
        assert isinstance(refusal, Refused)
        assert refusal.code == ErrorCode.MALFORMED
        await client.connection.send(b" " * (MAX_FRAME_BYTES + 1), text=text)
        assert await client.close_code() == CloseCode.TOO_BIG


async def test_text_that_is_not_utf_8_closes(open_gateway: Gateway) -> None:
    async with open_gateway.client(JSON, ANN) as client:
        await client.connection.send(b'{"type":"say","text":"\xff\xfe"}', text=True)
        assert await client.close_code() == 1007


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_frame_of_the_other_kind_is_refused(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.connection.send(b'{"type":"list_rooms"}', text=not client.codec.text)
        refusal = await client.receive()
        assert isinstance(refusal, Refused)
        assert refusal.code == ErrorCode.MALFORMED
        await client.send(ListRooms())
        assert isinstance(await client.receive(), Rooms)


async def test_a_flood_ends_the_one_who_sends_it_and_nobody_else(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as flooding, open_gateway.client(MSGPACK, BOB) as other:
        with suppress(ConnectionClosed):
            for _ in range(500):
                await flooding.send(ListRooms())
        assert await flooding.close_code() == CloseCode.RATE_LIMITED
        await other.send(ListRooms())
        assert isinstance(await other.receive(), Rooms)


@pytest.mark.parametrize("kind", [Opcode.PING, Opcode.PONG])
async def test_a_flood_of_pings_ends_the_one_who_sends_it_and_a_few_do_not(open_gateway: Gateway, kind: Opcode) -> None:
    ping = Frame(kind, b"still there?").serialize(mask=True)
    async with open_gateway.client(MSGPACK, ANN) as flooding, open_gateway.client(MSGPACK, BOB) as other:
        for client in (flooding, other):
            client.connection.transport.write(ping * CONTROLS_AT_ONCE)
            await client.send(ListRooms())
            assert isinstance(await client.receive(), Rooms)
        flooding.connection.transport.write(ping * 2)
        assert await flooding.close_code() == CloseCode.RATE_LIMITED
        await other.send(ListRooms())
        assert isinstance(await other.receive(), Rooms)


async def test_between_messages_that_came_all_at_once_others_have_their_turn(
    open_gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, read_in = 0, Counter[int]()
    right = Session.receive

    def receive(self: Session, frame: bytes | str, now_ms: int) -> Request | None:
        read_in[turns] += 1
        return right(self, frame, now_ms)

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(Session, "receive", receive)
    counting = asyncio.create_task(count())
    no_message = Frame(Opcode.BINARY, b"\xc1").serialize(mask=True)
    async with open_gateway.client(MSGPACK, ANN) as flooding:
        flooding.connection.transport.write(no_message * 100)
        for _ in range(100):
            await flooding.receive()
    counting.cancel()
    assert read_in.total() == 101
    assert max(read_in.values()) == 1


async def test_those_who_play_do_not_wait_behind_those_at_no_table() -> None:
    async with (
        gateway(Limits(lobby_messages=10)) as opened,
        opened.client(MSGPACK, ANN) as player,
        opened.client(MSGPACK, BOB) as stranger,
    ):
        await player.send(Create("chuo-pai"))
        await player.until(Table)
        await stranger.send(*[ListRooms()] * 40)
        for n in range(1, 21):
            await player.send(Act(n, 7, "pass"))
            assert await player.receive() == Done(n)
        assert opened.node.lists < 40, "which take four seconds"
        stranger.connection.transport.abort()


async def test_who_comes_from_another_address_waits_behind_one_message_of_each() -> None:
    async with gateway(Limits(lobby_messages=10, trusted_proxy=("127.0.0.1",))) as opened, AsyncExitStack() as many:
        for _ in range(2):
            crowding = await many.enter_async_context(opened.client(MSGPACK, ANN, forwarded_for="198.51.100.1"))
            await crowding.send(*[ListRooms()] * 20)
            many.callback(crowding.connection.transport.abort)
        async with opened.client(MSGPACK, BOB, forwarded_for="198.51.100.2"):
            assert opened.node.lists < 8, "one before the request, one before the hello, and what was under way"


async def test_who_is_refused_at_a_table_does_not_wait_behind_those_at_no_table() -> None:
    no_message = Frame(Opcode.BINARY, b"\xc1").serialize(mask=True)
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(gateway(Limits(lobby_messages=50)))
        player = await stack.enter_async_context(opened.client(MSGPACK, ANN))
        await player.send(Create("chuo-pai"))
        await player.until(Table)
        for _ in range(5):
            stranger = await stack.enter_async_context(opened.client(MSGPACK, BOB))
            stack.callback(stranger.connection.transport.abort)  # else its good-bye waits in the line, too
            await stranger.send(*[ListRooms()] * 30)
        listed = opened.node.lists
        player.connection.transport.write(no_message * 5)
        await player.send(Act(1, 7, "pass"))
        await player.until(Done)
        assert opened.node.lists - listed < 15, "behind five others 25 to 30"


async def test_who_sits_at_no_table_and_never_stops_talking_is_sent_away() -> None:
    async with (
        gateway(Limits(connection_messages=10_000, address_joins=1_000)) as opened,
        opened.client(MSGPACK, ANN) as talking,
        opened.client(MSGPACK, BOB) as other,
    ):
        listing = Frame(Opcode.BINARY, talking.codec.encode(ListRooms())).serialize(mask=True)
        talking.connection.transport.write(listing * AT_A_STRETCH)
        for _ in range(AT_A_STRETCH):
            assert isinstance(await talking.receive(), Rooms)
        talking.connection.transport.write(listing * (AT_A_STRETCH + 2))
        assert await talking.close_code() == CloseCode.RATE_LIMITED
        await other.send(ListRooms())
        assert isinstance(await other.receive(), Rooms)


async def test_nobody_waits_for_those_who_went_while_they_waited() -> None:
    request = "\r\n".join(
        (
            "GET /ws HTTP/1.1",
            "Host: here",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {MSGPACK}",
            "",
            "",
        )
    ).encode()
    async with gateway(Limits(lobby_messages=10)) as opened:
        writers = []
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", opened.port)
            writer.write(request)
            writers.append(writer)
        for writer in writers:
            writer.transport.abort()
        async with asyncio.timeout(2), opened.client(MSGPACK, ANN):  # all of them would take five seconds
            pass


async def test_what_was_asked_at_no_table_is_not_carried_out_once_its_asker_has_gone() -> None:
    async with gateway(Limits(lobby_messages=10)) as opened:
        async with opened.client(MSGPACK, ANN) as gone:
            await gone.send(*[ListRooms()] * 10)
            await gone.receive()
            gone.connection.transport.abort()
        async with asyncio.timeout(2):
            await opened.node.any_detached.wait()
        assert opened.node.lists < 3


async def test_who_is_refused_waits_at_a_table_too(monkeypatch: pytest.MonkeyPatch) -> None:
    came = Counter[str]()
    right = Session.receive

    def receive(self: Session, frame: bytes | str, now_ms: int) -> Request | None:
        came[self.name] += 1
        return right(self, frame, now_ms)

    monkeypatch.setattr(Session, "receive", receive)
    no_message = Frame(Opcode.BINARY, b"\xc1").serialize(mask=True)
    async with (
        gateway(Limits(lobby_messages=10)) as opened,
        opened.client(MSGPACK, ANN) as flooding,
        opened.client(MSGPACK, BOB) as player,
    ):
        for client in (flooding, player):
            await client.send(Create("chuo-pai"))
            await client.until(Table)
        flooding.connection.transport.write(no_message * 40)
        for n in range(1, 21):
            await player.send(Act(n, 7, "pass"))
            assert await player.receive() == Done(n)
        assert came["Ann"] < 41, "which takes four seconds"
        flooding.connection.transport.abort()


async def test_whoever_says_no_hello_in_time_is_closed_and_whoever_did_stays() -> None:
    async with (
        gateway(Limits(hello_s=0.05)) as opened,
        opened.client(MSGPACK, ANN) as greeted,
        opened.client(MSGPACK) as silent,
    ):
        assert await silent.close_code() == CloseCode.TIMEOUT
        await greeted.send(ListRooms())
        assert isinstance(await greeted.receive(), Rooms)


async def test_whoever_opens_a_connection_and_asks_nothing_is_cut_off() -> None:
    async with gateway(Limits(open_s=0.05)) as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        writer.write(b"GET /ws HTTP/1.1\r\nHost")
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize("page", ["/healthz", "/ws"])
async def test_who_sends_more_behind_a_request_for_a_page_is_cut_off_and_no_fault_is_logged(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture, page: str
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", open_gateway.port)
    writer.write(f"GET {page} HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".encode() * 2)
    with suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    response, _ = await open_gateway.http("GET", "/healthz")
    assert response.status == 200
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


async def test_whoever_flooded_is_cut_off_soon_even_if_it_goes_on_sending() -> None:
    async with gateway(ending=Ending(close_s=60, flooded_s=0.05)) as opened, opened.client(MSGPACK, ANN) as flooding:
        gone = asyncio.create_task(opened.node.any_detached.wait())
        async with asyncio.timeout(10):
            while not gone.done():
                flooding.connection.transport.write(b"\x82\x80\0\0\0\0" * 100)  # empty messages, masked
                await asyncio.sleep(0)


async def test_an_address_is_let_in_again_a_while_after_it_flooded(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as flooding, open_gateway.client(MSGPACK, BOB) as housemate:
        with suppress(ConnectionClosed):
            for _ in range(500):
                await flooding.send(ListRooms())
        assert await flooding.close_code() == CloseCode.RATE_LIMITED
        with pytest.raises(InvalidStatus) as refused:
            async with open_gateway.client(MSGPACK):
                pass
        response = refused.value.response
        assert (response.status_code, response.headers["Paizhuo-Code"]) == (429, TurnedAway.RATE_LIMITED)
        assert response.headers["Retry-After"] == "5"
        assert response.body == b"Too many connections were opened from your address lately. Try again in 5 s.\n"
        await housemate.send(ListRooms())
        assert isinstance(await housemate.receive(), Rooms)
        await open_gateway.clock.move(5_000)
        async with open_gateway.client(MSGPACK, ANN):
            pass


async def test_an_address_that_has_all_its_connections_is_told_so_and_the_server_still_says_that_it_lives() -> None:
    async with (
        gateway(Limits(address_connections=2)) as opened,
        opened.client(MSGPACK, ANN),
        opened.client(MSGPACK, BOB),
    ):
        response, _ = await opened.http("GET", "/version")
        assert (response.status, response.getheader("Paizhuo-Code")) == (429, "too_many_connections")
        assert (await opened.http("GET", "/healthz"))[0].status == 200


async def test_a_server_that_has_all_its_connections_says_so_and_that_it_is_ready() -> None:
    async with gateway(Limits(max_connections=1)) as opened, opened.client(MSGPACK, ANN):
        with pytest.raises(InvalidStatus) as refused:
            async with opened.client(MSGPACK):
                pass
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Paizhuo-Code"] == TurnedAway.SERVER_FULL
        assert (await opened.http("GET", "/readyz"))[0].status == 200


async def test_more_connections_than_can_be_answered_are_cut_off_and_all_are_counted_out_again() -> None:
    async with gateway(Limits(address_connections=1)) as opened:
        silent = [await asyncio.open_connection("127.0.0.1", opened.port) for _ in range(1 + SPARE_CONNECTIONS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        with suppress(ConnectionError):
            assert await reader.read() == b""
        for _, quiet in (*silent, (reader, writer)):
            quiet.close()
        async with asyncio.timeout(10):
            while await answered(opened) != 200:
                pass


async def answered(opened: Gateway) -> int:
    """The status of an answer, 0 where there was none."""
    try:
        return (await opened.http("GET", "/version"))[0].status
    except (OSError, HTTPException):
        return 0


@pytest.mark.parametrize(("trusted", "status"), [(("127.0.0.1",), 200), ((), 429)])
async def test_clients_of_a_trusted_proxy_have_limits_of_their_own_and_nobody_else_can_pretend(
    trusted: tuple[str, ...], status: int
) -> None:
    async def asks(forwarded_for: str) -> int:
        return (await opened.http("GET", "/version", **{"X-Forwarded-For": forwarded_for}))[0].status

    async with gateway(Limits(address_connects=0.1, trusted_proxy=trusted)) as opened:
        assert await asks("198.51.100.1") == 200
        assert await asks("198.51.100.1, 203.0.113.7") == status
        assert await asks("198.51.100.2, 203.0.113.7") == 429


async def test_a_wrong_code_is_refused_no_sooner_than_any_other_that_leads_nowhere(open_gateway: Gateway) -> None:
    loop = asyncio.get_running_loop()
    async with open_gateway.client(MSGPACK, BOB) as client:
        asked_s = loop.time()
        await client.send(Join("WRNG2345"))
        assert isinstance(await client.receive(), Refused)
        assert loop.time() - asked_s >= LOOK_UP_S
        await client.send(Join("ABCD2345"))
        assert isinstance(await client.receive(), Seated)
