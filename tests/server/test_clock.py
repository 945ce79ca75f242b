import asyncio

from server.clock import Clock, SystemClock, anchored
from tests.moved_clock import MovedClock, settled


async def test_the_machine_s_clock_counts_milliseconds_and_sleeps_by_them() -> None:
    clock: Clock = SystemClock()
    before_ms = clock.monotonic_ms()
    await clock.sleep_ms(5)
    assert clock.monotonic_ms() >= before_ms + 4
    assert clock.wall_ms() > 1_600_000_000_000


async def test_steps_of_the_wall_clock_do_not_reach_an_anchored_one() -> None:
    moved = MovedClock()
    clock = anchored(moved)
    start_ms = clock.wall_ms()
    for step_ms in (3_600_000, -7_200_000):
        moved.step_wall(step_ms)
        await moved.move(100)
    assert clock.wall_ms() == start_ms + 200
    assert moved.wall_ms() != clock.wall_ms()
    assert clock.monotonic_ms() == moved.monotonic_ms()


async def test_an_anchored_clock_sleeps_as_the_one_below_it() -> None:
    moved = MovedClock()
    sleeping = asyncio.create_task(anchored(moved).sleep_ms(50))
    await moved.move(49)
    assert not sleeping.done()
    await moved.move(1)
    assert sleeping.done()


async def test_a_moved_clock_wakes_its_sleepers_in_their_order_each_at_its_time() -> None:
    clock = MovedClock()
    woken: list[tuple[str, int]] = []

    async def sleep(name: str, ms: int, then_ms: int = 0) -> None:
        await clock.sleep_ms(ms)
        woken.append((name, clock.monotonic_ms()))
        if then_ms:
            await sleep(f"{name} again", then_ms)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(sleep("late", 30))
        tasks.create_task(sleep("early", 10, then_ms=10))
        given_up = tasks.create_task(sleep("never", 15))
        await settled()
        assert clock.sleepers == 3
        given_up.cancel()
        await clock.move(30)
    assert woken == [("early", 10), ("early again", 20), ("late", 30)]
    assert clock.sleepers == 0
