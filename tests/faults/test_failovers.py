"""Primaries that die under Sentinels while people play, each move having reached a replica."""

from pathlib import Path
from random import Random

import pytest

from tests.faults.fleet import FLAGS, fail_over, standing
from tests.faults.matches import playing
from tests.faults.people import Meter
from tests.sentinel import Watched

pytestmark = pytest.mark.slow

FAILOVERS = 5


@pytest.mark.slow(long=True)
async def test_failovers_lose_nothing_where_moves_wait_for_a_replica(watched: Watched, tmp_path: Path) -> None:
    meter = Meter()
    async with (
        standing(watched.url, tmp_path, 2, meter, (*FLAGS, "--wait-replicas", "1")) as servers,
        playing(servers, Random(3), tables=4),
    ):
        for _ in range(FAILOVERS):
            await meter.moved(10)
            await fail_over(watched, meter)
        await meter.moved(10)
    assert meter.done["failovers"] == FAILOVERS
    assert meter.notices["reset"] == 0
