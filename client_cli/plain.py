"""Line mode: a conversation in which every happening and every question is one line. It does no I/O.

Messages and typed lines go in; lines to show and messages to send come out.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

from client_cli import render, words, words_advice, words_link, words_remaining, words_replay, words_rules
from client_cli.deal_file import usual_name
from client_cli.failure import CommandFailed
from client_cli.frontend import Answer, Drawn
from client_cli.input import NoChoice, NotOffered, action_of, by_number
from client_cli.inquiries import Inquiries
from client_cli.invitation import Invitation
from client_cli.language import sentences
from client_cli.layouts import layout_of
from client_cli.records import Fetched, Records
from client_cli.servers import LONGEST_WAIT_S
from client_cli.session import UNDECIDED, Busy, Session
from client_cli.settings import Settings
from client_cli.telling import Teller
from client_cli.vocabulary import in_english
from client_cli.words import Speaker
from client_cli.words_refusals import refusal
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import (
    MAX_SAY_CHARACTERS,
    Act,
    AutoPass,
    Autopilot,
    Because,
    ClientMessage,
    DealRecord,
    Emote,
    EmoteKind,
    Fill,
    Hint,
    Leave,
    Notice,
    Ready,
    Refused,
    Remove,
    Said,
    Say,
    SeatCommand,
    ServerMessage,
    Start,
    Table,
    Unseated,
)
from protocol.notation import groups_of
from protocol.view import BotLevel, Prompt, TableView

RETRY_MS = 1000
LONGEST_RETRY_MS = int(LONGEST_WAIT_S * 1000)
"""However long a server may ask for."""

ENTRY_TRIES = 10
"""How often a seat is asked for while the server cannot save. It may have saved it all the same."""

MOST_TYPED_AHEAD = 4
BOT_LEVELS: dict[str, BotLevel] = {level: level for level in get_args(BotLevel)}
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
    "damaged": ExitCode.FAILURE,
}


class Step(NamedTuple):
    """What one input led to. `again_ms`: call `again` after this time. `end`: the sitting is over.

    `records`: files to be written, and deals to be replayed, before the end.
    """

    lines: tuple[str, ...] = ()
    send: tuple[ClientMessage, ...] = ()
    again_ms: int | None = None
    end: ExitCode | None = None
    records: tuple[Fetched, ...] = ()


class Typed(NamedTuple):
    """A line from the person, the question that they saw, and the word that it may confirm.

    `waited`: it was kept until an earlier command was answered.
    """

    line: str
    prompt_id: int | None
    confirming: str
    waited: bool = False


class Conversation:
    """One person's side of one sitting.

    `auto`: a bot plays the seat. `asks_all`: also where there is only one choice. `invitation`: for who opens a room.
    `ends`: what ends when this person goes: the game, or the server and with it the play of all guests.
    `lingers`: as in `FrontEnd`. `settings`: what the person prefers at that moment.
    """

    def __init__(
        self,
        session: Session,
        *,
        auto: bool = False,
        asks_all: bool = False,
        invitation: Invitation | None = None,
        ends: Literal["game", "server"] | None = None,
        lingers: bool = False,
        settings: Callable[[], Settings] = Settings,
    ) -> None:
        self.session = session
        self._auto = auto
        self._lingers = lingers
        self._settings = settings
        self._teller = Teller(invitation)
        self.ends = ends
        self._ask = asks_all
        self._records = Records()
        self._fetched: list[Fetched] = []
        self._points: dict[int, tuple[int, ...]] = {}  # of each deal whose end was seen
        self._inquiries = Inquiries()
        self._entry_tries = 0
        self._asked: object = None  # the question that stands on the screen
        self._held: Sequence[str] = ()  # what was last told of the own cards
        self._tried: set[object] = set()  # what was done unasked, so that a refusal does not make it a loop
        self._confirming = ""
        self._warned = False  # after Ctrl-C
        self._input_over = False  # but a bot plays on
        self._typed_ahead: deque[Typed] = deque()
        self._complaint: object = None  # said once, however often the same command is sent again
        self._lines: list[str] = []
        self._send: list[ClientMessage] = []
        self._again_ms: int | None = None
        self._end: ExitCode | None = None

    @property
    def listening(self) -> bool:
        """Would a typed line be of use now? What comes through a pipe is read only then."""
        return self._settled and (self._person_needed or (self._bot_plays and not self._auto))

    @property
    def _settled(self) -> bool:
        """Is all that was sent answered, and does the view show it?"""
        session = self.session
        return not (
            session.view is None
            or self._teller.fresh
            or session.in_flight is not None
            or session.view_is_behind
            or self._inquiries.waiting
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
            self._lines += map(words_replay.not_fetched, self._records.wanted)
            self._end = ExitCode.OK
            return self._step()
        self._records.ask_again()
        self._inquiries.forget()
        self._send += self.session.opened()
        return self._step()

    def again(self) -> Step:
        """The time `again_ms` is over."""
        self._send += self.session.again()
        return self._step()

    def received(self, message: ServerMessage) -> Step:
        """Take in one message of the server. Raises `CommandFailed` when it gives no seat."""
        command = self.session.in_flight
        self._send += self.session.received(message)
        view = self.session.view
        match message:
            case Table():
                self._told(message)
            case Refused():
                self._refused(message, command)
            case DealRecord():
                self._fetched += self._records.received(message)
            case Said(seat=seat, name=name, text=text, emote=emote) if view is not None:
                said = words_advice.emote(emote, text)
                self._lines.append(Speaker(view, self.session.seat).said(seat, name, said))
            case Hint() | Because() if view is not None:
                speaker = Speaker(view, self.session.seat)
                self._lines += self._inquiries.answered(message, speaker, self.session.prompt)
            case Notice(kind=kind):
                self._lines += self._teller.notice(kind)
            case Unseated(reason=reason):
                self._lines.append(words.unseated(reason))
                self._end = ENDINGS.get(reason, ExitCode.NO_SUCH_ROOM)
            case _:
                pass
        if self._end is None and view is not None and not self._teller.fresh:
            self._take_in_waiting()
            self._go_on(view)
        if self._input_over and self._settled and self._person_needed:
            self._end_without_input()
        over = view is not None and view.room.phase == "over"
        if self._end is None and over and not self._records.wanted and not self._lingers:
            self._end = ExitCode.OK
        return self._step()

    def typed(self, line: str) -> Step:
        """Take in one line from the person. What cannot be sent yet is kept for a while, and in order."""
        confirming, self._confirming = self._confirming, ""
        prompt = self.session.prompt
        of = line.prompt if isinstance(line, Answer) else prompt.id if prompt else None
        self._take_in(Typed(line, of, confirming))
        return self._step()

    def interrupted(self) -> Step:
        """Ctrl-C: ends the sitting, but warns once where guests would lose their server, or a screen its game."""
        warns = self.ends == "server" or self._lingers
        if warns and not self._warned and (warning := self._warning()):
            self._warned = True
            self._lines.append(sentences(warning, words.interrupt_again()))
        else:
            self._end = ExitCode.INTERRUPTED
        return self._step()

    def replaced(self) -> Step:
        """A newer window has the seat. Raises `CommandFailed`, unless this one runs the server, which goes on."""
        if self.ends is None:
            raise CommandFailed(ExitCode.REFUSED, words_link.replaced())
        self._warned = True  # by this line; who sits at the table is not known here any more
        self._lines.append(words_link.replaced_here())
        return self._step()

    def input_ended(self) -> Step:
        """Nothing more will be typed. Whoever only looks on can go on without, and a bot until it is asked no more."""
        if not self._auto and not (self.session.view is not None and self.session.seat is None):
            self._input_over = self._bot_plays and not self._person_needed
            if not self._input_over:
                self._end_without_input()
        return self._step()

    def _end_without_input(self) -> None:
        self._lines.append(words.input_ended())
        self._end = ExitCode.OK

    # What the server tells

    def _told(self, message: Table) -> None:
        told = self._teller.table(message, self.session.seat, bot_plays=self._bot_plays and not self._auto)
        self._lines += told.lines
        if told.asks_anew:
            self._asked = self._complaint = None
        if told.away:
            self._asked = "away"
        self._points |= {it.value: it.scores for it in message.happened if it.kind == "deal_over" and it.value}
        self._send += self._records.ask(message.view)

    def _refused(self, refused: Refused, command: SeatCommand | None) -> None:
        session = self.session
        if refused.code == ErrorCode.BAD_TICKET and session.entering_anew:
            self._lines.append(words_link.seat_lost())
            return
        for_now = refused.code in UNDECIDED
        if not session.attached and not (for_now and self._may_come_in_later(refused)):
            raise CommandFailed(ENTRY_FAILURES.get(refused.code, ExitCode.REFUSED), refusal(refused.code, refused.text))
        if session.attached and (lines := self._inquiries.refused(refused)) is not None:
            self._lines += lines
            return
        its_own = command is not None and refused.n == command.n
        if for_now and (its_own or not session.attached):
            if refused.code != ErrorCode.ROOM_NEWER:  # another server is asked, or this one when it is connected anew
                self._again_ms = min(refused.retry_ms or RETRY_MS, LONGEST_RETRY_MS)
            complaint = (session.attached, refused.n)
            if self._complaint == complaint:
                return
            self._complaint = complaint
        elif its_own and isinstance(command, Autopilot):
            self._auto = False
        elif refused.n is None and refused.code != ErrorCode.BAD_TEXT:
            self._records.refused()
        if refused.code == ErrorCode.STORE_UNAVAILABLE and self._again_ms is not None:
            self._lines.append(words_link.not_saved_yet() if session.attached else words_link.no_place_yet())
        else:
            self._lines.append(refusal(refused.code, refused.text))
        self._asked = None

    def _may_come_in_later(self, refused: Refused) -> bool:
        if self._teller.came_in or self.session.ticket is not None:
            return True
        self._entry_tries += 1
        unsaved = refused.code == ErrorCode.STORE_UNAVAILABLE
        return unsaved and self.session.enters_once and self._entry_tries < ENTRY_TRIES

    def _go_on(self, view: TableView) -> None:
        """Ask the person what the table asks, once; or do it, where there is nothing to ask."""
        own = self.session.own
        if own is None or self.session.in_flight is not None:
            return
        prompt = self.session.prompt
        speaker = Speaker(view, own.seat)
        if view.room.phase == "open":
            free = sum(seat.kind == "empty" for seat in view.seats)
            is_host = view.room.host == own.seat
            self._question((free, is_host), speaker.waiting(free))
        elif view.room.phase == "between" and not own.ready and not own.away:
            if not (self._auto and self._unasked(Ready(self.session.next_n), ("ready", view.room.deal))):
                self._question(("ready", view.room.deal), speaker.next_deal())
        elif view.room.phase == "playing" and not own.autopilot:
            automatic = self._auto and self._unasked(Autopilot(self.session.next_n, on=True), ("auto", view.room.deal))
            if not automatic and own.away:
                self._question("away", words.away())
            elif not automatic and not self._passes_on(view) and prompt is not None:
                self._ask_prompt(speaker, prompt)

    def _passes_on(self, view: TableView) -> bool:
        """Has the server just been asked to pass where this person wins nothing, as they prefer? Once in a sitting."""
        wanted = self._settings().auto_pass and layout_of(view.room.game).HAS_CLAIMS
        asked_for = view.you is not None and view.you.auto_pass
        return wanted and not asked_for and self._unasked(AutoPass(self.session.next_n, on=True), "auto_pass")

    def _ask_prompt(self, speaker: Speaker, prompt: Prompt) -> None:
        passing = Act(self.session.next_n, prompt.id, "pass")
        if prompt.actions == ("pass",) and not self._ask and self._unasked(passing, ("pass", prompt.id)):
            self._lines.append(words.cannot_beat())
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
            self._lines += map(Drawn, lines)

    def _unasked(self, command: SeatCommand, occasion: object) -> bool:
        """Send a command that nobody typed, once for its occasion. False if that has been tried before."""
        if occasion in self._tried:
            return False
        self._tried.add(occasion)
        self._send += self.session.issue(command)
        return True

    # What the person types

    def _take_in(self, typed: Typed) -> None:
        view = self.session.view
        if typed.confirming and in_english(typed.line.strip()).lower() == "yes":
            typed = typed._replace(line=typed.confirming)
        word, _, rest = in_english(typed.line.strip()).partition(" ")
        try:
            if view is None:
                if word.lower() not in ("quit", "leave"):
                    raise Busy
                self._end = ExitCode.OK
            elif (answer := self._answers(view, rest.strip(), typed.confirming).get(word.lower())) is not None:
                answer()
            else:
                self._choose(view, typed)
        except Busy:
            if len(self._typed_ahead) < MOST_TYPED_AHEAD:
                self._typed_ahead.append(typed._replace(waited=True))
            else:
                self._lines.append(words.still_waiting())

    def _take_in_waiting(self) -> None:
        """What was typed too early, up to the first line that must wait still."""
        while self._typed_ahead and self.session.in_flight is None:
            waiting = len(self._typed_ahead)
            self._take_in(self._typed_ahead.popleft())
            if len(self._typed_ahead) == waiting:
                self._typed_ahead.rotate(1)
                return

    def _answers(self, view: TableView, rest: str, confirming: str) -> dict[str, Callable[[], None]]:
        """All words that can be typed, and what each does with the `rest` of its line."""
        session, speaker, lines = self.session, Speaker(view, self.session.seat), self._lines
        opens = session.seat is not None and view.room.host == session.seat and view.room.phase == "open"
        layout = layout_of(view.room.game)
        return {
            "": lambda: self._enter(view),
            "help": lambda: lines.extend(self._help(layout.help_lines(), opens=opens)),
            "hand": lambda: lines.extend(layout.held_lines(speaker) or [words.no_hand()]),
            "cards": lambda: lines.extend(render.card_lines(speaker)),
            "remaining": lambda: lines.extend(words_remaining.remaining_lines(speaker)),
            "table": lambda: lines.extend(layout.table_lines(speaker)),
            "history": lambda: lines.extend(layout.history_lines(speaker) or [words.nothing_yet()]),
            "last": lambda: lines.extend(
                words_replay.deals(speaker, self._points)
                if rest.lower() == "deals"
                else layout.history_lines(speaker, last_round=True) or [words.nothing_yet()]
            ),
            "rules": lambda: lines.extend(words_rules.answer(view.room.game, rest)),
            "actions": lambda: lines.extend(self._choices(speaker, rest)),
            "say": lambda: self._say(rest),
            "replay": lambda: self._replay(view, rest),
            "emote": lambda: self._emote(rest),
            "emotes": lambda: lines.append(words_advice.emotes()),
            "hint": self._hint,
            "why": lambda: self._why(speaker, rest),
            "save": lambda: self._save_deal(view, rest),
            "ask": lambda: self._switch("ask", rest, self._set_ask),
            "auto": lambda: self._switch_auto(rest),
            "ready": lambda: self._command(Ready),
            "here": lambda: self._be_here(view),
            "invite": lambda: self._show_way_in(lambda way: words.invitation(way.url, view.room.code)),
            "fill": lambda: self._fill(rest),
            "start": lambda: self._with_level("start", rest, Start) if rest else self._command(Start),
            "remove": lambda: self._remove(rest),
            "qr": lambda: self._show_way_in(lambda way: way.page(view.room.code)),
            "quit": lambda: self._quit(rest, confirming),
            "leave": lambda: self._leave(rest, confirming),
        }

    def _be_here(self, view: TableView) -> None:
        if view.room.phase == "open":
            self._command(Ready)
            self._asked = None  # the answer is to see the lobby again
        else:
            self._enter(view)

    def _enter(self, view: TableView) -> None:
        if self._away():
            self._take_back()
            return
        if view.room.phase == "between" and self.session.own is not None and not self.session.own.ready:
            self._command(Ready)
            return
        self._asked = None
        self._go_on(view)
        if not self._lines and not self._send:
            self._lines.append(layout_of(view.room.game).standing_line(Speaker(view, self.session.seat)))

    def _choose(self, view: TableView, typed: Typed) -> None:
        prompt, text = self.session.prompt, typed.line.strip()
        if typed.prompt_id != (prompt.id if prompt else None):
            self._lines.append(words.question_changed(text))
            return
        if self._away() and not typed.waited:
            self._take_back()
            if prompt is not None:
                self._typed_ahead.append(typed._replace(waited=True))
            return
        if self._bot_plays:
            self._lines.append(words.auto_plays())
            return
        if prompt is None:
            self._lines.append(words.nothing_to_choose(text))
            return
        speaker = Speaker(view, self.session.seat)
        meant = speaker.names.unfaced(in_english(text))
        try:
            shown = layout_of(view.room.game).choices(speaker, prompt)
            action = action_of(meant, prompt.actions, speaker.names.order(), shown)
        except NotOffered as error:
            self._lines.append(str(error))
            if isinstance(error, NoChoice):
                self._send.append(self._inquiries.why(prompt, meant, typed=False))
        else:
            # Where the table is drawn, the answer has been confirmed before it came to be this line.
            if self._settings().confirm and not self._lingers and action != typed.confirming:
                self._confirming = action
                self._lines.append(words.confirm_action(action))
            else:
                self._command(lambda n: Act(n, prompt.id, action))

    def _away(self) -> bool:
        return self.session.own is not None and self.session.own.away

    def _take_back(self) -> None:
        self._command(lambda n: Autopilot(n, on=False))

    def _command(self, command: Callable[[int], SeatCommand]) -> None:
        """Raises `Busy`."""
        if self.session.seat is None:
            self._lines.append(words.not_seated())
            return
        if self._teller.fresh:
            raise Busy
        self._send += self.session.issue(command(self.session.next_n))

    def _say(self, text: str) -> None:
        if not text:
            self._lines.append(words.say_usage())
        elif len(text) > MAX_SAY_CHARACTERS:
            self._lines.append(words.too_long(MAX_SAY_CHARACTERS))
        else:
            self._send.append(Say(text))

    def _emote(self, name: str) -> None:
        kinds = get_args(EmoteKind)
        by_number = {str(number): kind for number, kind in enumerate(kinds, start=1)}
        kind = by_number.get(name, "_".join(name.lower().split()))
        if kind in kinds:
            self._send.append(Emote(kind))
        else:
            self._lines.append(words_advice.emotes())

    def _hint(self) -> None:
        """Raises `Busy`."""
        prompt = self._open_question()
        if self.session.seat is None:
            self._lines.append(words.not_seated())
        elif prompt is None:
            self._lines.append(words.not_your_turn())
        else:
            self._send.append(self._inquiries.hint(prompt))

    def _why(self, speaker: Speaker, text: str) -> None:
        """Raises `Busy`."""
        prompt = self._open_question()
        if self.session.seat is None:
            self._lines.append(words.not_seated())
        elif not text:
            self._lines.append(words_advice.why_usage())
        else:
            meant = speaker.names.unfaced(text)
            if prompt is not None and meant not in speaker.names.order():
                meant = by_number(meant, prompt.actions) or meant
            self._send.append(self._inquiries.why(prompt, meant, typed=True))

    def _choices(self, speaker: Speaker, text: str) -> Sequence[str]:
        """With their numbers, a line each; only those with all the cards of `text`, if it names any."""
        prompt, layout = self.session.prompt, layout_of(speaker.view.room.game)
        if prompt is None:
            return [words.not_your_turn()]
        wanted = set(speaker.names.unfaced(text).replace("+", " ").split())
        choices = zip(layout.listed(speaker, prompt), layout.choices(speaker, prompt), strict=True)
        found = [line for line, action in choices if wanted <= {card for group in groups_of(action) for card in group}]
        return found or [words.no_choice_with(text)]

    def _open_question(self) -> Prompt | None:
        """Raises `Busy` while it is not known."""
        if self._teller.fresh or self.session.in_flight is not None or self.session.view_is_behind:
            raise Busy
        return self.session.prompt

    def _switch(self, word: str, rest: str, change: Callable[[bool], None]) -> None:
        if rest.lower() in ("on", "off"):
            change(rest.lower() == "on")
        else:
            self._lines.append(words.switch_usage(word))

    def _set_ask(self, on: bool) -> None:
        self._ask = on
        self._lines.append(words.ask_on() if on else words.ask_off())

    def _switch_auto(self, rest: str) -> None:
        what, _, state = rest.partition(" ")
        if what.lower() == "pass":
            self._switch("auto pass", state.strip(), self._set_auto_pass)
        else:
            self._switch("auto", rest, self._set_auto)

    def _set_auto_pass(self, on: bool) -> None:
        you = self.session.view.you if self.session.view else None
        if you is not None and you.auto_pass == on:
            self._lines.append(words.passing_on() if on else words.passing_off())
        else:
            self._command(lambda n: AutoPass(n, on))

    def _save_deal(self, view: TableView, file: str) -> None:
        deal, room = view.room.deal, view.room
        if not deal:
            self._lines.append(words.no_deal_yet())
            return
        self._records.want(deal, file or usual_name(room.game, room.code, deal))
        if view.result is None:
            self._lines.append(words.will_be_saved(deal))
        self._send += self._records.ask(view)

    def _replay(self, view: TableView, number: str) -> None:
        newest = view.room.deal if view.result is not None else view.room.deal - 1
        deal = int(number[:9]) if number.isascii() and number.isdecimal() else 0 if number else max(newest, 1)
        if not 1 <= deal <= view.room.deal:
            self._lines.append(words_replay.no_such_deal(view.room.deal))
            return
        self._records.want(deal, None)
        if deal > newest:
            self._lines.append(words_replay.will_be_replayed(deal))
        self._send += self._records.ask(view)

    def _set_auto(self, on: bool) -> None:
        self._auto = self._auto and on
        self._command(lambda n: Autopilot(n, on))

    def _with_level(self, word: str, rest: str, command: Callable[[int, BotLevel], SeatCommand]) -> None:
        level = BOT_LEVELS.get(rest.lower())
        if level is None:
            self._lines.append(words.level_usage(word, BOT_LEVELS))
        else:
            self._command(lambda n: command(n, level))

    def _fill(self, rest: str) -> None:
        """A bot for all free seats, or for the one that is named first."""
        first, _, others = rest.partition(" ")
        seat, level = (int(first) - 1, others.strip()) if first in ("1", "2", "3") else (None, rest)
        self._with_level("fill", level or self._settings().bots, lambda n, level: Fill(n, level, seat))

    def _show_way_in(self, shown: Callable[[Invitation], str]) -> None:
        """How others come into this room, as far as they can."""
        if self.session.reached_at:
            self._lines.append(shown(Invitation(self.session.reached_at)))
        else:
            self._lines.append(words.no_invitation())

    def _remove(self, rest: str) -> None:
        if rest in ("1", "2", "3"):
            self._command(lambda n: Remove(n, int(rest) - 1))
        else:
            self._lines.append(words.remove_usage())

    def _help(self, game: Sequence[str], *, opens: bool) -> tuple[str, ...]:
        going = words.help_private() if self.ends == "game" else words.help_going()
        return (*game, *_more_help(), going, *(words.help_host() if opens else ()))

    def _quit(self, rest: str, confirming: str) -> None:
        warning = self._warning()
        if warning and confirming != "quit" and rest.lower() != "now":
            self._confirming = "quit"
            self._lines.append(sentences(warning, words.quit_again()))
        else:
            self._end = ExitCode.OK

    def _leave(self, rest: str, confirming: str) -> None:
        if self.session.seat is None:
            self._end = ExitCode.OK
        elif self.ends == "game":
            self._quit(rest, confirming)
        elif confirming == "leave" or rest.lower() == "now":
            self._command(Leave)
        else:
            self._confirming = "leave"
            self._lines += [words.confirm_leave(), *filter(None, [self._warning()])]

    def _warning(self) -> str:
        """What goes when this person goes; empty if nothing does."""
        view = self.session.view
        if view is None or self.ends is None or view.room.phase == "over":
            return ""
        if self.ends == "game":
            return words.game_ends()
        others = sum(seat.connected and seat.seat != self.session.seat for seat in view.seats)
        return words_link.server_stops(others) if others else ""

    def _step(self) -> Step:
        step = Step(tuple(self._lines), tuple(self._send), self._again_ms, self._end, tuple(self._fetched))
        self._lines, self._send, self._again_ms, self._fetched = [], [], None, []
        return step


def _more_help() -> tuple[str, ...]:
    """At every table."""
    return (
        words.help_choices(),
        *words_advice.help_advice(),
        words_remaining.help_line(),
        words.help_save(),
        *words_replay.help_in_a_room(),
    )
