"""Rooms in one SQLite file, for one server: the default on one machine. No other process may have the file open.

All statements run in one worker thread, so the event loop never waits for the disk.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from server.clock import Clock, anchored
from server.faults import kind_and_place
from server.store.base import Listener, Position, Refused, StoreError, Unknown
from server.store.batches import Batches
from server.store.sqlite_file import Append, RoomFile

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)


class SqliteStore:
    """A `Store` in the file at `path`, which `open` makes if need be."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = RoomFile(path)
        self._clock = anchored(clock)
        self._ahead_ms = 0
        """How far the file's latest time was ahead of the machine's clock, which may have been set back since."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite")
        self._appends = Batches[Append, None](self._append_all)
        self._listener: Listener | None = None
        self._followed: set[str] = set()
        self._closed = False

    async def open(self, listener: Listener) -> None:
        self._listener = listener
        wall_ms = self._clock.wall_ms()
        self._ahead_ms = max(0, await self._run(self._file.open, wall_ms) - wall_ms)

    async def close(self) -> None:
        if self._closed:
            return
        await self._appends.close()
        await self._run(self._file.close)
        self._closed = True
        self._thread.shutdown()

    def now_ms(self) -> int:
        return self._clock.wall_ms() + self._ahead_ms

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        return await self._run(self._file.read, room, after, self.now_ms())

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        await self._appends.submit(Append(room, expected, entry, keep_ms, not_before_ms))

    async def follow(self, room: str) -> None:
        self._followed.add(room)

    async def unfollow(self, room: str) -> None:
        self._followed.discard(room)

    async def tell(self, room: str, words: bytes) -> None:
        self._bring(room, lambda listener: listener.heard(room, words))

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        await self._run(self._file.enlist, room, summary, self.now_ms() + keep_ms)

    async def delist(self, room: str) -> None:
        await self._run(self._file.delist, room)

    async def listed(self) -> tuple[bytes, ...]:
        return await self._run(self._file.listed, self.now_ms())

    async def check(self) -> None:
        await self._run(self._file.check)

    async def back_up(self) -> Path:
        """A copy of the file beside it; whoever writes meanwhile waits. Raises `Refused`."""
        return await self._run(self._file.back_up)

    async def _append_all(self, batch: Sequence[Append]) -> Sequence[StoreError | None]:
        try:
            outcomes = await self._run(self._file.write, batch, self.now_ms())
        except (Refused, Unknown) as error:
            return [type(error)(str(error)) for _ in batch]
        for append, outcome in zip(batch, outcomes, strict=True):
            if outcome is None:
                self._bring(append.room, partial(_appended, append))
        return outcomes

    def _bring(self, room: str, tell: Callable[[Listener], None]) -> None:
        """Soon, to the listener, if the room is followed by then."""

        def bring() -> None:
            if self._listener is None or room not in self._followed:
                return
            try:
                tell(self._listener)
            except Exception as fault:  # noqa: BLE001 -- the listener's own; its text may hold cards
                _log.error("what the store told was not taken in: %s", kind_and_place(fault))

        asyncio.get_running_loop().call_soon(bring)

    async def _run(
        self, work: Callable[Arguments, Answer], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Answer:
        if self._closed:
            raise Refused("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*args, **kwargs))


def _appended(append: Append, listener: Listener) -> None:
    listener.appended(append.room, append.expected.version + 1, append.entry)
