"""Entries of a room's log, worked out: where each leads, the state there, and what of it is public."""

from collections.abc import Iterator
from typing import NamedTuple

from protocol.view import Happening
from server.node.pausing import pausing
from server.rooms.events import Commit, NewerCommit, UnknownCommit, decode_commit
from server.rooms.fold import OtherRules, OtherState, Unfoldable, fold
from server.rooms.state import RoomState
from server.rooms.view import happened
from server.store.base import Corrupt, Position, unseal


class Folded(NamedTuple):
    """An entry worked out. `position`: where it leads."""

    position: Position
    state: RoomState
    commit: Commit
    happenings: tuple[Happening, ...]


def folded(state: RoomState | None, commit: Commit) -> tuple[RoomState, tuple[Happening, ...]]:
    """The state after the commit, and what happened in it that everybody may know. Raises as `fold` does."""
    happenings: list[Happening] = []
    after = fold(state, commit, lambda before, event, then: happenings.extend(happened(before, event, then)))
    return after, tuple(happenings)


class Unfolding:
    """Entries being folded on from a place in the log, one at each step of the iteration.

    `steps`: those that are done. `stop`: why it ended before the last entry, if it did; it names no card. That is
    either `newer`, written by another version of the server, or `damaged`.
    """

    def __init__(self, state: RoomState | None, position: Position, entries: tuple[bytes, ...]) -> None:
        self.steps: list[Folded] = []
        self.stop = ""
        self.newer = False
        self._state = state
        self._position = position
        self._entries = entries

    def __iter__(self) -> Iterator[Folded]:
        state, position = self._state, self._position
        try:
            for entry in self._entries:
                payload, after = unseal(position, entry)
                commit = decode_commit(payload)
                state, happenings = folded(state, commit)
                position = after
                step = Folded(position, state, commit, happenings)
                self.steps.append(step)
                yield step
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

    async def in_turns(self) -> "Unfolding":
        """All of it, with pauses for others: for a log of any length."""
        async for _ in pausing(self):
            pass
        return self
