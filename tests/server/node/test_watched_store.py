import asyncio

import pytest

from server.clock import SystemClock
from server.node.counters import Counters
from server.node.watched_store import WatchedStore
from server.store.base import EMPTY, Full, Refused, StoreError, Unknown
from tests.moved_clock import settled
from tests.simulated_store import SimulatedStore, World
from tests.stores import new_room, write


@pytest.mark.parametrize(("error", "trouble"), [(Refused, True), (Unknown, True), (Full, False)])
async def test_a_store_that_takes_no_new_rooms_is_no_trouble_to_the_others(
    error: type[StoreError], trouble: bool
) -> None:
    simulated = SimulatedStore(World(SystemClock()))

    async def fail() -> None:
        raise error("as told")

    simulated.before.append(fail)
    store = WatchedStore(simulated, Counters())
    with pytest.raises(error, match="as told"):
        await write(store, new_room(), b"first")
    assert store.trouble.is_set() is trouble


async def test_it_may_be_shut_again_while_what_it_broke_off_is_ending() -> None:
    simulated = SimulatedStore(World(SystemClock()))
    simulated.silent = True
    store = WatchedStore(simulated, Counters())
    reading = asyncio.create_task(store.read(new_room(), EMPTY))
    await settled()
    store.shut()
    await asyncio.sleep(0)
    store.shut()
    with pytest.raises(Refused):
        await reading


async def test_a_fault_in_an_append_leaves_it_unknown_and_is_trouble(
    caplog: pytest.LogCaptureFixture,
) -> None:
    simulated, secret = SimulatedStore(World(SystemClock())), "hand of seat 1: 36 66"

    async def fail() -> None:
        raise ValueError(secret)

    simulated.after.append(fail)
    store = WatchedStore(simulated, Counters())
    with pytest.raises(Unknown):
        await write(store, new_room(), b"first")
    assert store.trouble.is_set()
    assert store.asked == store.answered
    assert "ValueError" in caplog.text
    assert secret not in caplog.text
    caplog.clear()


async def test_a_room_is_no_longer_followed_though_the_store_does_not_answer() -> None:
    simulated, room = SimulatedStore(World(SystemClock())), new_room()
    store = WatchedStore(simulated, Counters())
    await store.follow(room)
    unfollow = simulated.unfollow

    async def hang(room: str) -> None:
        await unfollow(room)
        await asyncio.get_running_loop().create_future()

    simulated.unfollow = hang  # type: ignore[method-assign]
    closing = asyncio.create_task(store.unfollow(room))
    await settled()
    assert not closing.done()
    store.shut()
    await closing
    await store.unfollow(room)  # shut already: nothing is left that would break it off
    assert simulated.followed == set()


async def test_a_room_that_is_set_aside_is_only_read_and_is_no_trouble_to_the_others() -> None:
    simulated, room = SimulatedStore(World(SystemClock())), new_room()
    store = WatchedStore(simulated, Counters())
    store.set_aside(room)
    simulated.unreadable = True
    with pytest.raises(Refused, match="cannot be read"):
        await store.read(room, EMPTY)
    assert not store.trouble.is_set()
    assert (store.asked, store.answered) == (0, 0)
    simulated.unreadable = False
    with pytest.raises(Refused):
        await write(store, room, b"first")
    await write(store, new_room(), b"first")
    store.take_in(room)
    await write(store, room, b"first")
