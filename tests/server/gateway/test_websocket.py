"""Real sockets against a fake node."""

import asyncio
import logging
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.typing import Origin, Subprotocol

from protocol.codec import JSON, MSGPACK, SUBPROTOCOLS, client_codec
from protocol.errors import CloseCode, ErrorCode, TurnedAway
from protocol.messages import (
    MAX_FRAME_BYTES,
    Act,
    AskHint,
    Because,
    ClientMessage,
    Create,
    DealRecord,
    Done,
    Emote,
    Export,
    Hello,
    Hint,
    Join,
    ListRooms,
    Notice,
    Ready,
    Refused,
    Rooms,
    Said,
    Say,
    SeatCommand,
    Seated,
    ServerMessage,
    Table,
    Watch,
    Watching,
    Welcome,
    Why,
)
from protocol.view import Reason
from server.gateway.admission import SPARE_CONNECTIONS
from server.gateway.conversations import LEAST_RETRY_MS, RETRY_MS_EACH
from server.gateway.counted import CONTROLS_AT_ONCE
from server.gateway.session import Request, Session
from server.gateway.websocket import (
    AT_A_STRETCH,
    DEFAULT_ENDING,
    LOOK_UP_S,
    CannotListen,
    Ending,
    listen,
)
from server.limits import DEFAULT_LIMITS, Limits
from server.node.port import Refusal, Viewer
from server.settings import ServerSettings
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import RECORD, TICKET, FakeNode, table

ORIGIN = "https://cards.example"


class Client:
    """One WebSocket that speaks the protocol's structs."""

    def __init__(self, connection: ClientConnection) -> None:
        assert connection.subprotocol is not None
        self.connection = connection
        self.codec = client_codec(connection.subprotocol)

    async def send(self, *messages: ClientMessage) -> None:
        for message in messages:
            await self.connection.send(self.codec.encode(message), text=self.codec.text)

    async def receive(self) -> ServerMessage:
        return self.codec.decode(await self.connection.recv())

    async def until(self, kind: type) -> list[ServerMessage]:
        """What came, up to and with the first message of a kind."""
        received = [await self.receive()]
        while not isinstance(received[-1], kind):
            received.append(await self.receive())
        return received

    async def close_code(self) -> int | None:
        """Read to the end; the code that the server closed with."""
        async with asyncio.timeout(10):
            with suppress(ConnectionClosed):
                async for _ in self.connection:
                    pass
        return self.connection.close_code


class Gateway:
    """A listening gateway, its node and its clock."""

    def __init__(self, port: int, node: FakeNode, clock: MovedClock) -> None:
        self.port = port
        self.node = node
        self.clock = clock

    @asynccontextmanager
    async def client(
        self, subprotocol: str = MSGPACK, *hellos: Hello, forwarded_for: str | None = None
    ) -> AsyncIterator[Client]:
        url, headers = (
            f"ws://127.0.0.1:{self.port}/ws",
            {} if forwarded_for is None else {"X-Forwarded-For": forwarded_for},
        )
        async with connect(
            url, subprotocols=[Subprotocol(subprotocol)], additional_headers=headers, proxy=None
        ) as connection:
            client = Client(connection)
            await client.send(*hellos)
            for _ in hellos:
                assert isinstance(await client.receive(), Welcome)
            yield client

    async def http(self, method: str, target: str, **headers: str) -> tuple[HTTPResponse, str]:
        def ask() -> tuple[HTTPResponse, str]:
            client = HTTPConnection("127.0.0.1", self.port, timeout=10)
            try:
                client.request(method, target, headers=headers)
                response = client.getresponse()
                return response, response.read().decode()
            finally:
                client.close()

        return await asyncio.to_thread(ask)


@asynccontextmanager
async def gateway(limits: Limits = DEFAULT_LIMITS, ending: Ending = DEFAULT_ENDING) -> AsyncIterator[Gateway]:
    node, clock = FakeNode(), MovedClock()
    settings = ServerSettings(store="sqlite:unused", port=0, origin=(ORIGIN,), limits=limits)
    async with listen(node, clock, settings, ending) as port:
        yield Gateway(port, node, clock)


