"""The screen of a replay: the table with every hand open, its steps, and keys and mouse to go to and fro."""

from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from client_cli import words_replay
from client_cli.language import tr, tr_later
from client_cli.replay import Cursor, Replay
from client_cli.stepping import fits
from client_cli.tui.cells import clip, fit, literal
from client_cli.tui.faces import Size
from client_cli.tui.keys import KeysLine, keys_of
from client_cli.tui.one_line import OneLine
from client_cli.tui.replay_drawing import (
    SEATS_SHOWN,
    hand_size,
    open_seat,
    replay_plan,
    replay_title,
    scrubber,
    step_list,
)
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.ending import ending
from client_cli.tui.table.look import Look
from client_cli.tui.table.middle import middle
from client_cli.tui.table.plan import LEAST_HEIGHT, LEAST_WIDTH, Plan
from client_cli.tui.table.sight import Sight
from client_cli.tui.table.widgets import Picture

PARTS = ("title", *SEATS_SHOWN, "middle", "ending", "steps", "notice")


class Scrubber(Picture):
    """The line of time; it follows a pressed mouse to whatever place there is."""

    def on_mouse_down(self) -> None:
        self.capture_mouse()

    def on_mouse_up(self) -> None:
        self.release_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if event.button:
            self.meet(event.x, 0, event.time)


