"""A field for one line of text."""

from contextvars import ContextVar

from textual import events
from textual.widgets import Input

LONGEST_LINE = 400
"""Signs: nothing that is asked for anywhere is longer."""

_STRUCK = ContextVar("_STRUCK", default=False)
"""Is the line itself looking at a key, and not the application at one that the line has left to others?"""


class OneLine(Input):
    """Keys act in the order in which they were struck.

    Textual's own field takes characters at once, but Enter, Backspace and the arrows only when the application has
    found nobody else for them: what is typed fast, or comes late and all at once, would get into the line before, and
    an Enter that was none of the line's would send what is typed after it.
    What is pasted is cut to what can be drawn of it: a megabyte would hold the screen up.
    """

    def __init__(self, id: str, placeholder: str = "") -> None:  # noqa: A002 - Textual's own word
        super().__init__(id=id, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False  # a screen that nothing happens on sends nothing

    async def _on_key(self, event: events.Key) -> None:
        before = _STRUCK.set(True)
        try:
            for binding in self._bindings.key_to_bindings.get(event.key, ()):
                if not binding.priority and await self.app.run_action(binding.action, self):
                    event.stop()
                    event.prevent_default()
                    return
        finally:
            _STRUCK.reset(before)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if not _STRUCK.get():
            return False
        if action == "copy":  # or Ctrl-C would not interrupt
            return not self.selection.is_empty
        return super().check_action(action, parameters)

    def line_of(self, pasted: str) -> str:
        """What becomes of pasted text: its first line."""
        return pasted.lstrip()[:LONGEST_LINE].partition("\n")[0].partition("\r")[0]

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor("".join(sign for sign in self.line_of(event.text) if sign.isprintable()))
