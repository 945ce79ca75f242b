"""One WebSocket connection that comes back by itself: frames in and out, at whichever server serves the room.

It knows nothing of tables and seats; whoever uses it says anew who it is after every `Opened`.
"""

import asyncio
import os
import random
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, NamedTuple, TypeVar, get_args
from urllib.parse import urldefrag

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidMessage,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.typing import Subprotocol

from client_cli import endings, words_trust
from client_cli.address import server_name
from client_cli.endings import TicketRefused, Why
from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.servers import LONGEST_WAIT_S, Attempt, Servers, is_loopback
from client_cli.text import clipped
from client_cli.trust import Distrusted, check, complaint, tls_for
from client_cli.waking import woken
from protocol import VERSION
from protocol.codec import MSGPACK, Malformed, client_codec
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import ClientMessage, Notice, Refused, Seated, ServerMessage, Table, Watching, Welcome

T = TypeVar("T")

FIRST_CONNECT_S = 5.0
"""How long a server that never said anything is tried."""

WELCOME_S = 10.0
"""How long a server that took the connection may be silent before its first message."""

PING_EVERY_S = 10.0
"""A link on which a ping stays unanswered for as long again is dead."""

NEWER_FROM_S, NEWER_WITHIN_S = 30.0, 60.0
"""When a server is asked again whether it can play a room that a newer one has written in."""


class Opened(NamedTuple):
    """The link to the server at `url` stands, for the first time or again: say hello."""

    url: str


class Sought(NamedTuple):
    """The server at `url` did not answer at once. It is tried on for a few seconds."""

    url: str


class Lost(NamedTuple):
    """The link to `url` is gone, or an attempt to mend it has failed. `following` is tried in `wait_s` seconds.

    `why`: `broken`; `stopped`, the server stops or restarts; `stale`, it cannot reach its store; `newer`, it cannot
    play this room any more; `busy`, it asked for patience; `stranger`, it does not know the player's place or speaks
    another version; `slept`, this machine did; `unanswered`; `untrusted`, its certificate is none for that place.
    """

    url: str
    following: str
    wait_s: float
    why: Why = "broken"


class _Woken(Exception):
    """The machine slept: whatever was waited for, the other end may be gone."""


class _Leaving(NamedTuple):
    """The server asked to be left: at `at_s` of the loop's clock, for `url` (which may be itself)."""

    url: str
    why: Literal["newer", "stopped"]
    at_s: float


class _Left(Exception):
    """That has been done."""

    def __init__(self, leaving: _Leaving) -> None:
        super().__init__()
        self.leaving = leaving


