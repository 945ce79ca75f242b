"""The logs that servers leave behind, read as records of deals."""

from typing import NamedTuple

from protocol.notation import Action
from protocol.record import Record
from server.clock import SystemClock
from server.games.base import Seat
from server.games.record import discrepancies
from server.rooms.events import Commit, decode_commit
from server.rooms.fold import fold
from server.rooms.records import finished_deal
from server.rooms.state import RoomState
from server.store.base import EMPTY, unseal
from server.store.urls import store_from_url
from tests.stores import Ear


class Log(NamedTuple):
    """A room's log, folded; `records` are its finished deals."""

    commits: tuple[Commit, ...]
    state: RoomState
    records: tuple[Record, ...]

    def actions(self, seat: Seat, deal: int = 1) -> list[Action]:
        """What a seat did in a deal (from 1)."""
        return [step.action for step in self.records[deal - 1].steps if step.seat == seat]

    def verify(self) -> None:
        """Every deal follows the rules; no command and no commit is there twice."""
        assert len(self.records) == self.state.deal
        for record in self.records:
            assert list(discrepancies(record)) == []
        numbered = [(c.numbered.seat, c.numbered.n) for c in self.commits if c.numbered is not None]
        for each in (numbered, [commit.id for commit in self.commits]):
            assert len(set(each)) == len(each)


async def read_log(store: str, code: str) -> Log:
    """The log of a room. A file must be free: no server may have it open."""
    opened = store_from_url(store, SystemClock())
    try:
        await opened.open(Ear())
        entries = await opened.read(code, EMPTY)
    finally:
        await opened.close()
    position, state = EMPTY, None
    commits: list[Commit] = []
    for entry in entries:
        payload, position = unseal(position, entry)
        commits.append(decode_commit(payload))
        state = fold(state, commits[-1])
    assert state is not None, f"there is no log of room {code}"
    records = [record for deal in range(1, state.deal + 1) if (record := finished_deal(commits, deal))]
    return Log(tuple(commits), state, tuple(records))
