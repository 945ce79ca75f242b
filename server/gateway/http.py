"""What the port answers to plain HTTP, and why it will not open a WebSocket. It knows no WebSocket library."""

import asyncio
import re
from collections.abc import Collection, Sequence
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from protocol.codec import SUBPROTOCOLS
from protocol.errors import TurnedAway
from server import __version__
from server.clock import Clock
from server.gateway.conversations import LEAST_RETRY_MS
from server.node.port import Node, Refusal
from server.rooms.names import clean_text

WS_PATH, READY_PATH = "/ws", "/readyz"
HEALTH_PATHS = ("/healthz", READY_PATH)

READY_MS = 1_000

_CODE = re.compile(r"[0-9A-Za-z]{1,16}", re.ASCII)
_HOST = re.compile(r"[0-9A-Za-z.-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?", re.ASCII)
_MAX_OFFER_CHARACTERS = 200


class Page(NamedTuple):
    """A response; its text ends with a line feed. `code`: of a refusal, and `retry_s` when to ask again, if ever."""

    status: HTTPStatus
    text: str
    content_type: str = "text/plain; charset=utf-8"
    code: TurnedAway | None = None
    retry_s: int | None = None


NOT_FOUND = Page(HTTPStatus.NOT_FOUND, "There is nothing here. Players connect to /ws with the program paizhuo.\n")
NOT_ALLOWED = Page(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are answered here.\n")
STOPPING = Page(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "This server stops: connect to another one, or again in a few seconds.\n",
    code=TurnedAway.DRAINING,
    retry_s=LEAST_RETRY_MS // 1000,
)
FAULT = Page(HTTPStatus.INTERNAL_SERVER_ERROR, "A fault of the server; it has been logged.\n")


_STATUSES = {
    TurnedAway.RATE_LIMITED: (
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many connections were opened from your address lately.",
    ),
    TurnedAway.TOO_MANY_CONNECTIONS: (
        HTTPStatus.TOO_MANY_REQUESTS,
        "Your address has as many connections open as this server allows.",
    ),
    TurnedAway.BLOCKED: (HTTPStatus.FORBIDDEN, "The operator of this server has blocked your address for a while."),
    TurnedAway.SERVER_FULL: (HTTPStatus.SERVICE_UNAVAILABLE, "This server has all the connections that it can take."),
}


def turned_away(code: TurnedAway, retry_ms: int) -> Page:
    """The answer to a request that `Admission` refuses."""
    status, sentence = _STATUSES[code]
    retry_s = -(-retry_ms // 1000)
    return Page(status, f"{sentence} Try again in {retry_s} s.\n", code=code, retry_s=retry_s)


def path_of(target: str) -> str:
    """The path of a request target, without its query."""
    try:
        return urlsplit(target).path
    except ValueError:
        return ""


class Readiness:
    """Whether a node can serve. To find out costs a write that is durable, and anybody may ask: one look serves all who
    ask meanwhile, and in the `READY_MS` after it."""

    def __init__(self, node: Node, clock: Clock) -> None:
        self._node = node
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._found = FAULT
        self._until_ms = clock.monotonic_ms()

    async def page(self) -> Page:
        async with self._one_at_a_time:
            if self._clock.monotonic_ms() >= self._until_ms:
                self._found = await self._look()
                self._until_ms = self._clock.monotonic_ms() + READY_MS
            return self._found

    async def _look(self) -> Page:
        try:
            await self._node.check()
        except Refusal as refusal:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, f"{refusal.text}\n")
        return Page(HTTPStatus.OK, "ready\n")


def page(path: str, host: str) -> Page:
    """The answer to GET `path`, asked of `host` (the request's Host, not to be trusted)."""
    match path.split("/")[1:]:
        case ["healthz"]:
            return Page(HTTPStatus.OK, "ok\n")
        case ["version"]:
            version = {"server": __version__, "protocols": SUBPROTOCOLS}
            return Page(HTTPStatus.OK, f"{msgspec.json.encode(version).decode()}\n", "application/json")
        case ["j", typed] if _CODE.fullmatch(code := typed.replace("-", "")):
            return Page(HTTPStatus.OK, _invitation(code.upper(), host))
    return NOT_FOUND


def unwelcome(origins: Sequence[str], offered: Sequence[str], allowed: Collection[str]) -> Page | None:
    """Why a WebSocket is not opened: `origins` and subprotocols `offered`, as the request has them. None: it may."""
    if any(origin not in allowed for origin in origins):
        return Page(
            HTTPStatus.FORBIDDEN,
            "This server opens no connection for web pages of that origin; its operator can allow it with --origin.\n",
            code=TurnedAway.ORIGIN,
        )
    if not set(offered) & set(SUBPROTOCOLS):
        spoken = clean_text(", ".join(offered)) or "no version at all"
        return Page(
            HTTPStatus.BAD_REQUEST,
            f"This server speaks {' and '.join(SUBPROTOCOLS)}, but the client offered "
            f"{spoken[:_MAX_OFFER_CHARACTERS]}: update the older of the two.\n",
            code=TurnedAway.VERSION,
        )
    return None


def _invitation(code: str, host: str) -> str:
    place = host if _HOST.fullmatch(host) else "HOST:PORT"
    return f"""\
You are invited to a card table. With the program paizhuo installed, sit down with:

    paizhuo join {code}@{place}

If the address that you were given ends with # and a fingerprint, write that behind it as well.
"""
