"""Long work on the event loop, with pauses for others."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

Piece = TypeVar("Piece")

SLICE_S = 0.001
"""How long it goes on before others have their turn: a move needs several turns to be carried out and shown."""


async def pausing(pieces: Iterable[Piece]) -> AsyncIterator[Piece]:
    """The same, one after the other; each should take much less than a slice to work out."""
    now_s = asyncio.get_running_loop().time
    until_s = now_s() + SLICE_S
    for piece in pieces:
        yield piece
        if now_s() >= until_s:
            await asyncio.sleep(0)
            until_s = now_s() + SLICE_S
