"""The screen of one sitting: the table, what happens, and what the person answers."""

import asyncio
from collections.abc import Mapping
from typing import ClassVar, get_args

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from client_cli import words
from client_cli.frontend import Answer
from client_cli.language import tr, tr_later
from client_cli.render import remaining_s
from client_cli.session import Session
from client_cli.settings import DEFAULTS
from client_cli.tui.cells import clip, fit, fit_right, literal
from client_cli.tui.lobby.hosting import code_lines, hosting, rows_needed
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.chat import ChatScreen
from client_cli.tui.table.choices import choice_panel, question, standing
from client_cli.tui.table.choosing import Choosing
from client_cli.tui.table.deeds import Deed, deeds
from client_cli.tui.table.ending import ending
from client_cli.tui.table.hand import Spread, picture, sections, spread
from client_cli.tui.table.look import Look
from client_cli.tui.table.middle import least_rows, middle
from client_cli.tui.table.picking import top_places
from client_cli.tui.table.plan import (
    CLOCK_CELLS,
    LEAST_HEIGHT,
    LEAST_WIDTH,
    Over,
    Plan,
    hand_budget,
    log_width,
    open_plan,
    open_rows,
    plan,
)
from client_cli.tui.table.remaining import remaining_panel, remaining_rows
from client_cli.tui.table.seats import seat_panel
from client_cli.tui.table.sight import Sight
from client_cli.tui.table.title import title
from client_cli.tui.table.widgets import Log, Picture, Typing
from client_cli.vocabulary import in_english, shown
from protocol.messages import Hint
from protocol.view import BotLevel

PARTS = (
    "title",
    "left",
    "right",
    "middle",
    "own",
    "hand",
    "ending",
    "remaining",
    "hosting",
    "code",
    "question",
    "clock",
    "choices",
    "notice",
)

ENTER = 0
"""Whose the question is: a click on it is Enter."""


