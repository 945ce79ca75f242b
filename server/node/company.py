"""What a node does because there are others. One that is alone with its rooms, and is not to be known, does nothing."""

import asyncio
from collections.abc import Iterable
from zlib import crc32

from server.clock import Clock
from server.node.counters import Counters
from server.node.neighbours import Neighbours
from server.node.open_rooms import OpenRooms
from server.node.presence import HEARTBEAT_MS
from server.node.room import Room
from server.node.watched_store import WatchedStore

COMPARE_MS = 2_000
"""How often a room that others serve, too, looks into its log for what it has not been told."""

COMPARED_AT_ONCE, COMPARE_TURNS = 16, 20
"""Many rooms take turns, about so many in each and at most so many turns: what players do has not to wait for all."""


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
        self._all_once = False

    def heard(self) -> None:
        """Something came from another server."""
        if self._neighbours.any:
            self._in_company.set()

    def heard_in(self, room: Room) -> None:
        """Another node may have joined the room."""
        if not room.presence.alone:
            self._in_company.set()
            self._shared.set()

    def compare_all(self) -> None:
        """Whatever was told for a while may have been missed, and with it that others serve a room, too."""
        self._all_once = True
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
            self._rooms.each(shared, self._rooms.tell_here)
            self._forget_silent(shared, unheard)
            if not (shared or self._neighbours.advertised or self._neighbours.any):
                self._in_company.clear()

    async def compare(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._shared.wait()
            every, self._all_once = self._all_once, False
            turns = min(
                max(1, len(self._rooms.all if every else self._rooms.shared) // COMPARED_AT_ONCE), COMPARE_TURNS
            )
            for turn in range(turns):
                await self._clock.sleep_ms(COMPARE_MS // turns)
                # those of now: what has been opened since must not wait for the next round
                rooms = self._rooms.all if every or self._all_once else self._rooms.shared
                due = [room for room in rooms if crc32(room.code.encode()) % turns == turn]
                self._counters.caught_up += (await self._rooms.catch_up(due)).new
            if not (self._rooms.shared or self._all_once):
                self._shared.clear()

    def _forget_silent(self, rooms: Iterable[Room], unheard: bool) -> None:
        self._rooms.each(rooms, lambda room: room.audience.forget_silent(unheard))
