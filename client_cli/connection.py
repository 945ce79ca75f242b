"""One WebSocket connection that comes back by itself: frames in and out, waits between attempts, and when to give up.

It knows nothing of tables and seats; whoever uses it says anew who it is after every `Opened`.
"""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.typing import Subprotocol

from client_cli.address import server_name
from client_cli.failure import CommandFailed
from client_cli.rows import clipped
from protocol import VERSION
from protocol.codec import MSGPACK, Malformed, client_codec
from protocol.errors import CloseCode, ExitCode
from protocol.messages import ClientMessage, ServerMessage, Table

FIRST_CONNECT_S = 5.0
"""How long a server that never said anything is tried."""

WELCOME_S = 10.0
"""How long a server that took the connection may be silent before its first message."""

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
PING_EVERY_S = 10.0
"""A link on which a ping stays unanswered for as long again is dead."""

BUSY_ATTEMPT = 4
"""Where the waits begin after the server asked to be left alone for a while."""

TRY_AGAIN_LATER = 1013  # RFC 6455 registry; our own codes are in protocol.errors
PROTOCOL_FAULTS = {1002, 1003, 1007, 1008, CloseCode.TOO_BIG}
ASKS_FOR_PATIENCE = {TRY_AGAIN_LATER, CloseCode.RATE_LIMITED}


class Opened(NamedTuple):
    """The link stands, for the first time or again: say hello."""


class Lost(NamedTuple):
    """The link broke, the server closed it to stop or restart, or did not answer an attempt to mend it.

    The next attempt comes in `wait_s` seconds.
    """

    wait_s: float
    why: Literal["broken", "stopped", "unanswered"] = "broken"


class Replaced(Exception):
    """A newer connection has the seat. Connecting again would only fight with it."""


class TicketRefused(Exception):
    """The server knows no seat for the ticket."""


class Connection:
    """A link to the server at `url`.

    `sleep`, `chance` (uniform in 0..1) and `clock_s` are handed in by tests.
    """

    def __init__(
        self,
        url: str,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock_s: Callable[[], float] = time.monotonic,
        ping_every_s: float = PING_EVERY_S,
        welcome_s: float = WELCOME_S,
    ) -> None:
        self.url = url
        self._sleep = sleep
        self._chance = chance
        self._clock_s = clock_s
        self._ping_every_s = ping_every_s
        self._welcome_s = welcome_s
        self._codec = client_codec(MSGPACK)
        self._socket: ClientConnection | None = None

    async def events(self) -> AsyncGenerator[Opened | Lost | ServerMessage, None]:
        """What the link brings, for ever, in order.

        Raises `Replaced`, `TicketRefused`, and `CommandFailed` for a server that cannot be reached at first, speaks
        another version, or refuses this program.
        """
        give_up_s = self._clock_s() + FIRST_CONNECT_S
        reached = False
        attempt = 0
        while True:
            why: Literal["broken", "stopped", "unanswered"] = "broken"
            try:
                async with self._connect() as socket:
                    _check_subprotocol(socket, self.url)
                    self._socket = socket
                    yield Opened()
                    until_s: float | None = asyncio.get_running_loop().time() + self._welcome_s
                    while True:
                        message = self._read(await _frame(socket, until_s))
                        if isinstance(message, Table):
                            attempt = 0
                        if message is not None:
                            reached, until_s = True, None
                            yield message
            except ConnectionClosed as closed:
                failure: Exception = closed
                attempt = _attempt_after(closed, attempt)
                why = "stopped" if closed.rcvd and closed.rcvd.code == CloseCode.RESTART else "broken"
            except (OSError, TimeoutError, WebSocketException) as error:
                failure, why = error, "unanswered"
                _give_up_on(error, self.url, reached)
            finally:
                self._socket = None
            if not reached and self._clock_s() >= give_up_s:
                raise CommandFailed(
                    ExitCode.UNREACHABLE,
                    f"no answer from {server_name(self.url)} ({_reason(failure)}): "
                    "check the address, and that the server runs",
                )
            wait_s = backoff_s(attempt, self._chance())
            attempt += 1
            if reached:
                yield Lost(wait_s, why)
            else:
                wait_s = min(wait_s, give_up_s - self._clock_s())
            await self._sleep(wait_s)

    async def send(self, message: ClientMessage) -> None:
        """Send now, or not at all: a message for a link that is down is dropped."""
        if self._socket is not None:
            with suppress(ConnectionClosed):  # `events` learns of it too, and says so
                await self._socket.send(self._codec.encode(message))

    def _read(self, frame: bytes | str) -> ServerMessage | None:
        """One message; None for a type that only newer clients know. Raises `CommandFailed` for what is no message."""
        try:
            return self._codec.decode(frame)
        except Malformed as error:
            if isinstance(frame, bytes) and _type_of(frame) not in {*_KNOWN_TYPES, None}:
                return None
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH, f"{server_name(self.url)} sent something unreadable: {error}"
            ) from None

    def _connect(self) -> connect:
        # A proxy from the environment never leads to this machine itself.
        return connect(
            self.url,
            subprotocols=[Subprotocol(MSGPACK)],
            compression=None,
            proxy=None if _is_loopback(self.url) else True,
            open_timeout=10,
            close_timeout=2,
            ping_interval=self._ping_every_s,
            ping_timeout=self._ping_every_s,
        )


