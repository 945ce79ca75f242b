"""Seats that this player has left unfinished: one small file each, so that two programs never overwrite each other.

A ticket is the only way back to a seat: the files are private (0600) and replaced in one step.
"""

import time
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
from platformdirs import user_state_path

from client_cli.fairness import KeptRound
from client_cli.private_file import write_private
from protocol.view import SeatNumber

FORGOTTEN_AFTER_S = 30 * 24 * 3600
"""A room that is played closes after 7 idle days; older tickets open nothing."""


class SavedSeat(msgspec.Struct, frozen=True):
    """A seat at a room, and the ticket that opens it. `saved_s`: seconds since 1970.

    `url`: the server where it was taken, with its fingerprint, if it was known by one. `servers`: all that are known to
    serve the room, the last one first.
    `rounds`: what this player has drawn for deals to come, and must not lose.
    """

    url: str
    code: str
    seat: SeatNumber
    name: str
    ticket: str
    saved_s: float
    servers: tuple[str, ...] = ()
    rounds: tuple[KeptRound, ...] = ()


class Found(NamedTuple):
    """The saved seats, newest first, and the files that are none."""

    seats: tuple[SavedSeat, ...]
    unreadable: tuple[Path, ...]


class TicketStore:
    """The saved seats of one user, in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, seat: SavedSeat) -> None:
        """Save, or save anew, one seat. Raises OSError."""
        write_private(self._path(seat.url, seat.code, seat.seat), msgspec.json.encode(seat))

    def drop(self, url: str, code: str, seat: int) -> None:
        """Forget one seat. Raises OSError, but not for a seat that was never kept."""
        self._path(url, code, seat).unlink(missing_ok=True)

    def unfinished(self, now_s: float) -> Found:
        """All saved seats. Raises OSError when the directory cannot be read."""
        seats, unreadable = [], []
        for path in sorted(self._directory.glob("*.json")):
            try:
                seats.append(msgspec.json.decode(path.read_bytes(), type=SavedSeat))
            except (OSError, msgspec.MsgspecError, UnicodeError):
                unreadable.append(path)
        fresh = [seat for seat in seats if now_s - seat.saved_s < FORGOTTEN_AFTER_S]
        return Found(tuple(sorted(fresh, key=lambda seat: -seat.saved_s)), tuple(unreadable))

    def _path(self, url: str, code: str, seat: int) -> Path:
        key = blake2b(f"{url} {code} {seat}".encode(), digest_size=8).hexdigest()
        return self._directory / f"{key}.json"


def seats_directory() -> Path:
    """Where the seats of the user who runs this program are kept. It need not be there."""
    return user_state_path("paizhuo", appauthor=False) / "seats"


def user_tickets() -> TicketStore:
    """The store of the user who runs this program."""
    return TicketStore(seats_directory())


def now_s() -> float:
    return time.time()
