"""A finished deal taken out of its room's log, as one line of text."""

from collections.abc import Iterable, Iterator

from protocol.errors import ErrorCode
from protocol.record import write
from server.node.long_work import LongWork
from server.node.room import room_damaged, room_newer
from server.rooms.events import Commit, NewerCommit, UnknownCommit, decode_commit
from server.rooms.fold import OtherRules
from server.rooms.records import finishing
from server.rooms.refusal import Refusal
from server.rooms.state import RoomState
from server.store.base import EMPTY, Corrupt, Store, unseal


async def exported(store: Store, long_work: LongWork, state: RoomState, deal: int) -> str:
    """Deal `deal` (from 1) of the room as a line of `paizhuo-record/1`. Raises `Refusal`, and the store's `Refused`.

    `state`: of the room, as far as it is known here. It spares reading a whole log in vain.
    """
    if deal > state.deal or (deal == state.deal and state.result is None):
        raise _not_over(deal)
    try:
        async with long_work.exports:
            commits = await long_work.last(_decoded(await store.read(state.code, EMPTY))) or []
            record = await long_work.last(finishing(commits, deal))
    except (NewerCommit, OtherRules):
        raise room_newer() from None
    except (Corrupt, UnknownCommit):
        raise room_damaged() from None
    if record is None:
        raise _not_over(deal)
    return write(record).decode()


def _decoded(entries: Iterable[bytes]) -> Iterator[list[Commit]]:
    """The commits so far. Raises as `unseal` and `decode_commit` do."""
    position, commits = EMPTY, list[Commit]()
    for entry in entries:
        payload, position = unseal(position, entry)
        commits.append(decode_commit(payload))
        yield commits


def _not_over(deal: int) -> Refusal:
    return Refusal(ErrorCode.DEAL_NOT_OVER, f"Deal {deal} of this room is not over; there is no record of it yet.")
