"""Who gets the next free worker."""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import NamedTuple


class Urgency(NamedTuple):
    """The smallest comes first: what only informs somebody comes last, and before that what should have begun first.

    Times are those of the event loop.
    """

    informs: bool
    begin_by_s: float
    since_s: float


class Queue:
    """So many places; whoever is most urgent gets the next one that is free, and equals in their order."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._order = count()
        self._heap: list[tuple[Urgency, int, asyncio.Future[None]]] = []

    async def enter(self, urgency: Urgency) -> None:
        """Returns with a place, which has to be given back with `leave`."""
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._heap, (urgency, next(self._order), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had come in that very moment
                self.leave()
            raise

    def waiting_since_s(self) -> list[float]:
        """Of all that wait for a place, but for what only informs."""
        return [its.since_s for its, _, turn in self._heap if not (its.informs or turn.done())]

    def leave(self) -> None:
        """Give a place to whoever is next."""
        while self._heap:
            _, _, turn = heapq.heappop(self._heap)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    @asynccontextmanager
    async def place(self, urgency: Urgency) -> AsyncIterator[None]:
        """A place for as long as the block."""
        await self.enter(urgency)
        try:
            yield
        finally:
            self.leave()
