"""Commands of a seat, one after another: all that is typed becomes one here or is answered at once. No I/O."""

from collections.abc import Callable

from client_cli import words
from client_cli.session import Busy, Session
from client_cli.step import Draft
from client_cli.telling import Teller
from protocol.messages import ClientMessage, SeatCommand
from protocol.view import Prompt


class Commanding:
    """What the person is told and what is sent goes into the `draft`."""

    def __init__(self, session: Session, draft: Draft, teller: Teller) -> None:
        self.session = session
        self.draft = draft
        self._teller = teller

    def answer(self, line: str) -> None:
        """Tell the person one line."""
        self.draft.lines.append(line)

    def send(self, message: ClientMessage) -> None:
        """A message that is no command of a seat, and waits for nothing."""
        self.draft.send.append(message)

    def command(self, command: Callable[[int], SeatCommand]) -> None:
        """Send what `command` makes with the number that is next; raises `Busy` while another one is unanswered."""
        if self.session.seat is None:
            self.answer(words.not_seated())
            return
        if self._teller.fresh:
            raise Busy
        self.draft.send += self.session.issue(command(self.session.next_n))

    def open_question(self) -> Prompt | None:
        """Raises `Busy` while it is not known."""
        session = self.session
        if self._teller.fresh or session.in_flight is not None or session.view_is_behind:
            raise Busy
        return session.prompt
