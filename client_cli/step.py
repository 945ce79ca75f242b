"""What one input of a sitting leads to. Pure."""

from typing import NamedTuple

from client_cli.records import Fetched
from protocol.errors import ExitCode
from protocol.messages import ClientMessage


class Step(NamedTuple):
    """What one input led to. `again_ms`: call `again` after this time. `end`: the sitting is over.

    `records`: files to be written, and deals to be replayed, before the end.
    """

    lines: tuple[str, ...] = ()
    send: tuple[ClientMessage, ...] = ()
    again_ms: int | None = None
    end: ExitCode | None = None
    records: tuple[Fetched, ...] = ()


class Draft:
    """A step in the making, to which every part of a conversation adds. An `end` that is set stays."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.send: list[ClientMessage] = []
        self.again_ms: int | None = None
        self.end: ExitCode | None = None
        self.records: list[Fetched] = []

    def finished(self) -> Step:
        """The step, after which the next one begins."""
        step = Step(tuple(self.lines), tuple(self.send), self.again_ms, self.end, tuple(self.records))
        self.lines, self.send, self.again_ms, self.records = [], [], None, []
        return step
