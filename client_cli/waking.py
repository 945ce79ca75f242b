"""Notices that the machine slept, or that this program was stopped: sockets then look open and may be dead.

A tick of the event loop that comes much too late tells of both, and in good time: within one tick of waking.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

TICK_S = 2.0
LATE_S = 5.0
"""A loop that is merely busy is never so late."""

# `time.monotonic` stands still while these systems sleep.
_CLOCK: int | None = getattr(time, {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC"}.get(sys.platform, ""), None)


def clock_through_sleep_s() -> float:
    """Seconds from some start, which run on while the machine sleeps. Nobody can set them, as the wall clock can be."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


async def woken(
    *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep, clock_s: Callable[[], float] = clock_through_sleep_s
) -> None:
    """Returns soon after the machine has slept, or this process stood still, for 5 s or longer."""
    while True:
        before_s = clock_s()
        await sleep(TICK_S)
        if clock_s() - before_s >= TICK_S + LATE_S:
            return
