"""The rules of a game on the full screen: the page of `paizhuo rules`, with its contents and a search."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, OptionList, Static

from client_cli.language import current_language, tr, tr_later
from client_cli.names import GAMES
from client_cli.rules import rules_page
from client_cli.rules.page import Line, Page, Row, Span, laid_out, occurrences
from client_cli.tui.cells import fit
from client_cli.tui.keys import KeysLine, keys_of
from client_cli.tui.one_line import OneLine

LONGEST_ROW = 88
"""Cells: longer rows are hard to read, however wide the screen."""

CONTENTS_WIDTH = 34
WIDE_ENOUGH = CONTENTS_WIDTH + 78
"""From this width on, the contents stand beside the text."""


class RulesText(ScrollView, can_focus=True):
    """The lines of a page in rows, with what is searched for marked."""

    BINDINGS: ClassVar[list[BindingType]] = [  # what a text scrolls to the side with, which this one never does
        Binding("right", "screen.section(1)"),
        Binding("left", "screen.section(-1)"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rules--heading", "rules--code", "rules--found", "rules--here"}

    class Moved(Message):
        """Another line is at the top."""

    def __init__(self) -> None:
        super().__init__(id="rules-text")
        self.lines: Sequence[Line] = ()
        self.found: Sequence[tuple[int, Span]] = ()
        self.here: int | None = None
        self._rows: Sequence[Row] = ()

    @property
    def top(self) -> int:
        """Which of the lines the first row belongs to."""
        return self._rows[min(self.scroll_offset.y, len(self._rows) - 1)].line if self._rows else 0

    @property
    def read(self) -> int:
        """Which of the lines the person looks at: that of the word that was found, as long as it shows, or the top."""
        line = self.top if self.here is None else self.found[self.here][0]
        return line if self._shows(self._row_of_here()) else self.top

    def show(self, lines: Sequence[Line]) -> None:
        """These lines from the first one on, with nothing searched for."""
        self.lines, self.found, self.here = lines, (), None
        self._lay_out(0)

    def on_resize(self, _event: Resize) -> None:
        self._lay_out(self.top)

    def _lay_out(self, top: int) -> None:
        width = min(self.scrollable_content_region.width - 1, LONGEST_ROW)
        self._rows = laid_out(self.lines, width) if width > 0 else ()
        last = max((place for place, row in enumerate(self._rows) if self.lines[row.line].heading), default=0)
        height = self.scrollable_content_region.height
        self.virtual_size = Size(width, max(len(self._rows), last + height))  # its last section can be at the top, too
        self.go_to(top)
        self.refresh()

    def go_to(self, line: int) -> None:
        """With this line at the top, as far as the text reaches."""
        self._scroll_to_row(next((place for place, row in enumerate(self._rows) if row.line == line), 0))

    def seek(self, words: str) -> None:
        """Mark these words, and go to the first ones from the top on."""
        top = self.top
        self.found = occurrences(self.lines, words)
        self.here = (
            next((place for place, (line, _) in enumerate(self.found) if line >= top), 0) if self.found else None
        )
        self._show_here()

    def step(self, places: int) -> None:
        """To a further one of the marked words; after the last one comes the first."""
        if self.found and self.here is not None:
            self.here = (self.here + places) % len(self.found)
            self._show_here()

    def _show_here(self) -> None:
        place = self._row_of_here()
        if self.here is not None and not self._shows(place):
            self._scroll_to_row(place - self.scrollable_content_region.height // 3)
        self.refresh()

    def _row_of_here(self) -> int:
        """The row in which the found word begins; the top one, where none is."""
        if self.here is None:
            return self.scroll_offset.y
        line, span = self.found[self.here]
        rows = enumerate(self._rows)
        return next((place for place, row in rows if row.line == line and row.within(span)), self.scroll_offset.y)

    def _shows(self, place: int) -> bool:
        return self.scroll_offset.y <= place < self.scroll_offset.y + self.scrollable_content_region.height

    def _scroll_to_row(self, place: int) -> None:
        self.scroll_to(y=max(0, place), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        line = self.lines[row.line]
        text = Text(row.text, self.get_component_rich_style("rules--heading") if line.heading else "", end="")
        marked = [(span, "rules--code") for span in line.codes]
        marked += [
            (span, "rules--here" if number == self.here else "rules--found")
            for number, (its_line, span) in enumerate(self.found)
            if its_line == row.line
        ]
        for span, kind in marked:
            if (within := row.within(span)) is not None:
                text.stylize(self.get_component_rich_style(kind, partial=True), *within)
        return (
            Strip(text.render(self.app.console)).adjust_cell_length(width, self.rich_style).apply_style(self.rich_style)
        )


class RulesScreen(Screen[None]):
    """`game`: whose page is shown first. `ascii_only`: draw nothing of uncertain width, such as a scroll bar."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", tr_later("Back")),
        Binding("question_mark,q", "back"),
        Binding("slash", "search", tr_later("Search")),
        Binding("n", "step(1)", tr_later("Next found")),
        Binding("N", "step(-1)", tr_later("Found before")),
        Binding("tab", "contents", tr_later("Contents")),
        Binding("right", "section(1)", tr_later("Next section")),
        Binding("left", "section(-1)", tr_later("Section before")),
        Binding("g", "other_game", tr_later("Other game")),
    ]
    DEFAULT_CSS = """
    RulesScreen {
        #rules-title { height: 1; background: $primary; color: $text; text-style: bold; }
        #contents, #contents:focus { display: none; width: 34; height: 1fr; border: none; padding: 0 1 0 0; }
        #contents.-beside { display: block; }
        #contents.-instead { display: block; width: 1fr; }
        #rules-text { width: 1fr; height: 1fr; padding: 0 0 0 1; scrollbar-size-vertical: 1; }
        #rules-text.-plain { scrollbar-size-vertical: 0; }
        #rules-text.-hidden { display: none; }
        #rules-text > .rules--heading { text-style: bold; color: $text-primary; }
        #rules-text > .rules--code { text-style: bold; color: $text-accent; }
        #rules-text > .rules--found { text-style: underline; color: $text-warning; }
        #rules-text > .rules--here { text-style: reverse bold; color: $text-warning; }
        #seek, #seek:focus { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
        #seek.-open { display: block; }
    }
    """

    def __init__(self, game: str, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._game = game if game in GAMES else next(iter(GAMES))
        self._ascii_only = ascii_only
        self._language = ""
        self._page = Page("", ())
        self._headings: list[int] = []

    def compose(self) -> ComposeResult:
        yield Static(id="rules-title")
        with Horizontal():
            yield OptionList(id="contents")
            yield RulesText()
        yield OneLine("seek")
        yield KeysLine(id="rules-keys")

    def on_mount(self) -> None:
        self.query_one(RulesText).set_class(self._ascii_only, "-plain")
        self._open(self._game)
        self.query_one(RulesText).focus()

    def on_screen_resume(self) -> None:
        if self._language != current_language():
            self._open(self._game)

    def _open(self, game: str) -> None:
        self._game, self._language = game, current_language()
        page = rules_page(game, self._language)
        assert page is not None, "all games that have names have a page"
        self._page = page
        lines = page.lines()
        self._headings = [place for place, line in enumerate(lines) if line.heading][1:]
        contents = self.query_one(OptionList)
        contents.clear_options()
        contents.add_options([Content(heading) for heading in page.headings()])
        self.query_one(Input).clear()
        self.query_one(RulesText).show(lines)
        self._tell()

    def on_resize(self, event: Resize) -> None:
        self.query_one(OptionList).set_class(event.size.width >= WIDE_ENOUGH, "-beside")
        self._tell()

    # What is said above and below

    @on(RulesText.Moved)
    def _tell(self) -> None:
        text, width = self.query_one(RulesText), self.size.width
        said, place = self._found(text), self._section_of(text.read)
        title = fit(f" {self._page.title}: {self._page.headings()[place]}", max(0, width - cell_len(said) - 2))
        self.query_one("#rules-title", Static).update(Content(f"{title} {said} "))
        self.query_one(OptionList).highlighted = place
        keys = [key for key in keys_of(self.BINDINGS) if text.found or not key.action.startswith("step")]
        self.query_one(KeysLine).tell(keys, width)

    def _section_of(self, line: int) -> int:
        return max((place for place, heading in enumerate(self._headings) if heading <= line), default=0)

    def _found(self, text: RulesText) -> str:
        words = self.query_one(Input).value.strip()
        if not words:
            return ""
        if text.here is None:
            return tr("not found")
        return tr("{place} of {count}", place=text.here + 1, count=len(text.found))

    # What the person does

    def action_search(self) -> None:
        """Type what to look for: the text follows with each character."""
        self._close_contents()
        seek = self.query_one(Input)
        seek.clear()
        seek.add_class("-open")
        seek.focus()

    @on(Input.Changed)
    def _sought(self, event: Input.Changed) -> None:
        self.query_one(RulesText).seek(event.value)
        self._tell()

    @on(Input.Submitted)
    def _stop_typing(self) -> None:
        self.query_one(Input).remove_class("-open")
        self.query_one(RulesText).focus()

    def action_step(self, places: int) -> None:
        """To the next place of what was searched for, or the one before."""
        self.query_one(RulesText).step(places)
        self._tell()

    def action_section(self, places: int) -> None:
        """To the beginning of the next section, or of this one or the one before."""
        text = self.query_one(RulesText)
        section = self._section_of(text.top)
        begun = places < 0 and self._headings[section] < text.top
        self._go_to(section if begun else section + places)

    def _go_to(self, section: int) -> None:
        self.query_one(RulesText).go_to(self._headings[max(0, min(section, len(self._headings) - 1))])

    def action_contents(self) -> None:
        """To the contents, and back to the text."""
        contents, text = self.query_one(OptionList), self.query_one(RulesText)
        if contents.has_focus:
            self._close_contents()
        else:
            self._stop_typing()
            if not contents.has_class("-beside"):
                contents.add_class("-instead")
                text.add_class("-hidden")
            contents.focus()

    def _close_contents(self) -> None:
        self.query_one(OptionList).remove_class("-instead")
        self.query_one(RulesText).remove_class("-hidden")
        self.query_one(RulesText).focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self._close_contents()
        self.call_after_refresh(self._go_to, event.option_index)

    def action_other_game(self) -> None:
        """The page of the next game."""
        games = list(GAMES)
        self._close_contents()
        self._open(games[(games.index(self._game) + 1) % len(games)])

    def action_back(self) -> None:
        """Out of the search, out of the contents, or out of the rules."""
        seek = self.query_one(Input)
        if seek.has_class("-open") or seek.value:
            seek.clear()
            self._stop_typing()
        elif self.query_one(OptionList).has_class("-instead"):
            self._close_contents()
        else:
            self.dismiss()
