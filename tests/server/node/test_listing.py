import asyncio

import msgspec
import pytest

from protocol.messages import Create, Fill, Leave, RoomSummary, Start
from server.node.listing import LISTED_MS, RENEW_MS, Listing, read_summaries, summary
from server.rooms.commands import OpenRoom
from server.rooms.state import RoomState
from tests.moved_clock import MovedClock, settled
from tests.server.rooms.driven import CODE, DrivenRoom, ticket_of
from tests.simulated_store import SimulatedStore, World


def public_room(*, listed: bool = True) -> DrivenRoom:
    room = DrivenRoom()
    request = Create("chuo-pai", deals=4, pace="slow", listed=listed)
    room.do(OpenRoom(CODE, request, "Ann", ticket_of("Ann"), "Ann"))
    return room


@pytest.fixture
def world() -> World:
    return World(MovedClock())


async def shown(world: World) -> list[str]:
    return [room.code for room in read_summaries(await SimulatedStore(world).listed())]


def test_the_list_says_what_is_played_with_whom_and_how_many_seats_are_free() -> None:
    room = public_room()
    assert summary(room.state) == RoomSummary(CODE, "chuo-pai", "Ann", 2, 4, "slow")
    room.sit("Bea").away(0)
    assert summary(room.state) == RoomSummary(CODE, "chuo-pai", "Bea", 1, 4, "slow")


def test_a_room_that_nobody_can_join_is_not_on_the_list() -> None:
    assert summary(None) is None
    assert summary(public_room(listed=False).state) is None
    full = public_room()
    full.ask(0, Fill)
    assert summary(full.state) is None
    started = public_room()
    started.ask(0, Start, fill="easy")
    assert summary(started.state) is None
    deserted = public_room()
    deserted.away(0)
    assert summary(deserted.state) is None
    closed = public_room()
    closed.ask(0, Leave)
    assert summary(closed.state) is None


async def test_a_place_on_the_list_costs_one_write_in_half_of_the_time_it_lasts(world: World) -> None:
    listing, state = Listing(CODE, SimulatedStore(world)), public_room().state
    now_ms = world.clock.wall_ms()
    assert await listing.renew(state, connected=True, now_ms=now_ms) == now_ms + RENEW_MS
    assert await listing.renew(state, connected=True, now_ms=now_ms + RENEW_MS - 1) == now_ms + RENEW_MS
    assert world.changes == 1
    assert await listing.renew(state, connected=True, now_ms=now_ms + RENEW_MS) == now_ms + 2 * RENEW_MS
    assert world.changes == 2
    assert await shown(world) == [CODE]


@pytest.mark.parametrize("state", [None, public_room(listed=False).state, public_room().state])
async def test_a_room_that_never_was_on_the_list_is_not_taken_off_it(world: World, state: RoomState | None) -> None:
    assert await Listing(CODE, SimulatedStore(world)).renew(state, connected=False, now_ms=0) is None
    assert world.changes == 0


async def test_a_room_goes_on_without_the_list(world: World) -> None:
    store = SimulatedStore(world)
    listing, state = Listing(CODE, store), public_room().state
    store.refusing = True
    assert await listing.renew(state, connected=True, now_ms=0) == RENEW_MS
    store.refusing = False
    await listing.renew(state, connected=True, now_ms=RENEW_MS)
    assert await shown(world) == [CODE]
    store.refusing = True
    assert await listing.renew(state, connected=False, now_ms=LISTED_MS) == LISTED_MS + RENEW_MS
    store.refusing = False
    await listing.renew(state, connected=False, now_ms=LISTED_MS + RENEW_MS)
    assert await shown(world) == []


async def test_what_was_broken_off_while_it_was_put_on_the_list_is_taken_off_it(world: World) -> None:
    store = SimulatedStore(world)
    listing, state = Listing(CODE, store), public_room().state
    enlist = store.enlist

    async def landed(room: str, summary: bytes, keep_ms: int) -> None:
        await enlist(room, summary, keep_ms)
        await asyncio.get_running_loop().create_future()

    store.enlist = landed  # type: ignore[method-assign]
    renewing = asyncio.create_task(listing.renew(state, connected=True, now_ms=0))
    await settled()
    assert await shown(world) == [CODE]
    renewing.cancel()
    await listing.renew(state, connected=False, now_ms=0)
    assert await shown(world) == []


def test_what_another_version_listed_is_passed_over() -> None:
    known = RoomSummary(CODE, "chuo-pai", "Ann", 2, 1, "none")
    assert read_summaries((b"?", msgspec.msgpack.encode(known), msgspec.msgpack.encode({"code": 5}))) == (known,)
