"""What the table asks of the person: each question once; and what is done for them, unasked. No I/O."""

from collections.abc import Callable, Sequence

from client_cli import words, words_remaining
from client_cli.frontend import Drawn
from client_cli.layouts import layout_of
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.speaker import Speaker
from client_cli.step import Draft
from protocol.messages import Act, AutoPass, Autopilot, Ready, SeatCommand
from protocol.view import Prompt, TableView


class Asking:
    """`auto`: a bot is to play the seat. `asks_all`: also where there is only one choice."""

    def __init__(
        self, session: Session, draft: Draft, settings: Callable[[], Settings], *, auto: bool, asks_all: bool
    ) -> None:
        self.auto = auto
        self.asks_all = asks_all
        self._session = session
        self._draft = draft
        self._settings = settings
        self._asked: object = None  # the question that stands on the screen
        self._held: Sequence[str] = ()  # what was last told of the own cards
        self._tried: set[object] = set()  # what was done unasked, so that a refusal does not make it a loop

    def anew(self) -> None:
        """The question on the screen is out of sight or date."""
        self._asked = None

    def told_away(self) -> None:
        """The person has just read that they are away, which is all that they are asked then."""
        self._asked = "away"

    def go_on(self, view: TableView) -> None:
        """Ask the person what the table asks, once; or do it, where there is nothing to ask."""
        session, own = self._session, self._session.own
        if own is None or session.in_flight is not None:
            return
        prompt = session.prompt
        speaker = Speaker(view, own.seat)
        if view.room.phase == "open":
            free = sum(seat.kind == "empty" for seat in view.seats)
            is_host = view.room.host == own.seat
            self._question((free, is_host), speaker.waiting(free))
        elif view.room.phase == "between" and not own.ready and not own.away:
            if not (self.auto and self._unasked(Ready(session.next_n), ("ready", view.room.deal))):
                self._question(("ready", view.room.deal), speaker.next_deal())
        elif view.room.phase == "playing" and not own.autopilot:
            automatic = self.auto and self._unasked(Autopilot(session.next_n, on=True), ("auto", view.room.deal))
            if not automatic and own.away:
                self._question("away", words.away())
            elif not automatic and not self._passes_on(view) and prompt is not None:
                self._ask_prompt(speaker, prompt)

    def _passes_on(self, view: TableView) -> bool:
        """Has the server just been asked to pass where this person wins nothing, as they prefer? Once in a sitting."""
        wanted = self._settings().auto_pass and layout_of(view.room.game).HAS_CLAIMS
        asked_for = view.you is not None and view.you.auto_pass
        return wanted and not asked_for and self._unasked(AutoPass(self._session.next_n, on=True), "auto_pass")

    def _ask_prompt(self, speaker: Speaker, prompt: Prompt) -> None:
        passing = Act(self._session.next_n, prompt.id, "pass")
        if prompt.actions == ("pass",) and not self.asks_all and self._unasked(passing, ("pass", prompt.id)):
            self._draft.lines.append(words.cannot_beat())
            return
        layout = layout_of(speaker.view.room.game)
        unseen = words_remaining.remaining_lines(speaker) if self._settings().remaining else ()
        # To hear the same hand before each card that can be claimed costs time, and patience.
        held, before, anew = layout.held_lines(speaker), self._held, self._asked is None
        self._held = held
        told = (*unseen, *held) if anew or held != before else unseen
        self._question(("prompt", prompt.id), *told, layout.question(speaker, prompt))

    def _question(self, question: object, *lines: str) -> None:
        if question != self._asked:
            self._asked = question
            self._draft.lines += map(Drawn, lines)

    def _unasked(self, command: SeatCommand, occasion: object) -> bool:
        """Send a command that nobody typed, once for its occasion. False if that has been tried before."""
        if occasion in self._tried:
            return False
        self._tried.add(occasion)
        self._draft.send += self._session.issue(command)
        return True
