"""With `--wait-replicas` nothing leaves the store that the replicas have not got."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from server.clock import SystemClock
from server.store import pipeline as pipelines
from server.store.base import (
    EMPTY,
    Refused,
    RolledBack,
    Store,
    Unfit,
    Unknown,
    VersionConflict,
    seal,
)
from server.store.fitness import Demands
from server.store.redis import log_of
from server.store.urls import store_from_url
from tests.sentinel import Replicated
from tests.server.store.players import Players, lost
from tests.stores import KEEP_MS, Ear, new_room, write

NOBODY = 1
"""A port where no server is: a replica of it is cut off."""


@pytest.fixture
def servers(replicated: Callable[..., Replicated], monkeypatch: pytest.MonkeyPatch) -> Replicated:
    monkeypatch.setattr(pipelines, "WAIT_MS", 200)
    return replicated()


@pytest.fixture
def ear() -> Ear:
    return Ear()


def store_on(servers: Replicated, replicas: int = 1) -> Store:
    return store_from_url(f"redis://127.0.0.1:{servers.primary}", SystemClock(), Demands(replicas))


@pytest.fixture
async def store(servers: Replicated, ear: Ear) -> AsyncIterator[Store]:
    store = store_on(servers)
    await store.open(ear)
    yield store
    await store.close()


async def test_what_is_acknowledged_is_on_the_replica_and_told_to_who_follows(
    store: Store, ear: Ear, servers: Replicated
) -> None:
    room = new_room()
    await store.follow(room)
    await write(store, room, b"first")
    (replica,) = servers.replicas
    entries = await store.read(room, EMPTY)
    assert servers.servers[replica].run("LRANGE", log_of(room), 0, -1) == list(entries)
    assert await ear.next() == (room, 1, entries[0])
    assert ear.silent()


async def test_what_the_replica_has_not_got_is_neither_acknowledged_nor_shown_nor_told(
    store: Store, ear: Ear, servers: Replicated
) -> None:
    room = new_room()
    await store.follow(room)
    at = await write(store, room, b"first")
    assert await ear.next() == (room, 1, seal(EMPTY, b"first")[0])
    (replica,) = servers.replicas
    servers.attach(replica, to=NOBODY)
    with pytest.raises(Unknown, match="reached 0 of 1 replicas"):
        await write(store, room, b"second", at=at)
    assert servers.servers[servers.primary].run("LLEN", log_of(room)) == 2
    for attempt in (store.read(room, at), write(store, room, b"other", at=at), store.check()):
        with pytest.raises(Refused, match="reached 0 of 1 replicas"):
            await attempt
    entry, _ = seal(at, b"early")
    with pytest.raises(Refused):
        await store.append(room, at, entry, keep_ms=KEEP_MS, not_before_ms=store.now_ms() + KEEP_MS)
    servers.attach(replica)
    servers.in_sync()
    assert await store.read(room, at) == (seal(at, b"second")[0],)
    await store.tell(room, b"end")
    assert await ear.next() == (room, b"end")


async def test_words_and_the_list_of_rooms_need_no_replica(store: Store, ear: Ear, servers: Replicated) -> None:
    room = new_room()
    await store.follow(room)
    servers.attach(servers.replicas[0], to=NOBODY)
    await store.tell(room, b"words")
    assert await ear.next() == (room, b"words")
    await store.enlist(room, b"summary", KEEP_MS)
    assert await store.listed() == (b"summary",)


async def test_with_fewer_replicas_than_asked_for_the_server_is_unfit(servers: Replicated) -> None:
    store = store_on(servers, replicas=2)
    with pytest.raises(Unfit, match=r"has 1 of the 2 replicas that --wait-replicas asks for: start the others"):
        await store.open(Ear())
    await store.close()


async def lost_in_a_failover(servers: Replicated, replicas: int) -> int:
    """Play in 20 rooms, cut the replica off, play on, kill the primary, promote the replica: the acknowledged entries
    that are gone."""
    store = store_on(servers, replicas)
    await store.open(Ear())
    (replica,) = servers.replicas
    async with Players(store, 20) as players:
        await players.all_play(20)
        await asyncio.to_thread(servers.attach, replica, NOBODY)
        await (players.all_meet_trouble(3) if replicas else players.all_play(20))
        servers.servers[servers.primary].kill()
    await store.close()
    servers.promote(replica)
    store = store_on(servers, replicas=0)
    await store.open(Ear())
    missing = await lost(players, store)
    await store.close()
    return missing


@pytest.mark.slow
async def test_a_partition_and_a_failover_lose_nothing_acknowledged(servers: Replicated) -> None:
    assert await lost_in_a_failover(servers, replicas=1) == 0


@pytest.mark.slow
async def test_without_waiting_they_lose_what_was_acknowledged_meanwhile(servers: Replicated) -> None:
    assert await lost_in_a_failover(servers, replicas=0) >= 300


async def test_who_was_ahead_of_a_log_that_rolled_back_learns_it_and_never_appends(servers: Replicated) -> None:
    store = store_on(servers, replicas=0)
    await store.open(Ear())
    room = new_room()
    at = await write(store, room, b"first")
    servers.in_sync()
    (replica,) = servers.replicas
    servers.attach(replica, to=NOBODY)
    ahead = await write(store, room, b"second", b"third", at=at)
    await store.close()
    servers.promote(replica)
    store = store_on(servers, replicas=0)
    await store.open(Ear())
    other = await write(store, room, b"another second", at=at)
    again = await write(store, room, b"another third", at=other)
    for held in (ahead, again._replace(chain=ahead.chain)):
        with pytest.raises(RolledBack):
            await store.read(room, held)
        with pytest.raises(VersionConflict) as conflict:
            await write(store, room, b"fourth", at=held)
        assert conflict.value.entries == ()
    await store.close()


async def test_a_failover_to_a_replica_that_nobody_waited_for_is_told_and_not_played_on(
    replicated: Callable[..., Replicated],
) -> None:
    servers = replicated(2)
    store = store_on(servers, replicas=1)
    await store.open(Ear())
    room = new_room()
    at = await write(store, room, b"first")
    servers.in_sync()
    behind = servers.replicas[0]
    servers.attach(behind, to=NOBODY)
    ahead = await write(store, room, b"second", at=at)
    await store.close()
    servers.promote(behind)
    for port in servers.replicas:
        servers.attach(port)
    servers.in_sync()
    store = store_on(servers, replicas=1)
    await store.open(Ear())
    with pytest.raises(RolledBack):
        await store.read(room, ahead)
    with pytest.raises(VersionConflict) as conflict:
        await write(store, room, b"third", at=ahead)
    assert conflict.value.entries == ()
    await store.close()
