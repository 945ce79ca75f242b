"""What the operator sees of rooms and connections, and can do about them. Never a card, a deck or a ticket.

Rooms are told of and closed as their logs have them, on whatever server; connections, blocks and draining are of this
one. Everything that changes something is logged, with where it was asked from.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from ipaddress import ip_address
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from protocol.errors import ErrorCode
from protocol.messages import Seated
from server.clock import Clock
from server.gateway.addresses import subscriber
from server.gateway.admission import Admission
from server.gateway.conversations import Conversation, Conversations
from server.gateway.http import Page
from server.node.hub import Hub
from server.node.port import Refusal
from server.node.room import Room
from server.operator.routes import Asked, Route
from server.rooms.names import clean_text

audit = logging.getLogger("server.operator.audit")

LONGEST_BLOCK_S = 30 * 24 * 3600

_STATUSES = {
    ErrorCode.NO_SUCH_ROOM: HTTPStatus.NOT_FOUND,
    ErrorCode.NO_SUCH_SEAT: HTTPStatus.NOT_FOUND,
    ErrorCode.STORE_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}


class SeatHeld(Struct, frozen=True):
    seat: int
    kind: str
    name: str
    connected: bool
    away: bool


class RoomHeld(Struct, frozen=True):
    """A room that is open at this server. `connections`: at this server; `age_s`, `idle_s`: since it was created, and
    since its last entry.
    """

    code: str
    game: str
    phase: str
    deal: int
    deals: int
    seats: tuple[SeatHeld, ...]
    connections: int
    age_s: int
    idle_s: int


class Connected(Struct, frozen=True):
    """`waiting_bytes`: what the client has not read yet."""

    id: str
    address: str
    name: str
    state: str
    room: str
    seat: int | None
    messages: int
    waiting_bytes: int


class Blocked(Struct, frozen=True):
    address: str
    seconds: int


class Failed(Struct, frozen=True):
    code: str
    text: str


class Block(Struct, frozen=True, forbid_unknown_fields=True):
    """`seconds` 0: no longer."""

    address: Annotated[str, Meta(max_length=64)]
    seconds: Annotated[int, Meta(ge=0, le=LONGEST_BLOCK_S)]


class Held(NamedTuple):
    """What is administered. `drain_s`: how long clients are given when the server drains; `back_up`: makes a copy of
    the rooms and says where it is, or raises `Refusal`; None where others have to.
    """

    hub: Hub
    conversations: Conversations
    admission: Admission
    clock: Clock
    now_ms: Callable[[], int]
    drain_s: float
    back_up: Callable[[], Awaitable[str]] | None = None


class Administration:
    """Of one server."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._draining: asyncio.Task[None] | None = None

    def routes(self) -> tuple[Route, ...]:
        return (
            self._route("GET", "/admin/rooms", self._rooms),
            self._route("GET", "/admin/connections", self._connections),
            self._route("GET", "/admin/blocks", self._blocks),
            self._route("POST", "/admin/connections/{id}/kick", self._kick_connection),
            self._route("POST", "/admin/rooms/{code}/close", self._close_room),
            self._route("POST", "/admin/rooms/{code}/seats/{seat}/kick", self._kick_seat),
            self._route("POST", "/admin/block", self._block),
            self._route("POST", "/admin/drain", self._drain),
            self._route("POST", "/admin/backup", self._back_up),
        )

    @staticmethod
    def _route(method: str, path: str, do: Callable[[Asked], Awaitable[object]]) -> Route:
        async def answer(asked: Asked) -> Page:
            try:
                found = await do(asked)
            except Refusal as refusal:
                status = _STATUSES.get(refusal.code, HTTPStatus.CONFLICT)
                return _json(Failed(refusal.code, refusal.text), status)
            except _Unusable as unusable:
                return _json(Failed("malformed", str(unusable)), HTTPStatus.BAD_REQUEST)
            except _OfOthers:
                text = "This store is backed up by its own means: see deploy/README.md."
                return _json(Failed("not_here", text), HTTPStatus.CONFLICT)
            except _NoSuchConnection:
                return _json(Failed("no_such_connection", "No connection has this id."), HTTPStatus.NOT_FOUND)
            return _json(found)

        return Route("GET" if method == "GET" else "POST", path, answer, guarded=True)

    # What there is

    async def _rooms(self, _: Asked) -> object:
        now_ms = self._held.now_ms()
        found = (_room_held(room, self._connections_in(room.code), now_ms) for room in self._held.hub.rooms_here)
        return sorted((room for room in found if room is not None), key=lambda room: room.code)

    async def _connections(self, _: Asked) -> object:
        return sorted(map(_connected, self._held.conversations.all), key=lambda one: int(one.id[1:]))

    async def _blocks(self, _: Asked) -> object:
        blocked = self._held.admission.blocked(self._held.clock.monotonic_ms())
        return [Blocked(str(address), -(-left_ms // 1000)) for address, left_ms in blocked.items()]

    def _connections_in(self, code: str) -> int:
        return sum(_room_of(each) == code for each in self._held.conversations.all)

    # What is done

    async def _kick_connection(self, asked: Asked) -> object:
        for each in self._held.conversations.all:
            if each.name == asked.parameters["id"]:
                _note(asked, "kick connection", each.name)
                each.kick()
                return {}
        raise _NoSuchConnection

    async def _kick_seat(self, asked: Asked) -> object:
        code, seat = asked.parameters["code"], asked.parameters["seat"]
        if seat not in ("0", "1", "2"):
            raise Refusal(ErrorCode.NO_SUCH_SEAT, "Seats are 0, 1 and 2.")
        _note(asked, "kick seat", f"{code} {seat}")
        await self._held.hub.expel(code, int(seat))
        return {}

    async def _close_room(self, asked: Asked) -> object:
        _note(asked, "close room", asked.parameters["code"])
        await self._held.hub.close_room(asked.parameters["code"])
        return {}

    async def _block(self, asked: Asked) -> object:
        try:
            block = msgspec.json.decode(asked.body, type=Block)
            address = ip_address(block.address)
        except (msgspec.MsgspecError, ValueError) as wrong:
            raise _Unusable(f"An address and seconds are wanted: {wrong}") from None
        _note(asked, f"block for {block.seconds} s", str(subscriber(address)))
        until_ms = self._held.clock.monotonic_ms() + block.seconds * 1000
        try:
            self._held.admission.block(address, until_ms)
        except ValueError as full:
            raise _Unusable(str(full)) from None
        kicked = [
            each
            for each in tuple(self._held.conversations.all)
            if block.seconds and each.address in subscriber(address)
        ]
        for each in kicked:
            each.kick()
        return {"kicked": len(kicked)}

    async def _drain(self, asked: Asked) -> object:
        """As SIGTERM does it, but the process goes on."""
        _note(asked, "drain", "")
        going = len(self._held.conversations.all)
        if self._draining is None:
            self._held.hub.drain()
            self._draining = asyncio.create_task(self._held.conversations.drain(self._held.drain_s))
        return {"connections": going}

    async def _back_up(self, asked: Asked) -> object:
        if self._held.back_up is None:
            raise _OfOthers
        _note(asked, "backup", "")
        return {"copy": await self._held.back_up()}


class _Unusable(Exception):
    """A request that cannot be read. The text is a sentence."""


class _OfOthers(Exception):
    """Not a server's business."""


class _NoSuchConnection(Exception):
    pass


def _room_held(room: Room, connections: int, now_ms: int) -> RoomHeld | None:
    """None for a room that is just being opened or has gone."""
    state = room.state
    if state is None or state.closed:
        return None
    here = room.presence.connected
    seats = tuple(
        SeatHeld(number, seat.kind, seat.name, number in here, seat.away) for number, seat in enumerate(state.seats)
    )
    age_s, idle_s = ((now_ms - since_ms) // 1000 for since_ms in (room.created_ms, state.last_at_ms))
    return RoomHeld(
        state.code, state.game, state.phase, state.deal, state.deals, seats, connections, max(0, age_s), max(0, idle_s)
    )


def _connected(one: Conversation) -> Connected:
    place = one.outbox.place_held
    name = "" if one.session is None else one.session.name
    seat = place.seat if isinstance(place, Seated) else None
    return Connected(
        one.name, str(one.address), name, one.state, _room_of(one), seat, one.messages, one.outbox.waiting_bytes
    )


def _room_of(one: Conversation) -> str:
    return "" if one.outbox.place_held is None else one.outbox.place_held.code


def _note(asked: Asked, what: str, whom: str) -> None:
    audit.info("%s: %s %s", asked.by, what, clean_text(whom) or "")


def _json(what: object, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(status, f"{msgspec.json.encode(what).decode()}\n", "application/json")
