"""The store as the rooms of one node use it: what goes through is counted, what fails is told to the watch, and what
cannot be done now is refused at once.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from server.faults import kind_and_place
from server.node.counters import Counters
from server.store.base import Full, Listener, Position, Refused, RolledBack, Store, StoreError, Unknown, VersionConflict

logger = logging.getLogger(__name__)

OUT_OF_REACH = "the store is out of reach"

Answer = TypeVar("Answer")


class WatchedStore:
    """A `Store` around another one, which whoever made it opens and closes.

    It has two gates, one for reading logs and one for everything else. What is under way when they shut is broken off:
    an append ends as `Unknown`, everything else as `Refused`.
    """

    def __init__(self, store: Store, counters: Counters) -> None:
        self.trouble = asyncio.Event()
        self.reason = ""
        """What the last trouble was: for the operator, players are told less."""
        self.busy = asyncio.Event()
        """Set when something is asked. Whoever waits for it clears it."""
        self.asked = 0
        self.answered = 0
        self._store = store
        self._counters = counters
        self._readable = True
        self.usable = True
        self._under_way: set[asyncio.Timeout] = set()
        self._aside: set[str] = set()

    def in_trouble(self, reason: str) -> None:
        self.reason = reason
        self.trouble.set()

    def shut(self) -> None:
        self._readable = self.usable = False
        now_s = asyncio.get_running_loop().time()
        broken, self._under_way = self._under_way, set()  # one that has expired must not be set again
        for limit in broken:
            limit.reschedule(now_s)

    def let_read(self) -> None:
        self._readable = True

    def let_in(self) -> None:
        self._readable = self.usable = True

    def set_aside(self, room: str) -> None:
        """This room alone is in trouble: it may only be read, which proves nothing of the others."""
        self._aside.add(room)

    def take_in(self, room: str) -> None:
        self._aside.discard(room)

    async def open(self, listener: Listener) -> None:
        await self._store.open(listener)

    async def close(self) -> None:
        await self._store.close()

    def now_ms(self) -> int:
        return self._store.now_ms()

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        if not self._readable:
            raise Refused(OUT_OF_REACH)
        return await self._through(self._store.read(room, after), alone=room in self._aside)

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        self._must_be_usable(room)
        time_s = asyncio.get_running_loop().time
        asked_s = time_s()
        call = self._store.append(room, expected, entry, keep_ms=keep_ms, not_before_ms=not_before_ms)
        try:
            await self._through(call, broken=Unknown)
        except VersionConflict:
            self._counters.conflicts += 1
            raise
        self._counters.appends += 1
        self._counters.append_s.add(time_s() - asked_s)

    async def follow(self, room: str) -> None:
        self._must_be_usable(room)
        await self._through(self._store.follow(room))

    async def unfollow(self, room: str) -> None:
        """Begun in any case, which ends the following; where the store is out of reach nothing more is waited for."""
        with suppress(Refused, TimeoutError):
            async with asyncio.timeout(None if self.usable else 0):
                await self._through(self._store.unfollow(room))

    async def tell(self, room: str, words: bytes) -> None:
        self._must_be_usable(room)
        await self._through(self._store.tell(room, words))

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        self._must_be_usable(room)
        await self._through(self._store.enlist(room, summary, keep_ms))

    async def delist(self, room: str) -> None:
        self._must_be_usable(room)
        await self._through(self._store.delist(room))

    async def listed(self) -> tuple[bytes, ...]:
        self._must_be_usable()
        return await self._through(self._store.listed())

    async def check(self) -> None:
        self._must_be_usable()
        await self._through(self._store.check())

    def _must_be_usable(self, room: str = "") -> None:
        if not self.usable or room in self._aside:
            raise Refused(OUT_OF_REACH)

    async def _through(
        self,
        call: Coroutine[Any, Any, Answer],
        broken: type[Refused] | type[Unknown] = Refused,
        *,
        alone: bool = False,
    ) -> Answer:
        """`alone`: what becomes of it says nothing of the store."""
        if not alone:
            self.asked += 1
            self.busy.set()
        try:
            async with asyncio.timeout(None) as limit:
                self._under_way.add(limit)
                try:
                    return await call
                finally:
                    self._under_way.discard(limit)
        except TimeoutError:
            self._counters.store_errors["broken_off"] += 1
            raise broken(OUT_OF_REACH) from None
        except Full:  # which concerns nobody else
            self._counters.store_errors["full"] += 1
            raise
        except (Refused, Unknown) as error:
            self._counters.store_errors["unknown" if isinstance(error, Unknown) else "refused"] += 1
            if not alone:
                self.in_trouble(str(error))
            raise
        except RolledBack:
            self._counters.store_errors["rolled_back"] += 1
            raise
        except StoreError:
            raise
        except Exception as fault:  # noqa: BLE001 - an edge: what was not understood is no answer
            self._counters.store_errors["not_understood"] += 1
            logger.error("in the store: %s", kind_and_place(fault))
            self.in_trouble("its answer was not understood")
            raise broken(OUT_OF_REACH) from None
        finally:
            if not alone:
                self.answered += 1
