"""One room on one node: the folded log, and the commands that go into it.

Write first, tell after: the audience sees only what the store has confirmed.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import nullcontext

from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import Notice
from server import tracing
from server.chance import Chance
from server.node.audience import Audience
from server.node.long_work import LongWork
from server.node.unfolding import Folded, News, Unfolding, folded
from server.rooms.commands import ByPlayer, Command, Regrant, Resume
from server.rooms.decide import decide
from server.rooms.digest import FOLD, digest_of
from server.rooms.due import kept_ms, runs_out_ms
from server.rooms.events import Commit, encode_commit
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState
from server.store.base import (
    CHAIN_BYTES,
    EMPTY,
    Corrupt,
    Full,
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

AT_ONCE = 10
"""Entries of others that are folded as they come. More are read from the log, with pauses for other rooms."""

ABOUT_MS = 1_000
"""How far the time at which a log runs out may be off: stores count it from when they write."""

FINAL = frozenset((ErrorCode.BAD_TICKET, ErrorCode.ROOM_FULL))
"""Refusals after which nobody asks again: they must not come from a node that has missed an entry."""


def room_damaged() -> Refusal:
    return Refusal(ErrorCode.ROOM_DAMAGED, "This server cannot read the room, so it cannot be played on here.")


def room_given_up() -> Refusal:
    return Refusal(ErrorCode.STORE_UNAVAILABLE, "This server failed the room and opens it afresh.", retry_ms=200)


def room_newer() -> Refusal:
    return Refusal(ErrorCode.ROOM_NEWER, "A newer server has written in this room; this one can only show it.")


class _Write:
    """A write under way. `tried`: the ids of the commits made for it, of which one may be in the log unknown to this
    node; `landed`: one of them is. `sent`: the last of them, as it would be if nobody came first.
    """

    def __init__(self) -> None:
        self.tried: set[bytes] = set()
        self.landed = False
        self.asked_by = tracing.here()
        self.sent: tuple[Position, bytes, Folded] | None = None

    def sent_as(self, at: Position, entry: bytes) -> Folded | None:
        """What is known already of an entry, if this write sent it to that place."""
        return self.sent[2] if self.sent is not None and self.sent[:2] == (at, entry) else None

    def meet(self, news: News) -> bool:
        """These commits are in the log. Is one of them of this write?"""
        ours = not self.tried.isdisjoint(news.commits)
        self.landed |= ours
        return ours


class Room:
    """A room that this node has open. `changed` is set whenever something that its dues depend on has changed.

    `broken`: it goes on no more and is to be opened afresh, since its log is damaged or this node failed it. `newer`:
    another version of the server has written in it, so here it is only shown, as it was before that.
    """

    def __init__(self, code: str, node: str, store: Store, chance: Chance, long_work: LongWork) -> None:
        self.code = code
        self.state: RoomState | None = None
        self.damaged = False
        self.broken = False
        self.newer = False
        self.created_ms = 0
        """By the store's clock, once its log has been read."""
        self.changed = asyncio.Event()
        self.audience = Audience(node, store.now_ms, self.changed)
        self.presence = self.audience.presence
        self._node = node
        self._store = store
        self._chance = chance
        self._long_work = long_work
        self._position = EMPTY
        self._one_at_a_time = asyncio.Lock()
        self._write = _Write()

    # Into the log

    async def submit(self, command: Command, not_before_ms: int = 0) -> None:
        """Decide, write, show. Returns once it is durable, or turned out to be done already.

        Raises `Refusal`, and what `decide` raises beside it.
        """
        numbered = command.numbered() if isinstance(command, ByPlayer) else None

        def attempt(now_ms: int) -> Commit | None:
            events = decide(self.state, command, now_ms)
            return Commit(self._chance.command_id(), self._node, now_ms, events, numbered) if events else None

        await self._written(attempt, not_before_ms)

    async def keep(self) -> None:
        """Renew the time that the log is kept, by a commit that changes nothing."""

        def attempt(now_ms: int) -> Commit | None:
            return Commit(self._chance.command_id(), self._node, now_ms, ()) if self.state is not None else None

        await self._written(attempt, 0)

    async def regrant(self, since_ms: int) -> None:
        """The store was out of reach from then until now. Raises `Refusal`."""
        if self.presence.connected:
            await self.submit(Regrant(since_ms))

    async def take_back(self) -> bool:
        """Players who are connected here, while a store has lost that they came, come again. Raises `Refusal`.

        Were there any?
        """
        forgotten = self.audience.forgotten()
        for attached in forgotten:
            await self.submit(Resume(attached.ticket, attached.connection, woke=False))
        return bool(forgotten)

    async def _written(self, attempt: Callable[[int], Commit | None], not_before_ms: int) -> None:
        async with self._one_at_a_time:
            self._write = write = _Write()
            for _ in range(ATTEMPTS):
                if self.broken:
                    raise room_damaged() if self.damaged else room_given_up()
                if self.newer:
                    raise room_newer()
                try:
                    with tracing.span("decide"):
                        commit = attempt(self._now_ms())
                except Refusal as refusal:
                    if refusal.code in FINAL and await self.catch_up():
                        continue
                    raise
                if commit is None:
                    return
                write.tried.add(commit.id)
                await self._append(write, commit, not_before_ms)
                if write.landed:
                    return
        raise Refusal(ErrorCode.STORE_UNAVAILABLE, "The room is too busy; send the command again.", retry_ms=200)

    async def _append(self, write: _Write, commit: Commit, not_before_ms: int) -> None:
        """One attempt. Where it has not landed, others came first: decide again."""
        expected = self._position
        # Folded before it is written: what does not fold must never get into a log.
        state, happenings = folded(self.state, commit)
        commit = replace(commit, digest=digest_of(state), fold=FOLD)
        entry, after = seal(expected, encode_commit(commit))
        step = Folded(after, state, commit, happenings)
        write.sent = expected, entry, step
        keep_ms = kept_ms(state)
        try:
            with tracing.span("append"):
                await self._store.append(self.code, expected, entry, keep_ms=keep_ms, not_before_ms=not_before_ms)
        except VersionConflict as conflict:
            few = 0 < len(conflict.entries) <= AT_ONCE
            if self._position != expected or not few or not self._absorb(conflict.entries):
                await self.catch_up()
        except Unknown:
            await self.catch_up()
        except TooEarly as early:
            raise Refusal(ErrorCode.STORE_UNAVAILABLE, f"Not done yet: {early}", retry_ms=200) from None
        except Full:
            raise Refusal(
                ErrorCode.STORE_UNAVAILABLE, "The server is full, and opens no new rooms for now.", retry_ms=5000
            ) from None
        except Refused:
            raise Refusal(ErrorCode.STORE_UNAVAILABLE, "Not saved, so not done.", retry_ms=1000) from None
        else:
            write.landed = True
            if self._position == expected:
                self._take(News(step))

    def _now_ms(self) -> int:
        return max(self._store.now_ms(), self.state.last_at_ms if self.state else 0)

    # Out of the log

    async def catch_up(self) -> bool:
        """Read on from the last entry known. Returns whether there was anything new.

        Raises `Refusal` while the store is out of reach.
        """
        reset = doubted = False
        while not self.broken:
            known = self._position
            since, state = (EMPTY, None) if reset else (known, self.state)
            async with self._long_work.loads if since == EMPTY else nullcontext():
                try:
                    entries = await self._store.read(self.code, since)
                except RolledBack:
                    reset = reset or self._position == known
                    continue
                except Refused:
                    raise Refusal(ErrorCode.STORE_UNAVAILABLE, "Not known to be saved.", retry_ms=1000) from None
                unfolding = await Unfolding(state, since, entries).in_turns(self._long_work)
            if self._position != known:
                continue
            if unfolding.damaged and not doubted:
                doubted = True  # the fault may lie in the reading
                continue
            if reset:
                self._say_what_was_lost(entries)
            if reset and not entries:
                self.state, self.audience.state, self._position = None, None, EMPTY
                self.audience.end("closed")
            self._hold(unfolding, quiet=reset)
            if unfolding.damaged:
                logger.error("room %s stopped: %s", self.code, unfolding.stop, extra={"room": self.code})
                self.break_off()
            return reset or bool(unfolding.news)
        return False

    def _say_what_was_lost(self, entries: tuple[bytes, ...]) -> None:
        if not entries and self.state is not None and self._store.now_ms() >= runs_out_ms(self.state) - ABOUT_MS:
            logger.info("room %s has run out", self.code, extra={"room": self.code})
        else:
            logger.error("room %s: the store lost entries that were acknowledged", self.code, extra={"room": self.code})

    def appended(self, version: int, entry: bytes) -> bool:
        """The store says that an entry was appended. False: it does not join on to what is known here, since entries
        were missed or the store has lost some; only the log itself can tell, so it must be caught up. Late word of an
        entry before the last one known tells nothing, not even whether the store has lost what came after it.
        """
        at = self._position
        if version == at.version:
            return entry[:CHAIN_BYTES] == at.chain
        if version == at.version + 1:
            if step := self._write.sent_as(at, entry):  # our own comes back, mostly before the answer to its append
                self._take(News(step))
                return True
            try:
                unseal(at, entry)
            except Corrupt:
                return False
            if not self._absorb((entry,)):
                return False
            if self.state is not None:
                self.presence.hear_of(self.state.writer, self._store.now_ms())
        return version <= self._position.version or self.broken or self.newer

    def _absorb(self, entries: tuple[bytes, ...]) -> bool:
        """Take in what was told. False: some of it makes no sense, and the log itself must be asked."""
        unfolding = Unfolding(self.state, self._position, entries).at_once()
        self._hold(unfolding)
        return not unfolding.damaged

    def _hold(self, unfolding: Unfolding, quiet: bool = False) -> None:
        if unfolding.news:
            self._take(unfolding.news, quiet)
        was_newer, self.newer = self.newer, unfolding.newer
        self.audience.standing = Notice("newer") if self.newer else None
        if self.newer and not was_newer:
            logger.error("room %s can only be shown here: %s", self.code, unfolding.stop, extra={"room": self.code})
            self.audience.tell_all(Notice("newer"))
            self.changed.set()

    def _take(self, news: News, quiet: bool = False) -> None:
        """The log is known to be so far: hold its state, and let the audience see it."""
        if self.state is None:
            self.created_ms = news.began_ms
        self.state, self._position = news.state, news.position
        ours = self._write.meet(news)
        with tracing.span("tell", under=self._write.asked_by if ours else tracing.ROOT):
            self.audience.see(news, quiet)

    def break_off(self) -> None:
        """The log is damaged: nobody can play on here."""
        self.damaged = self.broken = True
        self.audience.end("damaged")

    def give_up(self) -> None:
        """This node failed the room, which may be well: whoever is here connects again, and finds it opened afresh."""
        self.broken = True
        self.audience.send_away()
