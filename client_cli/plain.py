"""Line mode: a conversation in which every happening and every question is one line. It does no I/O.

Messages and typed lines go in; lines to show and messages to send come out.
"""

from collections.abc import Callable

from client_cli import words, words_advice, words_fair, words_link, words_replay
from client_cli.asking import Asking
from client_cli.commanding import Commanding
from client_cli.failure import CommandFailed
from client_cli.going import Ends, Going
from client_cli.invitation import Invitation
from client_cli.servers import LONGEST_WAIT_S
from client_cli.session import UNDECIDED, Session
from client_cli.settings import Settings
from client_cli.speaker import Speaker
from client_cli.step import Draft, Step
from client_cli.telling import Teller
from client_cli.typed_words import TypedWords
from client_cli.words_refusals import refusal
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import (
    Autopilot,
    Because,
    DealRecord,
    Hint,
    Notice,
    Refused,
    Said,
    SeatCommand,
    ServerMessage,
    Table,
    Unseated,
)

RETRY_MS = 1000
LONGEST_RETRY_MS = int(LONGEST_WAIT_S * 1000)
"""However long a server may ask for."""

ENTRY_TRIES = 10
"""How often a seat is asked for while the server cannot save. It may have saved it all the same."""

ENTRY_FAILURES: dict[str, ExitCode] = {
    ErrorCode.NO_SUCH_ROOM: ExitCode.NO_SUCH_ROOM,
    ErrorCode.STORE_UNAVAILABLE: ExitCode.STORE_UNAVAILABLE,
    ErrorCode.INTERNAL: ExitCode.FAILURE,
    ErrorCode.ROOM_DAMAGED: ExitCode.FAILURE,
    ErrorCode.UNKNOWN_GAME: ExitCode.USAGE,
}
ENDINGS = {
    "left": ExitCode.OK,
    "removed": ExitCode.REFUSED,
    "closed": ExitCode.NO_SUCH_ROOM,
    "closed_by_operator": ExitCode.NO_SUCH_ROOM,
    "damaged": ExitCode.FAILURE,
}


