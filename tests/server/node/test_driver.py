"""What rooms do by themselves, on one node and on two."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from protocol.messages import Autopilot, Fill, Leave, Ready, Start
from protocol.view import Pace
from server.node.driver import RANK_MS
from server.node.presence import HEARTBEAT_MS, SILENT_MS
from server.rooms.events import Acted, DealStarted, WentAway
from server.rooms.pace import HOST_ANSWER_MS, HOST_IDLE_MS, PACES, READY_MS, WAKE_MS
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import TIMING, Nodes, running_nodes, running_third


async def playing_a_bot_table(nodes: Nodes) -> RecordedViewer:
    """Ann, whose turn it is, and two bots, on node a."""
    ann = await nodes.a.create(fill="easy")
    await until(nodes, lambda: ann.view.prompt is not None)
    return ann


async def until(nodes: Nodes, condition: Callable[[], bool]) -> None:
    """Move the clock on, beat after beat, until it is so."""
    for _ in range(1_000):
        if condition():
            return
        await nodes.move(TIMING.beat_ms)
    raise AssertionError("it never came to be so")


def acts(nodes: Nodes, viewer: RecordedViewer) -> list[Acted]:
    commits = nodes.commits(viewer.place_taken.code)
    return [event for commit in commits for event in commit.events if isinstance(event, Acted)]


def acts_by_clock(nodes: Nodes, viewer: RecordedViewer) -> list[Acted]:
    return [acted for acted in acts(nodes, viewer) if acted.by == "clock"]


# Dealing, bots, autopilot


async def test_a_started_match_is_dealt_at_once_and_once() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        assert ann.view.room.phase == "playing"
        commits = nodes.commits(ann.place_taken.code)
        assert [type(event) for event in commits[-1].events] == [DealStarted]


async def test_a_bot_plays_one_beat_after_what_it_answers() -> None:
    async with running_nodes() as nodes:
        ann = await playing_a_bot_table(nodes)
        await nodes.a.act(ann)
        done = len(acts(nodes, ann))
        await nodes.move(TIMING.beat_ms - 1)
        assert len(acts(nodes, ann)) == done
        await nodes.move(1)
        assert len(acts(nodes, ann)) == done + 1
        assert acts(nodes, ann)[-1].by == "bot"


@pytest.mark.parametrize("think_ms", [1, 300, TIMING.beat_ms - 1])
async def test_however_long_a_bot_thinks_within_the_beat_it_plays_on_the_beat(think_ms: int) -> None:
    async with running_nodes() as nodes:
        nodes.a.pool.think_ms = think_ms
        ann = await nodes.a.create(fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        code = ann.place_taken.code
        await nodes.move(20 * TIMING.beat_ms)
        times = [commit.at_ms for commit in nodes.commits(code) if isinstance(commit.events[0], Acted)]
        assert len(times) == 20
        assert {later - earlier for earlier, later in pairwise(times)} == {TIMING.beat_ms}


async def test_a_bot_that_thinks_longer_than_a_beat_plays_when_it_has_thought() -> None:
    async with running_nodes() as nodes:
        nodes.a.pool.think_ms = TIMING.beat_ms + 100
        ann = await nodes.a.create(fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await nodes.move(20 * TIMING.beat_ms)
        assert acts(nodes, ann)


async def test_what_a_bot_thought_out_is_not_played_once_the_player_is_back() -> None:
    async with running_nodes() as nodes:
        nodes.a.pool.think_ms = 300
        ann = await playing_a_bot_table(nodes)
        await nodes.a.command(ann, Autopilot, on=True)
        await nodes.move(400)
        await nodes.a.command(ann, Autopilot, on=False)
        done = len(acts(nodes, ann))
        await nodes.move(10 * TIMING.beat_ms)
        assert len(acts(nodes, ann)) == done
        await nodes.a.act(ann, ann.prompt.actions[-1])
        assert acts(nodes, ann)[-1].by == "player"


async def test_a_bot_sees_the_view_of_its_own_seat() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await nodes.move(20 * TIMING.beat_ms)
        assert nodes.a.pool.views
        for view in nodes.a.pool.views:
            assert view.you is not None
            assert view.deal is not None
            assert view.prompt is not None
            for zone in view.deal.zones:
                assert zone.name != "hand" or zone.seat == view.you.seat or not zone.groups


async def test_a_seat_with_one_legal_action_bothers_no_bot() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: ann.view.room.phase == "over")
        assert all(len(view.prompt.actions) > 1 for view in nodes.a.pool.views if view.prompt is not None)
        assert len(nodes.a.pool.views) < len(acts(nodes, ann))


async def test_on_autopilot_a_match_of_three_deals_plays_itself_to_its_end() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", deals=3)
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: ann.view.room.phase == "over")
        assert ann.happened.count("deal_over") == 3
        assert ann.happened[-1] == "match_over"
        assert {acted.by for acted in acts(nodes, ann)} == {"bot"}
        assert sum(seat.score for seat in ann.view.seats) > 0


async def test_a_match_waits_between_deals_for_its_players() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(deals=2)
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        while bea.view.room.phase in ("dealing", "playing"):
            if bea.view.prompt is not None:
                await nodes.a.act(bea)
            await nodes.move(TIMING.beat_ms)
        await nodes.move(READY_MS * 10)
        assert ann.view.room.phase == "between"
        await nodes.a.command(bea, Ready)
        assert ann.view.room.deal == 2


# Clocks


async def test_time_runs_out_at_the_deadline_and_a_bot_s_choice_is_played() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        await until(nodes, lambda: ann.view.prompt is not None)
        remaining_ms = ann.prompt.remaining_ms
        assert remaining_ms is not None
        actions = ann.prompt.actions
        await nodes.move(remaining_ms - 1)
        assert not acts_by_clock(nodes, ann)
        await nodes.move(1)
        assert ann.view.prompt is None
        (acted,) = acts_by_clock(nodes, ann)
        assert acted.action in actions
        assert ann.view.seats[0].away


async def test_a_node_whose_clock_runs_ahead_ends_nobody_s_time_early() -> None:
    async with running_nodes() as nodes:
        nodes.a.store.ahead_ms = 5_000
        ann = await nodes.a.create(fill="easy", pace="fast")
        await until(nodes, lambda: ann.view.prompt is not None)
        remaining_ms = ann.prompt.remaining_ms
        assert remaining_ms is not None
        await nodes.move(remaining_ms + 4_999)
        assert not acts_by_clock(nodes, ann)
        assert 1 <= nodes.world.vain <= 25, "it tries again at a measured pace"
        await nodes.move(201)
        assert acts_by_clock(nodes, ann)


async def test_a_return_while_others_stayed_moves_no_clock() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(pace="fast")
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: bea.view.prompt is not None)
        remaining_ms = bea.prompt.remaining_ms
        assert remaining_ms is not None
        await nodes.a.drop(bea)
        await nodes.move(remaining_ms - 1_000)
        again = await nodes.a.resume(bea.place_taken.ticket)
        assert again.prompt.remaining_ms == 1_000


async def test_who_hops_between_nodes_does_not_stop_the_clock() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(pace="fast")
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: bea.view.prompt is not None)
        remaining_ms = bea.prompt.remaining_ms
        assert remaining_ms is not None
        await nodes.move(remaining_ms - 1_000)
        for _ in range(4):
            async with running_third(nodes) as third:
                await third.resume(bea.place_taken.ticket)
                await nodes.move(WAKE_MS // 2)
        assert acts_by_clock(nodes, ann)


async def test_an_away_player_who_acts_is_back() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        await until(nodes, lambda: ann.view.seats[0].away)
        await until(nodes, lambda: ann.view.prompt is not None)
        await nodes.a.act(ann)
        assert not ann.view.seats[0].away
        assert "back" in ann.happened


# Players who are gone


async def test_a_dropped_player_s_seat_is_kept_then_played_by_a_bot_and_given_back() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.a.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: bea.view.prompt is not None)
        question, deal = bea.prompt, bea.view.deal
        await nodes.a.drop(bea)
        assert not ann.view.seats[1].connected
        await nodes.move(5_000)
        again = await nodes.b.resume(bea.place_taken.ticket)
        assert (again.prompt, again.view.deal) == (question, deal)
        assert not again.view.seats[1].away
        await nodes.b.drop(again)
        await nodes.move(TIMING.grace_ms - 1)
        assert "away" not in ann.happened
        await nodes.move(1 + 2 * RANK_MS)
        assert "away" in ann.happened
        await nodes.move(TIMING.beat_ms)
        assert acts(nodes, ann)[-1].by == "bot"
        back = await nodes.a.resume(bea.place_taken.ticket)
        assert back.seat == 1
        assert not ann.view.seats[1].away
        assert ann.happened[-1] == "back"


async def test_the_host_s_place_is_taken_by_the_next_and_given_back() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.drop(ann)
        await nodes.move(TIMING.grace_ms + 2 * RANK_MS)
        assert bea.view.room.host == 1
        again = await nodes.a.resume(ann.place_taken.ticket)
        assert again.view.room.host == bea.view.room.host == 0
        await nodes.a.command(again, Start, fill="easy")
        assert bea.view.room.phase == "playing"


async def test_players_of_a_node_that_fell_silent_are_gone() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        assert [seat.connected for seat in bea.view.seats] == [True, True, False]
        await nodes.move(10 * SILENT_MS)
        assert [seat.connected for seat in bea.view.seats] == [True, True, False]
        nodes.a.store.refusing = True
        await nodes.move(SILENT_MS - HEARTBEAT_MS)
        assert bea.view.seats[0].connected
        await nodes.move(3 * HEARTBEAT_MS)
        assert [seat.connected for seat in bea.view.seats] == [False, True, False]
        await nodes.move(TIMING.grace_ms + 3 * RANK_MS)
        assert bea.view.seats[0].away
        assert bea.view.room.host == 1


async def test_a_node_that_comes_late_learns_who_is_connected_elsewhere() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        dan = await nodes.b.watch(ann.place_taken.code)
        assert dan.view.seats[0].connected
        await nodes.a.drop(ann)
        assert not dan.view.seats[0].connected


async def test_a_bot_takes_over_at_once_from_a_player_who_leaves_in_their_turn() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: bea.view.prompt is not None)
        done = len(acts(nodes, ann))
        await nodes.b.command(bea, Leave)
        await nodes.move(TIMING.beat_ms + RANK_MS)
        assert acts(nodes, ann)[done].seat == 1
        assert ann.view.seats[1].kind == "bot"


# Two drivers


async def test_the_other_node_drives_on_when_the_first_is_cut_off() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.b.command(bea, Autopilot, on=True)
        await nodes.a.command(ann, Autopilot, on=True)
        nodes.a.store.refusing = True
        done = len(acts(nodes, ann))
        await nodes.move(10 * (TIMING.beat_ms + RANK_MS))
        assert len(acts(nodes, ann)) > done + 5


async def test_what_is_due_is_done_once_though_both_nodes_know_it() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(deals=2)
        bea = await nodes.b.join(ann.place_taken.code, "Bea")
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.b.command(bea, Autopilot, on=True)
        await nodes.a.command(ann, Autopilot, on=True)
        await until(nodes, lambda: ann.view.room.phase == "over")
        commits = nodes.commits(ann.place_taken.code)
        deals = [event for commit in commits for event in commit.events if isinstance(event, DealStarted)]
        assert len(deals) == 2
        assert nodes.world.vain == 0, "the node that wrote last acts, and the other lets it"
        assert ann.view.deal == bea.view.deal
        assert not [event for commit in commits for event in commit.events if isinstance(event, WentAway)]


@pytest.mark.parametrize("pace", PACES)
async def test_a_node_of_spectators_alone_drives_a_room_with_players_elsewhere(pace: Pace) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace=pace)
        await nodes.b.watch(ann.place_taken.code)
        await nodes.a.command(ann, Autopilot, on=True)
        done = len(acts(nodes, ann))
        await nodes.move(10 * (TIMING.beat_ms + RANK_MS))
        assert len(acts(nodes, ann)) >= done + 10


# What it costs


async def test_a_room_that_waits_for_a_player_without_a_clock_writes_nothing() -> None:
    async with running_nodes() as nodes:
        ann = await playing_a_bot_table(nodes)
        written, shown = nodes.world.changes, len(ann.told)
        await nodes.move(24 * 3_600_000)
        assert (nodes.world.changes, len(ann.told)) == (written, shown)


async def test_a_lobby_with_somebody_in_it_outlives_the_time_that_logs_are_kept() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        shown = len(ann.told)
        await nodes.move(3 * 3_600_000)
        assert len(ann.told) == shown
        await nodes.a.command(ann, Fill)
        assert [seat.kind for seat in ann.view.seats] == ["human", "bot", "bot"]


async def test_nobody_is_told_what_changes_nothing_for_them() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        code = ann.place_taken.code
        bea, dan = await nodes.a.join(code, "Bea"), await nodes.b.watch(code)
        told = [len(viewer.told) for viewer in (ann, bea, dan)]
        await nodes.b.watch(code)
        await nodes.move(10_000)
        assert [len(viewer.told) for viewer in (ann, bea, dan)] == told
        for viewer in (ann, bea, dan):
            views = [(table.view, table.happened) for table in viewer.tables]
            assert all(new != old or new[1] for old, new in pairwise(views))


async def test_a_host_who_sleeps_is_asked_and_the_list_shows_who_is_host_then() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        code = ann.place_taken.code
        bea = await nodes.b.join(code, "Bea")
        await nodes.move(HOST_IDLE_MS)
        assert bea.happened[-1] == "host_asked"
        await nodes.a.command(ann, Ready)
        await nodes.move(HOST_IDLE_MS - 1)
        assert bea.happened.count("host_asked") == 1
        await nodes.move(1 + HOST_ANSWER_MS)
        assert bea.view.room.host == bea.seat
        (summary,) = await nodes.a.hub.rooms()
        assert summary.host == "Bea"
        await nodes.a.command(ann, Ready)
        assert bea.view.room.host == ann.seat
        (summary,) = await nodes.a.hub.rooms()
        assert summary.host == "Ann"
        written = nodes.commits(code)
        for viewer in (ann, bea):
            await nodes.a.drop(viewer)
            await nodes.b.drop(viewer)
        await nodes.move(10 * HOST_IDLE_MS)
        assert nodes.commits(code) in (written, [])
