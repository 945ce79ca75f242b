"""Rooms in a cluster: slots that move, primaries that die."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from redis.crc import key_slot

from server.clock import SystemClock
from server.store import pipeline as pipelines
from server.store.base import EMPTY, Refused, Store, Unfit, unseal
from server.store.fitness import Demands
from server.store.urls import store_from_url
from tests.cluster import Cluster
from tests.ports import free_ports
from tests.server.store.players import Players, lost
from tests.stores import Ear, new_room, write
from tests.valkey import Valkey

pytestmark = pytest.mark.slow


@pytest.fixture
def start(short_path: Path) -> Iterator[Callable[[int], Cluster]]:
    """Starts a cluster of three shards with so many replicas each."""
    with ExitStack() as started:

        def start(replicas: int) -> Cluster:
            cluster = Cluster(short_path, replicas=replicas)
            started.callback(cluster.stop)
            return cluster

        yield start


@pytest.fixture
def ear() -> Ear:
    return Ear()


async def opened(cluster: Cluster, replicas: int, ear: Ear) -> Store:
    store = store_from_url(cluster.url, SystemClock(), Demands(replicas))
    await store.open(ear)
    return store


def new_room_beside(room: str) -> str:
    """A room in the same slot."""
    slot = key_slot(room.encode())
    while key_slot((found := new_room()).encode()) != slot:
        pass
    return found


def payloads(entries: tuple[bytes, ...]) -> list[bytes]:
    at, found = EMPTY, []
    for entry in entries:
        payload, at = unseal(at, entry)
        found.append(payload)
    return found


@pytest.mark.parametrize("replicas", [0, 1])
async def test_while_a_slot_moves_every_append_is_done_and_done_once(
    start: Callable[[int], Cluster], ear: Ear, replicas: int
) -> None:
    cluster = start(replicas)
    store = await opened(cluster, replicas, ear)
    async with Players(store, 30) as players:
        await players.all_play(10)
        for player in players.each[:3]:
            source = cluster.owner(player.room)
            target = next(port for port in cluster.primaries if port != source)
            await asyncio.to_thread(cluster.begin_move, player.room, target)
            await players.all_play(10)
            beside = new_room_beside(player.room)
            at = await write(store, beside, b"first", b"second")
            assert cluster.owner(player.room) == source
            await asyncio.to_thread(cluster.move_keys, player.room, target)
            await players.all_play(10)
            await asyncio.to_thread(cluster.end_move, player.room, target)
            await players.all_play(10)
            await write(store, beside, b"third", at=at)
            assert payloads(await store.read(beside, EMPTY)) == [b"first", b"second", b"third"]
    assert sum(player.troubles for player in players.each) == 0
    assert await lost(players, store) == 0
    for player in players.each:
        log = payloads(await store.read(player.room, EMPTY))
        assert log == [b"%d" % n for n in range(len(log))]
        assert 0 <= len(log) - len(player.acknowledged) <= 1  # the last may have been cancelled on its way
    await store.close()


async def test_when_a_primary_dies_its_replica_is_found_and_nothing_acknowledged_is_lost(
    start: Callable[[int], Cluster], ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "WAIT_MS", 300)
    cluster = start(1)
    store = await opened(cluster, 1, ear)
    async with Players(store, 12) as players:
        await players.all_play(10)
        killed = cluster.primaries[0]
        there = [player for player in players.each if cluster.owner(player.room) == killed]
        await asyncio.to_thread(cluster.kill, killed)
        await players.all_meet_trouble(1, of=there)
        await asyncio.to_thread(cluster.revive, killed)
        await players.all_play(10)
    assert there
    assert await lost(players, store) == 0
    await store.close()


async def test_what_is_told_is_heard_from_every_shard_also_after_the_channel_was_lost(
    start: Callable[[int], Cluster], ear: Ear
) -> None:
    cluster = start(0)
    store = await opened(cluster, 0, ear)
    rooms = [new_room() for _ in range(10)]
    for room in rooms:
        await store.follow(room)
    for _ in range(3):
        await hear_of_each(rooms, store, ear)
        for port in cluster.primaries:
            cluster.run(port, "CLIENT", "KILL", "TYPE", "pubsub")
        await ear.until("lost")
        await ear.until("interrupted")
    await hear_of_each(rooms, store, ear)
    await store.close()


async def hear_of_each(rooms: list[str], store: Store, ear: Ear) -> None:
    """Return when words of every room were heard: told again, since the nodes of a young cluster may lose some."""
    unheard = set(rooms)
    while unheard:
        for room in unheard:
            await store.tell(room, b"words")
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                while unheard:
                    told = await ear.next()
                    unheard.discard(told[0])


async def test_a_node_of_a_cluster_is_no_store_of_its_own(start: Callable[[int], Cluster], ear: Ear) -> None:
    cluster = start(0)
    store = store_from_url(f"redis://127.0.0.1:{cluster.primaries[0]}", SystemClock())
    with pytest.raises(Unfit, match="name the cluster as the store, cluster://"):
        await store.open(ear)
    await store.close()


async def test_what_is_no_cluster_says_so(own_valkey: Callable[..., Valkey], ear: Ear) -> None:
    (port,) = free_ports(1)
    own_valkey("--port", str(port))
    store = store_from_url(f"cluster://127.0.0.1:{port}", SystemClock())
    with pytest.raises(Refused, match="is no node of a cluster: name it as redis://"):
        await store.open(ear)
    await store.close()
