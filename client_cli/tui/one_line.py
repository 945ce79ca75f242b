"""A field for one line of text."""

from textual import events
from textual.widgets import Input

LONGEST_LINE = 400
"""Signs: nothing that is asked for anywhere is longer."""


class OneLine(Input):
    """What is pasted is cut to its first line, and to what can be drawn of it: a megabyte would hold the screen up."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "copy":  # or Ctrl-C would not interrupt
            return not self.selection.is_empty
        return super().check_action(action, parameters)

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        line = event.text.lstrip()[:LONGEST_LINE].partition("\n")[0].partition("\r")[0]
        self.insert_text_at_cursor("".join(sign for sign in line if sign.isprintable()))
