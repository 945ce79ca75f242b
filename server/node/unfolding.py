"""Entries of a room's log, worked out: where each leads, the state there, and what of it is public."""

from collections.abc import Iterator
from typing import NamedTuple

from protocol.view import Happening
from server.games.base import Seat
from server.node.long_work import LongWork
from server.rooms.events import (
    Commit,
    NewerCommit,
    Regranted,
    Resumed,
    RoomClosed,
    SeatTaken,
    SeatVacated,
    UnknownCommit,
    VacatedWhy,
    decode_commit,
)
from server.rooms.fold import OtherRules, OtherState, Unfoldable, fold
from server.rooms.state import RoomState
from server.rooms.view import happened
from server.store.base import EMPTY, Corrupt, Position, unseal


class Folded(NamedTuple):
    """An entry worked out. `position`: where it leads."""

    position: Position
    state: RoomState
    commit: Commit
    happenings: tuple[Happening, ...]


class News:
    """What entries brought, and where they led; what lay between is let go of, for there may be thousands.

    `commits`: their ids. `came`: who sat down, or came back, by seat: when, and at which node. `gone`: who no longer
    sits, and why. `more_time`: whoever is asked has more than they were told.
    """

    def __init__(self, *steps: Folded) -> None:
        self.state: RoomState | None = None
        self.position = EMPTY
        self.began_ms = 0
        self.commits: set[bytes] = set()
        self.happenings: list[Happening] = []
        self.came: dict[Seat, tuple[int, str]] = {}
        self.gone: dict[Seat, VacatedWhy] = {}
        self.more_time = False
        self.closed_by_operator = False
        for step in steps:
            self.add(step)

    def __bool__(self) -> bool:
        return self.state is not None

    def add(self, step: Folded) -> None:
        commit = step.commit
        self.began_ms = self.began_ms or commit.at_ms
        self.state, self.position = step.state, step.position
        self.commits.add(commit.id)
        self.happenings += step.happenings
        for event in commit.events:
            match event:
                case SeatTaken(seat=seat):
                    self.came[seat] = commit.at_ms, commit.writer
                case Resumed(seat=seat, woke=woke):
                    self.came[seat] = commit.at_ms, commit.writer
                    self.more_time |= woke
                case SeatVacated(seat=seat, why=why):
                    self.gone[seat] = why
                case Regranted():
                    self.more_time = True
                case RoomClosed(by_operator=by_operator):
                    self.closed_by_operator |= by_operator
                case _:
                    pass


def folded(state: RoomState | None, commit: Commit) -> tuple[RoomState, tuple[Happening, ...]]:
    """The state after the commit, and what happened in it that everybody may know. Raises as `fold` does."""
    happenings: list[Happening] = []
    after = fold(state, commit, lambda before, event, then: happenings.extend(happened(before, event, then)))
    return after, tuple(happenings)


def _quietly_folded(state: RoomState | None, commit: Commit) -> tuple[RoomState, tuple[Happening, ...]]:
    return fold(state, commit), ()


class Unfolding:
    """Entries being folded on from a place in the log, one at each step of the iteration.

    `news`: of those that are done; from the beginning of the log without happenings, since nobody has seen anything
    yet. `stop`: why it ended before the last entry, if it did; it names no card. That is either `newer`, written by
    another version of the server, or `damaged`.
    """

    def __init__(self, state: RoomState | None, position: Position, entries: tuple[bytes, ...]) -> None:
        self.news = News()
        self.stop = ""
        self.newer = False
        self._state = state
        self._position = position
        self._entries = entries

    def __iter__(self) -> Iterator[None]:
        state, position = self._state, self._position
        worked_out = _quietly_folded if state is None else folded
        try:
            for entry in self._entries:
                payload, after = unseal(position, entry)
                commit = decode_commit(payload)
                state, happenings = worked_out(state, commit)
                position = after
                self.news.add(Folded(position, state, commit, happenings))
                yield
        except (Corrupt, UnknownCommit, Unfoldable) as error:
            self.stop = f"entry {position.version + 1}: {type(error).__name__}"
            self.newer = isinstance(error, NewerCommit | OtherRules | OtherState)

    @property
    def damaged(self) -> bool:
        return bool(self.stop) and not self.newer

    def at_once(self) -> "Unfolding":
        """All of it, for few entries."""
        for _ in self:
            pass
        return self

    async def in_turns(self, long_work: LongWork) -> "Unfolding":
        """All of it, with pauses for others: for a log of any length."""
        await long_work.last(self)
        return self
