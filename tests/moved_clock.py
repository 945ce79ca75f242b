"""A clock that stands still until a test moves it, and a loop that is let run until nothing is left to do."""

import asyncio
from heapq import heappop, heappush
from itertools import count

START_MS = 1_800_000_000_000


async def settled() -> None:
    """Return once every task waits for something that only a test, a timer or another process brings."""
    ready = vars(asyncio.get_running_loop())["_ready"]
    await asyncio.sleep(0)
    while ready:  # noqa: ASYNC110 - nothing signals that a loop has run out of work
        await asyncio.sleep(0)


class MovedClock:
    """`server.clock.Clock` moved by hand; `step_wall` sets the wall's hands and leaves the monotonic clock alone."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._wall_offset_ms = START_MS
        self._order = count()
        self._sleeping: list[tuple[int, int, asyncio.Future[None]]] = []

    def monotonic_ms(self) -> int:
        return self._now_ms

    def wall_ms(self) -> int:
        return self._now_ms + self._wall_offset_ms

    async def sleep_ms(self, ms: int) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._sleeping, (self._now_ms + ms, next(self._order), woken))
        await woken

    @property
    def sleepers(self) -> int:
        """How many tasks wait for this clock."""
        return sum(not woken.done() for _, _, woken in self._sleeping)

    def step_wall(self, ms: int) -> None:
        self._wall_offset_ms += ms

    def leap(self, ms: int) -> None:
        """Pass `ms` in which nobody ran, as in a process that was stopped: who should have woken does so afterwards."""
        self._now_ms += ms

    async def move(self, ms: int) -> None:
        """Pass `ms`: the sleepers wake one after another at their times, and the loop settles after each."""
        target_ms = self._now_ms + ms
        await settled()
        while self._sleeping and self._sleeping[0][0] <= target_ms:
            at_ms, _, woken = heappop(self._sleeping)
            if woken.done():
                continue
            self._now_ms = max(self._now_ms, at_ms)
            woken.set_result(None)
            await settled()
        self._now_ms = target_ms
        await settled()
