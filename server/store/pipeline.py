"""One connection to Redis that all commands share, in batches. Owns what a broken connection means for a command."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from redis.asyncio import ConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.store.base import Refused, Unknown
from server.store.batches import Batches
from server.store.outcomes import answered, row

CONNECT_S = 2.0
REPLY_S = 5.0
"""An fsync on a busy disk may take seconds; what takes longer is treated as a lost reply."""

Word = bytes | str | int
Command = tuple[Word, ...]


def connection_to(url: str) -> AbstractConnection:
    """A connection, not yet made, that never sends anything twice by itself: a repeated append is for the node to
    decide. RESP2, which every server speaks without being asked."""
    pool = ConnectionPool.from_url(
        url,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=CONNECT_S,
        socket_timeout=None,  # one timeout for a whole batch costs less than one for each reply
        driver_info=None,
    )
    return pool.connection_class(**pool.connection_kwargs)


async def connect(connection: AbstractConnection, place: str) -> None:
    """Make the connection, or make it anew if the other side has closed it. Raises `Refused`."""
    try:
        async with asyncio.timeout(CONNECT_S):
            if connection.is_connected and await connection.can_read():  # nothing is due: it is the end of the stream
                await connection.disconnect(nowait=True)
            await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's own gap
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


class Pipeline:
    """Commands of all rooms over one connection."""

    def __init__(self, connection: AbstractConnection, place: str) -> None:
        self._connection = connection
        self._place = place
        self._batches = Batches[Command, Any](self._send)

    async def ask(self, *command: Word) -> Any:
        """The server's reply. Raises `Refused` if the command was never sent, `Unknown` if no reply came, and the
        server's own error as a `RedisError`."""
        return await self._batches.submit(command)

    async def close(self) -> None:
        await self._batches.close()
        await hang_up(self._connection)

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        try:
            await connect(self._connection, self._place)
        except Refused as refused:
            return [Refused(str(refused)) for _ in commands]
        replies: list[Any] = []
        try:
            async with asyncio.timeout(REPLY_S):
                packed = self._connection.pack_commands(commands)
                await self._connection.send_packed_command(packed, check_health=False)
                while len(replies) < len(commands):
                    replies.append(await self._reply())
        except (RedisError, OSError) as error:
            await self._connection.disconnect(nowait=True)
            text = f"{self._place} did not answer: {str(error) or 'no reply in time'}"
            return replies + [Unknown(text) for _ in commands[len(replies) :]]
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
