"""What a node does because there are others. One that is alone with its rooms, and is not to be known, does nothing."""

import asyncio

from server.clock import Clock
from server.node.counters import Counters
from server.node.neighbours import Neighbours
from server.node.open_rooms import OpenRooms
from server.node.presence import HEARTBEAT_MS
from server.node.room import Room
from server.node.watched_store import WatchedStore

COMPARE_MS = 2_000
"""How often a room that others serve, too, looks into its log for what it has not been told."""


class Company:
    """Repeats to the others what they may have missed, looks for what was missed here, and forgets who falls silent."""

    def __init__(
        self, store: WatchedStore, clock: Clock, rooms: OpenRooms, neighbours: Neighbours, counters: Counters
    ) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._neighbours = neighbours
        self._counters = counters
        self._in_company = asyncio.Event()
        self._shared = asyncio.Event()

    def heard(self) -> None:
        """Something came from another server."""
        if self._neighbours.any:
            self._in_company.set()

    def heard_in(self, room: Room) -> None:
        """Another node may have joined the room."""
        if not room.presence.alone:
            self._in_company.set()
            self._shared.set()

    async def keep_in_touch(self) -> None:
        """Until it is cancelled."""
        if self._neighbours.advertised:
            self._in_company.set()
        while True:
            await self._in_company.wait()
            since_ms = self._store.now_ms()
            await self._clock.sleep_ms(HEARTBEAT_MS)
            # where nothing can be heard, or was while this process did not run, silence says nothing of the others
            unheard = not self._store.usable or self._store.now_ms() - since_ms > 2 * HEARTBEAT_MS
            self._neighbours.tell()
            self._neighbours.forget_silent(unheard)
            shared = self._rooms.shared
            for room in shared:
                self._rooms.tell_here(room)
                room.audience.forget_silent(unheard)
            if not (shared or self._neighbours.advertised or self._neighbours.any):
                self._in_company.clear()

    async def compare(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._shared.wait()
            await self._clock.sleep_ms(COMPARE_MS)
            shared = self._rooms.shared
            if not shared:
                self._shared.clear()
            self._counters.caught_up += (await self._rooms.catch_up(shared)).new