@pytest.fixture
async def open_gateway() -> AsyncIterator[Gateway]:
    async with gateway() as opened:
        yield opened


ANN = Hello("Ann")
BOB = Hello("Bob")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_both_subprotocols_carry_the_same_conversation(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol) as client:
        await client.send(ANN, ListRooms(), Create("chuo-pai"), Act(1, 7, "pass"), Say("\x1b[31m好"), Ready(2))
        received = [await client.receive() for _ in range(7)]
    assert [type(message) for message in received] == [Welcome, Rooms, Seated, Table, Done, Said, Done]
    assert received[3] == Table(table())
    assert received[5] == Said("Ann", "[31m好")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_an_emote_reaches_the_table_with_words_for_older_clients(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), Emote("oops"))
        assert (await client.until(Said))[-1] == Said("Ann", "Oops!", emote="oops")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_hint_is_answered_and_one_for_an_older_question_refused(
    open_gateway: Gateway, subprotocol: str
) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), AskHint(7), AskHint(6))
        assert (await client.until(Hint))[-1] == Hint(7, "pass", (Reason("forced"),))
        assert await client.receive() == Refused(ErrorCode.STALE_PROMPT, "That question has been settled already.")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_reason_is_given_and_refused_about_an_older_question(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), Why(7, "66"), Why(6, "66"))
        assert (await client.until(Because))[-1] == Because(7, Reason("not_in_hand", ("66",)))
        assert await client.receive() == Refused(ErrorCode.STALE_PROMPT, "That question has been settled already.")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_finished_deal_is_exported_and_another_is_not(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, BOB) as client:
        await client.send(Watch("ABCD2345"), Export(1), Export(2))
        assert (await client.until(DealRecord))[-1] == DealRecord(1, RECORD)
        assert await client.receive() == Refused(ErrorCode.DEAL_NOT_OVER, "Deal 2 is not over.")


async def test_a_spectator_watches_and_a_ticket_brings_a_seat_back(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, BOB) as client:
        await client.send(Watch("abcd-2345"))
        assert await client.until(Table) == [Watching("abcd-2345"), Table(table())]
    async with open_gateway.client(MSGPACK, Hello("Ann", TICKET)) as client:
        assert await client.until(Table) == [Seated("ABCD2345", 0, TICKET), Table(table())]


async def test_a_wrong_ticket_is_refused_and_the_connection_closed(open_gateway: Gateway) -> None:
    async with open_gateway.client(JSON, Hello("Ann", "guessed")) as client:
        refusal = await client.receive()
        assert isinstance(refusal, Refused)
        assert refusal.code == ErrorCode.BAD_TICKET
        assert await client.close_code() == CloseCode.BAD_TICKET


async def test_a_newer_connection_replaces_the_older_one(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as older, open_gateway.client(MSGPACK, ANN) as newer:
        await older.send(Create("chuo-pai"))
        await older.until(Table)
        await newer.send(Join("ABCD2345"))
        await newer.until(Table)
        assert await older.close_code() == CloseCode.REPLACED
        await newer.send(Act(1, 7, "pass"))
        assert await newer.receive() == Done(1)


async def test_commands_of_one_connection_are_carried_out_one_after_the_other(open_gateway: Gateway) -> None:
    may_end, begun = asyncio.Event(), asyncio.Event()

    async def wait_with_the_first(_: Viewer, command: SeatCommand) -> None:
        begun.set()
        if command.n == 1:
            await may_end.wait()

    open_gateway.node.on_command = wait_with_the_first
    async with open_gateway.client(MSGPACK, ANN) as slow, open_gateway.client(MSGPACK, BOB) as other:
        await slow.send(Ready(1), Ready(2))
        await begun.wait()
        await other.send(Ready(3))
        assert await other.receive() == Done(3)
        assert open_gateway.node.asked == [("command", Ready(1)), ("command", Ready(3))]
        may_end.set()
        assert [await slow.receive(), await slow.receive()] == [Done(1), Done(2)]


async def test_a_command_is_carried_out_even_if_its_connection_breaks_meanwhile(open_gateway: Gateway) -> None:
    may_end, begun, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def take_long(*_: object) -> None:
        begun.set()
        await may_end.wait()
        ended.set()

    open_gateway.node.on_command = take_long
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Ready(1))
        await begun.wait()
        client.connection.transport.abort()
    may_end.set()
    await ended.wait()
    await open_gateway.node.any_detached.wait()


