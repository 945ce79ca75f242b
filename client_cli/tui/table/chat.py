"""What can be said to the others: eight emotes, or a line of one's own."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList

from client_cli.language import tr
from client_cli.tui.table.widgets import Typing
from client_cli.words_advice import EMOTES, emote


class ChatScreen(ModalScreen[str | None]):
    """Gives what was chosen as a line of the conversation; None after Escape.

    Digits are for the emotes while nothing is written.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f7", "dismiss(None)"),
        Binding("up", "move(-1)"),
        Binding("down", "move(1)"),
        Binding("enter", "emote"),
    ]
    DEFAULT_CSS = """
    ChatScreen {
        align: center middle;
        & > Vertical { width: 44; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; background: $surface; }
        OptionList, OptionList:focus { border: none; height: auto; max-height: 8; }
        Input, Input:focus { border: none; padding: 0; margin: 1 0; height: 1; background: $panel; }
        Label { margin: 1 0; }
    }
    """

    def compose(self) -> ComposeResult:
        shown = [f"{number} {emote(kind, kind)}" for number, kind in enumerate(EMOTES, start=1)]
        with Vertical():
            yield Label(Content(tr("Say it to all, in the language of each:")))
            yield OptionList(*map(Content, shown))
            yield Typing("saying", tr("or write, and press Enter"))

    def on_mount(self) -> None:
        emotes = self.query_one(OptionList)
        emotes.can_focus = False
        emotes.highlighted = 0
        self.query_one(Typing).focus()

    def on_typing_struck(self, event: Typing.Struck) -> None:
        """The emote with this number."""
        place = int(event.character) - 1 if event.character.isdecimal() else -1
        if 0 <= place < len(EMOTES):
            self._send(place)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """What is written."""
        event.stop()
        if text := event.value.strip():
            self.dismiss(f"say {text}")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        event.stop()
        self._send(event.option_index)

    def action_move(self, down: int) -> None:
        """To the next emote, or back."""
        emotes = self.query_one(OptionList)
        emotes.highlighted = ((emotes.highlighted or 0) + down) % len(EMOTES)

    def action_emote(self) -> None:
        """The emote that is marked, while nothing is written."""
        self._send(self.query_one(OptionList).highlighted or 0)

    def _send(self, place: int) -> None:
        self.dismiss(f"emote {list(EMOTES)[place]}")
