"""Rooms on a primary that Sentinels watch, through failovers."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress

import pytest
from redis.asyncio.sentinel import Sentinel

from server.clock import SystemClock
from server.store import pipeline as pipelines
from server.store.base import Refused, Store, Unknown
from server.store.channel import Channel
from server.store.fitness import Demands
from server.store.pipeline import Pipeline
from server.store.roaming import Primary
from server.store.urls import Address, store_from_url
from tests.ports import free_ports
from tests.sentinel import Replicated, Watched
from tests.server.store.players import Players, lost
from tests.stores import Ear, new_room, write
from tests.valkey import Valkey
from tests.wires import ScriptedPort


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def store(watched: Watched, ear: Ear, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    monkeypatch.setattr(pipelines, "WAIT_MS", 200)
    store = store_from_url(watched.url, SystemClock(), Demands(1))
    await store.open(ear)
    yield store
    await store.close()


@pytest.mark.slow
async def test_through_failovers_play_goes_on_by_itself_and_nothing_acknowledged_is_lost(
    store: Store, ear: Ear, watched: Watched
) -> None:
    sign = new_room()
    await store.follow(sign)
    async with Players(store, 10) as players:
        for _ in range(2):
            await players.all_play(20)
            killed = watched.kill_primary()
            await players.all_meet_trouble(1)
            await asyncio.to_thread(watched.await_failover)
            await asyncio.to_thread(watched.revive, killed)
            await players.all_play(20)
            assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
            await store.tell(sign, b"words")
            assert await ear.next() == (sign, b"words")
    assert await lost(players, store) == 0


@pytest.mark.slow
async def test_a_switch_by_hand_is_followed_and_the_demoted_primary_left(
    store: Store, ear: Ear, watched: Watched
) -> None:
    room = new_room()
    await store.follow(room)
    async with Players(store, 3) as players:
        await players.all_play(5)
        await asyncio.to_thread(watched.switch)
        await players.all_play(5)
    assert await lost(players, store) == 0
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    await store.tell(room, b"words")
    assert await ear.next() == (room, b"words")


async def test_sentinels_that_are_not_there_are_refused_by_name_and_without_the_password() -> None:
    one, other = free_ports(2)
    store = store_from_url(f"sentinel://user:secret@127.0.0.1:{one},127.0.0.1:{other}/rooms", SystemClock())
    with pytest.raises(Refused) as refused:
        await store.open(Ear())
    await store.close()
    assert f"sentinel://127.0.0.1:{one},127.0.0.1:{other}/rooms cannot be reached" in str(refused.value)
    assert "no Sentinel in reach names a primary for rooms" in str(refused.value)
    assert "secret" not in str(refused.value)


async def test_silent_sentinels_however_many_hide_no_other() -> None:
    named = b"*1\r\n" + encoded_state("rooms", 6379)
    async with AsyncExitStack() as servers:
        silent = [await servers.enter_async_context(ScriptedPort(lambda *_: b"")) for _ in range(5)]
        sentinel = await servers.enter_async_context(ScriptedPort(lambda *_: named))
        primary = Primary([Address("127.0.0.1", each.port) for each in (*silent, sentinel)], "rooms", {}, {})
        assert await primary._find() == Address("127.0.0.1", 6379)


def encoded_state(service: str, port: int) -> bytes:
    """What a Sentinel says of a primary."""
    state = {"name": service, "ip": "127.0.0.1", "port": str(port), "flags": "master", "num-other-sentinels": "1"}
    words = [word for pair in state.items() for word in pair]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)


async def test_a_sentinel_that_wants_a_password_is_told_from_one_that_is_not_there(
    own_valkey: Callable[..., Valkey],
) -> None:
    (port,) = free_ports(1)
    own_valkey("--port", str(port), "--requirepass", "right")
    for account in ("", "?sentinel_password=secret"):
        store = store_from_url(f"sentinel://127.0.0.1:{port}/rooms{account}", SystemClock())
        with pytest.raises(Refused, match=r"wants a right \?sentinel_password=") as refused:
            await store.open(Ear())
        assert "secret" not in str(refused.value)
        await store.close()


async def test_when_a_new_primary_is_named_no_connection_stays_with_the_old_one(
    replicated: Callable[..., Replicated], ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = replicated()
    named = servers.primary

    async def discover_master(self: Sentinel, service: str) -> tuple[str, int]:
        return "127.0.0.1", named

    monkeypatch.setattr(Sentinel, "discover_master", discover_master)
    primary = Primary([Address("127.0.0.1", 1)], "rooms", {}, {})
    pipeline = Pipeline(primary.dial(), "place")
    channel = Channel(primary.dial(), SystemClock(), "place", ear)
    await channel.open()
    await channel.follow("A")
    await pipeline.ask("PING")
    (named,) = servers.replicas
    servers.servers[servers.primary].run("CLIENT", "KILL", "TYPE", "normal")
    with suppress(Unknown):  # the end of the connection may be seen only now
        await pipeline.ask("PING")
    await pipeline.ask("PING")
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    assert servers.servers[named].run("PUBSUB", "NUMSUB", "{A}:ev") == [b"{A}:ev", 1]
    await channel.close()
    await pipeline.close()


async def test_a_primary_that_would_write_without_replicas_is_warned_of(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    async def warnings() -> str:
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            store = store_from_url(watched.url, SystemClock())
            await store.open(Ear())
            await write(store, new_room(), b"first")
            await store.close()
        return caplog.text

    assert "has min-replicas-to-write 0" in await warnings()
    watched.servers[watched.primary].run("CONFIG", "SET", "min-replicas-to-write", "1")
    assert "min-replicas" not in await warnings()
