"""One sitting at one room, as both front ends see it: who we are, the newest view, and the one command in flight.

No sockets and no words: messages of the server go in, messages for the server come out. Time is read for one thing
only: how much of it a question leaves.
"""

import time
from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from client_cli.fairness import Fairness
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    ClientMessage,
    Contribute,
    Create,
    Done,
    Hello,
    Hint,
    Join,
    Notice,
    Ready,
    Refused,
    SeatCommand,
    Seated,
    ServerMessage,
    Table,
    Unseated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import Prompt, SeatView, TableView

UNDECIDED = {ErrorCode.STORE_UNAVAILABLE, ErrorCode.RATE_LIMITED, ErrorCode.DRAINING, ErrorCode.ROOM_NEWER}
"""Refusals after which the same command is sent again with the same number, to this server or another."""


Trouble = Literal["lost", "stale", "newer", "draining"]
"""Why nothing goes on: the link is gone, or the server has given notice of this kind."""


class Busy(Exception):
    """A command is still unanswered; there is only ever one."""


class Session:
    """`entry` is what to ask for after the greeting; None where a ticket opens the seat.

    `clock_s`: seconds that nobody sets; tests hand it in, and `fairness`.
    """

    def __init__(
        self,
        name: str,
        entry: Create | Join | Watch | None,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        fairness: Fairness | None = None,
    ) -> None:
        self.name = name
        self.fairness = fairness or Fairness()
        self.ticket: str | None = None
        self.code: str | None = None
        self.seat: int | None = None
        self.attached = False  # the connection that stands now has the seat, or watches
        self.entering_anew = False  # the ticket opens nothing any more: the next connection asks as at first
        self.view: TableView | None = None
        self.in_flight: SeatCommand | None = None
        self.hint: Hint | None = None  # the newest, of whatever question
        self.trouble: Trouble | None = None
        self.reached_at = ""  # the URL where others reach the room's server; empty where nobody else does
        self._entry = entry
        self._clock_s = clock_s
        self._view_at_s = 0.0
        self._done_n = 0
        self._answered_id: int | None = None

    @classmethod
    def resuming(cls, name: str, code: str, seat: int, ticket: str, fairness: Fairness | None = None) -> "Session":
        """A session that goes back to a seat."""
        session = cls(name, None, fairness=fairness)
        session.code, session.seat, session.ticket = code, seat, ticket
        return session

    @property
    def next_n(self) -> int:
        return self._done_n + 1

    @property
    def prompt(self) -> Prompt | None:
        """The open question, with the time that is left for it now.

        None as soon as the answer is saved, even if the next view is still to come.
        """
        prompt = self.view.prompt if self.view else None
        if prompt is None or prompt.id == self._answered_id:
            return None
        if prompt.remaining_ms is None:
            return prompt
        gone_ms = int((self._clock_s() - self._view_at_s) * 1000)
        return replace(prompt, remaining_ms=max(0, prompt.remaining_ms - gone_ms))

    @property
    def view_is_behind(self) -> bool:
        """Is a command done whose effect the newest view does not show yet?"""
        return self.view is not None and self.view.you is not None and self.view.you.n < self._done_n

    @property
    def own(self) -> SeatView | None:
        """The own seat in the newest view; None for spectators."""
        return self.view.seats[self.seat] if self.view is not None and self.seat is not None else None

    @property
    def enters_once(self) -> bool:
        """May the way in be asked for again, though it may have been found already? A secret makes that one seat."""
        return isinstance(self._entry, Create | Join) and self._entry.secret is not None

    def opened(self) -> list[ClientMessage]:
        """What a fresh connection must send first. All else counts from the view that it brings."""
        self.attached = self.entering_anew = False
        self.trouble = None
        self.fairness.opened()
        self._count_anew()
        return [Hello(self.name, self.ticket)]

    def lost(self) -> None:
        """The connection is gone."""
        self.trouble = "lost"

    def issue(self, command: SeatCommand) -> list[ClientMessage]:
        """Send a command that carries `next_n`. Raises `Busy`."""
        if self.in_flight is not None:
            raise Busy
        if isinstance(command, Ready) and self.view is not None and self.seat is not None:
            command = replace(command, contributions=tuple(self.fairness.due(self.view, self.seat)))
        self.in_flight = command
        return [command]

    def again(self) -> list[ClientMessage]:
        """What was refused only for now: the way in, or the command in flight with its own number (it is done once)."""
        if self.attached:
            return [] if self.in_flight is None else [self.in_flight]
        return [self._entry] if self.ticket is None and self._entry is not None else self.opened()

    def received(self, message: ServerMessage) -> list[ClientMessage]:
        """Take in one message; gives what must be answered without asking the player."""
        match message:
            case Welcome(name=name, fair=fair):
                self.name = name
                self.fairness.offered |= fair
                if isinstance(self._entry, Create | Join):
                    self._entry = replace(self._entry, contributes=fair)
                return [self._entry] if self.ticket is None and self._entry is not None else []
            case Seated(code=code, seat=seat, ticket=ticket):
                self.code, self.seat, self.ticket, self.attached = code, seat, ticket, True
                return self.again()
            case Watching(code=code):
                self.code, self.attached = code, True
            case Table(view=view):
                self.view, self._view_at_s = view, self._clock_s()
                if view.you is not None:
                    self.seat = view.you.seat
                    self._done_n = max(self._done_n, view.you.n)
                if view.room.phase == "over":
                    self.ticket = None
                if given := self.fairness.received(message, self.seat):
                    return [Contribute(tuple(given))]
            case Done(n=n):
                self._done_n = max(self._done_n, n)
                if isinstance(self.in_flight, Act) and self.in_flight.n == n:
                    self._answered_id = self.in_flight.prompt
                self._answered(n)
            case Hint():
                self.hint = message
            case Refused(code=ErrorCode.BAD_TICKET):
                self.ticket_refused()
            case Refused(code=ErrorCode.NUMBER_USED, n=int(n)):
                self._done_n = max(self._done_n, n)
                self.fairness.opened()
                self._answered(n)
            case Refused(code=code, n=int(n)) if code not in UNDECIDED:
                self.fairness.opened()
                self._answered(n)
            case Refused(code=code, n=None) if code in UNDECIDED:
                self.fairness.opened()
            case Notice(kind="reset"):
                self.fairness.reset()
                self._count_anew()
            case Notice(kind="stale" | "newer" | "draining" as kind):
                self.trouble = kind
            case Notice(kind="live"):
                self.trouble = None
            case Unseated(reason=reason) if reason != "damaged":  # what cannot be read may be mended
                self.forget()
            case _:
                pass
        return []

    def ticket_refused(self) -> None:
        """No seat belongs to the ticket. One that the store has lost is had again by the secret that it was taken with;
        one that was given up, or taken away, is not.
        """
        entry = self._entry
        own = isinstance(entry, Join) and entry.secret is not None and self.ticket == f"{self.code}.{entry.secret}"
        self.forget()
        self.entering_anew = own

    def forget(self) -> None:
        """The seat is gone for good."""
        self.ticket = None
        self.in_flight = None

    def _count_anew(self) -> None:
        """The server may have lost its newest entries, and with them an answer that it had called done."""
        self._done_n = 0
        self._answered_id = None

    def _answered(self, n: int) -> None:
        if self.in_flight is not None and self.in_flight.n == n:
            self.in_flight = None
