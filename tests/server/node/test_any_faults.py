"""Three players, a spectator and two nodes under any course of faults: in the end there is one history, every command
that was acknowledged is in it once, and everybody sees it.
"""

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import Act, AutoPass, Autopilot, Create, Leave, Ready, SeatCommand, Start
from protocol.view import Happening, TableView
from server.games.base import SEATS, Seat
from server.games.registry import GAMES
from server.node.watch import LAST_RETRY_MS
from server.rooms.events import Commit, Event
from server.rooms.fold import fold
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState
from server.rooms.view import happened, table_view
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, running_nodes

FAULTS = ("refusing", "unreadable", "deaf", "stutters", "delays")
STEPS = st.sampled_from(
    ("act",) * 8 + ("race", "hop", "drop", "autopilot", "auto_pass", "ready", "beat", "wait", "lose", *FAULTS)
)


class Table:
    """The players, each on some node or on none, and what they were told of their commands."""

    def __init__(self, nodes: Nodes, rng: Random) -> None:
        self.nodes = nodes
        self.rng = rng
        self.viewers: dict[Seat, tuple[RunningNode, RecordedViewer] | None] = {}
        self.tickets: dict[Seat, str] = {}
        self.n = dict.fromkeys(SEATS, 1)
        self.acknowledged: set[tuple[Seat, int]] = set()
        self.refused: set[tuple[Seat, int]] = set()
        self.hops_refused: set[ErrorCode] = set()

    async def sit_down(self, game: str) -> str:
        ann = await self.nodes.a.create(game=game, deals=2, pace="fast")
        code = ann.place_taken.code
        bea, cem = await self.nodes.b.join(code, "Bea"), await self.nodes.a.join(code, "Cem")
        self.viewers = {0: (self.nodes.a, ann), 1: (self.nodes.b, bea), 2: (self.nodes.a, cem)}
        self.tickets = {seat: viewer.place_taken.ticket for seat, viewer in enumerate((ann, bea, cem))}
        await self.nodes.a.command(ann, Start)
        self.acknowledged.add((0, 1))
        return code

    async def send(self, seat: Seat, message: SeatCommand) -> None:
        """A client sends again with the same number until it knows; here it may give up before, and never knows."""
        place = self.viewers[seat]
        if place is None or place[1].replaced or place[1].unseated:
            return
        node, viewer = place
        for _ in range(self.rng.randint(1, 3)):
            try:
                await node.hub.command(viewer, message)
            except Refusal as refusal:
                if refusal.code is not ErrorCode.STORE_UNAVAILABLE:
                    if (seat, message.n) not in self.acknowledged:
                        self.refused.add((seat, message.n))
                    return
            else:
                self.acknowledged.add((seat, message.n))

    def act(self, seat: Seat) -> SeatCommand:
        place = self.viewers[seat]
        self.n[seat] += 1
        prompt = None if place is None or not place[1].tables else place[1].view.prompt
        if prompt is None:
            return Act(self.n[seat], 1, "pass")
        return Act(self.n[seat], prompt.id, self.rng.choice(prompt.actions))

    def auto_pass(self, seat: Seat) -> SeatCommand:
        self.n[seat] += 1
        return AutoPass(self.n[seat], on=self.rng.random() < 0.5)

    def autopilot(self, seat: Seat) -> SeatCommand:
        self.n[seat] += 1
        return Autopilot(self.n[seat], on=self.rng.random() < 0.5)

    async def drop(self, seat: Seat) -> None:
        place, self.viewers[seat] = self.viewers[seat], None
        if place is not None:
            await place[0].drop(place[1])

    async def hop(self, seat: Seat) -> None:
        """Come back by ticket, or by the first request again, now and then while the old connection is still open."""
        if self.rng.random() < 0.5:
            await self.drop(seat)
        node, viewer = self.rng.choice((self.nodes.a, self.nodes.b)), RecordedViewer()
        old = self.viewers[seat]
        try:
            await self.come_back(node, viewer, seat)
        except Refusal as refusal:
            self.hops_refused.add(refusal.code)
            return
        await settled()
        if old is not None:
            await old[0].drop(old[1])
        self.viewers[seat] = (node, viewer)

    async def come_back(self, node: RunningNode, viewer: RecordedViewer, seat: Seat) -> None:
        code, _, secret = self.tickets[seat].partition(".")
        if self.rng.random() < 0.5:
            await node.hub.resume(viewer, self.tickets[seat])
        elif seat:
            await node.hub.join(viewer, "Dan", code, secret)
        else:
            await node.hub.create(viewer, "Dan", Create("chuo-pai", secret=secret))
        assert viewer.replaced or viewer.place_taken.ticket == self.tickets[seat]

    async def step(self, step: str) -> None:
        seat, node = self.rng.choice(SEATS), self.rng.choice((self.nodes.a, self.nodes.b))
        match step:
            case "act":
                asked = [s for s, place in self.viewers.items() if place and place[1].tables and place[1].view.prompt]
                seat = self.rng.choice(asked or [seat])
                await self.send(seat, self.act(seat))
            case "race":
                async with asyncio.TaskGroup() as tasks:
                    for each in SEATS:
                        message = self.act(each) if self.rng.random() < 0.5 else self.autopilot(each)
                        tasks.create_task(self.send(each, message))
            case "hop":
                await self.hop(seat)
            case "drop":
                await self.drop(seat)
            case "autopilot":
                await self.send(seat, self.autopilot(seat))
            case "auto_pass":
                await self.send(seat, self.auto_pass(seat))
            case "ready":
                self.n[seat] += 1
                await self.send(seat, Ready(self.n[seat]))
            case "beat":
                await self.nodes.move(700)
            case "wait":
                await self.nodes.move(self.rng.randint(1, 40_000))
            case "lose":
                node.store.lose_reply = self.rng.choice(("landed", "lost"))
            case fault:
                setattr(node.store, fault, not getattr(node.store, fault))
        await settled()

    async def heal(self) -> None:
        for node in (self.nodes.a, self.nodes.b):
            for fault in FAULTS:
                setattr(node.store, fault, False)
            node.store.lose_reply = None
            node.store.deliver()
            node.store.interrupt()
        await self.nodes.move(LAST_RETRY_MS)
        for seat in SEATS:
            await self.hop(seat)
        await self.nodes.move(20_000)


