"""Rooms in Redis or Valkey, for one server or many. Owns the names of the keys.

{CODE}:log             list: the log of a room            {CODE}:ev              channel: see channel.py
{paizhuo:lobby}        sorted set: listed rooms by expiry {paizhuo:lobby}:CODE   summary of one of them
{paizhuo:check}        written to see whether the server can write
"""

from collections.abc import Callable
from hashlib import sha1
from importlib.resources import files
from typing import Any

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, RedisError

from server.clock import Clock
from server.store.base import (
    CHAIN_BYTES,
    Listener,
    Position,
    Refused,
    RolledBack,
    TooEarly,
    Unknown,
    VersionConflict,
)
from server.store.channel import Channel, channel_of
from server.store.fitness import inspect
from server.store.outcomes import outcome
from server.store.pipeline import Pipeline, Word

SCRIPT = files(__package__).joinpath("append.lua").read_bytes()
SHA = sha1(SCRIPT, usedforsecurity=False).hexdigest()

LOBBY = "{paizhuo:lobby}"
LISTED_AT_MOST = 100


def log_of(room: str) -> str:
    return f"{{{room}}}:log"


class RedisStore:
    """A `Store` on the server that `dial` makes connections to, which are fresh and not yet made; `place` stands for
    it in messages, without a password."""

    def __init__(self, dial: Callable[[], AbstractConnection], place: str, clock: Clock) -> None:
        self._dial = dial
        self._place = place
        self._clock = clock
        self._pipeline = Pipeline(dial(), place)
        self._channel: Channel | None = None
        self._offset_ms = 0
        self._latest_ms = 0

    async def open(self, listener: Listener) -> None:
        await inspect(self._ask, self._place)
        await self.check()
        self._channel = Channel(self._dial(), self._clock, self._place, listener)
        await self._channel.open()

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
        await self._pipeline.close()

    def now_ms(self) -> int:
        self._latest_ms = max(self._latest_ms, self._clock.monotonic_ms() + self._offset_ms)
        return self._latest_ms

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        # one entry of overlap proves that the log still holds what was read before
        entries = await self._ask("LRANGE", log_of(room), max(after.version - 1, 0), -1)
        if after.version == 0:
            return tuple(entries)
        if not entries or entries[0][:CHAIN_BYTES] != after.chain:
            raise RolledBack(f"the log of room {room} no longer holds its entry {after.version}")
        return tuple(entries[1:])

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        keys = (1, log_of(room), channel_of(room), expected.version, expected.chain, entry, keep_ms, not_before_ms)
        try:
            try:
                reply = await self._pipeline.ask("EVALSHA", SHA, *keys)
            except NoScriptError:  # the server has restarted; EVAL runs the script and keeps it for the next EVALSHA
                reply = await self._pipeline.ask("EVAL", SCRIPT, *keys)
        except RedisError as error:
            raise outcome(error, self._place) from error
        word, now_ms, missed = reply
        self._set_clock(now_ms)
        if word == b"conflict":
            raise VersionConflict(tuple(missed))
        if word == b"early":
            raise TooEarly(f"it is {not_before_ms - now_ms} ms too early")

    async def follow(self, room: str) -> None:
        if self._channel is None:
            raise Refused("the store is not open")
        await self._channel.follow(room)

    async def unfollow(self, room: str) -> None:
        if self._channel is not None:
            await self._channel.unfollow(room)

    async def tell(self, room: str, words: bytes) -> None:
        await self._ask("PUBLISH", channel_of(room), b"w" + words)

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        now_ms = self.now_ms()
        await self._ask("ZREMRANGEBYSCORE", LOBBY, "-inf", now_ms)
        await self._ask("SET", f"{LOBBY}:{room}", summary, "PX", keep_ms)
        await self._ask("ZADD", LOBBY, now_ms + keep_ms, room)

    async def delist(self, room: str) -> None:
        await self._ask("ZREM", LOBBY, room)
        await self._ask("DEL", f"{LOBBY}:{room}")

    async def listed(self) -> tuple[bytes, ...]:
        await self._ask("ZREMRANGEBYSCORE", LOBBY, "-inf", self.now_ms())
        rooms = await self._ask("ZREVRANGE", LOBBY, 0, LISTED_AT_MOST - 1)
        if not rooms:
            return ()
        summaries = await self._ask("MGET", *(f"{LOBBY}:{room.decode()}" for room in rooms))
        return tuple(summary for summary in summaries if summary is not None)

    async def check(self) -> None:
        await self._ask("SET", "{paizhuo:check}", "", "PX", 60_000)
        seconds, microseconds = await self._ask("TIME")
        self._set_clock(int(seconds) * 1000 + int(microseconds) // 1000)

    async def _ask(self, *command: Word) -> Any:
        """For what may be done twice, or not at all: a lost reply counts as refused."""
        try:
            return await self._pipeline.ask(*command)
        except RedisError as error:
            raise Refused(str(outcome(error, self._place))) from error
        except Unknown as error:
            raise Refused(str(error)) from error

    def _set_clock(self, server_ms: int) -> None:
        # by the time it is heard the server's clock has moved on: ours runs behind it, and does not wake too early;
        # one millisecond more makes up for both clocks being cut to whole ones
        self._offset_ms = server_ms - self._clock.monotonic_ms() - 1