async def test_the_node_is_told_once_of_every_connection_that_ends(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Create("chuo-pai"))
        await client.until(Table)
        viewer = open_gateway.node.seated["Ann"]
    await open_gateway.node.any_detached.wait()
    assert open_gateway.node.detached == [viewer]


# What a client may not send


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


# A client that does not read


@asynccontextmanager
async def deaf_client(opened: Gateway) -> AsyncIterator[Client]:
    """Sits at a table and then reads nothing more; the system holds next to nothing back for it."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await asyncio.to_thread(raw.connect, ("127.0.0.1", opened.port))
    raw.setblocking(False)
    url = f"ws://127.0.0.1:{opened.port}/ws"
    connection = await connect(
        url, sock=raw, subprotocols=[Subprotocol(MSGPACK)], max_queue=1, ping_interval=None, close_timeout=0, proxy=None
    )
    client = Client(connection)
    await client.send(ANN, Create("chuo-pai"))
    await client.until(Table)
    try:
        yield client
    finally:
        connection.transport.abort()
        await connection.wait_closed()


async def test_a_client_that_does_not_read_is_given_up_and_others_do_not_wait_for_it(open_gateway: Gateway) -> None:
    saying = Said("Bob", "x" * 8000)
    async with deaf_client(open_gateway) as deaf, open_gateway.client(MSGPACK, BOB) as other:
        viewer = open_gateway.node.seated["Ann"]
        for n in range(1, 101):
            viewer.tell(saying)
            if n % 10 == 0:
                await open_gateway.clock.move(1000)
                await other.send(Ready(n))
                assert await other.receive() == Done(n)
        assert await deaf.close_code() == CloseCode.TOO_SLOW


async def test_a_client_that_never_reads_again_is_dropped_although_only_newest_tables_wait_for_it() -> None:
    async with (
        gateway(Limits(stalled_s=0.1), Ending(close_s=0.1)) as opened,
        deaf_client(opened),
    ):
        viewer, deal = opened.node.seated["Ann"], 1
        while not opened.node.any_detached.is_set():
            deal += 1
            viewer.show(table(deal=deal, actions=("x" * 30_000,)), ())
            await asyncio.sleep(0)
        assert opened.node.detached == [viewer]


async def test_stopping_does_not_wait_for_a_client_that_does_not_read() -> None:
    async with asyncio.timeout(10), gateway(ending=Ending(last_words_s=0.05, close_s=0.05)) as opened:
        deaf = deaf_client(opened)
        await deaf.__aenter__()
        viewer = opened.node.seated["Ann"]
        for _ in range(30):
            viewer.tell(Said("Bob", "x" * 8000))
            await asyncio.sleep(0)
    await deaf.__aexit__(None, None, None)
    assert opened.node.detached == [viewer]


# Who may connect


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "https://cards.example.evil.example",
        "https://evil-cards.example",
        "https://cards.example:8443",
        "https://cards.example/",
        "http://cards.example",
        "https://CARDS.example",
        "null",
        "",
    ],
)
async def test_a_web_page_of_a_foreign_origin_may_not_connect(open_gateway: Gateway, origin: str) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, subprotocols=[Subprotocol(JSON)], additional_headers={"Origin": origin}, proxy=None)
    assert refused.value.response.status_code == 403
    assert b"--origin" in (refused.value.response.body or b"")


async def test_a_web_page_of_a_configured_origin_may_connect(open_gateway: Gateway) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    async with connect(url, subprotocols=[Subprotocol(JSON)], origin=Origin(ORIGIN), proxy=None) as connection:
        assert connection.subprotocol == JSON


@pytest.mark.parametrize("offered", [["paizhuo.v2.json", "paizhuo.v2.msgpack"], None])
async def test_without_a_common_version_the_answer_names_both(open_gateway: Gateway, offered: list[str] | None) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    subprotocols = None if offered is None else [Subprotocol(name) for name in offered]
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, subprotocols=subprotocols, proxy=None)
    assert refused.value.response.status_code == 400
    sentence = (refused.value.response.body or b"").decode()
    for name in (*SUBPROTOCOLS, *(offered or ["no version at all"])):
        assert name in sentence
    assert sentence.count("\n") == 1


async def test_compression_is_never_negotiated(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as client:
        request, response = client.connection.request, client.connection.response
        assert request is not None
        assert response is not None
        assert "permessage-deflate" in request.headers["Sec-WebSocket-Extensions"]
        assert "Sec-WebSocket-Extensions" not in response.headers


async def test_pings_leave_the_server() -> None:
    assert DEFAULT_LIMITS.ping_s <= 20, "proxies cut connections that are silent for 30 s"
    async with gateway(Limits(ping_s=0.05)) as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        writer.write(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: paizhuo.v1.json\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        assert (await reader.readexactly(1))[0] == 0x89
        writer.close()


# Faults and the end


async def test_a_fault_ends_its_connection_and_is_logged_once_without_what_it_was_about(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    hidden = "hand of seat 1: 13+13 66, ticket s3cr3t"

    async def fail(_: Viewer, command: SeatCommand) -> None:
        if isinstance(command, Act):
            raise RuntimeError(hidden)

    open_gateway.node.on_command = fail
    async with open_gateway.client(MSGPACK, ANN) as broken, open_gateway.client(MSGPACK, BOB) as other:
        await broken.send(Act(4, 7, "play 24+35"))
        refusal = await broken.receive()
        assert isinstance(refusal, Refused)
        assert (refusal.code, refusal.n) == (ErrorCode.INTERNAL, 4)
        assert await broken.close_code() == CloseCode.INTERNAL
        await other.send(Ready(1))
        assert await other.receive() == Done(1)
    (record,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    logged = f"{record.getMessage()} {record.exc_info}"
    assert "RuntimeError" in logged
    assert "in fail" in logged
    for secret in ("13+13", "s3cr3t", "24+35", "Ann"):
        assert secret not in logged


async def test_a_request_that_the_node_cancels_ends_its_connection_too(open_gateway: Gateway) -> None:
    async def cancel(*_: object) -> None:
        raise asyncio.CancelledError

    open_gateway.node.on_command = cancel
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Ready(1))
        assert await client.close_code() == CloseCode.INTERNAL


async def test_a_conversation_is_not_logged_even_at_debug(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with open_gateway.client(JSON, Hello("Ann", TICKET)) as client:
        await client.until(Table)
    await open_gateway.node.any_detached.wait()
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("server")]
    assert not any(TICKET in line or "Ann" in line for line in ours)


async def test_clients_are_told_that_the_server_restarts() -> None:
    async with gateway() as opened:
        client = opened.client(MSGPACK, ANN)
        connected = await client.__aenter__()
    assert await connected.close_code() == CloseCode.RESTART
    await client.__aexit__(None, None, None)


async def test_what_was_asked_is_answered_before_the_server_stops_and_nothing_new_begins() -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def hold(*_: object) -> None:
        asked.set()
        await release.wait()

    opening = gateway()
    opened = await opening.__aenter__()
    opened.node.on_command = hold
    async with opened.client(MSGPACK, ANN) as busy, opened.client(MSGPACK, BOB) as idle:
        await busy.send(Ready(1))
        await asked.wait()
        stopping = asyncio.create_task(opening.__aexit__(None, None, None))
        for client in (idle, busy):
            notice = await client.receive()
            assert isinstance(notice, Notice)
            assert (notice.kind, notice.retry_ms) == ("draining", LEAST_RETRY_MS + 2 * RETRY_MS_EACH)
        assert await idle.close_code() == CloseCode.RESTART
        with pytest.raises(InvalidStatus) as refused:
            async with opened.client(MSGPACK, ANN):
                pass
        assert refused.value.response.status_code == 503
        for path, status in (("/healthz", 200), ("/readyz", 503)):
            response, _ = await opened.http("GET", path)
            assert response.status == status
        release.set()
        assert await busy.receive() == Done(1)
        assert await busy.close_code() == CloseCode.RESTART
        await stopping


async def test_a_client_is_welcomed_with_the_addresses_of_other_servers(open_gateway: Gateway) -> None:
    open_gateway.node.others = ("wss://b.example/ws",)
    async with open_gateway.client() as client:
        await client.send(ANN)
        welcome = await client.receive()
        assert isinstance(welcome, Welcome)
        assert welcome.servers == ("wss://b.example/ws",)


async def test_a_taken_port_is_named_together_with_what_to_do(open_gateway: Gateway) -> None:
    settings = ServerSettings(store="sqlite:unused", port=open_gateway.port)
    with pytest.raises(CannotListen, match=rf"port {open_gateway.port} .* is taken: .* --port"):
        async with listen(FakeNode(), MovedClock(), settings):
            pass


@pytest.mark.parametrize("host", ["192.0.2.1", "cards..example"])
async def test_an_address_that_is_not_this_machines_is_refused_with_what_to_do(host: str) -> None:
    settings = ServerSettings(store="sqlite:unused", host=host, port=0)
    with pytest.raises(CannotListen, match=rf"{re.escape(host)} is no address .* --host"):
        async with listen(FakeNode(), MovedClock(), settings):
            pass


# Plain HTTP


@pytest.mark.parametrize(
    ("target", "status", "text"),
    [
        ("/healthz", 200, "ok\n"),
        ("/readyz", 200, "ready\n"),
        ("/j/abcd2345", 200, "paizhuo join ABCD2345@127.0.0.1:"),
        ("/version", 200, '"paizhuo.v1.msgpack"'),
        ("/ws", 426, "WebSocket"),
        ("/", 404, "paizhuo"),
        ("/metrics", 404, "paizhuo"),
    ],
)
async def test_plain_http_is_answered(open_gateway: Gateway, target: str, status: int, text: str) -> None:
    response, body = await open_gateway.http("GET", target)
    assert response.status == status
    assert text in body


async def test_answers_are_not_stored_and_have_their_type(open_gateway: Gateway) -> None:
    for target, content_type in (("/version", "application/json"), ("/healthz", "text/plain; charset=utf-8")):
        response, _ = await open_gateway.http("GET", target)
        assert response.getheader("Cache-Control") == "no-store"
        assert response.getheader("Content-Type") == content_type


async def test_head_is_answered_like_get_without_the_body(open_gateway: Gateway) -> None:
    response, body = await open_gateway.http("HEAD", "/healthz")
    assert (response.status, response.getheader("Content-Length"), body) == (200, "3", "")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_other_methods_are_refused(open_gateway: Gateway, method: str) -> None:
    response, _ = await open_gateway.http(method, "/healthz")
    assert (response.status, response.getheader("Allow")) == (405, "GET, HEAD")


async def test_a_node_that_cannot_serve_is_not_ready_but_alive(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    open_gateway.node.unready = RuntimeError("s3cr3t")
    response, body = await open_gateway.http("GET", "/readyz")
    assert response.status == 500
    assert "s3cr3t" not in body + caplog.text
    open_gateway.node.unready = Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.")
    response, body = await open_gateway.http("GET", "/readyz")
    assert (response.status, body) == (503, "The store is out of reach.\n")
    response, _ = await open_gateway.http("GET", "/healthz")
    assert response.status == 200
