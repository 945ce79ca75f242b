"""One node: the way into its rooms. Implements `port.Node`, and listens to the store."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import count
from types import TracebackType
from typing import Self

from protocol.errors import ErrorCode
from protocol.messages import (
    Because,
    Contribution,
    Create,
    HouseRule,
    Leave,
    RoomSummary,
    SeatCommand,
    Seated,
    Watching,
)
from protocol.view import Phase, TableView
from server.bots.pool import BotPool
from server.chance import Chance
from server.clock import Clock
from server.games import registry
from server.games.base import Seat
from server.node import advice
from server.node.audience import Attached
from server.node.codes import room_codes, tidied
from server.node.company import Company
from server.node.counters import Counters
from server.node.driver import Driver
from server.node.export import exported
from server.node.listing import read_summaries
from server.node.long_work import LongWork
from server.node.neighbours import CHANNEL, Neighbours
from server.node.open_rooms import OpenRooms, unavailable
from server.node.port import Viewer
from server.node.room import Room, room_newer
from server.node.tasks import Tasks
from server.node.watch import Watch
from server.node.watched_store import WatchedStore
from server.node.words import Spoken, decode_words, encode_words
from server.rooms.commands import ByClient, ByPlayer, CloseRoom, Command, Expel, OpenRoom, Resume, TakeSeat
from server.rooms.decide import CodeTaken, bad_ticket, no_such_room
from server.rooms.due import Timing
from server.rooms.refusal import Refusal
from server.rooms.state import seat_of_ticket
from server.rooms.view import table_view
from server.store.base import Refused, Store
from server.store.batches import Batches

GOODBYE_MS = 1_000
"""How long a store that does not answer may hold up the end."""

DRAINING_RETRY_MS = 2_000
"""When a server that stops may be back."""


class Hub:
    """One node. Use it as an async context manager, after the store is open with this hub as its listener.

    `advertised`: the URL where players reach it, for the other nodes to pass on; empty for none.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        pool: BotPool,
        clock: Clock,
        chance: Chance,
        timing: Timing,
        *,
        advertised: str = "",
    ) -> None:
        self.house_rules: Mapping[str, tuple[HouseRule, ...]] = {
            name: game.house_rules for name, game in registry.GAMES.items()
        }
        self._name = name
        self._clock = clock
        self._adviser = advice.Adviser(pool)
        self._chance = chance
        self._tasks = Tasks(name, clock)
        self.counters = Counters()
        self._store = watched = WatchedStore(store, self.counters)
        self._long_work = LongWork()
        self._rooms = OpenRooms(
            watched,
            self._tasks,
            lambda code: Room(code, name, watched, chance, self._long_work),
            lambda room, listing: Driver(room, listing, name, watched, pool, clock, chance, timing),
        )
        self._neighbours = Neighbours(name, advertised, watched, self._tasks, clock)
        self._company = Company(watched, clock, self._rooms, self._neighbours, self.counters)
        self._watch = Watch(store, watched, clock, chance, self._rooms, self._neighbours, self._company, self._tasks)
        self._placed: dict[Viewer, Room] = {}
        self._connections = count(1)
        self._draining = False
        self._summaries = Batches[None, tuple[RoomSummary, ...]](self._list)
        """One look at the list at a time, for all who have asked by then: moves must not wait behind many."""

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._tasks.stand(self._watch.run)
        self._tasks.stand(self._watch.mind_answers)
        self._tasks.stand(self._company.keep_in_touch)
        self._tasks.stand(self._company.compare)
        self._tasks.stand(self._neighbours.introduce)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        hurrying = asyncio.create_task(self._hurry())
        try:
            await self._tasks.__aexit__(kind, error, trace)
        finally:
            hurrying.cancel()

    async def _hurry(self) -> None:
        await self._clock.sleep_ms(GOODBYE_MS)
        self._store.shut()

    # What the operator is told

    @property
    def store_usable(self) -> bool:
        return self._store.usable

    def open_rooms(self) -> Counter[tuple[str, Phase]]:
        """How many rooms are open here, by game and phase."""
        states = (room.state for room in self._rooms.all)
        return Counter((state.game, state.phase) for state in states if state is not None)

    # What the gateway asks (port.Node)

    async def create(self, viewer: Viewer, name: str, request: Create) -> None:
        self._must_stay()
        self._must_be_free(viewer)
        secret, connection = request.secret or self._chance.ticket(), self._new_connection()
        for code in room_codes(secret):
            try:
                async with self._rooms.using(code, new=True) as room:
                    woke = not room.presence.connected
                    secrets = (self._chance.secret(), self._chance.secret())
                    await room.submit(OpenRoom(code, request, name, _hashed(secret), connection, woke, secrets))
                    self._seat_by_ticket(viewer, room, connection, secret)
                    return
            except CodeTaken:
                continue
            except Refusal as refusal:
                if refusal.code is not ErrorCode.ROOM_DAMAGED:  # whose that one was cannot be known
                    raise
        raise Refusal(ErrorCode.NO_FREE_CODE, "No free room code was found; try again.", retry_ms=1000)

    async def join(
        self, viewer: Viewer, name: str, code: str, secret: str | None = None, *, contributes: bool = False
    ) -> None:
        self._must_be_free(viewer)
        secret, connection = secret or self._chance.ticket(), self._new_connection()
        async with self._rooms.using(_tidy(code)) as room:
            woke = not room.presence.connected
            await room.submit(TakeSeat(name, _hashed(secret), connection, woke, contributes))
            self._seat_by_ticket(viewer, room, connection, secret)

    async def resume(self, viewer: Viewer, ticket: str) -> None:
        self._must_be_free(viewer)
        code, _, secret = ticket.partition(".")
        connection = self._new_connection()
        try:
            async with self._rooms.using(_tidy(code)) as room:
                woke = not room.presence.connected
                await room.submit(Resume(_hashed(secret), connection, woke))
                self._seat_by_ticket(viewer, room, connection, secret)
        except Refusal as refusal:
            if refusal.code is ErrorCode.NO_SUCH_ROOM:
                raise bad_ticket() from None  # in the same words, or guesses would tell which rooms there are
            raise

    async def watch(self, viewer: Viewer, code: str) -> None:
        self._must_be_free(viewer)
        async with self._rooms.using(_tidy(code)) as room:
            if room.state is None or room.state.closed:
                raise no_such_room()
            self._placed[viewer] = room
            viewer.place(Watching(room.code))
            room.audience.attach(viewer, None, self._new_connection())

    async def command(self, viewer: Viewer, command: SeatCommand) -> None:
        room, attached = self._place_of(viewer)
        if attached.seat is None and isinstance(command, Leave):
            self.detach(viewer)
            viewer.unseat("left")
            return
        if attached.seat is None:
            raise Refusal(ErrorCode.NOT_SEATED, "Spectators cannot do that.")
        await self._submit(room.code, ByPlayer(attached.seat, attached.connection, command))

    async def contribute(self, viewer: Viewer, contributions: tuple[Contribution, ...]) -> None:
        room, attached = self._place_of(viewer)
        if attached.seat is None:
            raise Refusal(ErrorCode.NOT_SEATED, "Spectators cannot do that.")
        await self._submit(room.code, ByClient(attached.seat, attached.connection, contributions))

    async def _submit(self, code: str, asked: Command) -> None:
        async with self._rooms.using(code) as room:
            try:
                await room.submit(asked)
            except Refusal:
                if not await room.take_back():
                    raise
                await room.submit(asked)

    async def say(self, viewer: Viewer, name: str, text: str, emote: str = "") -> None:
        room, attached = self._place_of(viewer)
        if attached.seat is not None and room.state is not None:
            name = room.state.seats[attached.seat].name
        try:
            await self._store.tell(room.code, encode_words(Spoken(name, text, attached.seat, emote)))
        except Refused:
            raise unavailable() from None

    def hint(self, viewer: Viewer, prompt: int) -> None:
        room, _ = self._place_of(viewer)
        view = self._view_of(viewer)
        advice.must_be_open(view, prompt)
        self._tasks.spawn(self._advise(viewer, room, view))

    async def _advise(self, viewer: Viewer, room: Room, view: TableView) -> None:
        """Nobody waits for it: what the player does meanwhile goes on."""
        answer = await self._adviser.hint(view)
        if self._placed.get(viewer) is room:
            viewer.tell(answer)

    def why(self, viewer: Viewer, prompt: int, text: str) -> Because:
        return advice.why(self._view_of(viewer), prompt, text)

    async def export(self, viewer: Viewer, deal: int) -> str:
        room, _ = self._place_of(viewer)
        if room.newer:
            raise room_newer()
        if room.state is None:
            raise no_such_room()
        try:
            return await exported(self._store, self._long_work, room.state, deal)
        except Refused:
            raise unavailable() from None

    async def rooms(self) -> tuple[RoomSummary, ...]:
        return await self._summaries.submit(None)

    def drain(self) -> None:
        """It is about to stop: no more rooms, and the others are told."""
        self._draining = True
        self._neighbours.leave()

    def servers(self) -> tuple[str, ...]:
        return self._neighbours.servers()

    async def check(self) -> None:
        self._must_stay()
        try:
            await self._store.check()
        except Refused:
            raise unavailable() from None

    def detach(self, viewer: Viewer) -> None:
        room = self._placed.pop(viewer, None)
        if room is not None:
            room.audience.detach(viewer)
            self._rooms.let_go(room.code)

    # What the server's operator asks

    @property
    def rooms_here(self) -> tuple[Room, ...]:
        """Those that somebody is connected to at this node, or is just asking for."""
        return self._rooms.all

    async def close_room(self, code: str) -> None:
        """End a room, whichever nodes serve it. Raises `Refusal`."""
        async with self._rooms.using(_tidy(code)) as room:
            await room.submit(CloseRoom())

    async def expel(self, code: str, seat: Seat) -> None:
        """Take a player's seat away, wherever the player is connected. Raises `Refusal`."""
        async with self._rooms.using(_tidy(code)) as room:
            await room.submit(Expel(seat))

    async def _list(self, askers: Sequence[None]) -> Sequence[tuple[RoomSummary, ...] | Exception]:
        try:
            found = read_summaries(await self._store.listed())
        except Refused:
            return [unavailable() for _ in askers]
        return [found for _ in askers]

    # What the store tells (store.base.Listener)

    def appended(self, room: str, version: int, entry: bytes) -> None:
        opened = self._rooms.get(room)
        if opened is None:
            return

        def take(room: Room) -> None:
            if not room.appended(version, entry):
                self._tasks.spawn(self._read_on(room))

        self._rooms.each((opened,), take)
        self._company.heard_in(opened)
        self._rooms.let_go(room)  # its last viewer here may have lost the seat

    def heard(self, room: str, words: bytes) -> None:
        if room == CHANNEL:
            self._neighbours.hear(words)
            self._company.heard()
            return
        opened, decoded = self._rooms.get(room), decode_words(words)
        if opened is None or decoded is None:
            return

        def take(room: Room) -> None:
            if room.audience.heard(decoded):
                self._rooms.tell_here(room)

        self._rooms.each((opened,), take)
        self._company.heard_in(opened)

    def lost(self) -> None:
        self._watch.deaf()

    def interrupted(self) -> None:
        self._watch.hearing()

    async def _read_on(self, room: Room) -> None:
        await self._rooms.catch_up((room,))

    # Viewers

    def _seat(self, viewer: Viewer, room: Room, seat: Seat, connection: str, secret: str) -> None:
        state = room.state
        if state is None or state.seats[seat].connection != connection:
            viewer.replace()  # a newer connection came between
            return
        self._placed[viewer] = room
        viewer.place(Seated(room.code, seat, f"{room.code}.{secret}"))
        room.audience.attach(viewer, seat, connection)

    def _seat_by_ticket(self, viewer: Viewer, room: Room, connection: str, secret: str) -> None:
        seat = None if room.state is None else seat_of_ticket(room.state, _hashed(secret))
        if seat is None:
            viewer.unseat("removed")
            return
        self._seat(viewer, room, seat, connection, secret)

    def _must_be_free(self, viewer: Viewer) -> None:
        room = self._placed.get(viewer)
        if room is not None and room.audience.attached(viewer) is not None:
            raise Refusal(ErrorCode.IN_A_ROOM, "You are in a room already; leave it first.")

    def _must_stay(self) -> None:
        if self._draining:
            raise Refusal(
                ErrorCode.DRAINING, "This server stops; another one may open the room.", retry_ms=DRAINING_RETRY_MS
            )

    def _place_of(self, viewer: Viewer) -> tuple[Room, Attached]:
        room = self._placed.get(viewer)
        attached = None if room is None else room.audience.attached(viewer)
        if room is None or attached is None:
            raise Refusal(ErrorCode.NOT_SEATED, "You are not in a room.")
        return room, attached

    def _view_of(self, viewer: Viewer) -> TableView:
        """What the seat of this viewer sees now."""
        room, attached = self._place_of(viewer)
        if attached.seat is None:
            raise Refusal(ErrorCode.NOT_SEATED, "Spectators cannot do that.")
        if room.state is None:
            raise no_such_room()
        return table_view(room.state, attached.seat, (), self._store.now_ms())

    def _new_connection(self) -> str:
        return f"{self._name}.{next(self._connections)}"


def _hashed(secret: str) -> bytes:
    return sha256(secret.encode()).digest()[:16]


def _tidy(code: str) -> str:
    """Raises `Refusal` for what can be no room code."""
    tidy = tidied(code)
    if tidy is None:
        raise no_such_room()
    return tidy
