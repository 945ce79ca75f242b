"""The list of rooms that anybody may join.

A room is on it while it is public, still waits for players, and has one connected.
"""

import msgspec

from protocol.messages import RoomSummary
from server.rooms.state import RoomState, host
from server.store.base import Refused, Store

LISTED_MS = 60_000
RENEW_MS = LISTED_MS // 2

_decoder = msgspec.msgpack.Decoder(RoomSummary)


def summary(state: RoomState | None) -> RoomSummary | None:
    """What the list says of a room; None for one that does not belong on it."""
    if state is None or not state.listed or state.phase != "open":
        return None
    seated = host(state)
    free = sum(seat.kind == "empty" for seat in state.seats)
    if seated is None or not free:
        return None
    return RoomSummary(state.code, state.game, state.seats[seated].name, free, state.deals, state.pace)


def read_summaries(found: tuple[bytes, ...]) -> tuple[RoomSummary, ...]:
    """Entries that this version cannot read are passed over."""
    rooms = []
    for entry in found:
        try:
            rooms.append(_decoder.decode(entry))
        except msgspec.MsgspecError:
            continue
    return tuple(rooms)


class Listing:
    """One room's place on the list. It costs a write when the summary changes, and one in `RENEW_MS` while listed."""

    def __init__(self, code: str, store: Store) -> None:
        self._code = code
        self._store = store
        self._shown: RoomSummary | None = None
        self._sure = True
        self._renew_at_ms = 0

    async def renew(self, state: RoomState | None, connected: bool, now_ms: int) -> int | None:
        """Bring the list up to date; returns when to do so again, if nothing changes before."""
        wanted = summary(state) if connected else None
        if not self._sure or wanted != self._shown or (wanted is not None and now_ms >= self._renew_at_ms):
            self._sure = False  # what is broken off or refused may have been done all the same
            try:
                if wanted is None:
                    await self._store.delist(self._code)
                else:
                    await self._store.enlist(self._code, msgspec.msgpack.encode(wanted), LISTED_MS)
            except Refused:
                return now_ms + RENEW_MS  # the list is a convenience: a room goes on without it
            self._shown, self._sure = wanted, True
            self._renew_at_ms = now_ms + RENEW_MS
        return None if wanted is None else self._renew_at_ms
