"""A server that is killed at every point of a match: nothing acknowledged is lost, nothing is done twice."""

from collections import Counter, defaultdict
from contextlib import AsyncExitStack
from itertools import cycle
from pathlib import Path
from typing import Literal, get_args

import pytest

from protocol.messages import Act, Done, Ready, SeatCommand, Seated, Start, Table
from protocol.notation import Action, groups_of
from protocol.view import TableView
from server.games.base import Seat
from tests.e2e.clients import Client, client, deal_over, hand, history, most, open_room, turns
from tests.e2e.logs import read_log
from tests.e2e.processes import ServerProcess
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

Moment = Literal["asked", "unread", "sent", "answered", "seen", "done", "resuming"]
"""When the server dies: while a question stands, when the answer has reached its machine but not itself, right after
the answer was sent, after its first frame in return, when another player has seen the action, after it was
acknowledged, and while players are coming back."""


class Survivors:
    """Two players at one table, and the server that dies and comes back under them."""

    def __init__(self, store: str, home: Path) -> None:
        self.kills = 0
        self.players: dict[Seat, Client] = {}
        self._store = store
        self._home = home
        self._server = ServerProcess(store, home)
        self._links = AsyncExitStack()

    async def __aenter__(self) -> "Survivors":
        host, guest = [await self._links.enter_async_context(client(self._server.url, name)) for name in ("Ann", "Bo")]
        await open_room(host, guest, deals=2)
        self.players = {0: host, 1: guest}
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.stop()
        await self._links.aclose()

    async def die(self) -> None:
        """Kill the server, start it again on the same data, and have everyone come back to the seat that they had."""
        before = {seat: player.seated for seat, player in self.players.items()}
        await self._restart()
        for seat, seated in before.items():
            back = await self._links.enter_async_context(client(self._server.url, ticket=seated.ticket))
            assert await back.until(Seated) == seated
            await back.until(Table)
            self.players[seat] = back

    async def die_twice(self) -> None:
        """Kill it once more while it is being asked for the seats."""
        before = {seat: player.seated for seat, player in self.players.items()}
        await self._restart()
        for seated in before.values():
            await self._links.enter_async_context(client(self._server.url, ticket=seated.ticket))
        await self.die()

    async def strike(self, seat: Seat, command: SeatCommand, moment: Moment) -> None:
        """Have the command done while the server dies, and check what is there before and after it is sent again."""
        before = {seat: player.view for seat, player in self.players.items()}
        actor, other = self.players[seat], self.players[1 - seat]
        n = command.n
        carried_out = {n}
        match moment:
            case "asked" | "resuming":
                carried_out = {n - 1}
            case "unread":
                carried_out = {n - 1}
                self._server.freeze()
                await actor.send(command)
            case "sent":
                carried_out = {n - 1, n}
                await actor.send(command)
            case "answered":
                await actor.send(command)
                while await actor.receive() != Done(n) and actor.next_n == n:
                    pass
            case "seen":
                await actor.send(command)
                length = len(history(other.view))
                await other.seen(lambda view: len(history(view)) > length)
            case "done":
                await actor.do(command)
        await (self.die_twice() if moment == "resuming" else self.die())
        for whose, view in before.items():
            now = self.players[whose].view
            assert now.you is not None
            assert view.you is not None
            assert now.you.n in (carried_out if whose == seat else {view.you.n})
            _check(view, now, whose, command if now.you.n > view.you.n else None)
        assert await self.players[seat].answer(command) == Done(n)

    async def _restart(self) -> None:
        self._server.kill()
        self.kills += 1
        await self._links.aclose()
        self._server = ServerProcess(self._store, self._home)


def _check(before: TableView, now: TableView, seat: Seat, command: SeatCommand | None) -> None:
    """What a player sees after the restart follows from what was seen last; `command`: of its own, done meanwhile."""
    if command is None:
        assert now.prompt == before.prompt or before.prompt is None
    elif before.prompt is not None:
        assert now.prompt is None or now.prompt.id > before.prompt.id
    if before.deal is None or now.deal is None or now.room.deal != before.room.deal:
        assert now.room.deal >= before.room.deal
        return
    assert now.deal.history[: len(before.deal.history)] == before.deal.history
    played = groups_of(command.action) if isinstance(command, Act) else ()
    assert hand(before, seat) - Counter(card for group in played for card in group) == hand(now, seat)


async def played_through(store: str, home: Path, every: int) -> tuple[int, Counter[Moment]]:
    """A match of two deals under kills: at every so many turns of the first deal and a third of them in the second,
    each time at the next moment, and at every point before, between and after the deals. Returns how often the server
    died, and how often in the midst of an action at each moment.
    """
    moments = cycle(get_args(Moment))
    struck = Counter[Moment]()
    done: defaultdict[tuple[Seat, int], list[Action]] = defaultdict(list)
    async with Survivors(store, home) as table:
        await table.die()
        await table.strike(0, Start(1, "easy"), "sent")
        for deal in (1, 2):
            number = 0
            async for player in turns(table.players, deal=deal):
                seat, n = player.seated.seat, player.next_n
                command = Act(n, player.prompt.id, most(player.prompt.actions))
                done[seat, deal].append(command.action)
                number += 1
                if number % (every if deal == 1 else 3 * every):
                    await player.do(command)
                    continue
                moment = next(moments)
                struck[moment] += 1
                await table.strike(seat, command, moment)
            if deal == 1:
                await table.die()
                assert all(deal_over(player.view) for player in table.players.values())
                await table.strike(0, Ready(table.players[0].next_n), "sent")
                await table.strike(1, Ready(table.players[1].next_n), "done")
        over = table.players[0].view
        await table.die()
        for player in table.players.values():
            now = player.view
            assert (now.result, now.deal, now.room) == (over.result, over.deal, over.room)
            assert [seat.score for seat in now.seats] == [seat.score for seat in over.seats]
        code = table.players[0].seated.code
    log = await read_log(store, code)
    log.verify()
    for (seat, deal), actions in done.items():
        assert log.actions(seat, deal) == actions
    assert over.result is not None
    assert log.records[1].result.scores == over.result.scores
    return table.kills, struck


@pytest.mark.slow(long=True)
async def test_a_killed_server_comes_back_with_nothing_lost_and_nothing_done_twice(tmp_path: Path) -> None:
    kills, struck = await played_through(f"sqlite:{tmp_path / 'rooms.sqlite3'}", tmp_path, every=2)
    assert kills >= 30
    assert set(struck) == set(get_args(Moment))


@pytest.mark.slow(long=True)
async def test_the_same_holds_where_the_rooms_are_in_a_valkey(valkey: Valkey, tmp_path: Path) -> None:
    _, struck = await played_through(valkey.url, tmp_path, every=6)
    assert len(struck) >= 3


@pytest.mark.slow(long=True)
async def test_a_private_valkey_is_taken_over_from_a_server_that_was_killed(short_path: Path, tmp_path: Path) -> None:
    kills, _ = await played_through(f"valkey:{short_path}", tmp_path, every=12)
    assert kills >= 6
