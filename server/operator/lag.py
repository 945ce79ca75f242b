"""How late the event loop is: everybody at every table waits as long as this does."""

import asyncio

from server.clock import Clock
from server.durations import Durations

LOOK_MS = 250
LAG_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class LoopLag:
    """`lags`: how much later than it should a short sleep ended, each time."""

    def __init__(self, clock: Clock) -> None:
        self.lags = Durations(LAG_S)
        self._clock = clock

    async def watch(self) -> None:
        """Look until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + LOOK_MS / 1000
            await self._clock.sleep_ms(LOOK_MS)
            self.lags.add(max(0.0, loop.time() - due_s))