class _Typed(msgspec.Struct):
    type: str


_KNOWN_TYPES = frozenset(message.__struct_config__.tag for message in get_args(ServerMessage))


def _type_of(frame: bytes) -> str | None:
    try:
        return msgspec.msgpack.decode(frame, type=_Typed).type
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def backoff_s(attempt: int, chance: float) -> float:
    """Full jitter: anything up to a bound that doubles from 0.5 s to 30 s, so that clients do not come back in step."""
    return chance * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt, 16))


def _attempt_after(closed: ConnectionClosed, attempt: int) -> int:
    code = closed.rcvd.code if closed.rcvd else None
    reason = closed.rcvd.reason if closed.rcvd else ""
    if code == CloseCode.REPLACED:
        raise Replaced from None
    if code == CloseCode.BAD_TICKET:
        raise TicketRefused from None
    if code in PROTOCOL_FAULTS:
        raise CommandFailed(
            ExitCode.REFUSED, f"the server ended the connection ({code} {reason or 'without a reason'})"
        ) from None
    if code in ASKS_FOR_PATIENCE:
        return max(attempt, BUSY_ATTEMPT)
    # A restarting server loses all its clients at once: begin wide enough that they do not all come back together.
    return max(attempt, 2) if code == CloseCode.RESTART else attempt


async def _frame(socket: ClientConnection, until_s: float | None) -> bytes | str:
    """Raises TimeoutError at `until_s` of the loop's clock."""
    try:
        async with asyncio.timeout_at(until_s):
            return await socket.recv()
    except TimeoutError:
        raise TimeoutError("it takes the connection but says nothing") from None


def _check_subprotocol(socket: ClientConnection, url: str) -> None:
    if socket.subprotocol is None:
        raise CommandFailed(
            ExitCode.VERSION_MISMATCH, f"{server_name(url)} does not speak version {VERSION} of the Paizhuo protocol"
        )


def _give_up_on(error: Exception, url: str, reached: bool) -> None:
    """Raises `CommandFailed` for failures that no further attempt mends."""
    if isinstance(error, InvalidURI):
        raise CommandFailed(ExitCode.USAGE, f"'{clipped(url)}' is no address of a server") from None
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        if status == 400:
            body = error.response.body.decode(errors="replace").strip()
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH, f"{server_name(url)} refused this version: {body or 'no reason given'}"
            ) from None
        # A proxy in front of a server that restarts may say anything; before the first contact it is a wrong address.
        if status < 500 and not reached:
            raise CommandFailed(
                ExitCode.UNREACHABLE, f"there is no Paizhuo server at {url} (HTTP {status}): check the address"
            ) from None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return ((isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__).splitlines()[0]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
