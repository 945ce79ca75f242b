"""What a person types, and what becomes of it: a word, or an answer to the open question. No I/O."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, get_args

from client_cli import hosting, words, words_advice
from client_cli.asking import Asking
from client_cli.commanding import Commanding
from client_cli.consulting import ask_hint, ask_why
from client_cli.frontend import Answer, ToConfirm
from client_cli.going import Going
from client_cli.input import NoChoice, NotOffered, action_of
from client_cli.inquiries import Inquiries
from client_cli.keeping import replay_deal, save_deal
from client_cli.language import sentences
from client_cli.layouts import layout_of
from client_cli.looking import help_lines, looks
from client_cli.records import Records
from client_cli.session import Busy
from client_cli.settings import Settings
from client_cli.speaker import Speaker
from client_cli.vocabulary import in_english
from protocol.errors import ExitCode
from protocol.messages import MAX_SAY_CHARACTERS, Act, AutoPass, Autopilot, Emote, EmoteKind, Leave, Ready, Say
from protocol.view import Prompt, TableView

MOST_TYPED_AHEAD = 4


class Typed(NamedTuple):
    """A line from the person, the question that they saw, and the word that it may confirm.

    `waited`: it was kept until an earlier command was answered.
    """

    line: str
    prompt_id: int | None
    confirming: str
    waited: bool = False


class TypedWords:
    """Does what is typed, with all that has a part in the conversation; what cannot be sent yet waits, in order.

    `lingers`: as in `FrontEnd`. `settings`: what the person prefers at that moment.
    """

    def __init__(
        self,
        seat: Commanding,
        asking: Asking,
        going: Going,
        *,
        lingers: bool,
        settings: Callable[[], Settings],
    ) -> None:
        self.inquiries = Inquiries()
        self.records = Records()
        self.points: dict[int, tuple[int, ...]] = {}  # of each deal whose end was seen
        self._seat = seat
        self._session = seat.session
        self._draft = seat.draft
        self._asking = asking
        self._going = going
        self._lingers = lingers
        self._settings = settings
        self._confirming = ""
        self._ahead: deque[Typed] = deque()

    def take(self, line: str) -> None:
        """One line from the person, or what it confirms."""
        confirming, self._confirming = self._confirming, ""
        prompt = self._session.prompt
        of = line.prompt if isinstance(line, Answer) else prompt.id if prompt else None
        self._take_in(Typed(line, of, confirming))

    def take_waiting(self) -> None:
        """What was typed too early, up to the first line that must wait still."""
        while self._ahead and self._session.in_flight is None:
            waiting = len(self._ahead)
            self._take_in(self._ahead.popleft())
            if len(self._ahead) == waiting:
                self._ahead.rotate(1)
                return

    def _take_in(self, typed: Typed) -> None:
        view = self._session.view
        if typed.confirming and in_english(typed.line.strip()).lower() == "yes":
            typed = typed._replace(line=typed.confirming)
        word, _, rest = in_english(typed.line.strip()).partition(" ")
        try:
            if view is None:
                if word.lower() not in ("quit", "leave"):
                    raise Busy
                self._draft.end = ExitCode.OK
            elif (done := self.meanings(view, rest.strip(), typed.confirming).get(word.lower())) is not None:
                done()
            else:
                self._choose(view, typed)
        except Busy:
            if len(self._ahead) < MOST_TYPED_AHEAD:
                self._ahead.append(typed._replace(waited=True))
            else:
                self._seat.answer(words.still_waiting())

    def meanings(self, view: TableView, rest: str, confirming: str) -> dict[str, Callable[[], None]]:
        """All words that can be typed, and what each does with the `rest` of its line."""
        seat, draft, room = self._seat, self._draft, view.room
        speaker = Speaker(view, self._session.seat)
        looked = looks(speaker, self._session.prompt, self.points, rest)
        return {word: partial(self._look, shown) for word, shown in looked.items()} | {
            "": lambda: self._enter(view),
            "help": lambda: self._help(view),
            "say": lambda: self._say(rest),
            "replay": lambda: replay_deal(self.records, draft, view, rest),
            "emote": lambda: self._emote(rest),
            "hint": lambda: ask_hint(seat, self.inquiries),
            "why": lambda: ask_why(seat, self.inquiries, speaker, rest),
            "save": lambda: save_deal(self.records, draft, view, rest),
            "ask": lambda: self._switch("ask", rest, self._set_ask),
            "auto": lambda: self._switch_auto(rest),
            "ready": lambda: seat.command(Ready),
            "here": lambda: self._be_here(view),
            "invite": lambda: hosting.show_way_in(seat, lambda way: words.invitation(way.url, room.code)),
            "fill": lambda: hosting.fill(seat, rest, self._settings().bots),
            "start": lambda: hosting.start(seat, rest),
            "remove": lambda: hosting.remove(seat, rest),
            "qr": lambda: hosting.show_way_in(seat, lambda way: way.page(room.code)),
            "quit": lambda: self._quit(rest, confirming),
            "leave": lambda: self._leave(rest, confirming),
        }

    def _look(self, shown: Callable[[], Sequence[str]]) -> None:
        self._draft.lines += shown()

    # Answers to the open question

    def _enter(self, view: TableView) -> None:
        own = self._session.own
        if own is not None and own.away:
            self._take_back()
            return
        if view.room.phase == "between" and own is not None and not own.ready:
            self._seat.command(Ready)
            return
        self._asking.anew()
        self._asking.go_on(view)
        if not self._draft.lines and not self._draft.send:
            self._seat.answer(layout_of(view.room.game).standing_line(Speaker(view, self._session.seat)))

    def _be_here(self, view: TableView) -> None:
        if view.room.phase == "open":
            self._seat.command(Ready)
            self._asking.anew()  # the answer is to see the lobby again
        else:
            self._enter(view)

    def _choose(self, view: TableView, typed: Typed) -> None:
        prompt, own, text = self._session.prompt, self._session.own, typed.line.strip()
        if typed.prompt_id != (prompt.id if prompt else None):
            self._seat.answer(words.question_changed(text))
        elif own is not None and own.away and not typed.waited:
            self._take_back()
            if prompt is not None:
                self._ahead.append(typed._replace(waited=True))
        elif own is not None and own.autopilot:
            self._seat.answer(words.auto_plays())
        elif prompt is None:
            self._seat.answer(words.nothing_to_choose(text))
        else:
            self._answer(Speaker(view, self._session.seat), prompt, in_english(text), typed.confirming)

    def _answer(self, speaker: Speaker, prompt: Prompt, text: str, confirming: str) -> None:
        meant = speaker.names.unfaced(text)
        try:
            shown = layout_of(speaker.view.room.game).choices(speaker, prompt)
            action = action_of(meant, prompt.actions, speaker.names.order(), shown)
        except NotOffered as error:
            self._seat.answer(str(error))
            if isinstance(error, NoChoice):
                self._seat.send(self.inquiries.why(prompt, meant, typed=False))
        else:
            # Where the table is drawn, the answer has been confirmed before it came to be this line.
            if self._settings().confirm and not self._lingers and action != confirming:
                self._confirming = action
                self._seat.answer(words.confirm_action(action))
            else:
                self._seat.command(lambda n: Act(n, prompt.id, action))

    def _take_back(self) -> None:
        self._seat.command(lambda n: Autopilot(n, on=False))

    # Talk and help

    def _say(self, text: str) -> None:
        if not text:
            self._seat.answer(words.say_usage())
        elif len(text) > MAX_SAY_CHARACTERS:
            self._seat.answer(words.too_long(MAX_SAY_CHARACTERS))
        else:
            self._seat.send(Say(text))

    def _emote(self, name: str) -> None:
        kinds = get_args(EmoteKind)
        numbered = {str(number): kind for number, kind in enumerate(kinds, start=1)}
        kind = numbered.get(name, "_".join(name.lower().split()))
        if kind in kinds:
            self._seat.send(Emote(kind))
        else:
            self._seat.answer(words_advice.emotes())

    def _help(self, view: TableView) -> None:
        seat, room = self._session.seat, view.room
        opens = seat is not None and room.host == seat and room.phase == "open"
        private = self._going.ends == "game"
        self._draft.lines += help_lines(layout_of(room.game).help_lines(), private=private, opens=opens)

    # What is done for the person

    def _switch(self, word: str, rest: str, change: Callable[[bool], None]) -> None:
        if rest.lower() in ("on", "off"):
            change(rest.lower() == "on")
        else:
            self._seat.answer(words.switch_usage(word))

    def _set_ask(self, on: bool) -> None:
        self._asking.asks_all = on
        self._seat.answer(words.ask_on() if on else words.ask_off())

    def _switch_auto(self, rest: str) -> None:
        what, _, state = rest.partition(" ")
        if what.lower() == "pass":
            self._switch("auto pass", state.strip(), self._set_auto_pass)
        else:
            self._switch("auto", rest, self._set_auto)

    def _set_auto_pass(self, on: bool) -> None:
        you = self._session.view.you if self._session.view else None
        if you is not None and you.auto_pass == on:
            self._seat.answer(words.passing_on() if on else words.passing_off())
        else:
            self._seat.command(lambda n: AutoPass(n, on))

    def _set_auto(self, on: bool) -> None:
        self._asking.auto = self._asking.auto and on
        self._seat.command(lambda n: Autopilot(n, on))

    # Going

    def _quit(self, rest: str, confirming: str) -> None:
        warning = self._going.warning()
        if warning and confirming != "quit" and rest.lower() != "now":
            self._confirming = "quit"
            self._seat.answer(ToConfirm(sentences(warning, words.quit_again())))
        else:
            self._draft.end = ExitCode.OK

    def _leave(self, rest: str, confirming: str) -> None:
        if self._session.seat is None:
            self._draft.end = ExitCode.OK
        elif self._going.ends == "game":
            self._quit(rest, confirming)
        elif confirming == "leave" or rest.lower() == "now":
            self._seat.command(Leave)
        else:
            self._confirming = "leave"
            self._draft.lines += [ToConfirm(words.confirm_leave()), *filter(None, [self._going.warning()])]
