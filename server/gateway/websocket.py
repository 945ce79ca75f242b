"""The edge to the network: sockets, limits, timers and close codes, and nothing that a session could decide itself.

Beside it only `counted` and `writer` know the WebSocket library. No fault of one connection reaches another, and no log
line carries what a client sent or is shown.
"""

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

from websockets import http11
from websockets.asyncio.server import Server, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from protocol.codec import SUBPROTOCOLS, server_codec
from protocol.errors import CloseCode
from protocol.messages import MAX_FRAME_BYTES, Export
from server import __version__, tracing
from server.clock import Clock
from server.faults import kind_and_place, unquoted
from server.gateway import http
from server.gateway.admission import Admission
from server.gateway.conversations import Conversation, Conversations
from server.gateway.counted import Counted
from server.gateway.door import Door
from server.gateway.errands import ask
from server.gateway.pace import Pace
from server.gateway.session import LookUp, Session
from server.gateway.writer import WRITE_BUFFER_BYTES, Writer
from server.limits import DEFAULT_LIMITS, Limits
from server.node.port import Node, Refusal
from server.settings import ServerSettings

log = logging.getLogger(__name__)

_wire = logging.getLogger(f"{__name__}.wire")
_wire.setLevel(logging.ERROR)
_wire.addFilter(unquoted)
"""The library's own. Never at debug, where it writes down every frame."""

SEND_BUFFER_BYTES = 64 * 1024
"""What the system may hold back for one connection: without this limit it keeps megabytes of outdated views."""

RECEIVE_BUFFER_BYTES = 2 * MAX_FRAME_BYTES
"""What it may take in for one connection that is not read meanwhile."""

_REASONS = {
    CloseCode.NORMAL: "",
    CloseCode.INTERNAL: "a fault of the server",
    CloseCode.RESTART: "the server stops or restarts",
    CloseCode.REPLACED: "a newer connection has this seat",
    CloseCode.BAD_TICKET: "the ticket opens no seat",
    CloseCode.KICKED: "the server's operator ended the connection",
    CloseCode.TIMEOUT: "no hello in time",
    CloseCode.TOO_SLOW: "the client did not read",
    CloseCode.RATE_LIMITED: "too many messages",
}


class Ending(NamedTuple):
    """How long the end of a connection may take, in seconds. `flooded_s`: where the client sends too much."""

    last_words_s: float = 1
    close_s: float = 3
    flooded_s: float = 0.5


DEFAULT_ENDING = Ending()

AT_A_STRETCH = 100
"""Messages of one who sits at no table, without one being the last that has come: far more than anybody has to say."""

LOOK_UP_S = 0.1
"""When a code or ticket that leads nowhere is refused, counted from its asking: how long the look into the store took
must not tell what there is.
"""


class CannotListen(Exception):
    """The address cannot be bound. The text is one sentence that says what to do."""


