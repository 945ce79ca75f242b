"""Rooms in Redis or Valkey, for one server or many. Owns the names of the keys.

{CODE}:log             list: the log of a room            {CODE}:ev              channel: see channel.py
{paizhuo:lobby}        sorted set: listed rooms by expiry {paizhuo:lobby}:CODE   summary of one of them
{paizhuo:check}        written to see whether the server can write
{CODE}:wait            written where a room has no log, so that replicas can be waited for
"""

import logging
from collections.abc import Callable
from functools import partial
from hashlib import sha1
from importlib.resources import files
from typing import Any, TypeGuard

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, RedisError

from server.clock import Clock
from server.store.base import (
    CHAIN_BYTES,
    EMPTY,
    Full,
    Listener,
    Position,
    Refused,
    RolledBack,
    TooEarly,
    Unfit,
    Unknown,
    VersionConflict,
)
from server.store.channel import Channel, channel_of
from server.store.fitness import STANDARD, Demands, fields, inspect, is_nearly_full
from server.store.outcomes import outcome
from server.store.pipeline import Commands, Pipeline, Unreplicated, Word

SCRIPT = files(__package__).joinpath("append.lua").read_bytes()
SHA = sha1(SCRIPT, usedforsecurity=False).hexdigest()

_log = logging.getLogger(__name__)

LOBBY_TAG = "paizhuo:lobby"
LOBBY = f"{{{LOBBY_TAG}}}"
CHECK_TAG = "paizhuo:check"
LISTED_AT_MOST = 100

APART_MS = 2000
"""A store's clock that falls back further than this was set back, or is that of another server."""

SLOWED_PERCENT = 99
"""At what pace our time goes on while it is ahead of the store's, until they meet: nobody at a table notices."""


def log_of(room: str) -> str:
    return f"{{{room}}}:log"


