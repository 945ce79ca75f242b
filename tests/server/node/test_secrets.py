"""Requests to open a room or to sit down that are sent again, with the same secret, because no answer came."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Create, Leave, Remove, Start
from server.node.codes import room_codes
from server.node.watch import LAST_RETRY_MS
from server.rooms.events import RoomCreated, SeatTaken
from tests.moved_clock import settled
from tests.recorded_viewer import RecordedViewer
from tests.server.node.nodes import Nodes, RunningNode, refusal, running_nodes

ANN, BEA = "mcbb3dqJw0SGZ7yY2rTnLg", "Wm9vbWluZyBhbG9uZyBub3c"
CODE = next(room_codes(ANN))

Ask = Callable[[RunningNode, RecordedViewer], Awaitable[None]]


async def create(node: RunningNode, viewer: RecordedViewer) -> None:
    await node.hub.create(viewer, "Ann", Create("chuo-pai", secret=ANN))


async def join(node: RunningNode, viewer: RecordedViewer) -> None:
    await node.hub.join(viewer, "Bea", CODE, BEA)


def seats_taken(nodes: Nodes) -> list[str]:
    events = [event for commit in nodes.commits(CODE) for event in commit.events]
    return [event.name for event in events if isinstance(event, SeatTaken)]


@pytest.mark.parametrize("ask", [create, join])
@pytest.mark.parametrize("lost", ["landed", "lost"])
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_whatever_is_lost_before_the_answer_the_same_request_leads_to_one_seat(
    ask: Ask, lost: str, elsewhere: bool
) -> None:
    async with running_nodes() as nodes:
        if ask is join:
            nodes.occupy(CODE, "Eva")
        nodes.a.store.lose_reply = lost  # type: ignore[assignment]
        nodes.a.store.unreadable = True  # of what became of it nothing can be learned either
        assert await refusal(ask(nodes.a, RecordedViewer())) is ErrorCode.STORE_UNAVAILABLE
        nodes.a.store.unreadable = False
        await nodes.move(LAST_RETRY_MS)
        viewers = [RecordedViewer() for _ in range(3)]
        for viewer in viewers:
            await ask(nodes.b if elsewhere else nodes.a, viewer)
            await settled()
        assert [viewer.replaced for viewer in viewers] == [True, True, False]
        assert {viewer.place_taken.ticket for viewer in viewers} == {f"{CODE}.{ANN if ask is create else BEA}"}
        assert seats_taken(nodes) == (["Ann"] if ask is create else ["Eva", "Bea"])
        assert viewers[-1].view.seats[viewers[-1].seat].connected
        await nodes.move(1_000)


@pytest.mark.parametrize("ask", [create, join])
async def test_a_connection_that_dies_in_the_middle_leaves_no_ghost(ask: Ask) -> None:
    async with running_nodes() as nodes:
        if ask is join:
            nodes.occupy(CODE, "Eva")
        nodes.a.store.after.append(asyncio.Event().wait)
        asking = asyncio.ensure_future(ask(nodes.a, RecordedViewer()))
        await settled()
        asking.cancel()
        await asyncio.wait([asking])
        again = RecordedViewer()
        await ask(nodes.b, again)
        await settled()
        assert not again.replaced
        assert [seat.name for seat in again.view.seats if seat.kind == "human"] == seats_taken(nodes)
        assert len(seats_taken(nodes)) == (1 if ask is create else 2)


@pytest.mark.parametrize("ask", [create, join])
async def test_two_nodes_that_are_asked_at_once_seat_one_player(ask: Ask) -> None:
    async with running_nodes() as nodes:
        if ask is join:
            nodes.occupy(CODE, "Eva")
        viewers = [RecordedViewer() for _ in range(6)]
        await asyncio.gather(
            *(ask(nodes.a if number % 2 else nodes.b, viewer) for number, viewer in enumerate(viewers))
        )
        await settled()
        assert [viewer.replaced for viewer in viewers].count(False) == 1
        assert len(seats_taken(nodes)) == (1 if ask is create else 2)
        assert sum(isinstance(event, RoomCreated) for each in nodes.commits(CODE) for event in each.events) == 1


async def test_a_request_that_comes_again_after_the_start_leads_back_to_the_seat() -> None:
    async with running_nodes() as nodes:
        ann, bea = await nodes.a.create(secret=ANN, pace="fast"), await nodes.b.join(CODE, "Bea", BEA)
        await nodes.a.command(ann, Start, fill="easy")
        await nodes.move(700)
        for viewer, ask in ((ann, create), (bea, join)):
            again = RecordedViewer()
            await ask(nodes.b, again)
            await settled()
            assert viewer.replaced
            assert again.place_taken == viewer.place_taken
            assert again.view.deal is not None
        assert seats_taken(nodes) == ["Ann", "Bea"]


async def test_a_room_opened_with_bots_is_dealt_once() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(secret=ANN, fill="easy")
        await nodes.move(700)
        again = await nodes.b.create(secret=ANN, fill="easy")
        assert again.view.deal == ann.view.deal
        assert again.view.room.deal == 1


async def test_the_secret_of_a_seat_that_was_given_up_seats_nobody_any_more() -> None:
    async with running_nodes() as nodes:
        ann, bea = await nodes.a.create(secret=ANN), await nodes.b.join(CODE, "Bea", BEA)
        await nodes.a.command(ann, Remove, seat=bea.seat)
        assert await refusal(join(nodes.b, RecordedViewer())) is ErrorCode.BAD_TICKET
        await nodes.b.join(CODE, "Cem")
        await nodes.a.command(ann, Leave)
        for node in (nodes.a, nodes.b):
            assert await refusal(create(node, RecordedViewer())) is ErrorCode.BAD_TICKET
        assert [seat.name for seat in nodes.state(CODE).seats] == ["", "Cem", ""]


async def test_the_secret_of_a_room_that_is_closed_opens_no_other() -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create(secret=ANN)
        await nodes.a.command(ann, Leave)
        before = nodes.world.log(CODE)
        assert await refusal(create(nodes.b, RecordedViewer())) is ErrorCode.BAD_TICKET
        assert nodes.world.log(CODE) == before


async def test_a_secret_stands_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with running_nodes() as nodes:
        nodes.a.store.refusing = True
        await refusal(create(nodes.a, RecordedViewer()))
        nodes.a.store.refusing = False
        await nodes.move(LAST_RETRY_MS)
        await nodes.a.create(secret=ANN)
        nodes.world.damage(CODE, 1)
        await refusal(join(nodes.b, RecordedViewer()))
        log = b"".join(nodes.world.log(CODE))
        assert caplog.messages
        for secret in (ANN, BEA):
            assert secret.encode() not in log
            assert secret not in caplog.text
        caplog.clear()
