"""Sleep of the machine is told from a busy loop, and from a wall clock that is set."""

import asyncio
import time

import pytest

from client_cli.waking import LATE_S, TICK_S, clock_through_sleep_s, woken


class Machine:
    """Each tick of its loop comes so much late."""

    def __init__(self, *late_s: float) -> None:
        self._late_s = list(late_s)
        self.now_s = 100.0

    def clock_s(self) -> float:
        return self.now_s

    async def sleep(self, wait_s: float) -> None:
        if not self._late_s:
            await asyncio.Event().wait()
        self.now_s += wait_s + self._late_s.pop(0)


@pytest.mark.parametrize("late_s", [LATE_S, 90.0, 8 * 3600.0])
async def test_a_tick_that_comes_much_too_late_is_a_night(late_s: float) -> None:
    machine = Machine(0.1, 4.9, late_s)
    await woken(sleep=machine.sleep, clock_s=machine.clock_s)
    assert machine.now_s == pytest.approx(100 + 3 * TICK_S + 5.0 + late_s)


async def test_a_busy_loop_is_awake() -> None:
    machine = Machine(*[LATE_S - 0.1] * 20)
    waiting = asyncio.ensure_future(woken(sleep=machine.sleep, clock_s=machine.clock_s))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert machine.now_s > 100 + 20 * TICK_S
    assert not waiting.done()
    waiting.cancel()


def test_a_wall_clock_that_is_set_is_no_night(monkeypatch: pytest.MonkeyPatch) -> None:
    before_s = clock_through_sleep_s()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0 <= clock_through_sleep_s() - before_s < TICK_S