class ReplayScreen(Screen[None]):
    """Closes with Escape."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", tr_later("Close"), priority=True),
        Binding("right", "step(1)", tr_later("Next")),
        Binding("n,enter", "step(1)"),
        Binding("left", "step(-1)", tr_later("Back")),
        Binding("p,backspace", "step(-1)"),
        Binding("space", "run", tr_later("Run")),
        # At once, for what is typed next may be in the same burst of keys.
        Binding("slash", "ask_text", tr_later("Search"), priority=True),
        Binding("down", "round(1)", tr_later("Next round")),
        Binding("r,pagedown", "round(1)"),
        Binding("f", "again(False)", tr_later("Search on")),
        Binding("F", "again(True)", tr_later("Search back"), key_display="Shift-F"),
        Binding("g", "ask_number", tr_later("Go to a step"), priority=True),
        Binding("up", "round(-1)", tr_later("Round before")),
        Binding("pageup", "round(-1)"),
        Binding("plus", "pace(1)", tr_later("Faster")),
        Binding("equals_sign", "pace(1)"),
        Binding("minus", "pace(-1)", tr_later("Slower")),
        Binding("home", "jump(True)", tr_later("First step")),
        Binding("end", "jump(False)", tr_later("Last step")),
        Binding("f2", "reorder", tr_later("Order the hands otherwise")),
        Binding("q,f10", "close"),
    ]
    DEFAULT_CSS = """
    ReplayScreen {
        overflow: hidden;
        & > * { position: absolute; }
        #title { background: $primary; color: $text; text-style: bold; }
        #first, #third { background: $boost; }
        #steps { background: $panel; }
        #replay-typing, #replay-typing:focus { border: none; padding: 0; height: 1; background: $panel; }
    }
    """

    def __init__(self, replay: Replay, look: Look | None = None) -> None:
        super().__init__()
        self._replay = replay
        self._look = look or Look()
        self._cursor = Cursor.over(replay.steps)
        self._lines: list[str] = []
        self._ticking: Timer | None = None
        self._asked: Callable[[str], None] | None = None  # what becomes of the line that is being typed
        self._sought = ""
        self._note = ""

    def compose(self) -> ComposeResult:
        for part in PARTS:
            yield Picture(part)
        yield Scrubber("scrubber")
        yield KeysLine(id="keys")
        yield OneLine("replay-typing")

    def on_mount(self) -> None:
        self._typing.display = False
        self.wear(self._look)

    def on_resize(self, _event: events.Resize) -> None:
        self._draw()

    def wear(self, look: Look) -> None:
        """The person's settings have changed, perhaps the language too."""
        self._look = look
        self._lines = [words_replay.step_text(step, self._replay.seat) for step in self._replay.steps]
        self._draw()

    # Drawing

    @property
    def game(self) -> str:
        """As the wire calls it."""
        return self._replay.steps[0].view.room.game

    @property
    def _sight(self) -> Sight:
        view = self._replay.steps[self._cursor.at].view
        room = replace(view.room, phase="playing")  # whatever became of the match
        return Sight(replace(view, room=room), self._replay.seat, recorded=True)

    def _draw(self) -> None:
        width, height = self.size
        if width < LEAST_WIDTH or height < LEAST_HEIGHT:
            self._lay_out({"notice": self.size.region})
            self._picture("notice").draw(
                self._text(tr("Too small: at least {width}x{height}", width=LEAST_WIDTH, height=LEAST_HEIGHT), width)
            )
            return
        sight, look = self._sight, self._look
        parts = replay_plan(width, height, ended=sight.view.result is not None)
        self._lay_out(parts)
        drawn: dict[str, Canvas] = {}
        for name, region in parts.items():
            match name:
                case "title":
                    drawn[name] = replay_title(sight, self._cursor, look, width)
                case "middle":
                    drawn[name] = middle(sight, look, region.width, region.height)
                case "ending":
                    drawn[name] = ending(sight, look, region.width, region.height)
                case "steps":
                    drawn[name] = step_list(self._lines, self._cursor.at, look, region.width, region.height)
                case "scrubber":
                    drawn[name] = scrubber(self._cursor, look, width)
                case "keys":
                    self._draw_keys(width)
                case _:
                    seat = (sight.left, sight.right, sight.near)[SEATS_SHOWN.index(name)]
                    drawn[name] = open_seat(sight, look, seat, region.width, region.height, self._hand_size(region))
        for name, canvas in drawn.items():
            self._picture(name).draw(canvas)

    def _hand_size(self, seat: Region) -> Size:
        dealt = self._replay.steps[0].view
        return hand_size(Sight(dealt, self._replay.seat), self._look, seat.width, seat.height)

    def _draw_keys(self, width: int) -> None:
        """Or what there is to say of the last one."""
        line = self.query_one(KeysLine)
        if self._note:
            line.update(Content(clip(literal(self._note), width - 2, self._look.glyphs.more)))
        else:
            line.tell(keys_of(self.BINDINGS), width)

    def _lay_out(self, parts: Plan) -> None:
        for widget in self.children:
            region = parts.get(widget.id or "")
            widget.display = region is not None
            if region is not None:
                widget.styles.offset = (region.x, region.y)
                widget.styles.width, widget.styles.height = region.width, region.height
        asking = self._asked is not None
        self._typing.display = asking
        self.query_one(KeysLine).display = bool(parts) and not asking
        self._typing.styles.offset = (0, self.size.height - 1)
        self._typing.styles.width = self.size.width

    @property
    def _typing(self) -> OneLine:
        return self.query_one(OneLine)

    def _picture(self, name: str) -> Picture:
        return self.query_one(f"#{name}", Picture)

    def _text(self, text: str, width: int) -> Canvas:
        canvas = Canvas(width, 1)
        canvas.write(0, 0, fit(literal(text), width, self._look.glyphs.more))
        return canvas

    # What the person does

    def _go(self, cursor: Cursor) -> None:
        self._cursor, self._note = cursor, ""
        if self._ticking is not None:
            self._ticking.stop()
        self._ticking = self.set_timer(cursor.step_s, self._tick) if cursor.playing else None
        self._draw()

    def _tick(self) -> None:
        self._go(self._cursor.ticked())

    def action_step(self, steps: int) -> None:
        self._go(self._cursor.go(self._cursor.at + steps))

    def action_round(self, way: int) -> None:
        self._go(self._cursor.next_round() if way > 0 else self._cursor.previous_round())

    def action_jump(self, to_start: bool) -> None:
        self._go(self._cursor.go(0 if to_start else self._cursor.last))

    def action_run(self) -> None:
        self._go(self._cursor.toggled())

    def action_pace(self, way: int) -> None:
        self._go(self._cursor.faster() if way > 0 else self._cursor.slower())

    def action_reorder(self) -> None:
        self._look = self._look._replace(order=self._look.order.following)
        self._draw()

    def action_close(self) -> None:
        self.dismiss()

    @on(Picture.Met, "#steps")
    @on(Picture.Met, "#scrubber")
    def _place_met(self, event: Picture.Met) -> None:
        self._go(self._cursor.go(event.owner))

    def on_mouse_scroll_down(self) -> None:
        self.action_step(1)

    def on_mouse_scroll_up(self) -> None:
        self.action_step(-1)

    # The line to type on

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a line is being typed, `/` and `g` are characters of it."""
        asks = action in ("ask_text", "ask_number")
        return not (asks and self._asked is not None) and super().check_action(action, parameters)

    def action_ask_text(self) -> None:
        self._ask(tr("Search for words or a card"), self._search)

    def action_ask_number(self) -> None:
        self._ask(tr("Go to step, 1 to {count}", count=self._cursor.last + 1), self._go_to)

    def _ask(self, question: str, answered: Callable[[str], None]) -> None:
        self._asked = answered
        typing = self._typing
        typing.clear()
        typing.placeholder = question
        typing.display = True  # or it takes no keys yet
        self.set_focus(typing)
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        answered = self._asked
        self._stop_asking()
        if answered is not None and event.value.strip():
            answered(event.value.strip())

    def action_back(self) -> None:
        """Out of the line, or out of the replay."""
        if self._asked is not None:
            self._stop_asking()
        else:
            self.action_close()

    def _stop_asking(self) -> None:
        self._asked = None
        self.set_focus(None)
        self._draw()

    def _search(self, text: str) -> None:
        self._sought = text
        self.action_again(backwards=False)

    def action_again(self, backwards: bool) -> None:
        if not self._sought:
            self.action_ask_text()
            return
        found = self._cursor.find(fits(self._replay, self._sought), backwards=backwards)
        self._go(found or self._cursor.go(self._cursor.at))
        if found is None:
            self._note = words_replay.not_found(self._sought)
            self._draw()

    def _go_to(self, number: str) -> None:
        count = self._cursor.last + 1
        if number.isascii() and number.isdecimal() and 1 <= int(number[:9]) <= count:
            self._go(self._cursor.go(int(number[:9]) - 1))
        else:
            self._note = words_replay.no_such_step(count)
            self._draw()