class Connection:
    """A link to the server at `url`, or to another one of the same rooms. `known`: as in `Servers`.

    `sleep`, `chance` (uniform in 0..1), `clock_s` and `woken` (returns when the machine has slept) are handed in by
    tests.
    """

    def __init__(
        self,
        url: str,
        known: Sequence[str] = (),
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock_s: Callable[[], float] = time.monotonic,
        woken: Callable[[], Awaitable[None]] = woken,
        ping_every_s: float = PING_EVERY_S,
        welcome_s: float = WELCOME_S,
    ) -> None:
        self.servers = Servers(url, known, chance=chance, clock_s=clock_s)
        self._sleep = sleep
        self._clock_s = clock_s
        self._machine_woken = woken
        self._ping_every_s = ping_every_s
        self._welcome_s = welcome_s
        self._codec = client_codec(MSGPACK)
        self._socket: ClientConnection | None = None
        self._patience: asyncio.Timeout | None = None  # of the wait that goes on now
        self._slept = False
        self._napping = False
        self._stale = False
        self._leaving: _Leaving | None = None
        self._back_within_s: float | None = None  # what the server said, with its notice that it stops

    async def events(self) -> AsyncGenerator[Opened | Sought | Lost | ServerMessage, None]:
        """What the link brings, for ever, in order.

        Raises `Replaced`, `TicketRefused`, and `CommandFailed` for a server that cannot be reached at first, speaks
        another version, or refuses this program.
        """
        servers = self.servers
        give_up_s = self._clock_s() + FIRST_CONNECT_S
        reached = sought = False
        url = servers.best
        watch = asyncio.create_task(self._watch())
        try:
            while True:
                why: Why
                self._slept, self._stale, self._leaving, self._back_within_s = False, False, None, None
                try:
                    async with self._link(url, reached=reached) as socket:
                        self._socket = socket
                        yield Opened(url)
                        silent_until_s: float | None = asyncio.get_running_loop().time() + self._welcome_s
                        while True:
                            message = self._read(await self._frame(socket, silent_until_s), url)
                            if message is not None:
                                reached, silent_until_s = True, None
                                if self._concerns_the_player(message, url):
                                    yield message
                except _Woken as slept:
                    failure: Exception = slept
                    why, following = "slept", servers.slept(url)
                except _Left as left:
                    failure, why, following = left, left.leaving.why, Attempt(left.leaving.url, 0.0)
                except ConnectionClosed as closed:
                    failure = closed
                    why, following = self._after(closed, url)
                except Distrusted as distrusted:
                    failure, why, following = distrusted, "untrusted", servers.silent(url)
                    if not reached and following.url == url:
                        raise CommandFailed(ExitCode.UNREACHABLE, str(distrusted)) from None
                except (OSError, TimeoutError, WebSocketException) as error:
                    failure = error
                    why, following = endings.refused_to_open(error, url, servers)
                except (CommandFailed, TicketRefused) as refused:
                    useless = not servers.is_proved(url) or (reached and _speaks_another_version(refused))
                    other = servers.drop(url) if useless else None
                    if other is None:
                        raise
                    failure, why, following = refused, "stranger", other
                finally:
                    self._socket = None
                wait_s = following.wait_s
                if reached:
                    yield Lost(url, following.url, wait_s, why)
                elif self._clock_s() >= give_up_s:
                    names = tr(" or ").join(clipped(server_name(each)) for each in servers.known)
                    raise CommandFailed(
                        ExitCode.UNREACHABLE,
                        tr(
                            "no answer from {servers} ({reason}): check the address, and that the server runs",
                            servers=names,
                            reason=_reason(failure),
                        ),
                    )
                else:
                    wait_s = min(wait_s, give_up_s - self._clock_s())
                    if isinstance(failure, OSError) and following.url == url and not sought:
                        sought = True
                        yield Sought(url)
                await self._nap(wait_s)
                url = following.url
        finally:
            watch.cancel()

    async def send(self, message: ClientMessage) -> bool:
        """Send now, or not at all: a message for a link that is down is dropped. Was it sent?"""
        if self._socket is None:
            return False
        with suppress(ConnectionClosed):  # `events` learns of it too, and says so
            await self._socket.send(self._codec.encode(message))
        return True

    def hurry(self) -> bool:
        """Make the next attempt at once. False if none is being waited for."""
        if self._napping:
            self._wait_no_longer()
        return self._napping

    def _read(self, frame: bytes | str, url: str) -> ServerMessage | None:
        """One message; None for a type that only newer clients know. Raises `CommandFailed` for what is no message."""
        try:
            return self._codec.decode(frame)
        except Malformed as error:
            if isinstance(frame, bytes) and _type_of(frame) not in {*_KNOWN_TYPES, None}:
                return None
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH,
                tr("{server} sent something unreadable: {reason}", server=server_name(url), reason=error),
            ) from None

    def _concerns_the_player(self, message: ServerMessage, url: str) -> bool:
        """Take note of what a message says of the servers; False if nobody else needs to hear it.

        Raises `TicketRefused` in the name of a server that never had the player's place.
        """
        match message:
            case Welcome(servers=told):
                self.servers.learn(url, told)
            case Seated() | Watching():
                self.servers.proved(url)
            case Table():
                self.servers.shown(url)
            case Refused(code=ErrorCode.BAD_TICKET) if not self.servers.is_proved(url):
                raise TicketRefused
            case Notice(kind="stale" | "live" as kind):
                self._stale = kind == "stale"
            case Notice(kind="newer") | Refused(code=ErrorCode.ROOM_NEWER):
                self._leave(url, "newer")
                return self._leaving is None or self._leaving.url == url
            case Notice(kind="draining", retry_ms=retry_ms) | Refused(code=ErrorCode.DRAINING, retry_ms=retry_ms):
                self._back_within_s = None if retry_ms is None else min(retry_ms / 1000, LONGEST_WAIT_S)
                self._leave(url, "stopped")
                return self._leaving is None
            case _:
                pass
        return True

    def _leave(self, url: str, why: Literal["newer", "stopped"]) -> None:
        """Go to another server, after a short random time; without another, ask one that cannot play again some time.

        A server that stops will close the connection itself.
        """
        if self._leaving is not None:
            return
        if why == "newer":
            following = self.servers.sent_away(url, from_s=NEWER_FROM_S, within_s=NEWER_WITHIN_S)
        else:
            following = self.servers.sent_away(url, within_s=self._back_within_s)
        if following.url != url or why == "newer":
            self._leaving = _Leaving(following.url, why, asyncio.get_running_loop().time() + following.wait_s)

    def _after(self, closed: ConnectionClosed, url: str) -> tuple[Why, Attempt]:
        """Why the link is gone, and where to go."""
        if self._leaving is not None and self._leaving.url != url:
            return self._leaving.why, Attempt(self._leaving.url, 0.0)
        return endings.following(closed, url, self.servers, stale=self._stale, back_within_s=self._back_within_s)

    @asynccontextmanager
    async def _link(self, url: str, *, reached: bool) -> AsyncGenerator[ClientConnection, None]:
        """As `_opened`; closed as somebody closes it who goes, for whatever reason, and not as the library would."""
        socket = await self._opened(url, reached=reached)
        try:
            yield socket
        finally:
            await socket.close()

    async def _opened(self, url: str, *, reached: bool) -> ClientConnection:
        """Raises `CommandFailed` for failures that no further attempt mends, and `Distrusted`."""
        # A proxy from the environment never leads to this machine itself.
        tls = tls_for(url)
        encrypted: dict[str, Any] = {} if tls is None else {"ssl": tls}
        opening = connect(
            urldefrag(url).url,
            subprotocols=[Subprotocol(MSGPACK)],
            compression=None,
            proxy=None if is_loopback(url) else True,
            open_timeout=self.servers.opening_s(url),
            close_timeout=2,
            ping_interval=self._ping_every_s,
            ping_timeout=self._ping_every_s,
            create_connection=_checking(url),
            **encrypted,
        )
        try:
            socket = await self._patiently(lambda: opening)
        except (InvalidURI, InvalidStatus) as error:
            endings.give_up_on(error, url, reached=reached)
            raise
        except ssl.SSLError as error:
            if (sentence := complaint(error, url)) is not None:
                raise Distrusted(sentence) from None
            raise
        except (ConnectionResetError, InvalidMessage) as error:
            if tls is None and isinstance(error, ConnectionResetError):
                raise
            raise TimeoutError(words_trust.unreadable(encrypted=tls is not None)) from None  # TLS on one side only
        if socket.subprotocol is None:
            await socket.close()
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH,
                tr(
                    "{server} does not speak version {version} of the Paizhuo protocol",
                    server=server_name(url),
                    version=VERSION,
                ),
            )
        return socket

    async def _frame(self, socket: ClientConnection, silent_until_s: float | None) -> bytes | str:
        """The next frame. Raises TimeoutError at `silent_until_s` of the loop's clock, `_Left` when it is time to go,
        and what `endings.refuse` raises.
        """
        leaving = self._leaving
        try:
            return await self._patiently(socket.recv, leaving.at_s if leaving else silent_until_s)
        except _Woken:
            socket.transport.abort()  # nobody may be there to say good-bye to
            raise
        except TimeoutError:
            if leaving is None:
                raise TimeoutError(tr("it takes the connection but says nothing")) from None
            await socket.close()
            raise _Left(leaving) from None
        except ConnectionClosed as closed:
            endings.refuse(closed)
            raise

    async def _patiently(self, wait: Callable[[], Awaitable[T]], until_s: float | None = None) -> T:
        """Raises TimeoutError at `until_s`, and `_Woken` as soon as the machine turns out to have slept."""
        try:
            async with asyncio.timeout_at(until_s) as self._patience:
                if self._slept:
                    raise TimeoutError
                return await wait()
        except TimeoutError:
            if self._slept:
                raise _Woken from None
            raise
        finally:
            self._patience = None

    async def _nap(self, wait_s: float) -> None:
        self._slept = False
        self._napping = True
        try:
            with suppress(_Woken, TimeoutError):
                await self._patiently(lambda: self._sleep(wait_s))
        finally:
            self._napping = False

    async def _watch(self) -> None:
        while True:
            await self._machine_woken()
            self._slept = True
            self._wait_no_longer()

    def _wait_no_longer(self) -> None:
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())


def _checking(url: str) -> type[ClientConnection]:
    """A connection that says nothing to a server of another fingerprint than that of `url`."""

    class Checking(ClientConnection):
        async def handshake(self, *how: Any, **more: Any) -> None:
            check(url, self.transport.get_extra_info("ssl_object"))
            await super().handshake(*how, **more)

    return Checking


class _Typed(msgspec.Struct):
    type: str


_KNOWN_TYPES = frozenset(message.__struct_config__.tag for message in get_args(ServerMessage))


def _type_of(frame: bytes) -> str | None:
    try:
        return msgspec.msgpack.decode(frame, type=_Typed).type
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def _speaks_another_version(failed: Exception) -> bool:
    return isinstance(failed, CommandFailed) and failed.exit_code == ExitCode.VERSION_MISMATCH


def _reason(error: Exception) -> str:
    if isinstance(error, InvalidStatus) and endings.TURNED_AWAY in error.response.headers:
        return endings.said_by(error)
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return ((isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__).splitlines()[0]
