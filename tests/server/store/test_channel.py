import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from redis.asyncio.connection import AbstractConnection

from server.clock import SystemClock
from server.store import channel as channels
from server.store.base import Refused
from server.store.channel import Channel, channel_of
from server.store.pipeline import connect, connection_to
from tests.faults.proxy import Proxy
from tests.stores import Ear
from tests.valkey import Valkey
from tests.wires import Scripted


def confirmed(channels: list[bytes]) -> bytes:
    """The answer to a SUBSCRIBE."""
    return b"".join(b"*3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (len(each), each) for each in channels)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def wire(valkey: Valkey, short_path: Path) -> AsyncIterator[Proxy]:
    async with Proxy(valkey.socket, short_path / "wire") as wire:
        yield wire


@pytest.fixture
async def channel(wire: Proxy, ear: Ear) -> AsyncIterator[Channel]:
    channel = Channel(connection_to(wire.url), SystemClock(), wire.url, ear)
    await channel.open()
    yield channel
    await channel.close()


def publish(valkey: Valkey, room: str, words: bytes) -> object:
    """How many heard it."""
    return valkey.run("PUBLISH", channel_of(room), b"w" + words)


async def test_a_killed_channel_mends_itself_says_so_and_hears_again(
    channel: Channel, ear: Ear, valkey: Valkey
) -> None:
    for room in ("A", "B", "C"):
        await channel.follow(room)
    await channel.unfollow("B")
    valkey.run("CLIENT", "KILL", "TYPE", "pubsub")
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    assert [publish(valkey, room, b"words") for room in ("A", "B", "C")] == [1, 0, 1]
    assert [await ear.next(), await ear.next()] == [("A", b"words"), ("C", b"words")]


async def test_a_channel_that_follows_nothing_mends_itself_too(channel: Channel, ear: Ear, valkey: Valkey) -> None:
    await channel.follow("A")
    await channel.unfollow("A")
    valkey.run("CLIENT", "KILL", "SKIPME", "yes")
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    await channel.follow("A")
    assert publish(valkey, "A", b"words") == 1


async def test_a_connection_that_only_looks_alive_is_found_out(
    channel: Channel, ear: Ear, valkey: Valkey, wire: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "QUIET_S", 0.05)
    await channel.follow("A")
    wire.fall_silent()
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    publish(valkey, "A", b"words")
    assert await ear.next() == ("A", b"words")


async def test_a_quiet_channel_that_answers_is_left_alone(
    ear: Ear, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "QUIET_S", 0.01)
    pings = 0

    def answer(_: int, command: list[bytes]) -> bytes:
        nonlocal pings
        if command[0] == b"SUBSCRIBE":
            return confirmed(command[1:])
        pings += 1
        pong = b"*2\r\n$4\r\npong\r\n$0\r\n\r\n"
        return pong if pings < 3 else pong + b"*3\r\n$7\r\nmessage\r\n$6\r\n{A}:ev\r\n$6\r\nwwords\r\n"

    async with Scripted(short_path / "socket", answer) as server:
        channel = Channel(connection_to(server.url), SystemClock(), server.url, ear)
        await channel.open()
        await channel.follow("A")
        assert await ear.next() == ("A", b"words")
        await channel.close()


async def test_to_follow_over_a_silent_connection_is_refused_and_mended(
    channel: Channel, ear: Ear, wire: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    await channel.follow("B")
    monkeypatch.setattr(channels, "REPLY_S", 0.05)
    wire.fall_silent()
    with pytest.raises(Refused, match="broke"):
        await channel.follow("A")
    monkeypatch.undo()
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    await channel.follow("A")


async def test_while_the_server_is_gone_following_is_refused_and_unfollowing_is_not(
    own_valkey: Callable[..., Valkey],
) -> None:
    valkey = own_valkey()
    ear = Ear()
    channel = Channel(connection_to(valkey.url), SystemClock(), valkey.url, ear)
    await channel.open()
    for room in ("A", "C"):
        await channel.follow(room)
    valkey.kill()
    for room in ("B", "B", "C"):
        with pytest.raises(Refused):
            await channel.follow(room)
    await channel.unfollow("A")
    valkey.start()
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    await channel.follow("B")
    assert [publish(valkey, room, b"words") for room in ("A", "B", "C")] == [0, 1, 1]
    assert [await ear.next(), await ear.next()] == [("B", b"words"), ("C", b"words")]
    await channel.close()


async def test_a_room_that_may_not_be_followed_is_refused_with_the_reason(ear: Ear, short_path: Path) -> None:
    def answer(_: int, command: list[bytes]) -> bytes:
        if command[1] == channel_of("A").encode():
            return b"-NOPERM this user has no permissions to access one of the channels\r\n"
        return confirmed(command[1:])

    async with Scripted(short_path / "socket", answer) as server:
        channel = Channel(connection_to(server.url), SystemClock(), server.url, ear)
        await channel.open()
        with pytest.raises(Refused, match="does not let this user subscribe"):
            await channel.follow("A")
        await channel.follow("B")
        await channel.close()


async def test_a_listener_that_breaks_does_not_silence_the_channel(
    channel: Channel, ear: Ear, valkey: Valkey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> None:
        raise ValueError("broken")

    await channel.follow("A")
    with monkeypatch.context() as breaking:
        breaking.setattr(ear, "heard", break_down)
        publish(valkey, "A", b"words")
        assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    assert "was not taken in" in caplog.text
    publish(valkey, "A", b"more words")
    assert await ear.next() == ("A", b"more words")


async def test_a_listener_that_breaks_at_the_loss_does_not_stop_the_mending(
    channel: Channel, ear: Ear, valkey: Valkey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down() -> None:
        raise ValueError("broken")

    await channel.follow("A")
    monkeypatch.setattr(ear, "lost", break_down)
    valkey.run("CLIENT", "KILL", "TYPE", "pubsub")
    assert await ear.next() == "interrupted"
    assert "was not taken in" in caplog.text


async def test_closing_lets_go_of_who_waits(ear: Ear, short_path: Path) -> None:
    asked = asyncio.Event()

    def answer(*_: object) -> bytes:
        asked.set()
        return b""

    async with Scripted(short_path / "socket", answer) as server:
        channel = Channel(connection_to(server.url), SystemClock(), server.url, ear)
        await channel.open()
        waiting = asyncio.create_task(channel.follow("A"))
        await asked.wait()
        await channel.close()
        with pytest.raises(Refused):
            await waiting


def message(words: bytes) -> bytes:
    """What a server publishes to followers of room A."""
    return b"*3\r\n$7\r\nmessage\r\n$6\r\n{A}:ev\r\n$%d\r\n%s\r\n" % (len(words), words)


async def test_messages_of_another_kind_and_broken_ones_are_passed_over(ear: Ear, short_path: Path) -> None:
    said = (b"zab", b"", b"e", b"e:x", b"ex:y", b"e-1:x", b"e1", b"e%s:x" % (b"9" * 5000), b"e7:\x00:\n", b"wend")

    def answer(_: int, command: list[bytes]) -> bytes:
        return confirmed(command[1:]) + b"".join(map(message, said))

    async with Scripted(short_path / "socket", answer) as server:
        channel = Channel(connection_to(server.url), SystemClock(), server.url, ear)
        await channel.open()
        await channel.follow("A")
        assert [await ear.next(), await ear.next()] == [("A", 7, b"\x00:\n"), ("A", b"end")]
        await channel.close()


async def test_a_confirmation_is_for_the_channel_that_it_names(ear: Ear, short_path: Path) -> None:
    held: list[bytes] = []
    asked = asyncio.Event()

    def answer(_: int, command: list[bytes]) -> bytes:
        if command[1] == channel_of("A").encode():
            held.append(confirmed(command[1:]))
            asked.set()
            return confirmed([b"{other}:ev"])
        return confirmed(command[1:]) + (held.pop() if command[1] == channel_of("C").encode() else b"")

    async with Scripted(short_path / "socket", answer) as server:
        channel = Channel(connection_to(server.url), SystemClock(), server.url, ear)
        await channel.open()
        first = asyncio.create_task(channel.follow("A"))
        await asked.wait()
        await channel.follow("B")
        assert not first.done()
        await channel.follow("C")
        await first
        await channel.close()


async def test_a_dropped_connection_is_not_made_anew_by_who_asks_for_one_more_room(
    channel: Channel, ear: Ear, valkey: Valkey
) -> None:
    await channel.follow("A")
    await channel._connection.disconnect(nowait=True)
    with pytest.raises(Refused, match="broke"):
        await channel.follow("B")
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    publish(valkey, "A", b"words")
    assert await ear.next() == ("A", b"words")


async def test_whatever_goes_wrong_in_the_mending_it_is_tried_again(
    channel: Channel, ear: Ear, valkey: Valkey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    faults = [ValueError("36 66"), KeyError("36 66")]

    async def break_down(connection: AbstractConnection, place: str) -> bool:
        if faults:
            raise faults.pop()
        return await connect(connection, place)

    monkeypatch.setattr(channels, "connect", break_down)
    await channel.follow("A")
    valkey.run("CLIENT", "KILL", "TYPE", "pubsub")
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    assert "still down: ValueError" in caplog.text
    assert "36 66" not in caplog.text