class RedisStore:
    """A `Store` on the server that `dial` makes connections to, which are fresh and not yet made; `place` stands for
    it in messages, without a password."""

    def __init__(
        self, dial: Callable[[], AbstractConnection], place: str, clock: Clock, demands: Demands = STANDARD
    ) -> None:
        self._dial = dial
        self._place = place
        self._clock = clock
        self._demands = demands
        self._commands = self._connect()
        self._inspected = 0
        """Connections that had been made when it was last asked whether the server is fit."""
        self._channel: Channel | None = None
        self._offset_ms = 0
        """From our monotonic clock to the store's."""
        self._parted_ms = self._parted_at_ms = 0
        """What `now_ms` was, and what our monotonic clock showed, when the store's clock was last the later one."""

    async def open(self, listener: Listener) -> None:
        await self._inspect()
        self._inspected = self._commands.connections
        await self.check()
        self._channel = Channel(self._dial(), self._clock, self._place, listener)
        await self._channel.open()

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
        await self._commands.close()

    def now_ms(self) -> int:
        """The store's clock as it was last heard, carried on by our own. When it falls back, because it was set or
        another server is asked by now, our time goes on a little slower instead, until the store's has caught up.
        Meanwhile `not_before_ms` is sent as much earlier as the two are apart: what is due by our time can be done.
        """
        return max(self._store_ms(), self._slowed_ms())

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        # one entry of overlap proves that the log still holds what was read before
        first = max(after.version - 1, 0)
        entries = self._strings(await self._ask("LRANGE", log_of(room), first, -1, tag=room, durable=True))
        if after.version == 0:
            return tuple(entries)
        if not entries or entries[0][:CHAIN_BYTES] != after.chain:
            raise RolledBack(f"the log of room {room} no longer holds its entry {after.version}")
        return tuple(entries[1:])

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        if expected == EMPTY:
            await self._leave_room_for_others(room)
        replicated = bool(self._demands.replicas)
        channel = "" if replicated else channel_of(room)
        store_not_before_ms = not_before_ms - self._ahead_ms()
        keys = (1, log_of(room), channel, expected.version, expected.chain, entry, keep_ms, store_not_before_ms)
        behind = None
        try:
            reply = await self._run_script(room, *keys)
        except RedisError as error:
            raise outcome(error, self._place) from error
        except Unreplicated as unreplicated:
            reply, behind = unreplicated.reply, unreplicated
        match reply:
            case [b"ok" | b"conflict" | b"early" as word, int(store_ms), [*missed]] if _are_strings(missed):
                self._set_clock(store_ms)
            case _:
                raise Unknown(f"{self._place} answered an append with something else than its outcome")
        if behind is not None:
            if word == b"ok":
                raise behind
            raise Refused(str(behind)) from behind  # nothing was written, and what stands there is not sure to stay
        if word == b"conflict":
            raise VersionConflict(tuple(missed))
        if word == b"early":
            raise TooEarly(f"it is {store_not_before_ms - store_ms} ms too early")
        if replicated:
            self._commands.post("PUBLISH", channel_of(room), b"e%d:" % (expected.version + 1) + entry, tag=room)

    async def follow(self, room: str) -> None:
        if self._channel is None:
            raise Refused("the store is not open")
        await self._channel.follow(room)

    async def unfollow(self, room: str) -> None:
        if self._channel is not None:
            await self._channel.unfollow(room)

    async def tell(self, room: str, words: bytes) -> None:
        await self._ask("PUBLISH", channel_of(room), b"w" + words, tag=room)

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        now_ms = self._store_ms()  # nodes may be ahead of it by different times, and each removes what has run out
        await self._ask("ZREMRANGEBYSCORE", LOBBY, "-inf", now_ms, tag=LOBBY_TAG)
        await self._ask("SET", f"{LOBBY}:{room}", summary, "PX", keep_ms, tag=LOBBY_TAG)
        await self._ask("ZADD", LOBBY, now_ms + keep_ms, room, tag=LOBBY_TAG)

    async def delist(self, room: str) -> None:
        await self._ask("ZREM", LOBBY, room, tag=LOBBY_TAG)
        await self._ask("DEL", f"{LOBBY}:{room}", tag=LOBBY_TAG)

    async def listed(self) -> tuple[bytes, ...]:
        await self._ask("ZREMRANGEBYSCORE", LOBBY, "-inf", self._store_ms(), tag=LOBBY_TAG)
        rooms = self._strings(await self._ask("ZREVRANGE", LOBBY, 0, LISTED_AT_MOST - 1, tag=LOBBY_TAG))
        if not rooms:
            return ()
        summaries = await self._ask("MGET", *(LOBBY.encode() + b":" + room for room in rooms), tag=LOBBY_TAG)
        if not isinstance(summaries, list):
            raise self._garbled()
        return tuple(self._strings([summary for summary in summaries if summary is not None]))

    async def check(self) -> None:
        await self._ask("SET", f"{{{CHECK_TAG}}}", "", "PX", 60_000, tag=CHECK_TAG, durable=True)
        match await self._ask("TIME", tag=CHECK_TAG):
            case [bytes(seconds), bytes(microseconds)] if seconds.isdigit() and microseconds.isdigit():
                self._set_clock(int(seconds) * 1000 + int(microseconds) // 1000)
            case _:
                raise self._garbled()
        if self._inspected != (connections := self._commands.connections):
            try:
                await self._inspect()
            except Unfit as unfit:  # the server was started anew with other settings, or another has taken its place
                raise Refused(str(unfit)) from unfit
            self._inspected = connections

    def _connect(self) -> Commands:
        return Pipeline(self._dial(), self._place, self._demands.replicas)

    async def _inspect(self) -> None:
        await inspect(partial(self._ask, tag=""), self._place, self._demands)

    async def _run_script(self, room: str, *keys: Word) -> Any:
        try:
            return await self._commands.ask("EVALSHA", SHA, *keys, tag=room, durable=True)
        except NoScriptError:  # the server has restarted; EVAL runs the script and keeps it for the next EVALSHA
            return await self._commands.ask("EVAL", SCRIPT, *keys, tag=room, durable=True)

    async def _leave_room_for_others(self, room: str) -> None:
        """Raises `Full` where a new room would take the memory that the running ones may yet need."""
        try:
            about = fields(await self._commands.ask("INFO", "memory", tag=room))
        except (RedisError, Unknown):  # who may not ask, creates
            return
        if is_nearly_full(about):
            sentence = f"{self._place} is nearly full, and takes no new rooms: raise its maxmemory"
            _log.warning("%s", sentence)
            raise Full(sentence)

    async def _ask(self, *words: Word, tag: str, durable: bool = False) -> Any:
        """For what may be done twice, or not at all: a lost reply counts as refused."""
        try:
            return await self._commands.ask(*words, tag=tag, durable=durable)
        except RedisError as error:
            raise Refused(str(outcome(error, self._place))) from error
        except Unknown as error:
            raise Refused(str(error)) from error

    def _strings(self, reply: Any) -> list[bytes]:
        """Raises `Refused`."""
        if not isinstance(reply, list) or not _are_strings(reply):
            raise self._garbled()
        return reply

    def _garbled(self) -> Refused:
        return Refused(f"{self._place} answered something that makes no sense: is it a Redis or Valkey server?")

    def _set_clock(self, store_ms: int) -> None:
        # by the time it is heard the store's clock has moved on: ours runs behind it, and does not wake too early;
        # one millisecond more makes up for both clocks being cut to whole ones
        if self._store_ms() >= self._slowed_ms():
            self._parted_ms, self._parted_at_ms = self._store_ms(), self._clock.monotonic_ms()
        self._offset_ms = store_ms - self._clock.monotonic_ms() - 1

    def _store_ms(self) -> int:
        """The store's own clock; goes back when that does."""
        return self._clock.monotonic_ms() + self._offset_ms

    def _slowed_ms(self) -> int:
        return self._parted_ms + (self._clock.monotonic_ms() - self._parted_at_ms) * SLOWED_PERCENT // 100

    def _ahead_ms(self) -> int:
        """How far our time is ahead of the store's. Of a little the store is the judge: it is a late answer, or ours
        is the clock that runs too fast."""
        ahead_ms = self._slowed_ms() - self._store_ms()
        return ahead_ms if ahead_ms > APART_MS else 0


def _are_strings(reply: list[Any]) -> TypeGuard[list[bytes]]:
    return all(isinstance(each, bytes) for each in reply)
