"""The rooms that a node has open. A room is open while a viewer or a request uses it, and costs nothing afterwards."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from weakref import WeakValueDictionary

from protocol.errors import ErrorCode
from server.faults import kind_and_place
from server.node.driver import Driver
from server.node.listing import Listing
from server.node.room import Room, room_damaged, room_newer
from server.node.tasks import Tasks
from server.rooms.decide import no_such_room
from server.rooms.refusal import Refusal
from server.store.base import Refused, Store

logger = logging.getLogger(__name__)


def unavailable() -> Refusal:
    """What is the matter with the store is for its operator, whom the watch tells."""
    return Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.", retry_ms=1000)


class Read(NamedTuple):
    """What a look into the logs of rooms brought: how many had something new, and which the store refused to read."""

    new: int
    refused: tuple[Room, ...]


class _Open:
    """An open room with its place on the list, its driver's task and the number of requests that are using it."""

    def __init__(self, room: Room, listing: Listing) -> None:
        self.room = room
        self.listing = listing
        self.driver: asyncio.Task[None] | None = None
        self.users = 0

    @property
    def in_use(self) -> bool:
        return bool(self.users) or self.room.audience.watched


class OpenRooms:
    """Opens rooms, runs their drivers, and lets them go. `room_for` makes one, `driver_for` what drives it."""

    def __init__(
        self, store: Store, tasks: Tasks, room_for: Callable[[str], Room], driver_for: Callable[[Room, Listing], Driver]
    ) -> None:
        self._store = store
        self._tasks = tasks
        self._room_for = room_for
        self._driver_for = driver_for
        self._open: dict[str, _Open] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def all(self) -> tuple[Room, ...]:
        return tuple(opened.room for opened in self._open.values())

    @property
    def shared(self) -> tuple[Room, ...]:
        """Those that other nodes serve, too."""
        return tuple(opened.room for opened in self._open.values() if not opened.room.presence.alone)

    def get(self, code: str) -> Room | None:
        """The room, if it is open."""
        opened = self._open.get(code)
        return None if opened is None else opened.room

    @asynccontextmanager
    async def using(self, code: str, new: bool = False) -> AsyncIterator[Room]:
        """The room, loaded from its log unless it is likely to be a `new` one. Raises `Refusal`."""
        opened = self._open.get(code)
        if opened is None or not opened.in_use or opened.room.broken:  # else it is neither being loaded nor closed
            async with self._lock(code):
                opened = self._open.get(code)
                if opened is not None and opened.room.broken:
                    await self._close(code)
                    opened = None
                opened = opened or await self._load(code, new)
                opened.users += 1
        else:
            opened.users += 1
        try:
            yield opened.room
        finally:
            opened.users -= 1
            if opened.driver is None and opened.room.state is not None:
                opened.driver = self._tasks.stand(self._driver_for(opened.room, opened.listing).run)
            self.let_go(code)

    def let_go(self, code: str) -> None:
        """Close the room soon, if nobody uses it."""
        opened = self._open.get(code)
        if opened is not None and not opened.in_use:
            self._tasks.spawn(self._close_if_unused(code))

    async def catch_up(self, rooms: Iterable[Room]) -> Read:
        """Read on in the logs of these rooms, all in one batch. A fault of one room is logged, and stops no other."""
        rooms = tuple(rooms)
        found = await asyncio.gather(*(room.catch_up() for room in rooms), return_exceptions=True)
        for room, outcome in zip(rooms, found, strict=True):
            if isinstance(outcome, Exception) and not isinstance(outcome, Refusal):
                logger.error("room %s was not read: %s", room.code, kind_and_place(outcome), extra={"room": room.code})
            self.let_go(room.code)
        refused = (room for room, outcome in zip(rooms, found, strict=True) if isinstance(outcome, Refusal))
        return Read(found.count(True), tuple(refused))

    def tell_here(self, room: Room, *, asking: bool = False) -> None:
        """Tell the other nodes soon who is connected to this one; `asking`: they should tell theirs."""

        async def tell() -> None:
            with suppress(Refused):
                await self._store.tell(room.code, room.audience.here(asking))

        self._tasks.spawn(tell())

    def each(self, rooms: Iterable[Room], do: Callable[[Room], None]) -> None:
        """A fault of one room is logged, and stops no other."""
        for room in rooms:
            try:
                do(room)
            except Exception as error:  # noqa: BLE001 - the edge of one room: the others go on
                logger.error("room %s: %s", room.code, kind_and_place(error), extra={"room": room.code})

    async def _load(self, code: str, new: bool) -> _Open:
        opened = _Open(self._room_for(code), Listing(code, self._store))
        self._open[code] = opened  # before it is followed, so that nothing is told to nobody
        try:
            await self._store.follow(code)
            if not new:
                await opened.room.catch_up()
                if opened.room.broken:
                    raise room_damaged()
                if opened.room.state is None:
                    raise room_newer() if opened.room.newer else no_such_room()
            await self._store.tell(code, opened.room.audience.here(asking=True))
        except Refused:
            await self._close(code)
            raise unavailable() from None
        except BaseException:
            await self._close(code)
            raise
        return opened

    def _lock(self, code: str) -> asyncio.Lock:
        return self._locks.setdefault(code, asyncio.Lock())

    async def _close_if_unused(self, code: str) -> None:
        async with self._lock(code):
            opened = self._open.get(code)
            if opened is not None and not opened.in_use:
                await self._close(code)

    async def _close(self, code: str) -> None:
        opened = self._open.pop(code)
        if opened.driver is not None:
            opened.driver.cancel()
        room = opened.room
        with suppress(Refused):  # then the others miss this node's heartbeat
            await self._store.tell(code, room.audience.here())
        await opened.listing.renew(room.state, bool(room.presence.connected), self._store.now_ms())
        await self._store.unfollow(code)
