"""Whether the store is within reach. While it is not, players are told and nothing is asked of it; once it is back, all
rooms read what they missed before anything else goes on. A room that alone cannot be read is alone in waiting for it.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import count

from protocol.messages import Notice
from server.chance import Chance
from server.clock import Clock, set_within
from server.faults import kind_and_place
from server.node.company import Company
from server.node.neighbours import Neighbours
from server.node.open_rooms import OpenRooms
from server.node.room import Room
from server.node.tasks import Tasks
from server.node.watched_store import WatchedStore
from server.rooms.refusal import Refusal
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
        company: Company,
        tasks: Tasks,
    ) -> None:
        self._store = store
        self._gates = gates
        self._clock = clock
        self._chance = chance
        self._rooms = rooms
        self._neighbours = neighbours
        self._company = company
        self._tasks = tasks
        self._stale = False
        self._told: set[Room] = set()
        """Rooms whose players know that they are stale."""
        self._aside: set[Room] = set()
        """Rooms whose logs cannot be read while others can."""
        self._noted: set[str] = set()
        """What the operator has been told of this trouble."""
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
            try:
                await self._see_through()
            except Exception:
                self._gates.in_trouble("a fault of the server")  # with which it begins when it is begun again
                raise

    async def _see_through(self) -> None:
        """From trouble until the store is back. What the rooms then have to do is not waited for: new trouble may come
        of it."""
        since_ms = self._store.now_ms()
        self._note(self._gates.reason)
        escalating = self._tasks.stand(self._escalate)
        try:
            await self._recover(since_ms)
        finally:
            escalating.cancel()
        self._gates.let_in()
        self._noted.clear()
        self._company.compare_all()
        rooms = [room for room in self._rooms.all if room not in self._aside]
        if self._stale:
            self._stale = False
            logger.warning("the store is back")
            self._tell_live(rooms)
            self._told &= self._aside  # others were closed meanwhile
        for room in rooms:
            self._tasks.spawn(self._go_on(room, since_ms))

    async def _go_on(self, room: Room, since_ms: int) -> None:
        """Players could not answer meanwhile: before any deadline is acted on they get time to."""
        try:
            if self._store.now_ms() - since_ms > PATIENCE_MS:
                with suppress(Refusal):  # refused again: then it will be asked again
                    await room.regrant(since_ms)
        finally:
            room.changed.set()
            self._rooms.tell_here(room, asking=True)  # it was neither heard nor did it hear
            self._rooms.let_go(room.code)

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
            self._rooms.each(self._rooms.all, lambda room: room.audience.send_away())

    def _be_stale(self) -> None:
        self._gates.shut()
        if not self._stale:
            self._stale = True
            self._tell_stale(self._rooms.all)

    def _tell_stale(self, rooms: Iterable[Room]) -> None:
        fresh = [room for room in rooms if room not in self._told]
        self._told.update(fresh)
        self._rooms.each(fresh, lambda room: room.audience.tell_all(Notice("stale")))

    def _tell_live(self, rooms: Iterable[Room]) -> None:
        told = [room for room in rooms if room in self._told]
        self._told.difference_update(told)
        self._rooms.each(told, lambda room: room.audience.tell_all(Notice("live")))

    def _note(self, reason: str) -> None:
        """For the operator; once in a trouble, since it is tried many times a second."""
        if reason not in self._noted:
            self._noted.add(reason)
            logger.warning("trouble with the store: %s", reason)

    async def _recover(self, since_ms: int) -> None:
        for failures in count():
            self._gates.trouble.clear()
            if await self._recovered(since_ms) and not self._gates.trouble.is_set():
                return
            await self._pause(failures)

    async def _pause(self, failures: int) -> None:
        most_ms = min(FIRST_RETRY_MS << min(failures, 8), LAST_RETRY_MS)
        drawn = int.from_bytes(self._chance.command_id()[:2], "big")
        pause_ms = most_ms // 2 + drawn % (most_ms // 2 + 1)
        if self._hearing.is_set():
            await self._clock.sleep_ms(pause_ms)
        else:
            await set_within(self._hearing, self._clock, pause_ms)

    async def _recovered(self, since_ms: int) -> bool:
        """Can the store write, is the channel up, and has every open room that can be read read what it missed?"""
        try:
            await self._store.check()
        except Exception as error:  # noqa: BLE001 - whatever it is, the store cannot be relied on
            self._note(str(error) if isinstance(error, Refused) else kind_and_place(error))
            self._be_stale()
            return False
        if not self._hearing.is_set():
            return False
        self._gates.let_read()
        # Who waits for a room that is being opened need not hold up all others: its log is being read anyway.
        rooms = (room for room in self._rooms.all if room not in self._aside and room.state is not None)
        refused = (await self._rooms.catch_up(rooms)).refused
        for room in refused:
            logger.warning("room %s cannot be read: %s", room.code, self._gates.reason, extra={"room": room.code})
            self._aside.add(room)
            self._gates.set_aside(room.code)
            self._tasks.stand(partial(self._bring_back, room, since_ms))
        return not refused

    async def _bring_back(self, room: Room, since_ms: int) -> None:
        """The others go on without it: it alone is stale until its log can be read."""
        for failures in count():
            await self._pause(failures)
            if self._rooms.get(room.code) is not room:
                break
            if self._store.now_ms() - since_ms > PATIENCE_MS:
                self._tell_stale((room,))
            if self._gates.usable and not (await self._rooms.catch_up((room,))).refused:
                break
        self._aside.discard(room)
        self._gates.take_in(room.code)
        self._tell_live((room,))
        self._told.discard(room)
        await self._go_on(room, since_ms)
