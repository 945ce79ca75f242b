"""What nodes hear of the rooms they follow: a Redis connection that only listens, and mends itself.

A channel carries `e` version `:` entry, as append.lua publishes it, and `w` words. Whatever else comes, be it from a
newer server, counts as lost on its way.
"""

import asyncio
import logging
import math
import re

from redis.asyncio.connection import AbstractConnection
from redis.backoff import FullJitterBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError, ResponseError

from server.clock import Clock
from server.faults import kind_and_place
from server.store.base import Listener, Refused
from server.store.pipeline import REPLY_S, connect, hang_up

QUIET_S = 1.0
"""After so long without a word the channel asks for one; after as long again it takes the connection for dead."""

BACKOFF = FullJitterBackoff(cap=2.0, base=0.05)

_APPENDED = re.compile(rb"e([0-9]{1,15}):(.*)", re.DOTALL)

_log = logging.getLogger(__name__)


def channel_of(room: str) -> str:
    return f"{{{room}}}:ev"


class Channel:
    """Rooms followed over one connection. While it is down `follow` is refused and what is told is missed."""

    def __init__(self, connection: AbstractConnection, clock: Clock, place: str, listener: Listener) -> None:
        self._connection = connection
        self._clock = clock
        self._place = place
        self._listener = listener
        self._rooms: dict[bytes, str] = {}
        self._awaited: list[tuple[bytes, asyncio.Future[None]]] = []
        """Subscriptions that were sent and not answered, in order: a confirmation names its channel, an error none."""
        self._live = False
        self._hearing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, then listen until `close`. Raises `Refused`."""
        await connect(self._connection, self._place)
        self._live = True
        self._hearing = asyncio.create_task(self._run())

    async def close(self) -> None:
        self._live = False
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.gather(self._hearing, return_exceptions=True)
        self._lose()
        await hang_up(self._connection)

    async def follow(self, room: str) -> None:
        if not self._live:
            raise Refused(f"the channel to {self._place} is down, and is being mended")
        channel = channel_of(room).encode()
        followed = channel in self._rooms
        self._rooms[channel] = room
        try:
            await self._subscribe(channel)
        except BaseException:
            if not followed:
                self._rooms.pop(channel, None)
            raise

    async def unfollow(self, room: str) -> None:
        channel = channel_of(room).encode()
        if self._rooms.pop(channel, None) is None or not self._live:
            return
        try:
            async with asyncio.timeout(REPLY_S):
                await self._send("UNSUBSCRIBE", channel)
        except (RedisError, OSError):
            await self._connection.disconnect(nowait=True)

    async def _run(self) -> None:
        again = False
        while True:
            try:
                if again:
                    self._listener.interrupted()
                await self._hear()
            except (RedisError, OSError) as error:
                _log.warning("the channel to %s was lost: %s", self._place, error)
            except Exception as fault:  # noqa: BLE001 -- the listener's own; it reads for itself after `interrupted`
                self._complain(fault)
            self._lose()
            try:
                self._listener.lost()
            except Exception as fault:  # noqa: BLE001 -- the listener's own; the channel is mended all the same
                self._complain(fault)
            await self._mend()
            again = True

    def _complain(self, fault: Exception) -> None:
        _log.error("what the channel to %s brought was not taken in: %s", self._place, kind_and_place(fault))

    async def _hear(self) -> None:
        quiet = False
        while True:
            # with no room to follow there is nothing to miss, and an idle server stays idle
            heard = await self._read(QUIET_S if self._rooms else math.inf)
            if heard is not None:
                quiet = False
                self._dispatch(heard)
            elif not quiet:
                quiet = True
                await self._send("PING")
            else:
                raise TimeoutError("no answer to a ping")

    async def _subscribe(self, channel: bytes) -> None:
        confirmed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append((channel, confirmed))
        try:
            async with asyncio.timeout(REPLY_S):
                await self._send("SUBSCRIBE", channel)
                await confirmed
        except (RedisError, OSError) as error:
            await self._connection.disconnect(nowait=True)  # the listening task notices, and mends it
            raise Refused(f"the channel to {self._place} broke") from error

    async def _send(self, *words: str | bytes) -> None:
        # redis-py would make a new connection, which nobody has subscribed to anything; that is for the mending to do
        if not self._connection.is_connected:
            raise Unreachable("the connection was closed")
        await self._connection.send_command(*words, check_health=False)

    async def _read(self, timeout_s: float) -> object:
        try:
            return await self._connection.read_response(timeout=timeout_s, disconnect_on_error=False)
        except ResponseError as error:  # the answer to a subscription that is not allowed
            if self._awaited and not (awaited := self._awaited.pop(0)[1]).done():
                awaited.set_exception(Refused(f"{self._place} does not let this user subscribe: {error}"))
            return error

    def _confirm(self, channel: bytes) -> None:
        for place, (each, awaited) in enumerate(self._awaited):
            if each == channel:
                del self._awaited[place]
                if not awaited.done():
                    awaited.set_result(None)
                return

    def _dispatch(self, heard: object) -> None:
        match heard:
            case [b"subscribe", bytes(channel), _]:
                self._confirm(channel)
            case [b"message", bytes(channel), bytes(message)] if channel in self._rooms:
                room = self._rooms[channel]
                if message[:1] == b"w":
                    self._listener.heard(room, message[1:])
                elif appended := _APPENDED.fullmatch(message):
                    self._listener.appended(room, int(appended[1]), appended[2])
            case _:  # a pong, the end of a subscription, a message that came after it
                pass

    def _lose(self) -> None:
        self._live = False
        while self._awaited:
            if not (awaited := self._awaited.pop()[1]).done():
                awaited.set_exception(Refused(f"the channel to {self._place} broke"))

    async def _mend(self) -> None:
        """Connect and subscribe to everything again, however long it takes."""
        failures = 0
        while True:
            await self._clock.sleep_ms(round(1000 * BACKOFF.compute(failures)))
            failures += 1
            try:
                await self._connection.disconnect(nowait=True)
                await connect(self._connection, self._place)
                async with asyncio.timeout(REPLY_S):
                    await self._subscribe_anew(set(self._rooms))
            except (RedisError, OSError, Refused) as error:
                _log.debug("the channel to %s is still down: %s", self._place, error)
                continue
            except Exception as fault:  # noqa: BLE001 -- whatever it is, a server that stays deaf is worse
                _log.error("the channel to %s is still down: %s", self._place, kind_and_place(fault))
                continue
            self._live = True
            return

    async def _subscribe_anew(self, unconfirmed: set[bytes]) -> None:
        if unconfirmed:
            await self._send("SUBSCRIBE", *unconfirmed)
        while unconfirmed:  # what is told meanwhile counts as missed
            match await self._connection.read_response(timeout=math.inf, disconnect_on_error=False):
                case [b"subscribe", bytes(channel), _]:
                    unconfirmed.discard(channel)
