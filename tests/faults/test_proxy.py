import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from tests.faults.proxy import Address, Proxy, end_of_reply
from tests.valkey import Valkey


class Echo:
    """A server that sends back each line that it gets. `ended`: a stream came to its end, or was reset."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.got: list[bytes] = []
        self.ended: asyncio.Queue[str] = asyncio.Queue()
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()

    async def __aenter__(self) -> "Echo":
        if isinstance(self.address, Path):
            self._listening = await asyncio.start_unix_server(self._serve, self.address)
        else:
            self._listening = await asyncio.start_server(self._serve, *self.address)
            self.address = self._listening.sockets[0].getsockname()[:2]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()

    async def next(self) -> bytes:
        """The next line that it gets."""
        return await self._lines.get()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self.got.append(line)
                self._lines.put_nowait(line)
                writer.write(line)
            self.ended.put_nowait("end")
        except ConnectionResetError:
            self.ended.put_nowait("reset")
        finally:
            writer.close()


class Line:
    """A client of the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, line: bytes) -> bytes:
        self.writer.write(line)
        return await self.reader.readline()

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


Connect = Callable[[], Awaitable[Line]]


@pytest.fixture(params=["tcp", "unix"])
async def echo(request: pytest.FixtureRequest, short_path: Path) -> AsyncIterator[Echo]:
    async with Echo(("127.0.0.1", 0) if request.param == "tcp" else short_path / "echo") as echo:
        yield echo


@pytest.fixture
def sleeps() -> list[float]:
    """How long the proxy has slept; it takes no time."""
    return []


@pytest.fixture
async def proxy(echo: Echo, short_path: Path, sleeps: list[float]) -> AsyncIterator[Proxy]:
    async def sleep(seconds: float) -> None:
        sleeps.append(seconds)

    path = short_path / "proxy" if isinstance(echo.address, Path) else None
    async with Proxy(echo.address, path, Random(1), sleep) as proxy:
        yield proxy


@pytest.fixture
async def connect(proxy: Proxy) -> AsyncIterator[Connect]:
    """Makes a client of the proxy."""
    lines: list[Line] = []

    async def connect() -> Line:
        if proxy.url.startswith("unix://"):
            lines.append(Line(*await asyncio.open_unix_connection(proxy.url.removeprefix("unix://"))))
        else:
            lines.append(Line(*await asyncio.open_connection("127.0.0.1", proxy.port)))
        return lines[-1]

    yield connect
    for line in lines:
        await line.close()


@pytest.fixture
async def line(connect: Connect) -> Line:
    return await connect()


async def test_it_passes_everything_and_the_end(line: Line, proxy: Proxy, echo: Echo, connect: Connect) -> None:
    long = b"x" * 60_000 + b"\n"
    assert await line.ask(long) == long
    assert await (await connect()).ask(b"two\n") == b"two\n"
    line.writer.write_eof()
    assert await line.reader.read() == b""
    assert await echo.ended.get() == "end"
    assert not proxy.done


async def test_a_reply_is_dropped_with_all_that_follows(line: Line, proxy: Proxy, echo: Echo, connect: Connect) -> None:
    assert await line.ask(b"one\n") == b"one\n"
    proxy.cut_at_next_reply()
    assert await line.ask(b"two\n") == b""
    assert echo.got == [b"one\n", b"two\n"]
    assert await (await connect()).ask(b"three\n") == b"three\n"


async def test_replies_are_dropped_as_often_as_was_asked(proxy: Proxy, echo: Echo, connect: Connect) -> None:
    proxy.drop_replies = 0.2
    answers = [await (await connect()).ask(b"line\n") for _ in range(100)]
    assert len(echo.got) == 100
    assert answers.count(b"") == proxy.done["reply"]
    assert 10 < proxy.done["reply"] < 30


async def test_what_is_delayed_comes_later(line: Line, proxy: Proxy, sleeps: list[float]) -> None:
    proxy.there.delay_s = 3
    assert await line.ask(b"one\n") == b"one\n"
    proxy.back.delay_s = 4
    assert await line.ask(b"two\n") == b"two\n"
    assert sleeps == [3, 3, 4]


async def test_a_slow_line_brings_one_byte_after_another(line: Line, proxy: Proxy, sleeps: list[float]) -> None:
    proxy.back.bytes_per_s = 2
    assert await line.ask(b"one\n") == b"one\n"
    assert sleeps == [0.5] * 4


async def test_a_bit_is_flipped(line: Line, proxy: Proxy) -> None:
    proxy.back.corrupts = 1
    line.writer.write(b"line\n")
    got = await line.reader.readexactly(5)
    differing = [one ^ other for one, other in zip(got, b"line\n", strict=True) if one != other]
    assert len(differing) == 1
    assert differing[0].bit_count() == 1
    assert proxy.done["corrupted"] == 1