@asynccontextmanager
async def listen(
    node: Node,
    clock: Clock,
    settings: ServerSettings,
    ending: Ending = DEFAULT_ENDING,
    *,
    conversations: Conversations | None = None,
    admission: Admission | None = None,
    passed: socket.socket | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    """Serve clients of `node` and yield the bound port. At the end clients are closed with `CloseCode.RESTART`.

    `passed`: a socket that listens already, in place of the address in the settings; closed at the end.
    `conversations`: where they are kept, for others to see; new ones unless they are given. `tls`: what encrypts all of
    it; None where nothing does.

    Raises `CannotListen`.
    """
    limits = settings.limits
    conversations = conversations or Conversations()
    admission = admission or Admission(limits, conversations.traffic.turned_away)
    gateway = _Gateway(node, clock, conversations, admission, frozenset(settings.origin), limits, ending)
    where: dict[str, Any] = {"host": settings.host, "port": settings.port} if passed is None else {"sock": passed}
    try:
        server = await serve(
            gateway.converse,  # type: ignore[arg-type]  # all are made by `connection`
            **where,
            process_request=gateway.respond,  # type: ignore[arg-type]  # as above
            subprotocols=[Subprotocol(name) for name in SUBPROTOCOLS],
            compression=None,
            server_header=None,
            open_timeout=limits.open_s,
            ping_interval=limits.ping_s,
            ping_timeout=limits.ping_s,
            close_timeout=ending.close_s,
            max_size=MAX_FRAME_BYTES,
            write_limit=WRITE_BUFFER_BYTES,
            logger=_wire,
            create_connection=gateway.connection,  # type: ignore[arg-type]  # it need not be a class
            ssl=tls,
            ssl_handshake_timeout=None if tls is None else limits.open_s,
            ssl_shutdown_timeout=None if tls is None else ending.close_s,
        )
    except (OSError, UnicodeError) as fault:  # a name that no DNS could hold is the latter
        raise CannotListen(remedy(fault, settings.host, settings.port)) from None
    for listening in server.sockets:  # accepted sockets inherit them
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await gateway.conversations.drain(settings.drain_s)
        await _stop(server)


class _Gateway:
    def __init__(
        self,
        node: Node,
        clock: Clock,
        conversations: Conversations,
        admission: Admission,
        origins: frozenset[str] = frozenset(),
        limits: Limits = DEFAULT_LIMITS,
        ending: Ending = DEFAULT_ENDING,
    ) -> None:
        self._node = node
        self._clock = clock
        self._origins = origins
        self._limits = limits
        self._ending = ending
        self.admission = admission
        self._readiness = http.Readiness(node, clock)
        self._lobby = Pace(limits.lobby_messages)
        self._refused = Pace(limits.lobby_messages / 2)  # at tables, which wait for nobody in the lobby
        self.conversations = conversations
        self._traffic = conversations.traffic

    def connection(self, protocol: ServerProtocol, server: Server, **timeouts: Any) -> Door:
        """What the library makes of a connection that is accepted, before anybody knows whose it is."""

        def enter(peer: str) -> Counted | None:
            visit = self.admission.accept(peer, self._clock.monotonic_ms())
            if visit is None:
                return None
            return Counted(visit, self.admission, self._clock, protocol, server, **timeouts)

        return Door(enter)

    async def respond(self, connection: Counted, request: http11.Request) -> http11.Response | None:
        """What a request gets instead of a WebSocket; None opens one."""
        page = await self._page(connection, request)
        if connection.protocol.parser_exc is not None:
            # Gone already, or cut off for what came behind the request: the library would trip over the answer.
            connection.transport.abort()
            await connection.wait_closed()
        if page is None:
            return None
        response = connection.respond(page.status, page.text)
        if page.code is not None:
            response.headers["Paizhuo-Code"] = page.code
        if page.retry_s is not None:
            response.headers["Retry-After"] = str(page.retry_s)
        response.headers["Cache-Control"] = "no-store"
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = page.content_type
        if page is http.NOT_ALLOWED:
            response.headers["Allow"] = "GET, HEAD"
        if request.method == "HEAD":
            response.body = b""
        return response

    async def _page(self, connection: Counted, request: http11.Request) -> http.Page | None:
        path = http.path_of(request.path)
        headers = request.headers
        if path not in http.HEALTH_PATHS:  # else a balancer would see a server that is full as one that is dead
            # Before it waits: whoever opens too many is to be cut off while these are still in the line.
            refused = self.admission.ask(
                connection.visit, headers.get_all("X-Forwarded-For"), self._clock.monotonic_ms()
            )
            await self._turn(connection)
            if refused is not None:
                return http.turned_away(*refused)
        if request.method not in {"GET", "HEAD"}:
            return http.NOT_ALLOWED
        if path == http.WS_PATH:
            if "Upgrade" not in headers:
                return None  # the library says what is missing
            page = self._turned_away(headers)
            if page is not None and page.code is not None:
                self._traffic.turned_away[page.code] += 1
            return page
        try:
            if path == http.READY_PATH:
                return http.STOPPING if self.conversations.draining else await self._readiness.page()
            return http.page(path, next(iter(headers.get_all("Host")), ""))
        except Exception as fault:  # noqa: BLE001 - the edge: whatever it is ends this request and nothing else
            _log_fault(fault)
            return http.FAULT

    def _turned_away(self, headers: Headers) -> http.Page | None:
        """What a client gets in place of a WebSocket; None: it may have one."""
        if self.conversations.draining:
            return http.STOPPING
        offered = ",".join(headers.get_all("Sec-WebSocket-Protocol")).replace(",", " ").split()
        return http.unwelcome(headers.get_all("Origin"), offered, self._origins)

    async def converse(self, connection: Counted) -> None:
        """One connection from its opening to its end."""
        assert connection.subprotocol is not None, "http.unwelcome lets none pass"
        codec = server_codec(connection.subprotocol)
        writer = Writer(connection, codec, self._limits.stalled_s, self._limits.outbox_kib * 1024, self._traffic)
        outbox = writer.outbox
        for head in (connection.request, connection.response):
            if head is not None:
                head.headers.clear()  # kilobytes that nobody needs any more
        session = Session(
            codec,
            outbox,
            __version__,
            self._node.house_rules,
            self._node.servers(),
            self._traffic.answers,
            connection.visit.account,
            self._limits.connection_messages,
        )
        connection.flooded = session.flooded
        try:
            with self.conversations.one(
                outbox, session, connection.subprotocol, connection.visit.address
            ) as conversation:
                log.debug("opened", extra={"connection": conversation.name, "kind": connection.subprotocol})
                async with asyncio.TaskGroup() as group:
                    conversation.reading = group.create_task(self._read(connection, session, conversation))
                    await outbox.closing.wait()
                    if outbox.code is not CloseCode.TOO_SLOW:
                        await asyncio.wait((writer.ended,), timeout=self._ending.last_words_s)
                    await self._hang_up(connection, outbox.code or CloseCode.NORMAL)
        finally:
            writer.stop()
            self._node.detach(outbox)
            self._traffic.ended(connection.close_code)
            log.debug("closed", extra={"connection": conversation.name, "code": connection.close_code})

    async def _read(self, connection: Counted, session: Session, conversation: Conversation) -> None:
        outbox = conversation.outbox
        loop = asyncio.get_running_loop()
        hello_by_s = loop.time() + self._limits.hello_s
        stretch = 0
        with _fence(session, conversation):
            while True:
                if session.greeted:
                    frame = await connection.recv()
                else:
                    try:
                        async with asyncio.timeout_at(hello_by_s):
                            frame = await connection.recv()
                    except TimeoutError:
                        outbox.close(CloseCode.TIMEOUT)
                        return
                connection.unread -= 1
                self._traffic.came_in(frame)
                if outbox.code is CloseCode.RATE_LIMITED:
                    return  # what else it sent stays with the system, which then takes no more
                if outbox.code is not None:
                    continue  # the client's close frame stands behind all that it sent before
                paced = outbox.place_held is None
                if paced:
                    stretch = stretch + 1 if connection.unread else 0
                    if stretch > AT_A_STRETCH:
                        session.flooded(self._clock.monotonic_ms())
                        continue
                    await self._turn(connection)
                    if connection.is_lost():
                        continue  # nobody would learn what came of it
                conversation.messages += 1
                request = session.receive(frame, self._clock.monotonic_ms())
                if request is None:
                    _log_answer(session, conversation, 0.0)
                    if not paced:
                        await self._refused.turn(connection.visit.account, connection.is_lost)
                    continue
                asked_s = loop.time()
                with tracing.span("command", under=tracing.ROOT, **conversation.named) as span:
                    try:
                        with conversation.busy():
                            asking = ask(self._node, request, session.name, outbox)
                            await (_while_there(connection, asking) if isinstance(request, Export) else asking)
                    except Refusal as refusal:
                        if isinstance(request, LookUp):
                            await asyncio.sleep(asked_s + LOOK_UP_S - loop.time())
                        session.refuse(refusal)
                        hello_by_s = loop.time() + self._limits.hello_s  # a hello whose ticket was refused is none
                    else:
                        session.carry_out()
                    if span is not None:
                        _name(span, session)
                took_s = loop.time() - asked_s
                self._traffic.command_s.add(took_s)
                _log_answer(session, conversation, took_s)
                conversation.go_on()

    async def _turn(self, connection: Counted) -> None:
        """In the line of those who do not play, which takes one of each address in turn."""
        time_s = asyncio.get_running_loop().time
        came_s = time_s()
        await self._lobby.turn(connection.visit.account, connection.is_lost)
        self._traffic.lobby_s.add(time_s() - came_s)

    async def _hang_up(self, connection: Counted, code: CloseCode) -> None:
        limit_s = self._ending.flooded_s if code is CloseCode.RATE_LIMITED else self._ending.close_s
        try:
            async with asyncio.timeout(limit_s):
                await connection.close(code, _REASONS[code])
        except TimeoutError:
            connection.transport.abort()  # a client that does not read does not read its close frame either


async def _while_there(connection: Counted, asking: Coroutine[None, None, None]) -> None:
    """Go on for as long as the client is there to be told what comes of it. Raises what that raises."""
    task = asyncio.create_task(asking)
    try:
        await asyncio.wait((task, connection.connection_lost_waiter), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
    finally:
        task.cancel()


@contextmanager
def _fence(session: Session, conversation: Conversation) -> Iterator[None]:
    """One connection's fault ends that connection."""
    outbox = conversation.outbox
    try:
        yield
    except ConnectionClosed:
        outbox.close(CloseCode.NORMAL)
    except Exception as fault:  # noqa: BLE001 - the edge: whatever it is ends this connection and no other
        _log_fault(fault, conversation)
        session.fail()
    finally:
        outbox.close(CloseCode.INTERNAL)  # the first code stays; this one is for what was cancelled, too


def _name(span: tracing.Span, session: Session) -> None:
    kind, code = session.answered
    span.set_attribute("kind", kind)
    span.set_attribute("code", code)


def _log_answer(session: Session, conversation: Conversation, took_s: float) -> None:
    """What was asked and how it was answered, in words of the protocol alone."""
    if log.isEnabledFor(logging.DEBUG):
        kind, code = session.answered
        log.debug("answered", extra={"kind": kind, "code": code, "seconds": took_s, **conversation.named})


def _log_fault(fault: Exception, conversation: Conversation | None = None) -> None:
    named = {} if conversation is None else conversation.named
    log.error("in a connection: %s", kind_and_place(fault), extra=named)


async def _stop(server: Server) -> None:
    """Whoever has not ended the conversation by now, or has not begun one, is cut off."""
    for connection in server.all_connections:
        connection.transport.abort()
    server.close(code=CloseCode.RESTART, reason=_REASONS[CloseCode.RESTART])
    await server.wait_closed()


def remedy(
    fault: OSError | UnicodeError, host: str, port: int, host_flag: str = "--host", port_flag: str = "--port"
) -> str:
    """Why an address cannot be bound and what to do, in one sentence."""
    match fault:
        case OSError(errno=errno.EADDRINUSE):
            return (
                f"port {port} on {host} is taken: stop what listens there,"
                f" or choose another port with {port_flag} (0 takes any free one)"
            )
        case OSError(errno=errno.EACCES):
            return f"port {port} needs more rights than this program has: choose one above 1023 with {port_flag}"
    return f"{host} is no address that this machine can listen on: choose another with {host_flag}"
