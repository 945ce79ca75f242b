"""One question with a few answers, over whatever is on the screen."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList

from client_cli.text import safe


class ChoiceScreen(ModalScreen[int | None]):
    """Gives the place of the answer among `choices`; None after Escape."""

    BINDINGS = [("escape", "dismiss(None)", "Back")]
    DEFAULT_CSS = """
    ChoiceScreen {
        align: center middle;
        & > Vertical {
            width: auto;
            max-width: 90%;
            height: auto;
            max-height: 90%;
            padding: 1 2;
            background: $surface;
        }
        Label { margin-bottom: 1; }
        OptionList { width: auto; min-width: 30; height: auto; max-height: 16; }
    }
    """

    def __init__(self, question: str, choices: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(Content(safe(self._question)))
            yield OptionList(*(Content(safe(choice)) for choice in self._choices))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
