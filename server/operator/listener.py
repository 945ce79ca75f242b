"""The edge to the operator's network: the only module that knows the HTTP library, and decides nothing else.

No browser has business here, so requests of web pages are refused: those that say so by `Origin`, and on a loopback
address those that reached it under somebody else's name (DNS rebinding).
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from hmac import compare_digest
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware
from aiohttp.web_protocol import RequestHandler

from server.faults import kind_and_place
from server.gateway.door import Door
from server.gateway.http import FAULT, NOT_FOUND, Page
from server.operator.routes import Asked, Route

log = logging.getLogger(__name__)

_library = logging.getLogger(f"{__name__}.library")
_library.setLevel(logging.CRITICAL)
"""The library's own. It would quote requests; what matters is logged here."""

BODY_BYTES = 64 * 1024
STOP_S = 0.5
"""How long requests that are being answered may hold up the end."""

HEARD_S = 5.0
"""How long a connection may take to ask something; it is ended before twice that. Whoever opens many and says nothing
would use up what players need for theirs.
"""

KEPT_S = 75
"""How long a connection is kept for the next question."""

MOST_CONNECTIONS = 64
"""At once. One more ends the oldest that is not being answered, so that nobody can hold the operator out; where all are
being answered, it is cut off itself.
"""

FOR_NO_PAGE = Page(HTTPStatus.FORBIDDEN, "This is for the server's operator, and for no web page.\n")

NO_TOKEN = Page(
    HTTPStatus.FORBIDDEN, "On an address that others can reach, this needs --admin-token-file at the server's start.\n"
)
WRONG_TOKEN = Page(HTTPStatus.UNAUTHORIZED, "The operator's token is missing or wrong: Authorization: Bearer TOKEN.\n")
NO_JSON = Page(
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "What changes something is asked with Content-Type application/json.\n"
)

_Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def listening(
    host: str, port: int, routes: Iterable[Route], passed: socket.socket | None = None, token: str = ""
) -> AsyncIterator[int]:
    """Answer on `routes` until the block ends; yields the bound port (`port` 0: any free one).

    `passed`: a socket that listens already, at that host; closed at the end. `token`: what requests of guarded routes
    must bring as `Authorization: Bearer`; without one they are answered on a loopback address alone.

    Raises `OSError` (`UnicodeError` for a name that no DNS could hold) where it cannot be bound.
    """
    heard: set[RequestHandler] = set()
    answered: set[RequestHandler] = set()
    application = web.Application(client_max_size=BODY_BYTES, middlewares=[_fence(host, heard.add)])
    for route in routes:
        answering = _answering(route, answered)
        if route.guarded:
            answering = _guarded(answering, token, _is_loopback(host))
        application.router.add_route(route.method, route.path, answering)
        if route.method == "GET":
            application.router.add_route("HEAD", route.path, answering)
    application.on_response_prepare.append(_say_little)
    runner = web.AppRunner(
        application,
        handle_signals=False,
        access_log=None,
        logger=_library,
        shutdown_timeout=STOP_S,
        keepalive_timeout=KEPT_S,
    )
    await runner.setup()
    server = runner.server
    assert server is not None
    ending = asyncio.create_task(_end_silent(server, heard))
    loop = asyncio.get_running_loop()
    place = {"host": host, "port": port} if passed is None else {"sock": passed}
    try:
        listener = await loop.create_server(lambda: Door(lambda _peer: _let_in(server, answered)), **place)
        try:
            yield listener.sockets[0].getsockname()[1]
        finally:
            listener.close()
    finally:
        ending.cancel()
        await runner.cleanup()


def _let_in(server: web.Server, answered: Collection[RequestHandler]) -> RequestHandler | None:
    """Where it is full, for the oldest of the others that is not being answered."""
    held = [each for each in server.connections if each.transport is not None]
    if len(held) >= MOST_CONNECTIONS:
        idle = next((each for each in held if each not in answered), None)
        if idle is None:
            return None
        idle.force_close()
    return server()


async def _end_silent(server: web.Server, heard: set[RequestHandler]) -> None:
    """Connections that have not got as far as a request; the library has no deadline for the first."""
    before: set[RequestHandler] = set()
    while True:
        await asyncio.sleep(HEARD_S)
        now = set(server.connections)
        heard &= now
        for connection in before & now - heard:
            connection.force_close()
        before = now


def _answering(route: Route, answered: set[RequestHandler]) -> _Answering:
    """`answered`: holds whose request has come as a whole, until the answer stands."""

    async def answer(request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(HEARD_S):
                body = await request.read()
        except (TimeoutError, ConnectionError):
            raise web.HTTPRequestTimeout from None
        asked = Asked(request.match_info, request.query, body, request.remote or "")
        answered.add(request.protocol)
        try:
            return _response(await route.answer(asked))
        finally:
            answered.discard(request.protocol)

    return answer


def _guarded(answering: _Answering, token: str, loopback: bool) -> _Answering:
    expected = f"Bearer {token}".encode()

    async def answer(request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if not token and not loopback:
            return _response(NO_TOKEN)
        if token and not compare_digest(given, expected):
            return _response(WRONG_TOKEN)
        if request.method == "POST" and request.content_type != "application/json":
            return _response(NO_JSON)  # which no form of a web page can send unasked
        return await answering(request)

    return answer


def _fence(host: str, heard: Callable[[RequestHandler], None]) -> Middleware:
    """One request's fault ends that request, and whoever has no business here gets no further.

    `heard`: is told which connection asks.
    """
    loopback = _is_loopback(host)

    @web.middleware
    async def fence(request: web.Request, handler: _Answering) -> web.StreamResponse:
        heard(request.protocol)
        if "Origin" in request.headers or (loopback and not _is_loopback(_name_in(request.headers.get("Host", "")))):
            return _response(FOR_NO_PAGE)
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return _response(NOT_FOUND)
        except web.HTTPException:
            raise
        except Exception as fault:  # noqa: BLE001 - the edge: whatever it is ends this request and nothing else
            log.error("in a request of the operator: %s", kind_and_place(fault))
            return _response(FAULT)

    return fence


def _response(page: Page) -> web.Response:
    return web.Response(
        status=page.status,
        body=page.text.encode(),
        headers={"Content-Type": page.content_type, "Cache-Control": "no-store"},
    )


async def _say_little(_: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "paizhuo"  # else the library adds its version and Python's


def _name_in(host: str) -> str:
    """The name of a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
