"""The widgets of the table: pictures that are drawn elsewhere, and the log. Thin: they know nothing of cards."""

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from client_cli.tui.cells import literal, wrap
from client_cli.tui.one_line import OneLine
from client_cli.tui.table.canvas import Canvas

MOST_LINES = 2000
"""Older lines of the log are forgotten."""


class Picture(Widget):
    """Shows a canvas; a click tells whose picture it met."""

    class Met(Message):
        """`owner`: as it was painted on the canvas. `at_s`: when, as times of messages are."""

        def __init__(self, picture: "Picture", owner: int, at_s: float) -> None:
            super().__init__()
            self.picture = picture
            self.owner = owner
            self.at_s = at_s

        @property
        def control(self) -> "Picture":
            return self.picture

    def __init__(self, id: str) -> None:  # noqa: A002 - Textual's own word
        super().__init__(id=id)
        self._canvas = Canvas(0, 0)
        self._content = Content()

    def draw(self, canvas: Canvas) -> None:
        """Show this instead; only what looks different is sent to the terminal."""
        before, self._canvas, self._content = self._canvas, canvas, canvas.content()
        if (before.width, before.height) != (canvas.width, canvas.height):
            self.refresh()
        elif changes := canvas.changes(before):
            self.refresh(*changes)

    def render(self) -> Content:
        return self._content

    def on_click(self, event: Click) -> None:
        if self.meet(event.x, event.y, event.time):
            event.stop()

    def meet(self, x: int, y: int, at_s: float) -> bool:
        """Tell whose picture shows there; False where nobody's does."""
        owner = self._canvas.owner_at(x, y)
        if owner is not None:
            self.post_message(self.Met(self, owner, at_s))
        return owner is not None


class Typing(OneLine):
    """The line to type on. It always listens; while it is empty, space, ? and digits are no text, where they are keys.

    `is_key`: whether this digit is one now.
    """

    def __init__(self, id: str, placeholder: str, is_key: Callable[[str], bool] = lambda _: True) -> None:  # noqa: A002
        super().__init__(id, placeholder)
        self.is_key = is_key

    class Struck(Message):
        """The key of this character, while the line is empty. `at_s`: when, as times of messages are."""

        def __init__(self, character: str, at_s: float) -> None:
            super().__init__()
            self.character = character
            self.at_s = at_s

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (bool(self.value) or action == "copy") and super().check_action(action, parameters)

    async def action_submit(self) -> None:
        """The line is empty at once, for the next key may begin another one."""
        await super().action_submit()
        self.clear()

    def on_key(self, event: Key) -> None:
        # Any other character begins a line here and now: the next key, which may be in the same burst, must meet it.
        character = event.character
        if not self.value and character and (character in " ?" or (character.isdecimal() and self.is_key(character))):
            event.stop()
            event.prevent_default()
            self.post_message(self.Struck(character, event.time))


class Log(ScrollView, can_focus=False):
    """Lines of what happens, the newest at the bottom, in rows as wide as there is room."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--aside", "log--known", "log--new"}

    def __init__(self, id: str) -> None:  # noqa: A002 - Textual's own word
        super().__init__(id=id)
        self._lines: list[tuple[str, str]] = []
        self._rows: list[tuple[str, str]] = []
        self._wrapped_at = 0
        self._known = 0
        self._follows = True  # the newest line is to be seen

    def know(self) -> None:
        """The person has read all lines: what comes from now on stands out."""
        self._known = len(self._lines)
        self._wrap_anew()
        self.refresh()

    def tell(self, line: str, *, aside: bool) -> None:
        """One more line, scrolled to unless the person looks at older ones. `aside`: set apart from the others."""
        self._lines.append((line, "log--aside" if aside else "log--new"))
        if len(self._lines) > MOST_LINES:
            del self._lines[0]
            self._known = max(0, self._known - 1)
        self._wrap_anew()
        self._rows_changed()

    def on_resize(self, _event: Resize) -> None:
        if self.scrollable_content_region.width != self._wrapped_at:
            self._wrap_anew()
        self._rows_changed()

    def turn_pages(self, pages: int) -> None:
        """Back where `pages` is negative; at the end, new lines are followed again."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False, immediate=True)
        self._follows = self.scroll_target_y >= self.max_scroll_y

    def on_mouse_scroll_up(self) -> None:
        self._follows = False

    def on_mouse_scroll_down(self) -> None:
        self._follows = self.scroll_target_y + 1 >= self.max_scroll_y

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if row >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        text, kind = self._rows[row]
        style = self.get_component_rich_style(kind)
        return Strip([Segment(text, style)]).adjust_cell_length(width, self.rich_style)

    def _wrap_anew(self) -> None:
        self._wrapped_at = width = self.scrollable_content_region.width
        self._rows = [
            (row, "log--known" if place < self._known and kind == "log--new" else kind)
            for place, (line, kind) in enumerate(self._lines)
            for row in (_wrapped(line, width - 1) if width > 1 else ())
        ]

    def _rows_changed(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))
        if self._follows:
            self.scroll_end(animate=False, immediate=True)  # or the newest lines come a picture later than the rest
        self.refresh()


@lru_cache(4 * MOST_LINES)
def _wrapped(line: str, width: int) -> list[str]:
    return wrap(literal(line), width)
