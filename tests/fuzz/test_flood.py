"""Whoever floods a real server is sent away and kept out for a while, and those who play go on playing."""

import pytest

from protocol.errors import CloseCode
from tests.fuzz.flood import Flood, flooder, playing


@pytest.mark.slow
async def test_whoever_floods_is_sent_away_and_the_games_of_others_go_on() -> None:
    async with playing(tables=3, seed=1) as (players, server), flooder() as strike:
        before = players.meter.moves
        told = await strike(Flood(players.url, 50, 1, per_s=10_000, seconds=60, enough=1))
        assert set(told.closed) == {CloseCode.RATE_LIMITED}, told
        assert players.meter.moves > before
        await players.meter.moved(6)
        assert not players.meter.done["connections lost"]
        assert "ERROR" not in server.log
