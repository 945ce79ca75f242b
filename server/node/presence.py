"""Whose player is connected to which node, as far as one node knows. Pure: the time comes in."""

from server.games.base import SEATS, Seat

HEARTBEAT_MS = 5_000
"""How often a node repeats who is connected to it, where another node is in the room too."""

SILENT_MS = 3 * HEARTBEAT_MS
"""A node that has not been heard for so long is taken for dead, and its players for disconnected."""


class Presence:
    """One room's players, by node. `gone_since_ms` counts from when the room was opened here at the earliest."""

    def __init__(self, node: str, now_ms: int) -> None:
        self._node = node
        self._seats: dict[str, tuple[Seat, ...]] = {node: ()}
        self._heard_ms: dict[str, int] = {}
        self.connected: frozenset[Seat] = frozenset()
        self.gone_since_ms: dict[Seat, int] = dict.fromkeys(SEATS, now_ms)

    @property
    def here(self) -> tuple[Seat, ...]:
        """The seats whose players are connected to this node."""
        return self._seats[self._node]

    @property
    def alone(self) -> bool:
        """Does no other node serve the room, as far as is known?"""
        return len(self._seats) == 1

    @property
    def nodes(self) -> list[str]:
        """All nodes known to serve the room, in one order for all."""
        return sorted(self._seats)

    def set_here(self, seats: tuple[Seat, ...], now_ms: int) -> None:
        self._seats[self._node] = seats
        self._recount(now_ms)

    def hear(self, node: str, seats: tuple[Seat, ...], now_ms: int) -> None:
        """Another node told who is connected to it."""
        self._seats[node] = seats
        self._heard_ms[node] = now_ms
        self._recount(now_ms)

    def hear_of(self, node: str, now_ms: int) -> None:
        """Another node has just written in the room, so it serves it, whoever may be connected there."""
        if node != self._node:
            self._seats.setdefault(node, ())
            self._heard_ms[node] = now_ms

    def seen(self, seat: Seat, node: str, now_ms: int) -> None:
        """The log says that the player has just come to a node, which may yet have to tell so, and to no other."""
        for other, seats in self._seats.items():
            if other not in (node, self._node):
                self._seats[other] = tuple(each for each in seats if each != seat)
        self._recount(now_ms)
        if seat in self.gone_since_ms:
            self.gone_since_ms[seat] = now_ms

    def begin_anew(self, now_ms: int) -> None:
        """This node could not hear for a while, so the others may have spoken: all count as just heard."""
        self._heard_ms = dict.fromkeys(self._heard_ms, now_ms)

    def forget_silent(self, now_ms: int) -> None:
        for node, heard_ms in list(self._heard_ms.items()):
            if now_ms - heard_ms > SILENT_MS:
                del self._heard_ms[node], self._seats[node]
        self._recount(now_ms)

    def _recount(self, now_ms: int) -> None:
        self.connected = connected = frozenset(seat for seats in self._seats.values() for seat in seats)
        self.gone_since_ms = {seat: self.gone_since_ms.get(seat, now_ms) for seat in SEATS if seat not in connected}
