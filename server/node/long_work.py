"""Long work on the event loop, such as whole logs that are read: moves must hardly notice it, however much there is."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import TypeVar

Piece = TypeVar("Piece")

SLICE_S = 0.001
"""How long it goes on before others have their turns."""

TURNS = 4
"""Of the event loop, for others, before each slice but the first: a move needs half a dozen until it is shown."""


LOADS = 8
"""Logs that are read from their beginning at once, for rooms to be opened."""


class LongWork:
    """All that a node does of it: a slice of one at a time. What takes no more than a slice is done at once.

    `exports`, `loads`: to be held while a whole log is read and worked out, since what is read waits in memory, and
    moves wait in the store's line behind it.
    """

    def __init__(self) -> None:
        self.exports = asyncio.Lock()
        self.loads = asyncio.Semaphore(LOADS)
        self._one_at_a_time = asyncio.Lock()

    async def last(self, pieces: Iterable[Piece]) -> Piece | None:
        """The last piece, when all are worked out. Each should take much less than a slice."""
        working = iter(pieces)
        piece, over = _slice(working, None)
        while not over:
            async with self._one_at_a_time:
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                piece, over = _slice(working, piece)
        return piece


def _slice(working: Iterator[Piece], before: Piece | None) -> tuple[Piece | None, bool]:
    """The newest piece, and whether it is the last."""
    now_s = asyncio.get_running_loop().time
    until_s = now_s() + SLICE_S
    newest = before
    for newest in working:
        if now_s() >= until_s:
            return newest, False
    return newest, True