class TableScreen(Screen[None]):
    """`typed`: what the person has answered, as lines of the conversation, in order.

    `sight`: what is drawn. `laid`: the own hand as it lies there. `choosing`: what the person is about to answer.
    """

    AUTO_FOCUS = "#typing"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1, 0)", tr_later("Move among the cards")),
        Binding("right", "move(1, 0)", tr_later("Move among the cards")),
        Binding("up", "move(0, -1)", tr_later("Move among the cards")),
        Binding("down", "move(0, 1)", tr_later("Move among the cards")),
        Binding("space", "pick", tr_later("Pick a card, or put it back")),
        Binding("1", "choose(1)", tr_later("Take the choice with this number"), key_display="1-9"),
        Binding("enter", "enter", tr_later("Play what is picked; go on")),
        Binding("escape", "back", tr_later("Put all cards back; leave the line")),
        Binding("pageup", "scroll_log(-1)", tr_later("Scroll what has happened"), priority=True),
        Binding("pagedown", "scroll_log(1)", tr_later("Scroll what has happened"), priority=True),
        Binding("f2", "reorder", tr_later("Order the hand otherwise")),
        Binding("f4", "enlarge_log", tr_later("What has happened, large")),
        Binding("f5", "switch_autopilot", tr_later("Let a bot play for you, or no more")),
        Binding("f6", "say_word('hint')", tr_later("What a bot would do, and why")),
        Binding("f7", "chat", tr_later("Talk, and emotes")),
        Binding("f8", "count_remaining", tr_later("The cards not seen yet")),
        Binding("f10", "leave", tr_later("Go, and keep the seat")),
    ]
    DEFAULT_CSS = """
    TableScreen {
        overflow: hidden;
        & > * { position: absolute; }
        #title { background: $primary; color: $text; text-style: bold; }
        #left, #right, #own { background: $boost; }
        #remaining { background: $boost; }
        #log { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }
        #log { background: $panel; padding: 0 0 0 1; }
        #log > .log--aside { color: $text-warning; }
        #log > .log--known { color: $text-muted; }
        #log > .log--new { color: $text; }
        #code { color: black; background: white; }
        &:ansi #code { color: ansi_default; background: ansi_default; text-style: reverse; }
        #typing, #typing:focus { border: none; padding: 0; height: 1; background: $panel; }
    }
    """

    class Asked(Message):
        """A new question waits for the person."""

    def __init__(self, look: Look | None = None, *, confirm: bool = False, bots: BotLevel = DEFAULTS.bots) -> None:
        super().__init__()
        self.typed: asyncio.Queue[str] = asyncio.Queue()
        self._look = self._chosen_look = look or Look()
        self.choosing = Choosing(confirm=confirm)
        self._session: Session | None = None
        self.sight: Sight | None = None
        self.laid: Spread | None = None
        self._parts: Plan = {}
        self._most_hand_rows: tuple[object, int] = (None, 0)
        self._log_enlarged = False
        self._seconds: Timer | None = None
        self._hint: Hint | None = None  # the last one that was shown
        self._bots = self._usual_bots = bots  # how well they play that a host puts on seats
        self._offered: object = None  # what numbers stand for
        self._offered_at_s = 0.0  # since when, as times of messages are
        self._puzzled = False  # has just pressed a key that means nothing here
        self._goes = False  # the person has just said so
        self._over = False
        self._to_confirm = ""  # what was told so, until the person does something else; the log may move on
        self._told_behind = ""  # the newest line, while what is drawn hides the log
        self._seen = asyncio.Event()

    def compose(self) -> ComposeResult:
        for part in PARTS:
            yield Picture(part)
        yield Log("log")
        yield Typing("typing", _typing_help(), self._is_key)

    def on_mount(self) -> None:
        self._draw()

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """The line always listens: a click that meets nothing must not take the keys away."""
        super().set_focus(widget or self.query_one(Typing), scroll_visible, from_app_focus)

    def on_resize(self, _event: events.Resize) -> None:
        self._draw()

    # What the sitting tells

    def tell(self, line: str, *, aside: bool = False, to_confirm: bool = False) -> None:
        """One more line of what happens. `aside`: it is about the program. `to_confirm`: as in `ToConfirm`."""
        self.query_one(Log).tell(line, aside=aside)
        if to_confirm:
            self._to_confirm = line
            self._draw_question()
        elif self._parts and "log" not in self._parts:
            self._told_behind = line
            self._draw_question()

    def draw(self, session: Session) -> None:
        """Show what the session holds now."""
        self._session = session
        if session.view is None:
            return
        own = session.own
        asked = None if own is not None and (own.autopilot or own.away) else session.prompt  # then a bot answers
        self.sight = Sight(session.view, session.seat, asked, sent=session.in_flight is not None)
        asked_before = self.choosing.asked_id
        self.choosing.look(self.sight)
        if session.hint is not None and session.hint is not self._hint:
            self._hint = session.hint
            self.choosing.suggest(self._hint.prompt, self._hint.action)
        offered = self.choosing.asked_id or self._deeds(self.sight)
        if offered != self._offered:
            self._offered, self._offered_at_s = offered, Message().time
        self._draw()
        if self.choosing.asked_id not in (None, asked_before):
            self._puzzled = False
            self.post_message(self.Asked())

    async def seen(self) -> None:
        """The sitting is over: wait until the person has looked at how it ended, and goes."""
        self._over = True
        self._draw()
        if not self._goes:
            await self._seen.wait()

    def wear(self, look: Look, *, confirm: bool, bots: BotLevel) -> None:
        """The person's settings have changed. What keys have changed here lasts until its setting does."""
        before, self._chosen_look = self._chosen_look, look
        if look.order is before.order:
            look = look._replace(order=self._look.order)
        if look.remaining == before.remaining:
            look = look._replace(remaining=self._look.remaining)
        self._look = look
        self.choosing.confirm = confirm
        if bots != self._usual_bots:
            self._bots = self._usual_bots = bots
        self.query_one(Typing).placeholder = _typing_help()
        self._draw()

    # Drawing

    def _draw(self) -> None:
        width, height = self.size
        if width < LEAST_WIDTH or height < LEAST_HEIGHT:
            self._lay_out({})
            self._picture("notice").draw(
                self._text(tr("Too small: at least {width}x{height}", width=LEAST_WIDTH, height=LEAST_HEIGHT), width)
            )
            return
        sight, look = self.sight, self._look
        if sight is None:
            self._lay_out(plan(width, height, 0, 0))
            self._draw_question()
            return
        trouble = self._session.trouble if self._session is not None else None
        verdict = self._session.fairness.verdict if self._session is not None else None
        self._picture("title").draw(title(sight, look, width, trouble, verdict))
        if sight.view.room.phase == "open" and not self._log_enlarged:
            self._draw_open(sight)
            return
        self.laid, parts = self._planned(sight)
        self._lay_out(parts)
        for name, seat in (("left", sight.left), ("right", sight.right), ("own", sight.near)):
            if name in parts:
                self._picture(name).draw(seat_panel(sight, look, seat, parts[name].width, parts[name].height))
        if "middle" in parts:
            self._picture("middle").draw(middle(sight, look, parts["middle"].width, parts["middle"].height))
        if "remaining" in parts:
            region = parts["remaining"]
            self._picture("remaining").draw(remaining_panel(sight, look, region.width, region.height))
        if "ending" in parts:
            self._picture("ending").draw(ending(sight, look, parts["ending"].width, parts["ending"].height))
        self._draw_answers()
        self.call_after_refresh(self._aim_cursor)

    def _aim_cursor(self) -> None:
        """Where the terminal shows what an input method composes."""
        self.app.cursor_position = self.query_one(Typing).cursor_screen_offset

    def _draw_open(self, sight: Sight) -> None:
        """Before the start: how others join, and who has come."""
        (width, height), look, reached_at = self.size, self._look, self._reached_at
        code = code_lines(sight, look, reached_at, width, open_rows(height))
        across = cell_len(code[0]) if code else 0
        room = width - across if code else width // 2
        parts = open_plan(width, height, rows_needed(sight, room, reached_at), (across, len(code)))
        self._lay_out(parts)
        self.laid = None
        self._picture("hosting").draw(hosting(sight, look, room, parts["hosting"].height, reached_at))
        canvas = Canvas(across, len(code))
        for y, row in enumerate(code):
            canvas.write(0, y, row)
        self._picture("code").draw(canvas)
        self._draw_answers()

    @property
    def _reached_at(self) -> str:
        return self._session.reached_at if self._session is not None else ""

    def _planned(self, sight: Sight) -> tuple[Spread, Plan]:
        width, height = self.size
        least = least_rows(sight, self._look)
        hand = sections(sight.held, sight.speaker.names, self._look.order)
        laid = spread(hand, sight.speaker.names, self._look.glyphs, width, hand_budget(height, least))
        occasion = (self.size, sight.view.room.deal, self._look)
        before, rows = self._most_hand_rows
        rows = max(rows, laid.height) if before == occasion else laid.height  # cards that go do not move the table
        self._most_hand_rows = (occasion, rows)
        over: Over = "log" if self._log_enlarged else "ending" if sight.view.result is not None else None
        left = remaining_rows(sight, log_width(width)) if self._look.remaining else 0
        return laid, plan(width, height, rows, least, over=over, remaining=left)

    def _redraw_answers(self) -> None:
        """The person has moved or picked."""
        self._puzzled, self._to_confirm = False, ""
        self._draw_answers()

    def _draw_answers(self) -> None:
        """All that changes with the cursor and the picked cards."""
        sight, look, laid, parts = self.sight, self._look, self.laid, self._parts
        if sight is None or "choices" not in parts:
            return
        labels = self._labels(sight)
        self._picture("choices").draw(choice_panel(labels, look, self.size.width, parts["choices"].height))
        self._draw_question()
        if laid is None or "hand" not in parts:
            return
        now, width = self.choosing.now, self.size.width
        bright = top_places(laid.cards, now.bright) if self.choosing.asked else range(len(laid.cards))
        picked = top_places(laid.cards, now.picked)
        cursor = self.choosing.cursor(laid)
        names = sight.speaker.names
        self._picture("hand").draw(
            picture(laid, names, look.glyphs, width, bright=bright, picked=picked, cursor=cursor)
        )

    def _labels(self, sight: Sight) -> Mapping[int, str]:
        """What can be chosen by number: answers to a question, or else what there is to do."""
        if self._over:
            return {}
        if self.choosing.asked:
            return {choice.number: choice.label for choice in self.choosing.choices}
        return {number: deed.label for number, deed in enumerate(self._deeds(sight), start=1)}

    def _deeds(self, sight: Sight) -> tuple[Deed, ...]:
        return deeds(sight, self._bots, reached=bool(self._reached_at))

    def tick(self) -> None:
        """Show how much time is left for the question, and again in a second."""
        asked = self._session is not None and self.sight is not None and self.sight.prompt is not None
        prompt = self._session.prompt if asked and self._session is not None else None
        left = remaining_s(prompt) if prompt is not None else None
        if (left is not None) != (self._seconds is not None):
            if self._seconds is not None:
                self._seconds.stop()
            self._seconds = None if left is None else self.set_interval(1, self.tick)
        canvas = Canvas(CLOCK_CELLS, 1)
        canvas.write(0, 0, "" if left is None else fit_right(tr("{seconds} s", seconds=left), CLOCK_CELLS), "bold")
        self._picture("clock").draw(canvas)

    def _draw_question(self) -> None:
        """What is asked, or what goes on, and what was just told where no log shows it."""
        sight, width = self.sight, self.size.width - CLOCK_CELLS
        parts = (literal(self._to_confirm), self._said(sight), literal(self._told_behind))
        said = "  ".join(filter(None, parts))
        canvas = Canvas(width, 1)
        waited_for = self._to_confirm or self.choosing.asked or (sight is not None and self._deeds(sight))
        style = "bold reverse" if waited_for else "bold"
        canvas.write(0, 0, clip(f" {said} ", width, self._look.glyphs.more), style, ENTER)
        self._picture("question").draw(canvas)
        self.tick()

    def _said(self, sight: Sight | None) -> str:
        if sight is not None and sight.view.room.phase == "over":
            return tr("The match is over. Enter: go.")
        if self._over:
            return tr("Nothing more happens here. Enter: go.")
        if sight is None:
            return tr("asking ...")  # a server starts, or is asked
        own = sight.own
        if self.choosing.armed is not None:
            return tr("Enter again: {action}", action=literal(shown(self.choosing.armed)))
        if self.choosing.asked:
            if self._puzzled:
                return tr("Pick cards (arrows, Space), press a number, or type.")
            meant = self.choosing.now.meant
            if meant is not None:
                return tr("{question} Enter: {action}", question=question(sight), action=literal(shown(meant.text)))
            return question(sight)
        if sight.sent:
            return tr("Sent ...")
        if sight.view.room.phase == "open":
            free = sum(seat.kind == "empty" for seat in sight.view.seats)
            return literal(sight.speaker.waiting(free))
        if sight.view.room.phase == "between":
            if own is not None and not own.ready:
                return tr("Enter: the next deal.")
            return tr("Waiting for the others.")
        if own is not None and own.away:
            return tr("You are away: a bot plays for you. Enter takes your seat back.")
        if own is not None and own.autopilot:
            return tr("A bot plays your seat. F5: play yourself.")
        return standing(sight)

    def _lay_out(self, parts: Plan) -> None:
        self._parts = parts
        if "log" in parts:
            self._told_behind = ""
        for widget in self.children:
            region = parts.get(widget.id or "")
            if not parts and widget.id == "notice":
                widget.display = True
                _place(widget, 0, 0, self.size.width, self.size.height)
            elif region is None:
                widget.display = False
            else:
                widget.display = True
                _place(widget, *region)

    def _picture(self, name: str) -> Picture:
        return self.query_one(f"#{name}", Picture)

    def _text(self, text: str, width: int) -> Canvas:
        canvas = Canvas(width, 1)
        canvas.write(0, 0, fit(text, width, self._look.glyphs.more))
        return canvas

    # What the person does

    def on_typing_struck(self, event: Typing.Struck) -> None:
        """Space picks, a digit answers where each choice has one, and begins a line elsewhere."""
        if self._away:
            self._say("")
        elif event.character == "?":
            self.call_later(self.app.run_action, "app.rules")
        elif event.character == " ":
            self.action_pick()
        elif not self._meant_another(event.at_s):
            self.action_choose(int(event.character))

    def _is_key(self, digit: str) -> bool:
        """Is it an answer by itself, and not the beginning of a line?"""
        return self._away or (digit in "123456789" and (self.choosing.numbers_are_keys or not self.choosing.asked))

    @property
    def _away(self) -> bool:
        return self.sight is not None and self.sight.own is not None and self.sight.own.away

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A typed line goes to the conversation as it is."""
        self._say(self._as_answer(event.value))

    @on(Picture.Met, "#hand")
    def _card_met(self, event: Picture.Met) -> None:
        if self.laid is not None and event.owner < len(self.laid.cards):  # else it is gone meanwhile
            is_picked = event.owner in top_places(self.laid.cards, self.choosing.now.picked)
            if beyond := self.choosing.beyond(self.laid, event.owner, is_picked=is_picked):
                self._say(f"why {' '.join(beyond)}")
            else:
                self.choosing.click(self.laid, event.owner, is_picked=is_picked)
                self._redraw_answers()

    @on(Picture.Met, "#choices")
    def _choice_met(self, event: Picture.Met) -> None:
        if not self._meant_another(event.at_s):
            self.action_choose(event.owner)

    @on(Picture.Met, "#question")
    def _question_met(self, event: Picture.Met) -> None:
        if not self._meant_another(event.at_s):
            self.action_enter()

    def _meant_another(self, at_s: float) -> bool:
        """Is a click or key of this time older than what can be chosen now, and waited behind the news?"""
        return at_s < self._offered_at_s

    def action_move(self, across: int, down: int) -> None:
        if self.laid is not None:
            self.choosing.move(self.laid, across, down)
            self._redraw_answers()

    def action_pick(self) -> None:
        if self.laid is not None:
            self.choosing.pick_under_cursor(self.laid)
            self._redraw_answers()

    def action_enter(self) -> None:
        if self._over:
            self._say("")
        elif self._waits_for_link and not self.choosing.now.picked:
            self._say("")  # try again now
        elif self.choosing.asked:
            self._answer(self.choosing.enter())
        elif self.sight is not None and self.sight.view.room.phase == "over":
            self.action_leave()
        else:
            self._say("")

    @property
    def _waits_for_link(self) -> bool:
        """Is the connection lost, and is there anything to come back to?"""
        over = self.sight is not None and self.sight.view.room.phase == "over"
        return self._session is not None and self._session.trouble == "lost" and not over

    def action_back(self) -> None:
        """Escape: leave the line, or the log that hides the table, or put the cards back."""
        typing = self.query_one(Typing)
        if typing.value:
            typing.clear()
        elif self._log_enlarged:
            self.action_enlarge_log()
        elif self.choosing.clear():
            self._redraw_answers()

    def action_say_word(self, word: str) -> None:
        self._say(word)

    def action_chat(self) -> None:
        """Emotes, and a line to say."""
        self.app.push_screen(ChatScreen(), self._chatted)

    def _chatted(self, line: str | None) -> None:
        if line is not None:
            self._say(line)

    def action_enlarge_log(self) -> None:
        """The log in place of the table, or beside it again."""
        self._log_enlarged = not self._log_enlarged
        self._draw()

    def action_count_remaining(self) -> None:
        """The cards that have not been seen, or all rows for the log again."""
        self._look = self._look._replace(remaining=not self._look.remaining)
        self._draw()

    def action_reorder(self) -> None:
        self._look = self._look._replace(order=self._look.order.following)
        self._draw()

    def action_switch_autopilot(self) -> None:
        if self.sight is not None and self.sight.own is not None:
            self._say("auto off" if self.sight.own.autopilot else "auto on")

    def action_scroll_log(self, pages: int) -> None:
        self.query_one(Log).turn_pages(pages)

    def action_leave(self) -> None:
        self._say("quit")

    def action_choose(self, number: int) -> None:
        """What has this number, as `_labels` has them."""
        if self.choosing.asked:
            self._answer(self.choosing.by_number(number))
        elif self.sight is not None and number <= len(offered := self._deeds(self.sight)):
            self._do(offered[number - 1])

    def _do(self, deed: Deed) -> None:
        if deed.also == "level":
            levels = tuple(get_args(BotLevel))
            self._bots = levels[(levels.index(self._bots) + 1) % len(levels)]
            self._draw()
            return
        if deed.also == "copy" and self.sight is not None:
            self.app.copy_to_clipboard(words.invitation(self._reached_at, self.sight.view.room.code))
            self.tell(tr("Copied, if your terminal can do that."), aside=True)
        self._say(deed.line)

    def _answer(self, action: str | None) -> None:
        if action is not None:
            self._say(self._as_answer(action))
        self._puzzled = action is None and self.choosing.armed is None
        self._draw_answers()

    def _as_answer(self, line: str) -> str:
        asked_id = self.choosing.asked_id
        return line if asked_id is None else Answer(line, asked_id)

    def _say(self, line: str) -> None:
        if self._over:
            self._seen.set()
        else:
            self._told_behind = self._to_confirm = ""
            self.query_one(Log).know()
            self._goes = in_english(line.strip().lower()) in ("quit", "leave", "yes")
            self.typed.put_nowait(line)


def _typing_help() -> str:
    return tr("Type any action or word: help, say hello   Space pick  F2 sort  F4 log  F5 bot")


def _place(widget: Widget, x: int, y: int, width: int, height: int) -> None:
    widget.styles.offset = (x, y)
    widget.styles.width = width
    widget.styles.height = height
