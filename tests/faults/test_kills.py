"""Servers and stores that die while people play, on wires that lose replies and messages."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.faults.fleet import fleet, restart_store
from tests.faults.matches import playing
from tests.faults.people import Meter
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

KILLS = 20


@pytest.mark.slow(long=True)
async def test_killed_servers_and_stores_lose_nothing_and_double_nothing(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    meter, rng, valkey = Meter(), Random(1), own_valkey()
    async with fleet(valkey, short_path, 3, meter, rng) as servers:
        for proxy in servers.proxies:
            proxy.drop_replies, proxy.drop_published = 0.01, 0.2
        async with playing(servers, rng, tables=4):
            for number in range(KILLS):
                restarting = asyncio.create_task(servers.restart(servers.members[number % 3]))
                await meter.moved(3)
                await restart_store(valkey, meter)
                await meter.moved(3)
                await restarting
            while not all(proxy.done["reply"] and proxy.done["published"] for proxy in servers.proxies):
                await meter.moved()
    assert meter.done["node kills"] == meter.done["store kills"] == KILLS
    assert meter.done["deals"] > 0
