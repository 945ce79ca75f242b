"""People at their seats: in two windows, in two rooms, impatient, and gone for a while."""

import asyncio

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, Fill, Start
from server.rooms.events import Acted, Resumed
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, refusal, running_nodes


def count(nodes: Nodes, code: str, kind: type) -> int:
    return sum(isinstance(event, kind) for commit in nodes.commits(code) for event in commit.events)


async def asked(nodes: Nodes, viewer: RecordedViewer) -> None:
    """Bots play until it is the viewer's turn."""
    while viewer.view.prompt is None:
        await nodes.move(700)


async def test_two_windows_with_one_ticket_take_the_seat_over_once() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        code = ann.place_taken.code
        second = await nodes.b.resume(ann.place_taken.ticket)
        await nodes.move(60_000)
        assert ann.replaced
        assert not second.replaced
        assert count(nodes, code, Resumed) == 1
        assert await refusal(nodes.a.command(ann, Start)) is ErrorCode.NOT_SEATED
        assert second.view.seats[0].connected


async def test_a_player_may_sit_in_two_rooms_at_once_on_two_connections() -> None:
    async with running_nodes() as nodes:
        first, second = await nodes.a.create("Ann", fill="easy"), await nodes.b.create("Ann", fill="easy")
        for node, viewer in ((nodes.a, first), (nodes.b, second)):
            await asked(nodes, viewer)
            await node.act(viewer)
        assert first.place_taken.code != second.place_taken.code
        assert not first.replaced
        assert not second.replaced
        await nodes.a.drop(first)
        assert second.view.seats[0].connected
        again = await nodes.b.resume(first.place_taken.ticket)
        assert again.place_taken == first.place_taken
        assert not second.replaced


async def test_a_host_who_drops_in_the_lobby_is_followed_by_the_next_and_is_host_again_on_any_node() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(listed=True)
        code = ann.place_taken.code
        bea, cem = await nodes.b.join(code, "Bea"), await nodes.b.join(code, "Cem")
        await nodes.a.drop(ann)
        await nodes.move(29_000)
        assert bea.view.room.host == 0
        await nodes.move(2_000)
        assert bea.view.room.host == cem.view.room.host == bea.seat
        (summary,) = await nodes.b.hub.rooms() or (None,)
        assert summary is None or summary.host == "Bea"
        again = await nodes.b.resume(ann.place_taken.ticket)
        assert bea.view.room.host == again.seat == 0
        assert await refusal(nodes.b.command(bea, Start)) is ErrorCode.NOT_HOST
        await nodes.b.command(again, Start)
        assert bea.view.room.phase in ("dealing", "playing")


async def test_a_deal_stops_at_once_when_the_last_player_is_gone_though_it_is_a_bot_s_turn() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy", pace="fast")
        code = ann.place_taken.code
        await asked(nodes, ann)
        await nodes.a.act(ann)
        await nodes.a.drop(ann)
        before, written = nodes.world.log(code), nodes.world.changes
        assert nodes.state(code).seats[nodes.state(code).table.turn].kind == "bot"
        await nodes.move(24 * 3_600_000)
        assert (nodes.world.log(code), nodes.world.changes) == (before, written)
        assert nodes.clock.sleepers == 0
        again = await nodes.b.resume(ann.place_taken.ticket)
        await nodes.move(700)
        assert len(nodes.world.log(code)) > len(before) + 1, "and goes on when one is back"
        assert again.view.seats[0].connected


async def sent(node: RunningNode, viewer: RecordedViewer, *acts: Act) -> list[ErrorCode | None]:
    async def answered(act: Act) -> ErrorCode | None:
        try:
            return await refusal(node.hub.command(viewer, act))
        except AssertionError:
            return None

    found = list(await asyncio.gather(*map(answered, acts)))
    await settled()
    return found


@pytest.mark.parametrize("renumbered", [False, True])
async def test_a_double_click_acts_once(renumbered: bool) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        code = ann.place_taken.code
        await asked(nodes, ann)
        before = count(nodes, code, Acted)
        you, prompt = ann.view.you, ann.prompt
        assert you is not None
        first = Act(you.n + 1, prompt.id, prompt.actions[0])
        second = Act(you.n + 2, prompt.id, prompt.actions[0]) if renumbered else first
        assert await sent(nodes.a, ann, first, second) == [None, ErrorCode.STALE_PROMPT if renumbered else None]
        assert count(nodes, code, Acted) == before + 1


async def test_an_answer_to_an_old_question_does_not_go_to_the_next() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(fill="easy")
        await asked(nodes, ann)
        old = ann.prompt
        await nodes.a.act(ann)
        await asked(nodes, ann)
        you = ann.view.you
        assert you is not None
        late = Act(you.n + 1, old.id, ann.prompt.actions[0])
        before = nodes.world.log(ann.place_taken.code)
        assert await sent(nodes.a, ann, late) == [ErrorCode.STALE_PROMPT]
        assert nodes.world.log(ann.place_taken.code) == before
        assert await refusal(nodes.a.command(ann, Fill)) is ErrorCode.ALREADY_STARTED
