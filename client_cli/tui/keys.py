"""Which keys do what on a screen, from its bindings: as a line at its foot, and as a screen of its own (F1)."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

from client_cli.language import listed, tr, tr_later
from client_cli.tui.cells import fit

_GAP = "   "


class Key(NamedTuple):
    """`label`: the keys as they are printed on a keyboard. `action`: of the screen or of the application."""

    label: str
    meaning: str
    action: str
    at_foot: bool


def keys_of(bindings: Iterable[BindingType]) -> list[Key]:
    """The keys that say what they do, those that do the same together, in the chosen language.

    A key that is bound again further on keeps its first meaning.
    """
    keys: dict[str, Key] = {}
    bound: set[str] = set()
    for binding in Binding.make_bindings(bindings):
        if binding.description and binding.key not in bound:
            before = keys.get(binding.description)
            label = binding.key_display or _label(binding.key)
            label = listed((before.label, label)) if before else label
            keys[binding.description] = Key(label, tr(binding.description), binding.action, binding.show)
        bound.add(binding.key)
    return list(keys.values())


def _label(key: str) -> str:
    if key.startswith("ctrl+"):
        return f"Ctrl-{key[5:].upper()}"
    names = {
        "enter": tr("Enter"),
        "escape": "Esc",
        "tab": "Tab",
        "space": tr("Space"),
        "backspace": tr("Backspace"),
        "delete": tr("Delete"),
        "pageup": tr("Page up"),
        "pagedown": tr("Page down"),
        "home": tr("Home"),
        "end": tr("End"),
        "up": tr("Up"),
        "down": tr("Down"),
        "left": tr("Left"),
        "right": tr("Right"),
        "slash": "/",
        "question_mark": "?",
        "plus": "+",
        "equals_sign": "=",
        "minus": "-",
    }
    return names.get(key, key.upper() if len(key) > 1 else key)


class KeysLine(Static):
    """As many of a screen's keys as there is room for; a click does what the key does."""

    DEFAULT_CSS = """
    KeysLine { height: 1; padding: 0 1; color: $text-muted; link-color: $text-muted; link-style: none; }
    """

    def tell(self, keys: Sequence[Key], width: int) -> None:
        """Show these. `width`: cells that there are."""
        shown, left = [], width - 2
        for key in keys:
            left -= cell_len(f"{key.label} {key.meaning}{_GAP}")
            if key.at_foot and left + len(_GAP) >= 0:
                click = Style.from_meta({"@click": ".".join(("screen", key.action))})
                shown.append(Content.assemble((key.label, click + Style(bold=True)), (f" {key.meaning}", click)))
        self.update(Content(_GAP).join(shown))


class KeysScreen(ModalScreen[None]):
    """`keys`: of the screen beneath. Escape, F1, Enter or a click closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,enter,q", "dismiss", tr_later("Close"))]
    DEFAULT_CSS = """
    KeysScreen {
        align: center middle;
        & > VerticalScroll {
            width: auto; max-width: 100%; height: auto; max-height: 100%; padding: 1 2; background: $panel;
            scrollbar-size-vertical: 0;
        }
        Static { width: auto; }
        #keys-title { text-style: bold; margin-bottom: 1; }
    }
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        width = max((cell_len(key.label) for key in self._keys), default=0) + 3
        rows = [Content.assemble((fit(key.label, width), "bold"), key.meaning) for key in self._keys]
        with VerticalScroll():
            yield Static(Content(tr("Keys on this screen")), id="keys-title")
            yield Static(Content("\n").join([*rows, Content(""), Content(tr("Escape: close"))]))

    def on_click(self) -> None:
        self.dismiss()