def folded(commits: list[Commit], since: int) -> tuple[RoomState, list[Happening]]:
    """What a log says, and what happened in public after its first `since` entries."""
    happenings: list[Happening] = []

    def witness(before: RoomState | None, event: Event, after: RoomState) -> None:
        happenings.extend(happened(before, event, after))

    state = None
    for number, commit in enumerate(commits):
        state = fold(state, commit, witness if number >= since else None)
    assert state is not None
    return state, happenings


def still(view: TableView) -> TableView:
    """A view without what moves by itself."""
    return view if view.prompt is None else replace(view, prompt=replace(view.prompt, remaining_ms=None))


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=50), seed=st.integers(0, 10**6))
async def test_any_course_of_faults(game: str, steps: list[str], seed: int) -> None:
    async with running_nodes() as nodes:
        table = Table(nodes, Random(seed))
        code = await table.sit_down(game)
        dan = await nodes.b.watch(code)
        entries = len(nodes.commits(code))
        for step in steps:
            await table.step(step)
        await table.heal()
        commits = nodes.commits(code)
        state, happenings = folded(commits, since=entries)
        done = [(commit.numbered.seat, commit.numbered.n) for commit in commits if commit.numbered is not None]
        assert len(done) == len(set(done)), "no command is done twice"
        assert table.hops_refused <= {ErrorCode.STORE_UNAVAILABLE}
        assert table.acknowledged <= set(done), "what was acknowledged is done"
        assert not table.refused & set(done), "what was refused is not done"
        assert [each for shown in dan.tables for each in shown.happened] == happenings, "shown once and in order"
        viewers: list[tuple[Seat | None, RecordedViewer]] = [(None, dan)]
        viewers += [(seat, place[1]) for seat, place in table.viewers.items() if place is not None]
        assert len(viewers) == 4
        for seat, viewer in viewers:
            assert still(viewer.view) == still(table_view(state, seat, SEATS, 0))
            assert not viewer.replaced
            assert not viewer.unseated
        for seat, place in table.viewers.items():
            assert place is not None
            await place[0].hub.command(place[1], Leave(table.n[seat] + 1))
        await settled()
        assert dan.unseated == ["closed"]
        assert not nodes.a.store.followed | nodes.b.store.followed