class Conversation:
    """One person's side of one sitting.

    `auto`: a bot plays the seat. `asks_all`: also where there is only one choice. `invitation`: for who opens a room.
    `ends`, `lingers`: as in `Going`. `settings`: what the person prefers at that moment.
    """

    def __init__(
        self,
        session: Session,
        *,
        auto: bool = False,
        asks_all: bool = False,
        invitation: Invitation | None = None,
        ends: Ends | None = None,
        lingers: bool = False,
        settings: Callable[[], Settings] = Settings,
    ) -> None:
        self.session = session
        self._draft = Draft()
        self._teller = Teller(invitation)
        self._asking = Asking(session, self._draft, settings, auto=auto, asks_all=asks_all)
        self._going = Going(session, self._draft, ends, lingers=lingers)
        seat = Commanding(session, self._draft, self._teller)
        self._words = TypedWords(seat, self._asking, self._going, lingers=lingers, settings=settings)
        self._lingers = lingers
        self._entry_tries = 0
        self._input_over = False  # but a bot plays on
        self._complaint: object = None  # said once, however often the same command is sent again

    @property
    def ends(self) -> Ends | None:
        return self._going.ends

    @property
    def listening(self) -> bool:
        """Would a typed line be of use now? What comes through a pipe is read only then."""
        return self._settled and (self._person_needed or (self._bot_plays and not self._asking.auto))

    @property
    def _settled(self) -> bool:
        """Is all that was sent answered, and does the view show it?"""
        session = self.session
        return not (
            session.view is None
            or self._teller.fresh
            or session.in_flight is not None
            or session.view_is_behind
            or self._words.inquiries.waiting
        )

    @property
    def _person_needed(self) -> bool:
        """Does the table stand still until this person types something? Also true for whoever only looks on."""
        view, own = self.session.view, self.session.own
        if view is None or own is None or own.away or view.room.phase == "open":
            return True
        if view.room.phase == "between":
            return not own.ready
        return self.session.prompt is not None and not own.autopilot

    @property
    def _bot_plays(self) -> bool:
        return self.session.own is not None and self.session.own.autopilot

    def opened(self, moved_to: str | None = None) -> Step:
        """The connection stands, for the first time or again. `moved_to`: the server's URL, where it is another one."""
        self._teller.opened(moved_to)
        if self.session.view is not None and self.session.view.room.phase == "over":  # it was to be saved, or looked at
            self._draft.lines += map(words_replay.not_fetched, self._words.records.wanted)
            self._draft.end = ExitCode.OK
            return self._draft.finished()
        self._words.records.ask_again()
        self._words.inquiries.forget()
        self._draft.send += self.session.opened()
        return self._draft.finished()

    def again(self) -> Step:
        """The time `again_ms` is over."""
        self._draft.send += self.session.again()
        return self._draft.finished()

    def received(self, message: ServerMessage) -> Step:
        """Take in one message of the server. Raises `CommandFailed` when it gives no seat."""
        draft, command = self._draft, self.session.in_flight
        draft.send += self.session.received(message)
        view = self.session.view
        match message:
            case Table():
                self._told(message)
            case Refused():
                self._refused(message, command)
            case DealRecord():
                self._fetched(message)
            case Said(seat=seat, name=name, text=text, emote=emote) if view is not None:
                said = words_advice.emote(emote, text)
                draft.lines.append(Speaker(view, self.session.seat).said(seat, name, said))
            case Hint() | Because() if view is not None:
                speaker = Speaker(view, self.session.seat)
                draft.lines += self._words.inquiries.answered(message, speaker, self.session.prompt)
            case Notice(kind=kind):
                draft.lines += self._teller.notice(kind)
            case Unseated(reason=reason):
                draft.lines.append(words.unseated(reason))
                draft.end = ENDINGS.get(reason, ExitCode.NO_SUCH_ROOM)
            case _:
                pass
        if draft.end is None and view is not None and not self._teller.fresh:
            self._words.take_waiting()
            self._asking.go_on(view)
        if self._input_over and self._settled and self._person_needed:
            self._going.without_input()
        over = view is not None and view.room.phase == "over"
        if draft.end is None and over and not self._words.records.wanted and not self._lingers:
            draft.end = ExitCode.OK
        return draft.finished()

    def typed(self, line: str) -> Step:
        """Take in one line from the person. What cannot be sent yet is kept for a while, and in order."""
        self._words.take(line)
        return self._draft.finished()

    def interrupted(self) -> Step:
        """Ctrl-C."""
        self._going.interrupted()
        return self._draft.finished()

    def replaced(self) -> Step:
        """A newer window has the seat. Raises `CommandFailed`, unless this one runs the server, which goes on."""
        self._going.replaced()
        return self._draft.finished()

    def input_ended(self) -> Step:
        """Nothing more will be typed. Whoever only looks on can go on without, and a bot until it is asked no more."""
        if not self._asking.auto and not (self.session.view is not None and self.session.seat is None):
            self._input_over = self._bot_plays and not self._person_needed
            if not self._input_over:
                self._going.without_input()
        return self._draft.finished()

    def _told(self, message: Table) -> None:
        bot_plays = self._bot_plays and not self._asking.auto
        verdicts = self.session.fairness.news()
        told = self._teller.table(message, self.session.seat, bot_plays=bot_plays, verdicts=verdicts)
        self._draft.lines += told.lines
        if told.asks_anew:
            self._asking.anew()
            self._complaint = None
        if told.away:
            self._asking.told_away()
        self._words.points |= {it.value: it.scores for it in message.happened if it.kind == "deal_over" and it.value}
        self._draft.send += self._words.records.ask(message.view)

    def _fetched(self, record: DealRecord) -> None:
        fetched = self._words.records.received(record)
        self._draft.records += fetched
        # It is saved all the same: where the server lies, what it has sent is all that there is to show for it.
        if any(it.file is not None for it in fetched) and self.session.fairness.differs(record.deal, record.line):
            self._draft.lines.append(words_fair.saved_otherwise(record.deal))

    def _refused(self, refused: Refused, command: SeatCommand | None) -> None:
        session, draft = self.session, self._draft
        if refused.code == ErrorCode.BAD_TICKET and session.entering_anew:
            draft.lines.append(words_link.seat_lost())
            return
        for_now = refused.code in UNDECIDED
        if not session.attached and not (for_now and self._may_come_in_later(refused)):
            raise CommandFailed(ENTRY_FAILURES.get(refused.code, ExitCode.REFUSED), refusal(refused.code, refused.text))
        if session.attached and (lines := self._words.inquiries.refused(refused)) is not None:
            draft.lines += lines
            return
        its_own = command is not None and refused.n == command.n
        if for_now and (its_own or not session.attached):
            if refused.code != ErrorCode.ROOM_NEWER:  # another server is asked, or this one when it is connected anew
                draft.again_ms = min(refused.retry_ms or RETRY_MS, LONGEST_RETRY_MS)
            complaint = (session.attached, refused.n)
            if self._complaint == complaint:
                return
            self._complaint = complaint
        elif its_own and isinstance(command, Autopilot):
            self._asking.auto = False
        elif refused.n is None and refused.code != ErrorCode.BAD_TEXT:
            self._words.records.refused()
        if refused.code == ErrorCode.STORE_UNAVAILABLE and draft.again_ms is not None:
            draft.lines.append(words_link.not_saved_yet() if session.attached else words_link.no_place_yet())
        else:
            draft.lines.append(refusal(refused.code, refused.text))
        self._asking.anew()

    def _may_come_in_later(self, refused: Refused) -> bool:
        if self._teller.came_in or self.session.ticket is not None:
            return True
        self._entry_tries += 1
        unsaved = refused.code == ErrorCode.STORE_UNAVAILABLE
        return unsaved and self.session.enters_once and self._entry_tries < ENTRY_TRIES
