"""How a person goes, and what goes with them. No I/O."""

from typing import Literal

from client_cli import words, words_link
from client_cli.failure import CommandFailed
from client_cli.frontend import ToConfirm
from client_cli.language import sentences
from client_cli.session import Session
from client_cli.step import Draft
from protocol.errors import ExitCode

Ends = Literal["game", "server"]
"""What ends when a person goes: the game, or the server and with it the play of all guests."""


class Going:
    """`ends`: None where the room goes on without this program. `lingers`: as in `FrontEnd`."""

    def __init__(self, session: Session, draft: Draft, ends: Ends | None, *, lingers: bool) -> None:
        self.ends = ends
        self._session = session
        self._draft = draft
        self._lingers = lingers
        self._warned = False  # after Ctrl-C

    def warning(self) -> str:
        """What goes when this person goes; empty if nothing does."""
        view = self._session.view
        if view is None or self.ends is None or view.room.phase == "over":
            return ""
        if self.ends == "game":
            return words.game_ends()
        others = sum(seat.connected and seat.seat != self._session.seat for seat in view.seats)
        return words_link.server_stops(others) if others else ""

    def interrupted(self) -> None:
        """Ctrl-C: ends the sitting, but warns once where guests would lose their server, or a screen its game."""
        warns = self.ends == "server" or self._lingers
        if warns and not self._warned and (warning := self.warning()):
            self._warned = True
            self._draft.lines.append(ToConfirm(sentences(warning, words.interrupt_again())))
        else:
            self._draft.end = ExitCode.INTERRUPTED

    def replaced(self) -> None:
        """A newer window has the seat. Raises `CommandFailed`, unless this one runs the server, which goes on."""
        if self.ends is None:
            raise CommandFailed(ExitCode.REFUSED, words_link.replaced())
        self._warned = True  # by this line; who sits at the table is not known here any more
        self._draft.lines.append(words_link.replaced_here())

    def without_input(self) -> None:
        """Nothing more will be typed, and the person would have to."""
        self._draft.lines.append(words.input_ended())
        self._draft.end = ExitCode.OK
