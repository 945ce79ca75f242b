"""Trouble with the store: players are told, and once it is back their rooms read what they missed."""

import asyncio
import logging

from protocol.messages import Notice
from server.clock import Clock
from server.node.open_rooms import OpenRooms
from server.rooms.refusal import Refusal
from server.store.base import Refused, Store, StoreError

logger = logging.getLogger(__name__)

STORE_RETRY_MS = 500
"""How often a store that is out of reach is tried again."""


class Watch:
    """Stands by until somebody is in trouble with the store."""

    def __init__(self, store: Store, clock: Clock, rooms: OpenRooms) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._trouble = asyncio.Event()

    def in_trouble(self, error: StoreError) -> None:
        if not self._trouble.is_set():
            logger.warning("trouble with the store: %s", error)  # for the operator; players are told less
            self._trouble.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._trouble.wait()
            self._rooms.tell_all(Notice("stale"))
            while not await self._recovered():
                await self._clock.sleep_ms(STORE_RETRY_MS)
            self._trouble.clear()
            self._rooms.tell_all(Notice("live"))

    async def _recovered(self) -> bool:
        """Can the store write, and has every open room read what it missed?"""
        recovered = True
        try:
            await self._store.check()
            async with asyncio.TaskGroup() as reading:
                for room in self._rooms.all:
                    reading.create_task(room.catch_up())
        except* (Refused, Refusal):
            recovered = False
        for room in self._rooms.all:
            self._rooms.let_go(room.code)
        return recovered
