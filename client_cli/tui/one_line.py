"""A field for one line of text."""

from textual import events
from textual.widgets import Input

LONGEST_LINE = 400
"""Signs: nothing that is asked for anywhere is longer."""


class PromptInput(Input):
    """Keys act in the order in which they were struck.

    Textual's own field takes characters at once, but Enter, Backspace and the arrows only when the application has
    found nobody else for them: what is typed fast, or comes late and all at once, would get into the line before.
    """

    async def _on_key(self, event: events.Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and await self.app.run_action(binding.action, self):
                event.stop()
                event.prevent_default()
                return


class OneLine(PromptInput):
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
