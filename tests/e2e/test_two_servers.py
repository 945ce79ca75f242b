"""Two servers on one Valkey serve the same room."""

from contextlib import AsyncExitStack

import pytest

from protocol.messages import DealRecord, Export
from protocol.record import write
from protocol.view import Happening
from tests.e2e.clients import Client, act, client, look_on, most, open_room, start, turns
from tests.e2e.conftest import Servers
from tests.e2e.logs import read_log

pytestmark = pytest.mark.slow


def since_the_start(viewer: Client) -> list[Happening]:
    return viewer.happened[[happening.kind for happening in viewer.happened].index("match_started") :]


async def test_players_and_spectators_of_two_servers_see_the_same_deal(servers: Servers) -> None:
    async with AsyncExitStack() as links:
        host = await links.enter_async_context(client(servers.first.url, "Ann"))
        guest = await links.enter_async_context(client(servers.second.url, "Bo"))
        spectator = await links.enter_async_context(client(servers.second.url, "Cy"))
        code = await open_room(host, guest)
        await look_on(spectator, code)
        await start(host)
        played: dict[int, list[str]] = {0: [], 1: []}
        async for player in turns({0: host, 1: guest}, (spectator,)):
            played[player.seated.seat].append(await act(player, most))
        everyone = (host, guest, spectator)
        assert since_the_start(host)[-1].kind == "match_over"
        assert since_the_start(host) == since_the_start(guest) == since_the_start(spectator)
        assert len({viewer.view.result for viewer in everyone}) == 1
        assert len({viewer.view.deal for viewer in everyone}) == 1
        assert all(seat.connected for seat in spectator.view.seats if seat.kind == "human")
        exported = set()
        for viewer in everyone:
            await viewer.send(Export(1))
            exported.add((await viewer.until(DealRecord)).line)
    log = await read_log(servers.store, code)
    log.verify()
    assert exported == {write(record).decode() for record in log.records}
    assert {seat: log.actions(seat) for seat in played} == played
    assert len({commit.writer for commit in log.commits}) == 2
