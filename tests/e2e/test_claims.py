"""Paohuzi across two servers: people claim, drop out in the middle of a claim, and lose the server under them.

The missed deadline of a claim takes half a minute at the fastest pace: it is in `tests/server/node/test_windows.py`,
where the clock is moved.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from functools import cache
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorCode
from protocol.messages import Act, DealRecord, Done, Export, Ready, Refused, Seated, Start, Table
from protocol.notation import PAOHUZI_CARDS, Action
from protocol.record import Record, write
from protocol.view import DealView, Prompt, TableView
from server.games.base import SEATS, Seat
from server.games.paohuzi.game import Paohuzi
from server.games.paohuzi.state import State
from tests.e2e.clients import Client, client, look_on, open_room
from tests.e2e.logs import read_log
from tests.e2e.processes import ServerProcess
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

GAME = Paohuzi()
DEALS = 5
KILLS = {0: 2, 1: 4}
"""Whose server is killed, and from which deal on, when that player is asked for a claim."""

SECRETS = {*PAOHUZI_CARDS, "win", "pao", "peng", "chi", "pass", "discard"}


class Servers:
    """Two servers of one store, of which a test may kill either at any time: another takes its place."""

    def __init__(self, store: str, home: Path) -> None:
        self.kills = 0
        self.logs: list[str] = []
        self._store = store
        self._home = home
        self._running = [self._started(), self._started()]

    def url(self, number: int) -> str:
        return self._running[number].url

    def kill(self, number: int) -> None:
        self.kills += 1
        self._running[number].kill()
        self.logs.append(self._running[number].log)
        self._running[number] = self._started()

    def stop(self) -> None:
        for server in self._running:
            server.stop()
            self.logs.append(server.log)

    def _started(self) -> ServerProcess:
        return ServerProcess(self._store, self._home, ("--log-level", "debug"))


class Player:
    """A person who claims by chance and comes back from whatever happens to the connection.

    `returns`: the kind and deal of each break after which the open question was there again; `done`: the numbers of
    all commands that were acknowledged.
    """

    def __init__(self, servers: Servers, number: int, stack: AsyncExitStack) -> None:
        self.number = number
        self.links: list[Client] = []
        self.returns: set[tuple[str, int]] = set()
        self.done: set[int] = set()
        self._servers = servers
        self._rng = Random(number)
        self._stack = stack
        self._at = number % 2

    @property
    def link(self) -> Client:
        """The newest."""
        return self.links[-1]

    async def connect(self, ticket: str | None = None) -> None:
        subprotocol = JSON if self.number == 1 else MSGPACK
        link = client(self._servers.url(self._at), f"Player {self.number}", ticket=ticket, subprotocol=subprotocol)
        self.links.append(await self._stack.enter_async_context(link))

    async def come_back(self) -> None:
        """By ticket, on the other server; or on the first again where that one dies meanwhile."""
        before = self.link
        while True:
            self._at = 1 - self._at
            with suppress(ConnectionClosed, OSError, InvalidHandshake):
                await self.connect(before.seated.ticket)
                assert await self.link.until(Seated) == before.seated
                await self.link.until(Table)
                return

    async def play(self) -> None:
        """To the end of the match."""
        while (view := self.link.view).room.phase != "over":
            if view.prompt is not None:
                if "pass" in view.prompt.actions:
                    await self._break_off(view.room.deal, view.prompt)
                if (prompt := self.link.view.prompt) is not None:
                    await self._do(Act(self.link.next_n, prompt.id, self._rng.choice(prompt.actions)))
            elif view.room.phase == "between" and not view.seats[self.number].ready:
                await self._do(Ready(self.link.next_n))
            else:
                await self._see(lambda newer: newer != view)

    async def _break_off(self, deal: int, prompt: Prompt) -> None:
        """In the middle of a claim: in every deal the player drops out, once of some because its server dies.

        Others may settle the question meanwhile; then there will be a next one to do it again.
        """
        killed = any(kind == "killed" for kind, _ in self.returns)
        kind = "dropped" if killed or deal < KILLS.get(self.number, DEALS + 1) else "killed"
        if (kind, deal) in self.returns:
            return
        if kind == "killed":
            self._servers.kill(self._at)
        else:
            await self.link.connection.close()
        await self.come_back()
        again = self.link.view.prompt
        if again is not None and again.id == prompt.id:
            assert again == prompt
            self.returns.add((kind, deal))

    async def _do(self, command: Act | Ready) -> None:
        """Until it is known to be done, or to come too late."""
        answer: Done | Refused | None = None
        while answer is None:
            try:
                answer = await self.link.answer(command)
            except ConnectionClosed:
                await self.come_back()
        if isinstance(answer, Done):
            self.done.add(command.n)
            await self._see(lambda view: view.you is not None and view.you.n >= command.n)
        else:
            assert answer.code == ErrorCode.STALE_PROMPT
            assert isinstance(command, Act)
            await self._see(lambda view: view.prompt is None or view.prompt.id != command.prompt)

    async def _see(self, condition: Callable[[TableView], bool]) -> None:
        while not condition(self.link.view):
            try:
                await self.link.until(Table)
            except ConnectionClosed:
                await self.come_back()


async def look_on_to_the_end(spectator: Client) -> None:
    """Of the match, or of the server."""
    with suppress(ConnectionClosed):
        await spectator.seen(lambda view: view.room.phase == "over")


class Truth:
    """The deals as they really were, move by move: all that a seat may be shown of them."""

    def __init__(self, records: tuple[Record, ...]) -> None:
        self._deals = [list(_states(record)) for record in records]

    def check(self, viewer: Seat | None, links: list[Client]) -> None:
        """Everything that the viewer was sent is what the rules let it see, in the order in which it came to be."""
        deal, at = 1, 0
        for link in links:
            for frame in link.frames:
                message = link.codec.decode(frame.decode() if link.codec.text else frame)
                if not isinstance(message, Table) or message.view.deal is None:
                    continue
                if message.view.room.deal > deal:
                    deal, at = message.view.room.deal, 0
                shown = message.view.deal, message.view.prompt and message.view.prompt.actions
                while shown not in self._may_see(deal, at, viewer):
                    at += 1

    @cache  # noqa: B019 - lives as long as the test
    def _may_see(self, deal: int, at: int, viewer: Seat | None) -> list[tuple[DealView, tuple[Action, ...] | None]]:
        """With what it is asked, or still seems to be asked: a claim that is certain shows to nobody yet."""
        state = self._deals[deal - 1][at]
        questions = [None if viewer is None else GAME.asked(state).get(viewer)]
        if viewer is not None and state.claims is not None and not state.claims.declared[viewer]:
            questions.append(state.claims.offered[viewer] or None)
        return [(GAME.view(state, viewer), question) for question in questions]


def _states(record: Record) -> Iterator[State]:
    state = GAME.start(record.deck, record.first, record.options)
    yield state
    for step in record.steps:
        while GAME.window(state) and not GAME.asked(state):
            state = GAME.go_on(state)
            yield state
        state = GAME.apply(state, step.seat, step.action)
        yield state
    while GAME.window(state):
        state = GAME.go_on(state)
        yield state


async def test_people_claim_across_servers_that_die(valkey: Valkey, tmp_path: Path) -> None:
    servers = Servers(valkey.url, tmp_path)
    async with AsyncExitStack() as stack:
        stack.callback(servers.stop)
        players = [Player(servers, number, stack) for number in SEATS]
        for player in players:
            await player.connect()
        code = await open_room(*(player.link for player in players), game="paohuzi", deals=DEALS)
        spectators = [await stack.enter_async_context(client(servers.url(number), "Cy")) for number in (0, 1)]
        for spectator in spectators:
            await look_on(spectator, code)
        await players[0].link.do(Start(1))
        async with asyncio.TaskGroup() as playing:
            for spectator in spectators:
                playing.create_task(look_on_to_the_end(spectator))
            for player in players:
                playing.create_task(player.play())
        views = [player.link.view for player in players]
        lines = []
        for deal in range(1, DEALS + 1):
            await players[1].link.send(Export(deal))
            lines.append((await players[1].link.until(DealRecord)).line)
    log = await read_log(valkey.url, code)
    log.verify()
    assert [write(record).decode() for record in log.records] == lines
    assert [seat.score for seat in log.state.seats] == [seat.score for seat in views[0].seats]
    assert sum(seat.score for seat in log.state.seats) == 0
    assert len({(view.result, view.seats) for view in views}) == 1
    declared = {step.action.split()[0] for record in log.records for step in record.steps}
    assert {"chi", "peng", "pass"} <= declared
    for player in players:
        numbers = {c.numbered.n for c in log.commits if c.numbered is not None and c.numbered.seat == player.number}
        assert player.done <= numbers, "what was acknowledged is in the log"
        assert len(player.returns) >= DEALS // 2, "the others may settle a question before its player is back"
    assert servers.kills >= len(KILLS)
    truth = Truth(log.records)
    for viewer, links in [*((player.number, player.links) for player in players), *((None, [s]) for s in spectators)]:
        truth.check(viewer, links)
    for number in KILLS:
        assert "killed" in {kind for kind, _ in players[number].returns}
    for lines_logged in servers.logs:
        assert "DEBUG" in lines_logged
        for line in lines_logged.splitlines():
            _, _, words = line.split(" ", 2)
            assert not set(re.findall(r"[0-9A-Za-z]+", words)) & SECRETS
