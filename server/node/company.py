"""What a node does while other nodes serve the same rooms; without them it does nothing."""

import asyncio

from server.clock import Clock
from server.node.open_rooms import OpenRooms
from server.node.presence import HEARTBEAT_MS
from server.node.room import Room


class Company:
    """Tells the others who is connected here, and forgets those that fall silent."""

    def __init__(self, clock: Clock, rooms: OpenRooms) -> None:
        self._clock = clock
        self._rooms = rooms
        self._shared = asyncio.Event()

    def heard_in(self, room: Room) -> None:
        """Another node may have joined the room."""
        if len(room.presence.nodes) > 1:
            self._shared.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._shared.wait()
            await self._clock.sleep_ms(HEARTBEAT_MS)
            shared = self._rooms.shared
            if not shared:
                self._shared.clear()
            for room in shared:
                self._rooms.tell_here(room)
                room.forget_silent()
