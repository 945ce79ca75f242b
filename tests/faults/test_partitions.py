"""Servers that are cut off from their store or stand still, and a store that does, while people play."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from tests.faults.fleet import Fleet, fleet, let_store_go_on, pause_store
from tests.faults.matches import playing
from tests.faults.people import Meter
from tests.faults.proxy import Partition
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

PARTITIONS: tuple[tuple[Partition, Partition], ...] = (
    ("blackhole", "reset"),
    ("half-close", "blackhole"),
    ("reset", "half-close"),
    ("one-way", "blackhole"),
    ("half-close", "one-way"),
)
"""Of two servers at the same time; who is at the third can play on."""


@pytest.fixture
def meter() -> Meter:
    return Meter()


@asynccontextmanager
async def at_play(valkey: Valkey, home: Path, meter: Meter) -> AsyncIterator[Fleet]:
    """Three servers with people at four tables, whose wires lose replies and messages."""
    rng = Random(2)
    async with fleet(valkey, home, 3, meter, rng) as servers:
        for proxy in servers.proxies:
            proxy.drop_replies, proxy.drop_published = 0.01, 0.2
        async with playing(servers, rng, tables=4):
            await meter.moved(5)
            yield servers


async def trouble_shows(meter: Meter) -> None:
    """Somebody is told that the store is out of reach, or is refused something for that."""

    def shown() -> int:
        return meter.notices["stale"] + meter.done["refused: store_unavailable"]

    before = shown()
    await meter.until(lambda: shown() > before)


@pytest.mark.slow(long=True)
async def test_servers_that_are_cut_off_from_the_store_tell_so_and_come_back(
    own_valkey: Callable[..., Valkey], short_path: Path, meter: Meter
) -> None:
    async with at_play(own_valkey(), short_path, meter) as servers:
        for number, kinds in enumerate(PARTITIONS):
            cut_off = [servers.members[(number + at) % 3] for at in range(len(kinds))]
            told = asyncio.create_task(trouble_shows(meter))
            for member, kind in zip(cut_off, kinds, strict=True):
                servers.partition(member, kind)
            await told
            for member in cut_off:
                assert member.proxy is not None
                member.proxy.heal()
            await meter.moved(10)
    assert meter.done["partitions"] == 10
    assert meter.notices["live"] > 0


async def test_who_stood_still_does_not_go_on_from_what_it_knew(
    own_valkey: Callable[..., Valkey], short_path: Path, meter: Meter
) -> None:
    valkey = own_valkey()
    async with at_play(valkey, short_path, meter) as servers:
        for member in servers.members[:2]:
            member.pause()
            back = len(meter.back_s)
            await meter.until(lambda back=back: len(meter.back_s) > back)  # type: ignore[misc]
            await meter.moved(20)
            member.go_on()
            await meter.moved(10)
        for _ in range(2):
            told = asyncio.create_task(trouble_shows(meter))
            pause_store(valkey)
            await told
            let_store_go_on(valkey)
            await meter.moved(10)
    assert meter.done["node kills"] == meter.done["store kills"] == 0
