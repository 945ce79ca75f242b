import asyncio
from random import Random

import pytest

from tests.simulation.loop import Livelock, Loop, Timeline


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(Random(0))


def machine(timeline: Timeline, name: str = "a", rate: float = 1.0) -> Loop:
    return Loop(timeline, name, rate)  # type: ignore[abstract]


async def sleeper(seconds: float, woken: list[float], timeline: Timeline) -> None:
    await asyncio.sleep(seconds)
    woken.append(timeline.now_s)


def test_hours_pass_in_order_without_waiting(timeline: Timeline) -> None:
    loop, woken = machine(timeline), list[float]()
    for seconds in (7200.0, 0.0, 3600.0):
        loop.create_task(sleeper(seconds, woken, timeline))
    timeline.run(10_000.0)
    assert woken == [0.0, 3600.0, 7200.0]
    assert timeline.now_s == 10_000.0


def test_a_clock_that_goes_fast_wakes_early(timeline: Timeline) -> None:
    loop, woken = machine(timeline, rate=2.0), list[float]()
    loop.create_task(sleeper(10.0, woken, timeline))
    timeline.run(20.0)
    assert woken == [5.0]


def test_a_frozen_machine_does_what_was_due_when_it_thaws(timeline: Timeline) -> None:
    frozen, other, woken = machine(timeline), machine(timeline, "b"), list[float]()
    frozen.create_task(sleeper(1.0, woken, timeline))
    other.create_task(sleeper(2.0, woken, timeline))
    timeline.run(0.5)
    frozen.freeze()
    timeline.at(5.0, frozen.thaw)
    timeline.run(10.0)
    assert woken == [2.0, 5.0]


def test_a_machine_that_ends_does_nothing_more(timeline: Timeline) -> None:
    loop, woken = machine(timeline), list[float]()
    task = loop.create_task(sleeper(1.0, woken, timeline))
    timeline.run(0.5)
    loop.end()
    timeline.run(5.0)
    assert task.cancelled()
    assert woken == []


def test_a_machine_that_never_rests_is_found_out(timeline: Timeline) -> None:
    loop = machine(timeline)

    def again() -> None:
        loop.call_soon(again)

    loop.call_soon(again)
    with pytest.raises(Livelock):
        timeline.run(1.0)


def test_what_nobody_catches_is_reported(timeline: Timeline) -> None:
    loop = machine(timeline)
    loop.call_soon(lambda: 1 // 0)
    timeline.run(1.0)
    assert [type(fault["exception"]) for fault in loop.faults] == [ZeroDivisionError]
