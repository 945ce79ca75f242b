"""One connection to Redis that all commands share, in batches. Owns what a broken connection means for a command."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from redis.asyncio import ConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AskError, RedisError

from server.store.base import Refused, Unknown
from server.store.batches import Batches
from server.store.outcomes import answered, row

CONNECT_S = 2.0
REPLY_S = 5.0
"""An fsync on a busy disk may take seconds; what takes longer is treated as a lost reply."""

WAIT_MS = 2000
"""For replicas to get what was written; what takes longer is not known to be safe."""

MARK = """
local left = redis.call('PTTL', KEYS[1])
if left > 0 then
  return redis.call('PEXPIRE', KEYS[1], left)
end
return redis.call('SET', ARGV[1], '', 'PX', ARGV[2])
"""
"""A write that changes nothing, since after a mere read there is nothing that WAIT would wait for. Of a log that is
there it touches no other key, which need not be where the log is while that moves through a cluster."""

MARK_MS = 60_000
"""How long the mark of a room without a log stands in the store."""

Word = bytes | str | int


ONCE: dict[str, Any] = {
    "protocol": 2,  # which every server speaks without being asked
    "retry": Retry(NoBackoff(), 0),
    "socket_connect_timeout": CONNECT_S,
    "socket_timeout": None,  # one timeout for a whole batch costs less than one for each reply
    "driver_info": None,
}
"""A connection never sends anything twice by itself: a repeated append is for the node to decide."""


def connection_to(url: str) -> AbstractConnection:
    """A connection, not yet made."""
    pool = ConnectionPool.from_url(url, **ONCE)
    return pool.connection_class(**pool.connection_kwargs)


async def connect(connection: AbstractConnection, place: str) -> bool:
    """Make the connection, or make it anew if the other side has closed it; was it made? Raises `Refused`."""
    try:
        async with asyncio.timeout(CONNECT_S):
            if connection.is_connected and await connection.can_read():  # nothing is due: it is the end of the stream
                await connection.disconnect(nowait=True)
            if connection.is_connected:
                return False
            await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's own gap
            return True
    except (RedisError, OSError) as error:
        for said in (error, error.__cause__):  # over a Unix socket the client wraps what the server said
            if isinstance(said, RedisError) and (known := row(said)):
                raise Refused(f"{place} {known.sentence}") from error
        reason = str(error).rstrip(".") or "no answer"
        raise Refused(f"{place} cannot be reached ({reason}): is it running, and is the address right?") from error


async def hang_up(connection: AbstractConnection) -> None:
    """Close the connection for good, also to a server that does not listen."""
    with suppress(RedisError):
        await connection.disconnect()


class Unreplicated(Unknown):
    """The server did it, but what the log holds has not come to enough replicas: a failover may take it back.
    `reply`: what the server said, not to be believed yet."""

    def __init__(self, text: str, reply: Any) -> None:
        super().__init__(text)
        self.reply = reply


class Command(NamedTuple):
    """`tag`: what stands in braces in its keys, which decides where they are. `durable`: its reply counts only when
    enough replicas have got what it tells of. `asking`: its keys are on their way to this server of a cluster."""

    words: tuple[Word, ...]
    tag: str
    durable: bool = False
    asking: bool = False


class Commands(Protocol):
    """A way to have commands done by the server that has their keys."""

    @property
    def connections(self) -> int:
        """How often one was made; a new one may lead to another server."""

    async def ask(self, *words: Word, tag: str, durable: bool = False) -> Any:
        """The server's reply. Raises `Refused` if the command was never sent, `Unknown` if no reply came or
        (`Unreplicated`) a durable one is not, and the server's own error as a `RedisError`."""

    def post(self, *words: Word, tag: str) -> None:
        """Have it done after all that was asked before; whether it was is not known."""

    async def close(self) -> None:
        """Finish what has been sent, and refuse the rest."""


class Pipeline:
    """`Commands` for one server, over one connection. With `replicas` above 0, a batch with durable commands ends in a
    write of its own and a wait until so many replicas have got it, and with it all that the batch wrote or read."""

    def __init__(self, connection: AbstractConnection, place: str, replicas: int = 0) -> None:
        self._connection = connection
        self._place = place
        self._replicas = replicas
        self.connections = 0
        self._batches = Batches[Command, Any](self._send)

    async def ask(self, *words: Word, tag: str = "", durable: bool = False, asking: bool = False) -> Any:
        return await self._batches.submit(Command(words, tag, durable, asking))

    def post(self, *words: Word, tag: str) -> None:
        self._batches.post(Command(words, tag))

    async def close(self) -> None:
        await self._batches.close()
        await hang_up(self._connection)

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        try:
            self.connections += await connect(self._connection, self._place)
        except Refused as refused:
            return [Refused(str(refused)) for _ in commands]
        sent: list[tuple[Word, ...]] = []
        places = []
        for command in commands:
            if command.asking:
                sent.append(("ASKING",))
            places.append(len(sent))
            sent.append(command.words)
        last = next((command for command in reversed(commands) if command.durable), None)
        if not self._replicas or last is None:
            said = await self._converse(sent)
            return [said[place] for place in places]
        *said, marked, reached = await self._converse([*sent, *self._barrier(last)])
        replies = [said[place] for place in places]
        done = [command for command, reply in zip(commands, replies, strict=True) if _done(command, reply)]
        if done and isinstance(marked, AskError):  # the keys of the last are elsewhere by now
            *_, marked, reached = await self._converse(self._barrier(done[-1]))
        if not done or (not isinstance(marked, Exception) and isinstance(reached, int) and reached >= self._replicas):
            return replies
        await self._connection.disconnect(nowait=True)  # this server may have been cut off, with another in its place
        count = reached if isinstance(reached, int) else "none"
        text = f"{self._place} reached {count} of {self._replicas} replicas in time: is one down, or far behind?"
        return [
            Unreplicated(text, reply) if _done(command, reply) else reply
            for command, reply in zip(commands, replies, strict=True)
        ]

    def _barrier(self, command: Command) -> list[tuple[Word, ...]]:
        mark = ("EVAL", MARK, 1, f"{{{command.tag}}}:log", f"{{{command.tag}}}:wait", MARK_MS)
        wait = ("WAIT", self._replicas, WAIT_MS)
        return [("ASKING",), mark, wait] if command.asking else [mark, wait]

    async def _converse(self, sent: Sequence[tuple[Word, ...]]) -> list[Any]:
        """A reply, an error that the server answered, or `Unknown` for each command."""
        replies: list[Any] = []
        try:
            async with asyncio.timeout(REPLY_S):
                packed = self._connection.pack_commands(sent)
                await self._connection.send_packed_command(packed, check_health=False)
                while len(replies) < len(sent):
                    replies.append(await self._reply())
        except (RedisError, OSError) as error:
            await self._connection.disconnect(nowait=True)
            text = f"{self._place} did not answer: {str(error) or 'no reply in time'}"
            return replies + [Unknown(text) for _ in sent[len(replies) :]]
        except BaseException:  # what is answered later must not be taken for the answer to something else
            await self._connection.disconnect(nowait=True)
            raise
        if any(isinstance(reply, RedisError) and (known := row(reply)) and known.elsewhere for reply in replies):
            await self._connection.disconnect(nowait=True)
        return replies

    async def _reply(self) -> Any:
        try:
            return await self._connection.read_response(timeout=math.inf, disconnect_on_error=False)
        except RedisError as error:
            if not answered(error):
                raise
            return error


def _done(command: Command, reply: Any) -> bool:
    """Did it do something, or show something, that must not be lost?"""
    return command.durable and not isinstance(reply, Exception)
