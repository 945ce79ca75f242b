"""What the processes of `bench server` tell each other: what to play, what came of it, and the traffic of a table.

Players are told on stdin, and answer on stdout, one JSON value a line.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class Exchange(Struct, array_like=True):
    """A command of one seat, and the frames that followed it up to the table's next command; sizes in bytes."""

    seat: int
    move: bool
    sent: int
    answers: tuple[list[int], list[int], list[int]]
    """Of the frames that each seat got, in order."""


class Part(Struct):
    """What to play: so long, as fast as the server can or so many moves a second."""

    seconds: float
    moves_per_s: float | None = None


class Played(Struct):
    """`seen_ms`: of each move that all must see at once, from its sending until the last of the three had it."""

    moves: int
    seconds: float
    seen_ms: list[float]


class Gate:
    """Where the players' answers wait: open to all of them, to one at a time, or shut."""

    def __init__(self) -> None:
        self.moves = 0
        self.seen_ms: list[float] = []
        self._open = False
        self._held: deque[Callable[[], None]] = deque()

    def let(self, answer: Callable[[], None]) -> None:
        """Carry out `answer` now, or when the gate opens."""
        if self._open:
            answer()
        else:
            self._held.append(answer)

    async def play(self, part: Part) -> Played:
        self.moves, self.seen_ms = 0, []
        start_s = perf_counter()
        if part.moves_per_s is None:
            self._open = True
            for _ in range(len(self._held)):
                self._held.popleft()()
            await asyncio.sleep(part.seconds)
            self._open = False
        else:
            for number in range(int(part.seconds * part.moves_per_s)):
                await asyncio.sleep(start_s + number / part.moves_per_s - perf_counter())
                if self._held:
                    self._held.popleft()()
        return Played(self.moves, perf_counter() - start_s, self.seen_ms)

    async def play_part(self) -> bool:
        """Play what stdin says, and say what came of it. False: stdin has ended."""
        part = await hear(Part)
        if part is None:
            return False
        tell(await self.play(part))
        return True


def tell(found: object) -> None:
    """One line on stdout."""
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    sys.stdout.buffer.flush()


async def hear(kind: type[T]) -> T | None:
    """One line of stdin; None at its end."""
    line = await asyncio.to_thread(sys.stdin.buffer.readline)
    return msgspec.json.decode(line, type=kind) if line else None
