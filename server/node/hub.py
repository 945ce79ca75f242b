"""The rooms that this node has open, and the way into them: implements `port.Node`, and listens to the store.

A room is open while a viewer or a request uses it; then it is let go, and costs nothing.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from itertools import count
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from protocol.errors import ErrorCode
from protocol.messages import Create, Leave, Notice, RoomSummary, SeatCommand, Seated, Watching
from server.bots.pool import BotPool
from server.chance import CODE_LENGTH, CODE_LETTERS, Chance
from server.clock import Clock
from server.faults import kind_and_place
from server.games import registry
from server.games.base import Seat
from server.node.driver import Driver
from server.node.export import exported
from server.node.listing import Listing, read_summaries
from server.node.port import Viewer
from server.node.presence import HEARTBEAT_MS
from server.node.room import Attached, CodeTaken, Room, room_damaged
from server.node.words import Spoken, decode_words, encode_words
from server.rooms.commands import ByPlayer, OpenRoom, Resume, TakeSeat
from server.rooms.due import Timing
from server.rooms.refusal import Refusal
from server.rooms.state import seat_of_ticket
from server.store.base import Refused, Store, StoreError

logger = logging.getLogger(__name__)

CODE_TRIES = 8
"""How many room codes are drawn before giving up; a second one is needed once in millions of rooms."""

STORE_RETRY_MS = 500
"""How often a store that is out of reach is tried again."""


class _Open:
    """An open room with its place on the list, its driver's task and the number of requests that are using it."""

    def __init__(self, room: Room, listing: Listing) -> None:
        self.room = room
        self.listing = listing
        self.driver: asyncio.Task[None] | None = None
        self.users = 0


