"""One room on one node: the folded log, the commands that go into it, and the viewers that are shown what it says.

Write first, tell after: a viewer is shown only what the store has confirmed.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import Notice, Said
from protocol.view import Happening, TableView
from server.chance import Chance
from server.games.base import Seat
from server.node.port import Viewer
from server.node.presence import Presence
from server.node.words import Here, Spoken, Words, encode_words
from server.rooms.commands import ByPlayer, Command, Regrant, Resume
from server.rooms.decide import decide
from server.rooms.digest import digest_of
from server.rooms.due import kept_ms
from server.rooms.events import (
    Commit,
    NewerCommit,
    Regranted,
    Resumed,
    SeatTaken,
    SeatVacated,
    UnknownCommit,
    VacatedWhy,
    decode_commit,
    encode_commit,
)
from server.rooms.fold import OtherRules, OtherState, Unfoldable, fold
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState
from server.rooms.view import happened, table_views, timeless
from server.store.base import (
    CHAIN_BYTES,
    EMPTY,
    Corrupt,
    Position,
    Refused,
    RolledBack,
    Store,
    TooEarly,
    Unknown,
    VersionConflict,
    seal,
    unseal,
)

logger = logging.getLogger(__name__)

ATTEMPTS = 20
"""How often a command is decided again after others came first, before its sender is told to try again."""

FINAL = frozenset((ErrorCode.BAD_TICKET, ErrorCode.ROOM_FULL))
"""Refusals after which nobody asks again: they must not come from a node that has missed an entry."""

FOLDED_AT_ONCE = 100
"""Entries of a long log that are folded before others have their turn on the event loop: about 2 ms."""


def room_damaged() -> Refusal:
    return Refusal(ErrorCode.ROOM_DAMAGED, "This server cannot read the room, so it cannot be played on here.")


def room_newer() -> Refusal:
    return Refusal(ErrorCode.ROOM_NEWER, "A newer server has written in this room; this one can only show it.")


class Attached:
    """A viewer at this room: its seat (None: a spectator), its connection's name, and what it was shown last.

    `ticket` (a hash): of the seat; `since_ms`: by the log's clock, when the connection had the seat for sure.
    """

    def __init__(self, viewer: Viewer, seat: Seat | None, connection: str, ticket: bytes, since_ms: int) -> None:
        self.viewer = viewer
        self.seat = seat
        self.connection = connection
        self.ticket = ticket
        self.since_ms = since_ms
        self.shown: TableView | None = None


class _Folded(NamedTuple):
    """An entry worked out: where it leads, the state there, and what of it is public."""

    position: Position
    state: RoomState
    commit: Commit
    happenings: tuple[Happening, ...]


def _folded(state: RoomState | None, commit: Commit) -> tuple[RoomState, tuple[Happening, ...]]:
    happenings: list[Happening] = []
    after = fold(state, commit, lambda before, event, then: happenings.extend(happened(before, event, then)))
    return after, tuple(happenings)


class _Unfolding:
    """Entries being folded on from a place in the log, one at each step of the iteration.

    `steps`: those that are done. `stop`: why it ended before the last entry, if it did; it names no card. `newer`: for
    the reason that another version of the server wrote it.
    """

    def __init__(self, state: RoomState | None, position: Position, entries: tuple[bytes, ...]) -> None:
        self.steps: list[_Folded] = []
        self.stop = ""
        self.newer = False
        self._state = state
        self._position = position
        self._entries = entries

    def __iter__(self) -> Iterator[_Folded]:
        state, position = self._state, self._position
        try:
            for entry in self._entries:
                payload, after = unseal(position, entry)
                commit = decode_commit(payload)
                state, happenings = _folded(state, commit)
                position = after
                step = _Folded(position, state, commit, happenings)
                self.steps.append(step)
                yield step
        except (Corrupt, UnknownCommit, Unfoldable) as error:
            self.stop = f"entry {position.version + 1}: {type(error).__name__}"
            self.newer = isinstance(error, NewerCommit | OtherRules | OtherState)


class Room:
    """A room that this node has open. `changed` is set whenever something that its dues depend on has changed.

    `broken`: its log is damaged. `newer`: another version of the server has written in it, so here it is only shown, as
    it was before that.
    """

    def __init__(self, code: str, node: str, store: Store, chance: Chance) -> None:
        self.code = code
        self.state: RoomState | None = None
        self.broken = False
        self.newer = False
        self.changed = asyncio.Event()
        self.presence = Presence(node, store.now_ms())
        self._node = node
        self._store = store
        self._chance = chance
        self._position = EMPTY
        self._one_at_a_time = asyncio.Lock()
        self._attached: dict[Viewer, Attached] = {}
        self._tried: set[bytes] = set()
        self._writing: dict[tuple[Position, bytes], _Folded] = {}
        self._landed = False

    # The log

    async def submit(self, command: Command, not_before_ms: int = 0) -> None:
        """Decide, write, show. Returns once it is durable, or turned out to be done already.

        Raises `Refusal`, and what `decide` raises beside it.
        """
        numbered = command.numbered() if isinstance(command, ByPlayer) else None

        def attempt(now_ms: int) -> Commit | None:
            events = decide(self.state, command, now_ms)
            return Commit(self._chance.command_id(), self._node, now_ms, events, numbered) if events else None

        await self._write(attempt, not_before_ms)

    async def keep(self) -> None:
        """Renew the time that the log is kept, by a commit that changes nothing."""
        await self._write(lambda now_ms: Commit(self._chance.command_id(), self._node, now_ms, ()), 0)

    async def regrant(self, since_ms: int) -> None:
        """The store was out of reach from then until now. Raises `Refusal`."""
        if self.presence.connected:
            await self.submit(Regrant(since_ms))

    async def _write(self, attempt: Callable[[int], Commit | None], not_before_ms: int) -> None:
        async with self._one_at_a_time:
            self._tried, self._landed = set(), False
            for _ in range(ATTEMPTS):
                if self.broken:
                    raise room_damaged()
                if self.newer:
                    raise room_newer()
                try:
                    commit = attempt(self._now_ms())
                except Refusal as refusal:
                    if refusal.code in FINAL and await self.catch_up():
                        continue
                    raise
                if commit is None:
                    return
                self._tried.add(commit.id)
                await self._append(commit, not_before_ms)
                if self._landed:
                    return
        raise Refusal(ErrorCode.STORE_UNAVAILABLE, "The room is too busy; send the command again.", retry_ms=200)

    async def _append(self, commit: Commit, not_before_ms: int) -> None:
        """Sets `_landed` when one of the commits tried is in the log; else others came first: decide again."""
        expected = self._position
        # Folded before it is written: what does not fold must never get into a log.
        state, happenings = _folded(self.state, commit)
        commit = replace(commit, digest=digest_of(state))
        entry, after = seal(expected, encode_commit(commit))
        folded = _Folded(after, state, commit, happenings)
        self._writing = {(expected, entry): folded}
        keep_ms = kept_ms(state)
        try:
            await self._store.append(self.code, expected, entry, keep_ms=keep_ms, not_before_ms=not_before_ms)
        except VersionConflict as conflict:
            if self._position == expected and conflict.entries:
                self._absorb(conflict.entries)
            else:
                await self.catch_up()
        except Unknown:
            await self.catch_up()
        except TooEarly as early:
            raise Refusal(ErrorCode.STORE_UNAVAILABLE, f"Not done yet: {early}", retry_ms=200) from None
        except Refused:
            raise Refusal(ErrorCode.STORE_UNAVAILABLE, "Not saved, so not done.", retry_ms=1000) from None
        else:
            self._landed = True
            if self._position == expected:
                self._take((folded,))

    async def catch_up(self) -> bool:
        """Read on from the last entry known. Returns whether there was anything new.

        Raises `Refusal` while the store is out of reach.
        """
        reset = False
        while not self.broken:
            known = self._position
            since, state = (EMPTY, None) if reset else (known, self.state)
            try:
                entries = await self._store.read(self.code, since)
            except RolledBack:
                if self._position == known:
                    logger.error("room %s: the store lost entries that were acknowledged", self.code)
                    reset = True
                continue
            except Refused:
                raise Refusal(ErrorCode.STORE_UNAVAILABLE, "Not known to be saved.", retry_ms=1000) from None
            unfolding = _Unfolding(state, since, entries)
            for done, _ in enumerate(unfolding, 1):
                if done % FOLDED_AT_ONCE == 0:
                    await asyncio.sleep(0)
            if self._position != known:
                continue
            if reset and not entries:
                self.state, self._position = None, EMPTY
                self._end("closed")
            self._hold(unfolding, quiet=reset)
            return reset or bool(unfolding.steps)
        return False

    def appended(self, version: int, entry: bytes) -> bool:
        """The store says that an entry was appended. False: it does not join on to what is known here, since entries
        were missed or the store has lost some; only the log itself can tell, so it must be caught up.
        """
        at = self._position
        if version == at.version:
            return entry[:CHAIN_BYTES] == at.chain
        if version == at.version + 1:
            if folded := self._writing.get((at, entry)):  # our own comes back, mostly before the answer to its append
                self._take((folded,))
                return True
            try:
                unseal(at, entry)
            except Corrupt:
                return False
            self._absorb((entry,))
            if self.state is not None:
                self.presence.hear_of(self.state.writer, self._store.now_ms())
        return version <= self._position.version or self.broken or self.newer

    def _absorb(self, entries: tuple[bytes, ...]) -> None:
        unfolding = _Unfolding(self.state, self._position, entries)
        for _ in unfolding:
            pass
        self._hold(unfolding)

    def _hold(self, unfolding: "_Unfolding", quiet: bool = False) -> None:
        if unfolding.steps:
            self._take(unfolding.steps, quiet)
        was_newer, self.newer = self.newer, unfolding.newer
        if unfolding.newer:
            if not was_newer:
                logger.error("room %s can only be shown here: %s", self.code, unfolding.stop)
                self.tell_all(Notice("newer"))
                self.changed.set()
        elif unfolding.stop:
            logger.error("room %s stopped: %s", self.code, unfolding.stop)
            self.break_off()

    def _take(self, folded: Iterable[_Folded], quiet: bool = False) -> None:
        """The log is known to be so far: hold its state, and let the viewers see it."""
        happenings: list[Happening] = []
        taken_ms: dict[Seat, int] = {}
        taken_at: dict[Seat, str] = {}
        vacated: dict[Seat, VacatedWhy] = {}
        for step in folded:
            self.state, self._position = step.state, step.position
            self._landed = self._landed or step.commit.id in self._tried
            happenings += step.happenings
            for event in step.commit.events:
                if isinstance(event, Resumed | SeatTaken):
                    taken_ms[event.seat] = step.commit.at_ms
                    taken_at[event.seat] = step.commit.writer
                elif isinstance(event, SeatVacated):
                    vacated[event.seat] = event.why
                if isinstance(event, Regranted) or (isinstance(event, Resumed) and event.woke):
                    self._show_time()
        for seat, node in taken_at.items():
            self.presence.seen(seat, node, self._store.now_ms())
        self._unseat(taken_ms, vacated)
        if quiet:
            for attached in self._attached.values():
                attached.viewer.tell(Notice("reset"))
                attached.shown = None
        self._show(() if quiet else tuple(happenings))
        if self.state is not None and self.state.closed:
            self._end("closed")
        self.changed.set()

    def _show_time(self) -> None:
        """Whoever is asked has more time than they were told."""
        for attached in self._attached.values():
            if attached.shown is not None and attached.shown.prompt is not None:
                attached.shown = None
                attached.viewer.renew()

    def _now_ms(self) -> int:
        return max(self._store.now_ms(), self.state.last_at_ms if self.state else 0)

    # The viewers

    @property
    def watched(self) -> bool:
        return bool(self._attached)

    def attached(self, viewer: Viewer) -> Attached | None:
        return self._attached.get(viewer)

    def attach(self, viewer: Viewer, seat: Seat | None, connection: str) -> None:
        """From now on the viewer is shown the room, the table as it stands first."""
        assert self.state is not None
        ticket = b"" if seat is None else self.state.seats[seat].ticket
        self._attached[viewer] = Attached(viewer, seat, connection, ticket, self.state.last_at_ms)
        self._count_players()
        if self.newer:
            viewer.tell(Notice("newer"))

    def detach(self, viewer: Viewer) -> None:
        if self._attached.pop(viewer, None) is not None:
            self._count_players()

    def tell_all(self, notice: Notice) -> None:
        for attached in list(self._attached.values()):
            attached.viewer.tell(notice)

    def send_away(self) -> None:
        """Have the viewers connect to other servers."""
        for attached in list(self._attached.values()):
            attached.viewer.send_away()

    def _unseat(self, taken_ms: Mapping[Seat, int], vacated: Mapping[Seat, VacatedWhy]) -> None:
        """Send away the connections whose seat is no longer theirs: given up, passed to a newer connection, or lost
        with the entries that a store has lost. Where only their coming is lost they stay, for `take_back`.
        """
        if self.state is None:
            return
        for attached in list(self._attached.values()):
            if attached.seat is None or not self._forgotten(attached):
                continue
            same_player = self.state.seats[attached.seat].ticket == attached.ticket
            if same_player and taken_ms.get(attached.seat, 0) < attached.since_ms:
                continue
            del self._attached[attached.viewer]
            if attached.seat in vacated:
                attached.viewer.unseat(vacated[attached.seat])
            else:
                attached.viewer.replace()
            self._count_players(show=False)

    def _forgotten(self, attached: Attached) -> bool:
        """Does the log name another connection for the seat?"""
        assert self.state is not None
        return attached.seat is not None and self.state.seats[attached.seat].connection != attached.connection

    async def take_back(self) -> bool:
        """Players who are connected here, while a store has lost that they came, come again. Raises `Refusal`.

        Were there any?
        """
        forgotten = [each for each in self._attached.values() if self.state is not None and self._forgotten(each)]
        for attached in forgotten:
            await self.submit(Resume(attached.ticket, attached.connection, woke=False))
        return bool(forgotten)

    def break_off(self) -> None:
        """Stop here: the room cannot be carried on by this node."""
        self.broken = True
        self._end("damaged")

    def _end(self, reason: str) -> None:
        for attached in list(self._attached.values()):
            del self._attached[attached.viewer]
            attached.viewer.unseat(reason)
        self._count_players(show=False)

    def _show(self, happenings: tuple[Happening, ...]) -> None:
        if self.state is None:
            return
        shown_to = list(self._attached.values())
        seats = [attached.seat for attached in shown_to]
        views = table_views(self.state, seats, self.presence.connected, self._store.now_ms())
        for attached, view in zip(shown_to, views, strict=True):
            news = timeless(view)
            if happenings or news != attached.shown:
                attached.shown = news
                attached.viewer.show(view, happenings)

    # Presence and chat: beside the log

    def _count_players(self, show: bool = True) -> None:
        seats = tuple(sorted({a.seat for a in self._attached.values() if a.seat is not None}))
        if seats != self.presence.here:
            self.presence.set_here(seats, self._store.now_ms())
            self.changed.set()
        if show:
            self._show(())

    def forget_silent(self, unheard: bool) -> None:
        """Players whose node has not been heard for long are not connected. `unheard`: this node could not hear."""
        before = self.presence.connected
        if unheard:
            self.presence.begin_anew(self._store.now_ms())
        self.presence.forget_silent(self._store.now_ms())
        if self.presence.connected != before:
            self.changed.set()
            self._show(())

    def here(self, asking: bool = False) -> bytes:
        """What this node tells the others about who is connected to it."""
        return encode_words(Here(self._node, self.presence.here, asking))

    def heard(self, words: Words) -> bool:
        """Another node, or this one, told something. True: it asks who is connected here."""
        if isinstance(words, Spoken):
            for attached in list(self._attached.values()):
                attached.viewer.tell(Said(words.name, words.text, words.seat))
            return False
        if words.node == self._node:
            return False
        self.presence.hear(words.node, words.seats, self._store.now_ms())
        self.changed.set()
        self._show(())
        return words.asking
