"""What a room does by itself: deals, moves of bots, deadlines, players who stay away. One task per open room.

Every node that has the room open knows the same dues. The writer of the last commit acts on time and the others a
little later, each by its rank; the append decides who was first. A room without dues waits without a timer.
"""

import asyncio
import logging
from contextlib import suppress

from protocol.notation import Action
from server import tracing
from server.bots.pool import BotPool
from server.chance import Chance
from server.clock import Clock
from server.faults import kind_and_place
from server.games.base import Seat
from server.node.listing import Listing
from server.node.presence import HEARTBEAT_MS
from server.node.room import Room
from server.rooms.commands import (
    AskHost,
    DealCards,
    GoOn,
    MarkAway,
    PassForSeat,
    PassHost,
    PlayForSeat,
    Regrant,
    TimeUp,
    VoidRound,
)
from server.rooms.due import Due, Timing, dues
from server.rooms.refusal import Refusal
from server.rooms.rounds import seed_of
from server.rooms.state import RoomState, asked, bot_level, rules, window
from server.rooms.view import table_view
from server.store.base import Refused, Store

logger = logging.getLogger(__name__)

RANK_MS = 250
"""How much later each further node acts, if those before it have not."""

RETRY_MS = 1_000
"""The pause after what was due was refused, where the refusal names none."""

STALLED_MS = 2_000
"""A deadline that is found to have passed so long ago passed while this node did not run: the machine slept, or the
process was stopped. Its player could not answer either.
"""

STALLING = ("time_up", "void")

BOT_TIMEOUT_MS = 2_000
LEAST_BOT_TIMEOUT_MS = 100


