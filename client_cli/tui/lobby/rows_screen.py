"""A screen of rows, each of which is chosen, changed or typed into by keys or mouse: all of the lobby looks so."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from client_cli.failure import CommandFailed
from client_cli.frontend import Program, T
from client_cli.language import tr, tr_later
from client_cli.settings import Value
from client_cli.tui.cells import clip, fit, literal, wrap
from client_cli.tui.keys import KeysLine, keys_of
from client_cli.tui.lobby.preferences import Preferences
from client_cli.tui.lobby.starting import Begin
from client_cli.tui.one_line import OneLine

MOST_TOLD_ROWS = 8
LONGEST_PASTE = 1000
_DIGITS = "1234567890"


class Row(NamedTuple):
    """`key`: tells it from the others, also after they were all made anew. `sign`: the character that stands for it;
    without one it is a digit as long as there are any.

    `enter`: what Enter or a click does. `change`: to the next value, or -1 to the one before. `typed`: takes what is
    typed in place of `text`, or raises `CommandFailed`.
    """

    key: str
    label: str
    value: str = ""
    meaning: str = ""
    sign: str = ""
    enter: Callable[[], None] | None = None
    change: Callable[[int], None] | None = None
    typed: Callable[[str], None] | None = None
    text: str = ""


class _RowOption(Option):
    """A row on the screen. What is chosen there is the row itself: by then there may be others."""

    def __init__(self, row: Row, text: str) -> None:
        super().__init__(Content(text))
        self.row = row


class Line(OneLine):
    """All lines of what is pasted become one: an invitation has several."""

    def __init__(self, id: str) -> None:  # noqa: A002 - Textual's own word
        super().__init__(id)
        self.display = False

    def line_of(self, pasted: str) -> str:
        return " ".join(pasted[:LONGEST_PASTE].split())


class RowsScreen(Screen[None]):
    """What stands in the rows is asked of `rows` whenever it may have changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", tr_later("Choose")),
        Binding("left", "change(-1)", tr_later("The value before"), show=False),
        Binding("right,space", "change(1)", tr_later("The next value")),
        Binding("escape", "back", tr_later("Back")),
    ]
    DEFAULT_CSS = """
    RowsScreen {
        #title { height: 1; background: $primary; color: $text; text-style: bold; padding: 0 1; }
        #head { height: auto; padding: 1 2 0 2; }
        OptionList, OptionList:focus { height: 1fr; border: none; padding: 1 1 0 1; background: $background; }
        #told { height: auto; max-height: 8; padding: 0 2; color: $warning; }
        #meaning { height: 2; padding: 0 2; background: $boost; }
        #line, #line:focus { border: none; height: 1; padding: 0 1; background: $panel; }
    }
    """

    LINE_ON_TOP: ClassVar[bool] = False
    """The line to type on stands where the eye is, below the head, and not at the foot."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Row, ...] = ()
        self._told: tuple[str, ...] = ()
        self._opened: Row | None = None
        self.asking = False

    # What it is made of

    def heading(self) -> str:
        """What the screen is about, in a few words."""
        raise NotImplementedError

    def head(self) -> Iterable[str]:
        """Lines above the rows."""
        return ()

    def rows(self) -> Iterable[Row]:
        raise NotImplementedError

    def first(self) -> str:
        """The key of the row that is chosen at first; empty: the uppermost."""
        return ""

    # What it does

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield Static(id="head")
        if self.LINE_ON_TOP:
            yield Line("line")
        yield OptionList()
        yield Static(id="told")
        yield Static(id="meaning")
        if not self.LINE_ON_TOP:
            yield Line("line")
        yield KeysLine()

    def on_mount(self) -> None:
        self.draw()
        self._highlight(self.first())
        self._list.focus()

    def on_screen_resume(self) -> None:
        """The language, the settings or the saved seats may have changed meanwhile."""
        if self._rows:
            self.draw()

    def on_resize(self, _event: events.Resize) -> None:
        if self._rows:
            self.draw()

    def draw(self) -> None:
        """Show what the rows say now."""
        before = self._key
        self._rows = tuple(self.rows())
        width = max(10, self.size.width - 4)
        labels = max((cell_len(row.label) for row in self._rows if row.value or row.change or row.typed), default=0) + 2
        shown = [
            _RowOption(row, clip(_shown(row, sign, min(labels, width // 2)), width))
            for row, sign in zip(self._rows, self._signs(), strict=True)
        ]
        self._list.set_options(shown)
        self._highlight(before)
        self._static("title").update(Content(clip(literal(f"Paizhuo  {self.heading()}"), self.size.width - 2)))
        self._write("head", [row for line in self.head() for row in wrap(literal(line), width)])
        self._write("told", [row for line in self._told for row in wrap(literal(line), width)][:MOST_TOLD_ROWS])
        self.query_one(KeysLine).tell(keys_of((*type(self).BINDINGS, *type(self.app).BINDINGS)), self.size.width)
        self._explain()

    def tell(self, *lines: str) -> None:
        """Show these lines until others are told."""
        self._told = lines
        self.draw()

    def begin(self, program: Program) -> None:
        """Run a program over this screen."""
        self._told = ()
        self.post_message(Begin(program))

    def change_setting(self, preferences: Preferences, key: str, value: Value) -> None:
        """One that cannot be saved is said, and nothing is changed."""
        try:
            preferences.change_setting(key, value)
        except CommandFailed as failed:
            self.tell(failed.sentence)

    def ask(self, question: Coroutine[None, None, None]) -> None:
        """Ask something that takes a while, in place of what was asked before; what fails is told.

        `asking` holds until it is answered, and then all is drawn anew.
        """
        self.asking = True
        self.draw()
        self.run_worker(self._asked(question), group="asked", exclusive=True)

    async def _asked(self, question: Coroutine[None, None, None]) -> None:
        try:
            await question
        except CommandFailed as failed:
            self._told = (failed.sentence,)
        # Not where it is cancelled: then something else is being asked, or the screen is gone.
        self.asking = False
        self.draw()

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    def _static(self, name: str) -> Static:
        return self.query_one(f"#{name}", Static)

    def _write(self, name: str, lines: Sequence[str]) -> None:
        static = self._static(name)
        static.display = bool(lines)
        static.update(Content("\n".join(lines)))

    @property
    def _row(self) -> Row | None:
        place = self._list.highlighted
        return self._rows[place] if place is not None and place < len(self._rows) else None

    @property
    def _key(self) -> str:
        return self._row.key if self._row is not None else ""

    def _highlight(self, key: str) -> None:
        places = [place for place, row in enumerate(self._rows) if row.key == key]
        self._list.highlighted = next(iter(places), 0) if self._rows else None

    def _signs(self) -> Sequence[str]:
        digits = iter(_DIGITS)
        return [row.sign or next(digits, "") for row in self._rows]

    def _explain(self) -> None:
        meaning = self._row.meaning if self._row is not None else ""
        width = max(10, self.size.width - 4)
        self._static("meaning").update(Content("\n".join(wrap(literal(meaning), width)[:2])))

    def on_key(self, event: events.Key) -> None:
        """The character of a row does what Enter does on it."""
        if event.character is None or not event.is_printable or self._opened is not None:
            return
        for row, sign in zip(self._rows, self._signs(), strict=True):
            if sign and event.character.lower() == sign:
                event.stop()
                self._highlight(row.key)
                self._enter(row)
                return

    @on(OptionList.OptionHighlighted)
    def _other_row(self) -> None:
        if self._opened is not None and self._opened.key != self._key:
            self._close()
        self._explain()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        if isinstance(event.option, _RowOption):
            self._enter(event.option.row)

    def _enter(self, row: Row) -> None:
        if row.enter is not None:
            row.enter()
        elif row.typed is not None:
            self.open_line(row)
        elif row.change is not None:
            row.change(1)
            self.draw()

    def action_enter(self) -> None:
        """As a click in the line of keys: the row under the cursor."""
        if self._row is not None:
            self._enter(self._row)

    def action_change(self, steps: int) -> None:
        if self._row is not None and self._row.change is not None:
            self._row.change(steps)
            self.draw()

    def action_back(self) -> None:
        """Out of the line, or out of the screen."""
        if self._opened is not None:
            self._close()
        else:
            self.leave()

    def leave(self) -> None:
        """Escape, where no line is open."""
        self.dismiss()

    def open_line(self, row: Row) -> None:
        """Let the person type into this row."""
        self._opened = row
        line = self.query_one(Line)
        line.placeholder = tr("Type or paste here")
        line.value = row.text
        line.cursor_position = len(line.value)
        line.display = True  # at once: what is not displayed cannot have the focus
        line.focus()

    def _close(self) -> None:
        if self._opened is not None:
            self._opened = None
            self.query_one(Line).display = False
            self._list.focus()

    @on(Input.Submitted)
    def _line_typed(self, event: Input.Submitted) -> None:
        row = self._opened
        if row is None or row.typed is None:
            return
        try:
            row.typed(event.value)
        except CommandFailed as failed:
            self.tell(failed.sentence)
            return
        self._close()
        self.draw()


def following(values: Sequence[T], now: T, steps: int) -> T:
    """The value that is so many steps after `now`, around the end; the first one after a value that is none of them."""
    place = values.index(now) + steps if now in values else 0
    return values[place % len(values)]


def _shown(row: Row, sign: str, labels: int) -> str:
    mark, label, value = f"{sign or ' '}  ", literal(row.label), literal(row.value)
    if not (row.value or row.change or row.typed):
        return mark + label
    return f"{mark}{fit(label, labels)}{f'< {value} >' if row.change is not None else value}"
