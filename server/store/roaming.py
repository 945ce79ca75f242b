"""Connections that ask where to go each time they are made: to the primary that Sentinels name, for one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from weakref import WeakSet

from redis.asyncio.connection import AbstractConnection, Connection
from redis.asyncio.sentinel import MasterNotFoundError, Sentinel
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError

from server.store.agreement import most_say
from server.store.pipeline import ONCE
from server.store.urls import Address

LOOKUP_S = 0.5
"""For a Sentinel to take the connection, and again to answer; of the time to connect enough is left for the primary."""


class RoamingConnection(Connection):
    """`where` raises `RedisError` or `OSError` when it knows no place."""

    def __init__(self, where: Callable[[], Awaitable[Address]], **options: Any) -> None:
        self._where = where
        super().__init__(**ONCE, **options)

    async def connect(self) -> None:
        if not self.is_connected:
            self.host, self.port = await self._where()
        await super().connect()  # type: ignore[no-untyped-call]


class Primary:
    """The primary of a `service`, as its Sentinels name it. `account` and `sentinel_account` are the user names,
    passwords and numbers of databases, under redis-py's names for them."""

    def __init__(
        self,
        sentinels: Sequence[Address],
        service: str,
        account: Mapping[str, Any],
        sentinel_account: Mapping[str, Any],
    ) -> None:
        self._sentinels = sentinels
        self._service = service
        self._account = account
        self._sentinel_account = sentinel_account
        self._dialled: WeakSet[RoamingConnection] = WeakSet()

    def dial(self) -> AbstractConnection:
        """A connection to the primary, not yet made."""
        connection = RoamingConnection(self._find, **self._account)
        self._dialled.add(connection)
        return connection

    async def _find(self) -> Address:
        options = {**ONCE, "socket_connect_timeout": LOOKUP_S, "socket_timeout": LOOKUP_S, **self._sentinel_account}
        asked = (self._ask(sentinel, options) for sentinel in self._sentinels)
        found, errors = await most_say(asked)
        if found is None:
            if any("Authentication" in str(error) for error in errors):
                raise Unreachable("a Sentinel wants a right ?sentinel_password=... in the URL")
            for error in errors:
                if isinstance(error, RedisError) and not isinstance(error, MasterNotFoundError):
                    raise Unreachable(f"the Sentinels do not tell the primary of {self._service}: {error}") from error
            raise Unreachable(f"no Sentinel in reach names a primary for {self._service}")
        for connection in self._dialled:  # they would stay with a primary that is cut off from the one that is followed
            if connection.is_connected and (connection.host, connection.port) != found:
                await connection.disconnect(nowait=True)
        return found

    async def _ask(self, address: Address, options: Mapping[str, Any]) -> Address:
        async with Sentinel([address], sentinel_kwargs=options) as sentinel:  # type: ignore[no-untyped-call]
            return Address(*await sentinel.discover_master(self._service))