class Hub:
    """One node. Use it as an async context manager, after the store is open with this hub as its listener."""

    def __init__(self, name: str, store: Store, pool: BotPool, clock: Clock, chance: Chance, timing: Timing) -> None:
        self.games = tuple(registry.GAMES)
        self._name = name
        self._store = store
        self._pool = pool
        self._clock = clock
        self._chance = chance
        self._timing = timing
        self._open: dict[str, _Open] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._placed: dict[Viewer, Room] = {}
        self._connections = count(1)
        self._tasks = asyncio.TaskGroup()
        self._trouble = asyncio.Event()
        self._company = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._standing = [self._tasks.create_task(self._watch_store()), self._tasks.create_task(self._keep_company())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._standing:
            task.cancel()
        for opened in self._open.values():
            if opened.driver is not None:
                opened.driver.cancel()
        await self._tasks.__aexit__(None, None, None)  # what passes through is no fault of a task: it stays itself

    # What the gateway asks (port.Node)

    async def create(self, viewer: Viewer, name: str, request: Create) -> None:
        self._must_be_free(viewer)
        secret, connection = self._chance.ticket(), self._new_connection()
        for _ in range(CODE_TRIES):
            code = self._chance.room_code()
            opening = OpenRoom(code, request, name, _hashed(secret), connection)
            try:
                async with self._using(code, new=True) as room:
                    await room.submit(opening)
                    self._seat(viewer, room, 0, connection, secret)
                    return
            except CodeTaken:
                continue
        raise Refusal(ErrorCode.NO_FREE_CODE, "No free room code was found; try again.", retry_ms=1000)

    async def join(self, viewer: Viewer, name: str, code: str) -> None:
        self._must_be_free(viewer)
        secret, connection = self._chance.ticket(), self._new_connection()
        async with self._using(_tidy(code)) as room:
            await room.submit(TakeSeat(name, _hashed(secret), connection))
            self._seat_by_ticket(viewer, room, connection, secret)

    async def resume(self, viewer: Viewer, ticket: str) -> None:
        self._must_be_free(viewer)
        code, _, secret = ticket.partition(".")
        connection = self._new_connection()
        try:
            async with self._using(_tidy(code)) as room:
                woke = not room.presence.connected
                await room.submit(Resume(_hashed(secret), connection, woke))
                self._seat_by_ticket(viewer, room, connection, secret)
        except Refusal as refusal:
            if refusal.code is ErrorCode.NO_SUCH_ROOM:
                raise Refusal(ErrorCode.BAD_TICKET, "The room of this ticket is gone.") from None
            raise

    async def watch(self, viewer: Viewer, code: str) -> None:
        self._must_be_free(viewer)
        async with self._using(_tidy(code)) as room:
            if room.state is None or room.state.closed:
                raise _no_such_room()
            self._placed[viewer] = room
            viewer.place(Watching(room.code))
            room.attach(viewer, None, self._new_connection())

    async def command(self, viewer: Viewer, command: SeatCommand) -> None:
        room, attached = self._place_of(viewer)
        if attached.seat is None and isinstance(command, Leave):
            self.detach(viewer)
            viewer.unseat("left")
            return
        if attached.seat is None:
            raise Refusal(ErrorCode.NOT_SEATED, "Spectators cannot do that.")
        async with self._using(room.code) as room:
            await room.submit(ByPlayer(attached.seat, attached.connection, command))

    async def say(self, viewer: Viewer, name: str, text: str) -> None:
        room, attached = self._place_of(viewer)
        if attached.seat is not None and room.state is not None:
            name = room.state.seats[attached.seat].name
        try:
            await self._store.tell(room.code, encode_words(Spoken(name, text, attached.seat)))
        except Refused as refused:
            raise _unavailable(refused) from None

    async def export(self, viewer: Viewer, deal: int) -> str:
        room, _ = self._place_of(viewer)
        try:
            return await exported(self._store, room.code, deal)
        except Refused as refused:
            raise _unavailable(refused) from None

    async def rooms(self) -> tuple[RoomSummary, ...]:
        try:
            return read_summaries(await self._store.listed())
        except Refused as refused:
            raise _unavailable(refused) from None

    async def check(self) -> None:
        try:
            await self._store.check()
        except Refused as refused:
            raise _unavailable(refused) from None

    def detach(self, viewer: Viewer) -> None:
        room = self._placed.pop(viewer, None)
        if room is not None:
            room.detach(viewer)
            self._let_go(room.code)

    # What the store tells (store.base.Listener)

    def appended(self, room: str, version: int, entry: bytes) -> None:
        opened = self._open.get(room)
        if opened is None:
            return
        if not opened.room.appended(version, entry):
            self._spawn(self._catch_up(opened.room))
        self._let_go(room)  # its last viewer here may have lost the seat

    def heard(self, room: str, words: bytes) -> None:
        opened, decoded = self._open.get(room), decode_words(words)
        if opened is None or decoded is None:
            return
        if opened.room.heard(decoded):
            self._spawn(self._tell_here(opened.room))
        if len(opened.room.presence.nodes) > 1:
            self._company.set()

    def lost(self) -> None:
        self._trouble.set()

    def interrupted(self) -> None:
        for opened in list(self._open.values()):
            self._spawn(self._catch_up(opened.room))

    # Opening rooms and letting them go

    @asynccontextmanager
    async def _using(self, code: str, new: bool = False) -> AsyncIterator[Room]:
        """The room, loaded from its log unless it is to be a `new` one. Raises `Refusal`, and `CodeTaken`."""
        async with self._lock(code):
            opened = self._open.get(code)
            if opened is not None and new:
                raise CodeTaken
            if opened is None:
                opened = await self._load(code, new)
            opened.users += 1
        try:
            yield opened.room
        finally:
            opened.users -= 1
            if opened.driver is None and opened.room.state is not None:
                opened.driver = self._tasks.create_task(self._drive(opened))
            self._let_go(code)

    async def _load(self, code: str, new: bool) -> _Open:
        room = Room(code, self._name, self._store, self._chance, self._in_trouble)
        opened = _Open(room, Listing(code, self._store))
        self._open[code] = opened  # before it is followed, so that nothing is told to nobody
        try:
            await self._store.follow(code)
            if not new:
                await opened.room.catch_up()
                if opened.room.broken:
                    raise room_damaged()
                if opened.room.state is None:
                    raise _no_such_room()
            await self._store.tell(code, opened.room.here(asking=True))
        except Refused as refused:
            await self._close(code)
            raise _unavailable(refused) from None
        except BaseException:
            await self._close(code)
            raise
        return opened

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        """Work that nobody waits for. A fault in it is logged and ends nothing else."""

        async def guarded() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - an edge: the others go on
                logger.error("in a task of node %s: %s", self._name, kind_and_place(error))

        self._tasks.create_task(guarded())

    def _lock(self, code: str) -> asyncio.Lock:
        return self._locks.setdefault(code, asyncio.Lock())

    def _let_go(self, code: str) -> None:
        opened = self._open.get(code)
        if opened is not None and not opened.users and not opened.room.watched:
            self._spawn(self._close_if_unused(code))

    async def _close_if_unused(self, code: str) -> None:
        async with self._lock(code):
            opened = self._open.get(code)
            if opened is not None and not opened.users and not opened.room.watched:
                await self._close(code)

    async def _close(self, code: str) -> None:
        opened = self._open.pop(code)
        if opened.driver is not None:
            opened.driver.cancel()
        room = opened.room
        with suppress(Refused):  # then the others miss this node's heartbeat
            await self._store.tell(code, room.here())
        await opened.listing.renew(room.state, bool(room.presence.connected), self._store.now_ms())
        await self._store.unfollow(code)

    async def _drive(self, opened: _Open) -> None:
        room, listing = opened.room, opened.listing
        await Driver(room, listing, self._name, self._store, self._pool, self._clock, self._chance, self._timing).run()

    # Viewers

    def _seat(self, viewer: Viewer, room: Room, seat: Seat, connection: str, secret: str) -> None:
        state = room.state
        if state is None or state.seats[seat].connection != connection:
            viewer.replace()  # a newer connection came between
            return
        self._placed[viewer] = room
        viewer.place(Seated(room.code, seat, f"{room.code}.{secret}"))
        room.attach(viewer, seat, connection)

    def _seat_by_ticket(self, viewer: Viewer, room: Room, connection: str, secret: str) -> None:
        seat = None if room.state is None else seat_of_ticket(room.state, _hashed(secret))
        if seat is None:
            viewer.unseat("removed")
            return
        self._seat(viewer, room, seat, connection, secret)

    def _must_be_free(self, viewer: Viewer) -> None:
        room = self._placed.get(viewer)
        if room is not None and room.attached(viewer) is not None:
            raise Refusal(ErrorCode.IN_A_ROOM, "You are in a room already; leave it first.")

    def _place_of(self, viewer: Viewer) -> tuple[Room, Attached]:
        room = self._placed.get(viewer)
        attached = None if room is None else room.attached(viewer)
        if room is None or attached is None:
            raise Refusal(ErrorCode.NOT_SEATED, "You are not in a room.")
        return room, attached

    def _new_connection(self) -> str:
        return f"{self._name}.{next(self._connections)}"

    # Standing tasks

    def _in_trouble(self, error: StoreError) -> None:
        if not self._trouble.is_set():
            logger.warning("trouble with the store: %s", error)  # for the operator; players are told less
            self._trouble.set()

    async def _watch_store(self) -> None:
        """After trouble with the store: tell the players, try until it is back, and read what was missed."""
        while True:
            await self._trouble.wait()
            self._tell_all(Notice("stale"))
            while not await self._recovered():
                await self._clock.sleep_ms(STORE_RETRY_MS)
            self._trouble.clear()
            self._tell_all(Notice("live"))

    async def _recovered(self) -> bool:
        """Can the store write, and has every open room read what it missed?"""
        recovered = True
        try:
            await self._store.check()
            async with asyncio.TaskGroup() as reading:
                for opened in self._open.values():
                    reading.create_task(opened.room.catch_up())
        except* (Refused, Refusal):
            recovered = False
        for code in list(self._open):
            self._let_go(code)
        return recovered

    async def _keep_company(self) -> None:
        """While other nodes serve the same rooms: tell them who is here, and forget those that fall silent."""
        while True:
            await self._company.wait()
            await self._clock.sleep_ms(HEARTBEAT_MS)
            shared = [opened.room for opened in self._open.values() if len(opened.room.presence.nodes) > 1]
            if not shared:
                self._company.clear()
            for room in shared:
                await self._tell_here(room)
                room.forget_silent()

    async def _tell_here(self, room: Room) -> None:
        try:
            await self._store.tell(room.code, room.here())
        except Refused:
            self._trouble.set()

    async def _catch_up(self, room: Room) -> None:
        try:
            await room.catch_up()
        except Refusal:
            self._trouble.set()
        self._let_go(room.code)

    def _tell_all(self, notice: Notice) -> None:
        for opened in list(self._open.values()):
            opened.room.tell_all(notice)


def _hashed(secret: str) -> bytes:
    return sha256(secret.encode()).digest()[:16]


def _tidy(code: str) -> str:
    """A room code as typed: any case, with hyphens and spaces. Raises `Refusal` for what cannot be one."""
    tidy = "".join(letter for letter in code.upper() if letter not in "- ")
    if len(tidy) != CODE_LENGTH or any(letter not in CODE_LETTERS for letter in tidy):
        raise _no_such_room()
    return tidy


def _no_such_room() -> Refusal:
    return Refusal(ErrorCode.NO_SUCH_ROOM, "No open room has this code.")


def _unavailable(refused: Refused) -> Refusal:
    logger.warning("the store refused: %s", refused)  # what is the matter with it is for its operator
    return Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.", retry_ms=1000)
