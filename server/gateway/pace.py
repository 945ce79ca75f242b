"""One after the other, no faster than a pace, and in turn by whom they are from."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import NamedTuple

from server.gateway.bucket import Bucket

AT_ONCE_S = 0.004
"""How much of what may come through in the long run comes through without a wait: little, since others wait then."""


class _Coming(NamedTuple):
    through: asyncio.Future[None]
    gone: Callable[[], bool]


class Pace:
    """Lets `per_s` through, at most one in each turn of the event loop.

    Whoever brings one waits for at most one of each of the others, however many those bring.
    """

    def __init__(self, per_s: float) -> None:
        self._bucket = Bucket(per_s, max(1, round(per_s * AT_ONCE_S)))
        self._lines: OrderedDict[Hashable, deque[_Coming]] = OrderedDict()
        self._letting: asyncio.Task[None] | None = None

    async def turn(self, whom: Hashable, gone: Callable[[], bool] = lambda: False) -> None:
        """Returns when it is that of the caller, who comes from `whom`. Who is `gone` by then takes nobody's time."""
        loop = asyncio.get_running_loop()
        coming = _Coming(loop.create_future(), gone)
        self._lines.setdefault(whom, deque()).append(coming)
        if self._letting is None:
            self._letting = loop.create_task(self._let_through())
        await coming.through

    async def _let_through(self) -> None:
        time_s = asyncio.get_running_loop().time
        try:
            while self._first() is not None:
                now_ms = int(time_s() * 1000)
                wait_ms = self._bucket.wait_ms(now_ms)
                await asyncio.sleep(wait_ms / 1000)  # one turn for others in any case
                if (coming := self._first()) is not None:
                    self._bucket.spend(now_ms + wait_ms)
                    self._next()
                    coming.through.set_result(None)
        finally:
            self._letting = None

    def _first(self) -> _Coming | None:
        """Who is next and still there."""
        while self._lines:
            coming = next(iter(self._lines.values()))[0]
            if not (coming.through.done() or coming.gone()):
                return coming
            self._next()
            if not coming.through.done():
                coming.through.set_result(None)
        return None

    def _next(self) -> None:
        """The first one has had its turn, and with it whomever it is from."""
        whom, line = next(iter(self._lines.items()))
        line.popleft()
        if line:
            self._lines.move_to_end(whom)
        else:
            del self._lines[whom]
