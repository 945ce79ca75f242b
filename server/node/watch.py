"""Whether the store is within reach. While it is not, players are told and nothing is asked of it; once it is back, all
rooms read what they missed before anything else goes on.
"""

import asyncio
import logging
from itertools import count

from protocol.messages import Notice
from server.chance import Chance
from server.clock import Clock, set_within
from server.node.neighbours import Neighbours
from server.node.open_rooms import OpenRooms
from server.node.watched_store import WatchedStore
from server.store.base import Refused, Store

logger = logging.getLogger(__name__)

PATIENCE_MS = 1_000
"""How long the store may leave its clients without an answer, or its channel be mended, before players are told."""

SEND_AWAY_MS = 5_000
"""How long after that players stay before they are sent to other servers, if there are any."""

FIRST_RETRY_MS, LAST_RETRY_MS = 50, 500
"""How often a store that is out of reach is tried again: the pause doubles."""


class Watch:
    """Stands by until somebody is in trouble with the store."""

    def __init__(
        self,
        store: Store,
        gates: WatchedStore,
        clock: Clock,
        chance: Chance,
        rooms: OpenRooms,
        neighbours: Neighbours,
    ) -> None:
        self._store = store
        self._gates = gates
        self._clock = clock
        self._chance = chance
        self._rooms = rooms
        self._neighbours = neighbours
        self._stale = False
        self._hearing = asyncio.Event()
        self._hearing.set()

    def deaf(self) -> None:
        """The channel is lost, and is being mended."""
        self._hearing.clear()
        self._gates.in_trouble("its channel is lost")

    def hearing(self) -> None:
        """The channel is back; what was told meanwhile was missed."""
        self._hearing.set()
        self._gates.in_trouble("its channel was lost")

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._gates.trouble.wait()
            since_ms = self._store.now_ms()
            logger.warning("trouble with the store: %s", self._gates.reason)
            escalating = asyncio.create_task(self._escalate())
            try:
                await self._recover()
            finally:
                escalating.cancel()
            self._gates.let_in()
            if self._stale:
                self._stale = False
                logger.warning("the store is back")
                self._rooms.tell_all(Notice("live"))
            await self._regrant(since_ms)
            for room in self._rooms.all:
                room.changed.set()
                self._rooms.tell_here(room, asking=True)  # it was neither heard nor did it hear
                self._rooms.let_go(room.code)

    async def _regrant(self, since_ms: int) -> None:
        """Players could not answer meanwhile: before any deadline is acted on they get time to."""
        if self._store.now_ms() - since_ms > PATIENCE_MS:
            await self._rooms.regrant(since_ms)

    async def mind_answers(self) -> None:
        """Look for trouble that tells nobody: what was asked has waited for long, and nothing was answered since."""
        while True:
            self._gates.busy.clear()
            await self._gates.busy.wait()
            while self._gates.answered < self._gates.asked:
                asked, answered = self._gates.asked, self._gates.answered
                await self._clock.sleep_ms(PATIENCE_MS)
                if answered == self._gates.answered < asked:
                    self._gates.in_trouble("it does not answer")

    async def _escalate(self) -> None:
        await self._clock.sleep_ms(PATIENCE_MS)
        self._be_stale()
        await self._clock.sleep_ms(SEND_AWAY_MS)
        if self._neighbours.any:
            logger.warning("players are sent to other servers")
            for room in self._rooms.all:
                room.audience.send_away()

    def _be_stale(self) -> None:
        self._gates.shut()
        if not self._stale:
            self._stale = True
            self._rooms.tell_all(Notice("stale"))

    async def _recover(self) -> None:
        for failures in count():
            self._gates.trouble.clear()
            if await self._recovered() and not self._gates.trouble.is_set():
                return
            most_ms = min(FIRST_RETRY_MS << min(failures, 8), LAST_RETRY_MS)
            drawn = int.from_bytes(self._chance.command_id()[:2], "big")
            pause_ms = most_ms // 2 + drawn % (most_ms // 2 + 1)
            if self._hearing.is_set():
                await self._clock.sleep_ms(pause_ms)
            else:
                await set_within(self._hearing, self._clock, pause_ms)

    async def _recovered(self) -> bool:
        """Can the store write, is the channel up, and has every open room read what it missed?"""
        try:
            await self._store.check()
        except Refused:
            self._be_stale()
            return False
        if not self._hearing.is_set():
            return False
        self._gates.let_read()
        if (await self._rooms.catch_up(self._rooms.all)).refused:
            self._be_stale()
            return False
        return True
