"""One after the other, no faster than a pace."""

import asyncio
from collections.abc import Callable

from server.gateway.bucket import Bucket

AT_ONCE_S = 0.004
"""How much of what may come through in the long run comes through without a wait: little, since others wait then."""


class Pace:
    """Lets `per_s` through, at most one in each turn of the event loop, whoever has waited longest first."""

    def __init__(self, per_s: float) -> None:
        self._bucket = Bucket(per_s, max(1, round(per_s * AT_ONCE_S)))
        self._lock = asyncio.Lock()

    async def turn(self, gone: Callable[[], bool] = lambda: False) -> None:
        """Returns when it is the caller's. Who is `gone` by then takes nobody else's time."""
        async with self._lock:
            if gone():
                return
            now_ms = int(asyncio.get_running_loop().time() * 1000)
            wait_ms = self._bucket.wait_ms(now_ms)
            await asyncio.sleep(wait_ms / 1000)  # others have their turn in any case, however slow the machine is
            self._bucket.spend(now_ms + wait_ms)