async def test_what_a_black_hole_swallowed_comes_when_it_heals(
    line: Line, proxy: Proxy, echo: Echo, connect: Connect
) -> None:
    await line.ask(b"one\n")
    proxy.partition("blackhole")
    line.writer.write(b"two\n")
    await line.writer.drain()
    new = await connect()
    new.writer.write(b"three\n")
    asking = asyncio.create_task(line.reader.readline())
    await asyncio.sleep(0)
    assert not asking.done()
    assert echo.got == [b"one\n"]
    proxy.heal()
    assert await asking == b"two\n"
    assert await new.reader.readline() == b"three\n"


async def test_a_black_hole_swallows_the_end_too(line: Line, proxy: Proxy, echo: Echo) -> None:
    await line.ask(b"one\n")
    proxy.partition("blackhole")
    line.writer.close()
    await line.writer.wait_closed()
    assert echo.ended.empty()
    proxy.heal()
    assert await echo.ended.get() == "end"


async def test_what_is_asked_comes_through_one_way_and_no_answer(line: Line, proxy: Proxy, echo: Echo) -> None:
    proxy.partition("one-way")
    asking = asyncio.create_task(line.ask(b"one\n"))
    assert await echo.next() == b"one\n"
    assert not asking.done()
    proxy.heal()
    assert await asking == b"one\n"


async def test_a_reset_breaks_what_stands_and_what_is_made(
    line: Line, proxy: Proxy, echo: Echo, connect: Connect
) -> None:
    await line.ask(b"one\n")
    proxy.partition("reset")
    assert await echo.ended.get() == ("end" if isinstance(echo.address, Path) else "reset")
    for broken in (line, await connect()):
        with suppress(ConnectionError):
            assert await broken.ask(b"two\n") == b""
    proxy.heal()
    assert await (await connect()).ask(b"three\n") == b"three\n"
    assert echo.got == [b"one\n", b"three\n"]


async def test_half_closed_the_server_hears_the_end_and_the_client_nothing(
    line: Line, proxy: Proxy, echo: Echo, connect: Connect
) -> None:
    await line.ask(b"one\n")
    proxy.partition("half-close")
    assert await echo.ended.get() == "end"
    asking = asyncio.create_task(line.ask(b"two\n"))
    new = await connect()
    assert await echo.ended.get() == "end"
    assert not asking.done()
    proxy.heal()
    assert await (await connect()).ask(b"three\n") == b"three\n"
    assert echo.got == [b"one\n", b"three\n"]
    for waiting in (line, new):
        await waiting.close()
    assert await asking == b""


async def test_connections_that_fell_silent_stay_open_and_new_ones_pass(
    line: Line, proxy: Proxy, echo: Echo, connect: Connect
) -> None:
    await line.ask(b"one\n")
    proxy.fall_silent()
    asking = asyncio.create_task(line.ask(b"two\n"))
    assert await (await connect()).ask(b"three\n") == b"three\n"
    assert not asking.done()
    await line.close()
    assert await asking == b""
    assert echo.got == [b"one\n", b"three\n"]


async def test_a_client_whose_server_is_gone_is_cut_off(short_path: Path) -> None:
    async with Proxy(short_path / "nothing", short_path / "proxy"):
        reader, writer = await asyncio.open_unix_connection(short_path / "proxy")
        assert await reader.read() == b""
        await Line(reader, writer).close()


async def test_published_messages_are_left_out_and_nothing_else(valkey: Valkey, short_path: Path) -> None:
    async with Proxy(valkey.socket, short_path / "proxy", Random(1)) as proxy:
        proxy.drop_published = 0.5
        async with Redis(unix_socket_path=str(short_path / "proxy"), protocol=2) as client:
            hearing: PubSub = client.pubsub()
            await hearing.subscribe("channel", "other")
            for number in range(100):
                await client.publish("channel", b"\r\n$%d" % number)
            proxy.drop_published = 0
            await client.publish("other", "the end")
            heard = [message["data"] async for message in _until_the_end(hearing)]
            await hearing.aclose()  # type: ignore[no-untyped-call]
    numbers = [int(data[3:]) for data in heard]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 100 - proxy.done["published"]
    assert 30 < proxy.done["published"] < 70


async def _until_the_end(hearing: PubSub) -> AsyncIterator[dict[str, bytes]]:
    async for message in hearing.listen():
        if message["data"] == b"the end":
            return
        if message["type"] == "message":
            yield message


@pytest.mark.parametrize(
    "reply",
    [
        b"+OK\r\n",
        b":12\r\n",
        b"-ERR no\r\n",
        b"$-1\r\n",
        b"$0\r\n\r\n",
        b"$4\r\n\r\n\r\n\r\n",
        b"*-1\r\n",
        b"*0\r\n",
        b"*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
    ],
)
def test_a_reply_ends_where_it_ends(reply: bytes) -> None:
    assert end_of_reply(reply + b"+more\r\n") == len(reply)
    assert [end_of_reply(reply[:cut]) for cut in range(len(reply))] == [0] * len(reply)
