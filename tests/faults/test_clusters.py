"""Rooms that move from one primary of a cluster to another while people play in them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.cluster import Cluster
from tests.faults.fleet import standing
from tests.faults.matches import playing
from tests.faults.people import Meter

pytestmark = pytest.mark.slow

MOVES = 6


@pytest.fixture
def cluster(short_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(short_path)
    yield cluster
    cluster.stop()


async def test_a_room_is_played_on_while_its_slot_moves(cluster: Cluster, tmp_path: Path) -> None:
    meter, rng = Meter(), Random(5)
    async with standing(cluster.url, tmp_path, 2, meter) as servers, playing(servers, rng, tables=3) as play:
        await meter.moved(10)
        moved = 0
        for _ in range(MOVES):
            await meter.until(lambda: bool(play.rooms))
            room = rng.choice(play.rooms)
            owner = await asyncio.to_thread(cluster.owner, room)
            to = rng.choice([port for port in cluster.primaries if port != owner])
            await asyncio.to_thread(cluster.begin_move, room, to)
            await meter.moved(3)
            moved += await asyncio.to_thread(cluster.move_keys, room, to)
            await meter.moved(3)
            await asyncio.to_thread(cluster.end_move, room, to)
            await meter.moved(3)
    assert moved >= MOVES
