"""The only reader of time. Everything else is handed a `Clock`."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Time as the server needs it."""

    def monotonic_ms(self) -> int:
        """Milliseconds that only ever grow; for waiting and for rates."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970; may be set back or forth while the server runs."""

    async def sleep_ms(self, ms: int) -> None:
        """Return after `ms` by the monotonic clock."""


class SystemClock:
    """The machine's clocks."""

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    async def sleep_ms(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)


async def set_within(event: asyncio.Event, clock: Clock, ms: int) -> None:
    """Wait until the event is set, but for no longer than `ms`."""
    waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.sleep_ms(ms))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def anchored(clock: Clock) -> Clock:
    """Wall time read once, then carried on by the monotonic clock: steps of the system's clock do not reach it."""
    return _Anchored(clock)


class _Anchored:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset_ms = clock.wall_ms() - clock.monotonic_ms()

    def monotonic_ms(self) -> int:
        return self._clock.monotonic_ms()

    def wall_ms(self) -> int:
        return self._clock.monotonic_ms() + self._offset_ms

    async def sleep_ms(self, ms: int) -> None:
        await self._clock.sleep_ms(ms)