class Driver:
    """Runs one room's dues until it is cancelled."""

    def __init__(
        self,
        room: Room,
        listing: Listing,
        node: str,
        store: Store,
        pool: BotPool,
        clock: Clock,
        chance: Chance,
        timing: Timing,
    ) -> None:
        self._room = room
        self._node = node
        self._store = store
        self._pool = pool
        self._clock = clock
        self._chance = chance
        self._timing = timing
        self._listing = listing
        self._told: tuple[Seat, ...] | None = ()
        self._tell_again_ms: int | None = store.now_ms() + HEARTBEAT_MS
        self._thought: tuple[Due, Action] | None = None
        self._tried: tuple[Due, int] | None = None
        self._alarm: asyncio.Future[None] | None = None
        self._alarm_ms = 0

    async def run(self) -> None:
        """Raises nothing of its own: a fault is logged, harms no other room, and has this one opened afresh."""
        try:
            while not self._room.broken:
                self._room.changed.clear()
                await self._wait(await self._step())
        except Exception as error:  # noqa: BLE001 - the edge of one room: the others go on
            logger.error(
                "room %s: its driver failed: %s",
                self._room.code,
                kind_and_place(error),
                extra={"room": self._room.code},
            )
            self._room.give_up()
        finally:
            self._silence()

    async def _step(self) -> int | None:
        """Do what is due now; returns when to look again unless something changes, None for never."""
        state = self._room.state
        if state is None:
            return None
        presence = self._room.presence
        now_ms = self._store.now_ms()
        tell_ms = await self._tell_who_is_here(now_ms)
        if self._room.newer:
            return tell_ms
        list_ms = await self._listing.renew(state, bool(presence.connected), now_ms)
        again_ms = min((at_ms for at_ms in (tell_ms, list_ms) if at_ms is not None), default=None)
        due = next(iter(dues(state, presence.gone_since_ms, self._timing)), None)
        try:
            await self._room.take_back()
        except Refusal as refusal:
            return now_ms + (refusal.retry_ms or RETRY_MS)
        if due is None:
            return again_ms
        handicap_ms = self._handicap_ms(state)
        if due.kind == "bot" and not handicap_ms:
            await self._think(state, due)
        at_ms = due.at_ms + handicap_ms
        if now_ms < at_ms:
            return at_ms if again_ms is None else min(at_ms, again_ms)
        try:
            if handicap_ms and await self._room.catch_up():
                return now_ms  # somebody has done it, and only the word of it was lost
            with tracing.span("due", under=tracing.ROOT, kind=due.kind):
                await self._perform(state, due, await self._late_ms(due, at_ms) if due.kind in STALLING else 0)
        except Refusal as refusal:
            return now_ms + (refusal.retry_ms or RETRY_MS)
        return now_ms

    async def _tell_who_is_here(self, now_ms: int) -> int | None:
        """Words may be lost: what has changed is told at once, and once more later. Returns when, None for never."""
        here = self._room.presence.here
        if here != self._told:
            self._tell_again_ms = now_ms + HEARTBEAT_MS
        elif self._tell_again_ms is not None and now_ms >= self._tell_again_ms:
            self._tell_again_ms = None
        else:
            return self._tell_again_ms
        try:
            await self._store.tell(self._room.code, self._room.audience.here(asking=self._tell_again_ms is None))
            self._told = here
        except Refused:
            self._told = None
        return self._tell_again_ms

    async def _late_ms(self, due: Due, at_ms: int) -> int:
        """How late it was when it was first tried: to be told to wait is no standstill."""
        if self._tried is None or self._tried[0] != due:
            with suppress(Refused):
                await self._store.check()  # asks for the time: a machine that slept does not know how long
            self._tried = due, self._store.now_ms() - at_ms
        return self._tried[1]

    def _handicap_ms(self, state: RoomState) -> int:
        if self._room.presence.alone:
            return 0
        ranked = sorted(self._room.presence.nodes, key=lambda node: (node != state.writer, node))
        return RANK_MS * ranked.index(self._node)

    async def _wait(self, until_ms: int | None) -> None:
        """Until the room changes, or until then. An alarm that is set for earlier stays: to wake for nothing is cheaper
        than to set it anew at every change.
        """
        if until_ms is None:
            self._silence()
        elif (pause_ms := until_ms - self._store.now_ms()) <= 0:
            return
        elif not self._rings_by(until_ms):
            self._silence()
            self._alarm, self._alarm_ms = asyncio.ensure_future(self._ring(pause_ms)), until_ms
        await self._room.changed.wait()

    async def _ring(self, pause_ms: int) -> None:
        await self._clock.sleep_ms(pause_ms)
        self._room.changed.set()

    def _rings_by(self, at_ms: int) -> bool:
        return self._alarm is not None and not self._alarm.done() and self._alarm_ms <= at_ms

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    async def _perform(self, state: RoomState, due: Due, late_ms: int) -> None:
        room, seat = self._room, due.seat
        if due.kind == "keep":
            await room.keep()
        elif due.kind == "go_on":
            await room.submit(GoOn(rules(state).moment(state.table)))
        elif due.kind == "void":
            if not await self._is_regranted(state, due, late_ms):
                first_round = state.rounds[0]
                void = VoidRound(first_round.deal, first_round.attempt, self._chance.secret())
                await room.submit(void, not_before_ms=due.at_ms)
        elif due.kind == "deal" or seat is None:
            seed = seed_of(state)
            deck, first = self._chance.dealt(rules(state).pack, seed or self._chance.secret())
            await room.submit(DealCards(deck, first, seed, self._chance.secret()))
        elif due.kind == "away":
            await room.submit(MarkAway(seat))
        elif due.kind == "ask_host":
            await room.submit(AskHost(seat), not_before_ms=due.at_ms)
        elif due.kind == "pass_host":
            await room.submit(PassHost(seat), not_before_ms=due.at_ms)
        elif due.kind == "auto_pass":
            await room.submit(PassForSeat(seat, due.prompt))
        elif due.kind == "bot":
            await room.submit(PlayForSeat(seat, due.prompt, await self._think(state, due)))
        else:
            if await self._is_regranted(state, due, late_ms):
                return
            offered = asked(state).get(seat, ())
            action = await self._choice(state, seat) if offered and "pass" not in offered else None
            await room.submit(TimeUp(seat, due.prompt, action), not_before_ms=due.at_ms)

    async def _is_regranted(self, state: RoomState, due: Due, late_ms: int) -> bool:
        """Whoever is asked has more time, since they could not answer while this node did not run."""
        if late_ms > STALLED_MS:
            await self._room.submit(Regrant(due.at_ms), not_before_ms=due.at_ms)
        return self._room.state is not state

    async def _think(self, state: RoomState, due: Due) -> Action:
        """A bot's choice, made while what it answers stands on the table: when it comes tells nothing of the hand."""
        assert due.seat is not None
        if self._thought is None or self._thought[0] != due:
            self._thought = due, await self._choice(state, due.seat)
        return self._thought[1]

    async def _choice(self, state: RoomState, seat: Seat) -> Action:
        """The only legal action, or a bot's choice from the seat's own view."""
        offered = asked(state)[seat]
        if len(offered) == 1:
            return offered[0]
        view = table_view(state, seat, (), self._store.now_ms())
        level = bot_level(state.seats[seat])
        draw = int.from_bytes(self._chance.command_id()[:6], "big")
        return await self._pool.choose(state.game, level, view, draw, timeout_ms=self._patience_ms(state))

    def _patience_ms(self, state: RoomState) -> int:
        """How long a bot may think: on a claim half of what is left of the beat, so that the next bot's thought fits in
        too. A card that stands longer would tell that somebody was asked.
        """
        left_ms = state.moved_at_ms + self._timing.beat_ms - self._store.now_ms()
        if left_ms <= 0 or not window(state):
            return BOT_TIMEOUT_MS
        return max(LEAST_BOT_TIMEOUT_MS, min(BOT_TIMEOUT_MS, left_ms // 2))
