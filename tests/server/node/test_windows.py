"""Public cards and secret claims in rooms that run: when cards go on, and what comes between a claim and its answer."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, AutoPass, Autopilot, Leave, Start
from protocol.view import Pace, TableView
from server.games.base import SEATS, Seat
from server.games.record import discrepancies, read
from server.node.driver import BOT_TIMEOUT_MS
from server.rooms.events import Acted, WentOn
from server.rooms.fold import fold
from server.rooms.state import RoomState, asked, window
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import TIMING, Nodes, RunningNode, refusal, running_nodes
from tests.server.rooms.driven import deck

BEAT_MS = TIMING.beat_ms


class Table:
    """Ann and Cem on node a, Bea on node b, and Dan who looks on there."""

    def __init__(self, nodes: Nodes, code: str) -> None:
        self.nodes = nodes
        self.code = code
        self.players: dict[Seat, tuple[RunningNode, RecordedViewer]] = {}
        self.spectator = RecordedViewer()
        self._folded: tuple[int, RoomState | None] = (0, None)

    @property
    def state(self) -> RoomState:
        done, state = self._folded
        commits = self.nodes.commits(self.code)
        for commit in commits[done:]:
            state = fold(state, commit)
        assert state is not None
        self._folded = len(commits), state
        return state

    @property
    def moment(self) -> int:
        return int(self.state.table.moment)

    @property
    def claimants(self) -> list[Seat]:
        return sorted(asked(self.state)) if window(self.state) else []

    def viewer(self, seat: Seat) -> RecordedViewer:
        return self.players[seat][1]

    def views(self, seat: Seat) -> list[TableView]:
        """All that the seat was shown."""
        return [shown.view for shown in self.viewer(seat).tables]

    def others(self, seat: Seat) -> list[RecordedViewer]:
        return [self.spectator, *(self.viewer(each) for each in SEATS if each != seat)]

    def acts(self, by: str) -> list[Acted]:
        events = [event for commit in self.nodes.commits(self.code) for event in commit.events]
        return [event for event in events if isinstance(event, Acted) and event.by == by]

    async def act(self, seat: Seat, action: str | None = None) -> None:
        node, viewer = self.players[seat]
        await node.act(viewer, action)

    async def command(self, seat: Seat, message: Callable[..., object], **fields: object) -> None:
        node, viewer = self.players[seat]
        await node.command(viewer, message, **fields)  # type: ignore[arg-type]

    async def step(self, rng: Random) -> None:
        """Whoever is asked answers; a card that stands goes on."""
        questions = asked(self.state)
        if not questions:
            await self.nodes.move(BEAT_MS)
            return
        seat = rng.choice(sorted(questions))
        await self.act(seat, "pass" if "pass" in questions[seat] and rng.random() < 0.8 else questions[seat][-1])


@asynccontextmanager
async def table_where(fits: Callable[[Table], bool], pace: Pace = "none", deals: int = 1) -> AsyncIterator[Table]:
    """The first table, of all that chance deals, that comes to fit."""
    for seed in range(100):
        async with running_nodes() as nodes:
            for node in (nodes.a, nodes.b):
                node.chance.decks.append(deck(seed, "paohuzi"))
            ann = await nodes.a.create(game="paohuzi", pace=pace, deals=deals)
            table = Table(nodes, ann.place_taken.code)
            bea, cem = await nodes.b.join(table.code, "Bea"), await nodes.a.join(table.code, "Cem")
            table.players = {0: (nodes.a, ann), 1: (nodes.b, bea), 2: (nodes.a, cem)}
            table.spectator = await nodes.b.watch(table.code)
            await nodes.a.command(ann, Start)
            rng = Random(seed)
            while table.state.phase == "playing":
                if fits(table):
                    yield table
                    return
                await table.step(rng)
    raise AssertionError("no table came to fit")


def one_may_claim(table: Table) -> bool:
    return len(table.claimants) == 1


def one_may_claim_but_not_win(table: Table) -> bool:
    return one_may_claim(table) and "win" not in asked(table.state)[table.claimants[0]]


def nobody_may_claim(table: Table) -> bool:
    return window(table.state) and not table.claimants


def told(viewers: list[RecordedViewer]) -> list[int]:
    return [len(viewer.told) for viewer in viewers]


# The beat


async def test_a_card_that_nobody_may_claim_goes_on_exactly_on_the_beat() -> None:
    async with table_where(nobody_may_claim) as table:
        moment = table.moment
        await table.nodes.move(BEAT_MS - 1)
        assert table.moment == moment
        await table.nodes.move(1)
        assert table.moment == moment + 1


@pytest.mark.parametrize("answered_ms", [0, 1, BEAT_MS - 1])
async def test_a_card_that_is_passed_within_the_beat_goes_on_exactly_on_it(answered_ms: int) -> None:
    async with table_where(one_may_claim) as table:
        moment = table.moment
        await table.nodes.move(answered_ms)
        await table.act(table.claimants[0], "pass")
        await table.nodes.move(BEAT_MS - 1 - answered_ms)
        assert table.moment == moment
        await table.nodes.move(1)
        assert table.moment == moment + 1


async def test_a_card_waits_longer_than_the_beat_only_for_who_still_thinks() -> None:
    async with table_where(one_may_claim) as table:
        (seat,) = table.claimants
        moment = table.moment
        await table.nodes.move(10 * BEAT_MS)
        assert table.moment == moment
        await table.act(seat, "pass")
        assert table.moment == moment + 1


async def test_a_claim_shows_on_the_beat_and_not_before() -> None:
    async with table_where(one_may_claim_but_not_win) as table:
        (seat,) = table.claimants
        before = told(table.others(seat))
        await table.act(seat)
        await table.nodes.move(BEAT_MS - 1)
        assert told(table.others(seat)) == before
        await table.nodes.move(1)
        assert told(table.others(seat)) == [count + 1 for count in before]
        assert any(happening.seat == seat for happening in table.spectator.tables[-1].happened)


@pytest.mark.parametrize("think_ms", [0, 300])
async def test_bots_declare_within_the_beat(think_ms: int) -> None:
    async with running_nodes() as nodes:
        nodes.a.pool.think_ms = think_ms
        ann = await nodes.a.create(game="paohuzi", fill="random")
        await nodes.a.command(ann, Autopilot, on=True)
        await nodes.move(60 * BEAT_MS)
        commits = nodes.commits(ann.place_taken.code)
        shown = [commit.at_ms for commit in commits if isinstance(commit.events[0], WentOn)]
        assert len(shown) > 10
        assert all((at_ms - commits[0].at_ms) % BEAT_MS == 0 for at_ms in shown)


async def test_bots_may_think_about_a_claim_for_less_than_the_beat_and_about_a_discard_longer() -> None:
    async with running_nodes() as nodes:
        nodes.a.pool.think_ms = 50
        ann = await nodes.a.create(game="paohuzi", fill="random")
        await nodes.a.command(ann, Autopilot, on=True)
        await nodes.move(60 * BEAT_MS)
        limits_ms: dict[bool, set[int]] = {False: set(), True: set()}
        for view, limit_ms in zip(nodes.a.pool.views, nodes.a.pool.limits_ms, strict=True):
            assert view.prompt is not None
            limits_ms["pass" in view.prompt.actions].add(limit_ms)
        assert limits_ms[False] == {BOT_TIMEOUT_MS}
        assert limits_ms[True] >= {BEAT_MS // 2, (BEAT_MS - 50) // 2}, "two of them answer, one after the other"
        assert max(limits_ms[True]) == BEAT_MS // 2


async def test_a_node_that_cannot_write_in_a_window_is_stood_in_for_by_the_other() -> None:
    async with table_where(nobody_may_claim) as table:
        moment = table.moment
        nodes = table.nodes
        writer, other = (nodes.a, nodes.b) if table.state.writer == "a" else (nodes.b, nodes.a)
        writer.store.refusing = True
        await nodes.move(2 * BEAT_MS)
        assert table.moment > moment
        assert table.state.writer == ("a" if other is nodes.a else "b")
        writer.store.refusing = False
        await nodes.move(BEAT_MS)


# The switch and the clock


async def test_the_switch_passes_for_its_player_at_once() -> None:
    async with table_where(one_may_claim_but_not_win) as table:
        (seat,) = table.claimants
        moment, before = table.moment, told(table.others(seat))
        await table.command(seat, AutoPass, on=True)
        assert table.acts("switch") == [Acted(seat, "pass", "switch")]
        assert table.viewer(seat).view.prompt is None
        assert table.viewer(seat).view.you is not None
        assert told(table.others(seat)) == before
        await table.nodes.move(BEAT_MS - 1)
        assert table.moment == moment
        await table.nodes.move(1)
        assert table.moment == moment + 1


async def test_the_switch_stops_at_a_win() -> None:
    async with table_where(lambda table: any("win" in actions for actions in asked(table.state).values())) as table:
        winner = next(seat for seat, actions in asked(table.state).items() if "win" in actions)
        await table.command(winner, AutoPass, on=True)
        await table.nodes.move(10 * BEAT_MS)
        assert "win" in table.viewer(winner).prompt.actions
        assert table.acts("switch") == []


async def test_with_all_switches_on_nobody_is_asked_but_to_discard_or_win() -> None:
    async with table_where(lambda _: True) as table:
        for seat in SEATS:
            await table.command(seat, AutoPass, on=True)
        switched = max(len(table.views(seat)) for seat in SEATS)
        while table.state.phase == "playing":
            for seat in SEATS:
                prompt = table.viewer(seat).view.prompt
                if prompt is not None:
                    await table.act(seat)
            await table.nodes.move(BEAT_MS)
        assert table.acts("switch")
        asked_for = [view.prompt.actions for seat in SEATS for view in table.views(seat)[switched:] if view.prompt]
        assert all("win" in actions or "pass" not in actions for actions in asked_for)


async def test_a_missed_claim_is_passed_at_the_deadline_without_a_trace() -> None:
    async with table_where(one_may_claim, pace="fast") as table:
        (seat,) = table.claimants
        moment, before, seats = table.moment, told(table.others(seat)), table.spectator.view.seats
        remaining_ms = table.viewer(seat).prompt.remaining_ms
        assert remaining_ms is not None
        await table.nodes.move(remaining_ms - 1)
        assert table.moment == moment
        assert told(table.others(seat)) == before
        await table.nodes.move(1)
        assert table.acts("clock") == [Acted(seat, "pass", "clock")]
        assert table.nodes.a.pool.views == table.nodes.b.pool.views == [], "no bot is asked for a pass"
        assert table.moment == moment + 1
        assert table.spectator.view.seats == seats
        assert [happening.kind for happening in table.spectator.tables[-1].happened][:1] == ["unclaimed"]


# Absence and return


async def test_who_drops_out_of_a_window_comes_back_to_the_same_question_on_any_node() -> None:
    async with table_where(one_may_claim, pace="fast") as table:
        (seat,) = table.claimants
        node, viewer = table.players[seat]
        prompt = viewer.prompt
        await node.drop(viewer)
        await table.nodes.move(2_000)
        for other in (table.nodes.b, table.nodes.a):
            again = await other.resume(viewer.place_taken.ticket)
            assert (again.prompt.id, again.prompt.actions) == (prompt.id, prompt.actions)
            assert again.prompt.remaining_ms == (prompt.remaining_ms or 0) - 2_000
        moment = table.moment
        await other.act(again, "pass")
        assert table.moment == moment + 1


async def test_a_table_that_everybody_left_in_a_window_stands_still_and_wakes_with_the_same_question() -> None:
    async with table_where(one_may_claim, pace="fast") as table:
        (seat,) = table.claimants
        moment, prompt = table.moment, table.viewer(seat).prompt
        for node, viewer in table.players.values():
            await node.drop(viewer)
        await table.nodes.move(3_600_000)
        assert table.moment == moment
        again = await table.nodes.a.resume(table.viewer(seat).place_taken.ticket)
        assert (again.prompt.id, again.prompt.actions) == (prompt.id, prompt.actions)
        assert again.prompt.remaining_ms == 10_000


async def test_a_bot_stands_in_for_a_claim_of_who_stays_away() -> None:
    async with table_where(one_may_claim) as table:
        (seat,) = table.claimants
        node, viewer = table.players[seat]
        moment = table.moment
        await node.drop(viewer)
        await table.nodes.move(TIMING.grace_ms)
        assert table.state.seats[seat].away
        assert table.acts("bot")[0].seat == seat
        assert table.moment > moment


async def test_who_leaves_in_a_window_leaves_the_question_to_a_bot() -> None:
    async with table_where(one_may_claim) as table:
        (seat,) = table.claimants
        moment = table.moment
        await table.command(seat, Leave)
        assert table.acts("bot")[0].seat == seat
        await table.nodes.move(BEAT_MS)
        assert table.moment > moment


async def test_autopilot_answers_the_open_question_and_an_answer_of_the_player_s_own_is_too_late() -> None:
    async with table_where(one_may_claim) as table:
        (seat,) = table.claimants
        node, viewer = table.players[seat]
        prompt = viewer.prompt
        await table.command(seat, Autopilot, on=True)
        assert table.acts("bot")[0].seat == seat
        n = table.state.seats[seat].n + 1
        late = node.hub.command(viewer, Act(n, prompt.id, "pass"))
        assert await refusal(late) is ErrorCode.STALE_PROMPT


# Whole matches


async def test_a_match_of_several_deals_plays_itself_and_every_deal_verifies() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(game="paohuzi", fill="random", deals=4)
        await nodes.a.command(ann, Autopilot, on=True)
        while ann.view.room.phase != "over":
            await nodes.move(BEAT_MS)
        assert ann.happened.count("deal_over") == 4
        assert ann.happened[-1] == "match_over"
        assert sum(seat.score for seat in ann.view.seats) == 0
        for deal in (1, 2, 3, 4):
            assert list(discrepancies(read(await nodes.a.hub.export(ann, deal)))) == []
