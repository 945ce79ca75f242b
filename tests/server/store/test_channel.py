import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from server.clock import SystemClock
from server.store import channel as channels
from server.store.base import Refused
from server.store.channel import Channel, channel_of
from server.store.pipeline import connection_to
from tests.faults.proxy import Proxy
from tests.stores import Ear
from tests.valkey import Valkey
from tests.wires import Scripted

CONFIRMED = b"*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n"


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
            return CONFIRMED
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
        return CONFIRMED

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
