"""Somebody stops reading while the others play: they notice nothing, and who reads again sees what is now."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from protocol.codec import JSON
from protocol.messages import Create, Table, Watch, Watching
from protocol.view import TableView
from tests.e2e.clients import Client, client
from tests.faults.fleet import fleet
from tests.faults.people import Meter, Person
from tests.history import History, check
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

DEALS = 5
"""So many that what a spectator is sent would fill every buffer on the way."""


async def test_spectators_who_stop_reading_hold_up_nobody_and_come_back_to_the_newest_table(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    meter, rng = Meter(), Random(6)
    async with fleet(own_valkey(), short_path, 1, meter, rng) as servers:
        create = Create("chuo-pai", deals=DEALS, secret="s" * 32)
        host = Person("Ann", create, servers.urls, meter, rng, think_s=0, hops=0)
        playing = asyncio.create_task(host.run())
        await meter.until(lambda: host.place is not None)
        assert host.place is not None
        url, code = servers.urls()[0], host.place.code
        async with (
            client(url, "Bo", subprotocol=JSON) as first,
            client(url, "Cy", subprotocol=JSON) as second,
        ):
            histories = [await looking_on(spectator, code) for spectator in (first, second)]
            await meter.until(lambda: host.view is not None and nothing_follows(host.view))
            for spectator, history in zip((first, second), histories, strict=True):
                await read_on(spectator, history)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        steps = len(host.history.steps)
        assert all(len(history.steps) < steps / 2 for history in histories), "they were sent everything"
        assert check(await servers.read(code), [host.history, *histories]) == []


async def looking_on(spectator: Client, code: str) -> History:
    """From now on it does not read."""
    history = History("spectator")
    history.opened()
    await spectator.send(Watch(code))
    history.told(await spectator.until(Watching))
    history.told(await spectator.until(Table))
    return history


async def read_on(spectator: Client, history: History) -> None:
    """Up to the end of the match; it may have missed some of what happened, and is told so."""
    over = False
    while not over:
        message = spectator.codec.decode(await spectator.connection.recv())
        history.told(message)
        over = isinstance(message, Table) and nothing_follows(message.view)


def nothing_follows(view: TableView) -> bool:
    """The match is over, and nobody has autopilot to switch off any more: until then the log may grow."""
    return view.room.phase == "over" and not any(seat.autopilot for seat in view.seats)
