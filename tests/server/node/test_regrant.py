"""Whoever could not answer, since the store or the node stood still, is not played for at once."""

import pytest

from protocol.messages import Start
from server.node.presence import HEARTBEAT_MS
from server.rooms.events import Acted, Regranted
from server.rooms.pace import PACES, WAKE_MS
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, running_nodes

FAST = PACES["fast"]
assert FAST is not None
TIME_MS = FAST.decision_ms + FAST.bank_ms


async def playing(nodes: Nodes) -> tuple[RecordedViewer, RecordedViewer]:
    """Ann on node a and Bea on node b, whose turn it is."""
    ann = await nodes.a.create(pace="fast")
    bea = await nodes.b.join(ann.place_taken.code, "Bea")
    await nodes.a.command(ann, Start, fill="easy")
    while bea.view.prompt is None:
        await nodes.move(700)
        if ann.view.prompt is not None:
            await nodes.a.act(ann)
    return ann, bea


def events(nodes: Nodes, viewer: RecordedViewer) -> list[object]:
    return [event for commit in nodes.commits(viewer.place_taken.code) for event in commit.events]


def clock_acts(nodes: Nodes, viewer: RecordedViewer) -> int:
    return sum(isinstance(event, Acted) and event.by == "clock" for event in events(nodes, viewer))


@pytest.mark.parametrize("out_ms", [TIME_MS - 1_000, TIME_MS, TIME_MS + 1_000, 10 * TIME_MS])
async def test_when_the_store_comes_back_players_have_time_to_answer(out_ms: int) -> None:
    async with running_nodes() as nodes:
        ann, bea = await playing(nodes)
        for node in (nodes.a, nodes.b):
            node.store.refusing = True
            node.store.interrupt()
        await nodes.move(out_ms)
        shown = len(bea.tables)
        for node in (nodes.a, nodes.b):
            node.store.refusing = False
        await nodes.move(1_000)
        assert sum(isinstance(event, Regranted) for event in events(nodes, ann)) == 1, "by one of the two nodes"
        assert clock_acts(nodes, ann) == 0
        assert len(bea.tables) > shown
        assert bea.prompt.remaining_ms is not None
        assert WAKE_MS - 1_000 <= bea.prompt.remaining_ms <= WAKE_MS
        await nodes.b.act(bea)
        assert clock_acts(nodes, ann) == 0


async def test_a_short_hiccup_of_the_store_grants_nothing() -> None:
    async with running_nodes() as nodes:
        ann, _ = await playing(nodes)
        await nodes.move(TIME_MS - 2_000)
        nodes.b.store.refusing = True
        nodes.b.store.interrupt()
        await nodes.move(300)
        nodes.b.store.refusing = False
        await nodes.move(1_000)
        assert not any(isinstance(event, Regranted) for event in events(nodes, ann))
        await nodes.move(2_000)
        assert clock_acts(nodes, ann) == 1


async def test_a_deadline_that_passed_while_the_machine_slept_is_not_acted_on() -> None:
    async with running_nodes() as nodes:
        ann, bea = await playing(nodes)
        await nodes.move(TIME_MS - 10_000)
        nodes.clock.step_wall(3_600_000)  # what the simulated stores take for time
        await nodes.move(HEARTBEAT_MS)
        assert sum(isinstance(event, Regranted) for event in events(nodes, ann)) == 1
        assert clock_acts(nodes, ann) == 0
        await nodes.b.act(bea)
        await settled()
        assert clock_acts(nodes, ann) == 0


async def test_a_machine_that_wakes_right_before_a_deadline_asks_for_the_time() -> None:
    async with running_nodes() as nodes:
        ann, bea = await playing(nodes)
        await nodes.move(TIME_MS - 1_000)
        nodes.clock.step_wall(3_600_000)
        nodes.a.store.slept_ms = nodes.b.store.slept_ms = 3_600_000
        await nodes.move(2_000)
        assert sum(isinstance(event, Regranted) for event in events(nodes, ann)) == 1
        assert clock_acts(nodes, ann) == 0
        await nodes.b.act(bea)


async def test_whoever_does_not_answer_in_the_granted_time_is_played_for() -> None:
    async with running_nodes() as nodes:
        ann, _ = await playing(nodes)
        nodes.a.store.refusing = nodes.b.store.refusing = True
        for node in (nodes.a, nodes.b):
            node.store.interrupt()
        await nodes.move(TIME_MS)
        nodes.a.store.refusing = nodes.b.store.refusing = False
        await nodes.move(1_000 + WAKE_MS)
        assert clock_acts(nodes, ann) == 1
