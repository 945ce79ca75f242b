"""The records of finished deals that a person wants of their room: for a file, or to be replayed. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from protocol.messages import DealRecord, Export
from protocol.view import TableView


class Wanted(NamedTuple):
    """`file`: where the record of the deal goes; None: it is to be replayed."""

    deal: int
    file: str | None
    asked: bool = False


class Fetched(NamedTuple):
    """The record as the server has sent it, and what it was wanted for, as in `Wanted`."""

    line: str
    file: str | None


class Records:
    """What of this room is wanted and has not come yet."""

    def __init__(self) -> None:
        self.wanted: tuple[Wanted, ...] = ()

    def want(self, deal: int, file: str | None) -> None:
        """In place of what was wanted of this deal for the same end."""
        others = (it for it in self.wanted if it.deal != deal or (it.file is None) is not (file is None))
        self.wanted = (*others, Wanted(deal, file))

    def ask(self, view: TableView) -> Sequence[Export]:
        """For each deal that is over by now and was not asked for."""
        under_way = view.room.deal if view.result is None else None
        ready = [it for it in self.wanted if not it.asked and it.deal != under_way]
        self.wanted = tuple(it._replace(asked=True) if it in ready else it for it in self.wanted)
        return [Export(deal) for deal in dict.fromkeys(it.deal for it in ready)]

    def ask_again(self) -> None:
        """The answers are lost with the connection."""
        self.wanted = tuple(it._replace(asked=False) for it in self.wanted)

    def received(self, record: DealRecord) -> Sequence[Fetched]:
        """What this record was wanted for; nothing, where nobody asked for it."""
        fetched = [Fetched(record.line, it.file) for it in self.wanted if it.deal == record.deal and it.asked]
        self.wanted = tuple(it for it in self.wanted if it.deal != record.deal or not it.asked)
        return fetched

    def refused(self) -> None:
        """What was asked for is not to be had."""
        self.wanted = tuple(it for it in self.wanted if not it.asked)
