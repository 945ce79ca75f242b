"""All settings of the person, changed by keys or mouse. What is changed counts at once and is saved at once."""

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static

from client_cli import words_settings
from client_cli.failure import CommandFailed
from client_cli.language import tr, tr_later
from client_cli.settings import KEYS, SettingFault, Settings, Value, as_text, choices, from_text
from client_cli.tui.cells import fit, literal
from client_cli.tui.one_line import OneLine

Save = Callable[[str, Value | None], Settings]
"""Makes a setting count and keeps it; None: its default. Gives all settings. Raises `CommandFailed`."""


class SettingsScreen(Screen[None]):
    """`settings`: as they count when it opens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "change(-1)", tr_later("The value before")),
        Binding("right,space", "change(1)", tr_later("The next value")),
        Binding("delete,backspace", "forget", tr_later("Back to the default")),
        Binding("escape,f3", "back", tr_later("Back"), priority=True),
    ]
    DEFAULT_CSS = """
    SettingsScreen {
        #settings-title { background: $primary; color: $text; text-style: bold; padding: 0 1; }
        OptionList, OptionList:focus { height: 1fr; border: none; padding: 0; }
        #meaning { height: 2; padding: 0 1; background: $boost; }
        #settings-typing, #settings-typing:focus { display: none; border: none; height: 1; background: $panel; }
        #settings-typing.-open { display: block; }
        #settings-keys { padding: 0 1; color: $text-muted; }
    }
    """

    def __init__(self, settings: Settings, save: Save) -> None:
        super().__init__()
        self._settings = settings
        self._save = save

    def compose(self) -> ComposeResult:
        yield Static(id="settings-title")
        yield OptionList(*KEYS)
        yield Static(id="meaning")
        yield OneLine("settings-typing")
        yield Static(id="settings-keys")

    def on_mount(self) -> None:
        rows = self.query_one(OptionList)
        rows.highlighted = 0
        rows.focus()
        self._draw()

    def _draw(self) -> None:
        rows, labels = self.query_one(OptionList), words_settings.labels()
        width = max(cell_len(label) for label in labels.values()) + 2
        for place, key in enumerate(KEYS):
            value = words_settings.value_label(key, as_text(self._value(key)))
            rows.replace_option_prompt_at_index(place, Content(literal(f"{fit(labels[key], width)}{value}")))
        self._tell(words_settings.descriptions()[self._key])
        self.query_one("#settings-title", Static).update(Content(tr("Settings")))
        self.query_one("#settings-keys", Static).update(
            Content(tr("Up and down: choose   Left, right, Enter or a click: change   Delete: default   Escape: back"))
        )

    @property
    def _key(self) -> str:
        return KEYS[self.query_one(OptionList).highlighted or 0]

    def _value(self, key: str) -> Value:
        value: Value = getattr(self._settings, key)
        return value

    def _tell(self, line: str) -> None:
        self.query_one("#meaning", Static).update(Content(literal(line)))

    @on(OptionList.OptionHighlighted)
    def _other_row(self) -> None:
        self._stop_typing()
        self._tell(words_settings.descriptions()[self._key])

    @on(OptionList.OptionSelected)
    def _row_entered(self) -> None:
        if choices(self._key):
            self.action_change(1)
        else:
            typing = self.query_one(OneLine)
            typing.value = as_text(self._value(self._key))
            typing.cursor_position = len(typing.value)
            typing.add_class("-open")
            typing.focus()

    @on(OneLine.Submitted)
    def _typed(self, event: OneLine.Submitted) -> None:
        try:
            value = from_text(self._key, event.value)
        except SettingFault as fault:
            self._tell(str(fault))
        else:
            self._stop_typing()
            self._set(value)

    def _stop_typing(self) -> None:
        typing = self.query_one(OneLine)
        if typing.has_class("-open"):
            typing.remove_class("-open")
            self.query_one(OptionList).focus()

    def action_change(self, steps: int) -> None:
        """To the next value, or the one before."""
        allowed = choices(self._key)
        if allowed:
            place = allowed.index(as_text(self._value(self._key))) + steps
            self._set(from_text(self._key, allowed[place % len(allowed)]))

    def action_forget(self) -> None:
        """Back to the default."""
        self._set(None)

    def action_back(self) -> None:
        """Out of the line, or out of the screen."""
        if self.query_one(OneLine).has_class("-open"):
            self._stop_typing()
        else:
            self.dismiss()

    def _set(self, value: Value | None) -> None:
        try:
            self._settings = self._save(self._key, value)
        except CommandFailed as failed:
            self._tell(failed.sentence)
        else:
            self._draw()
