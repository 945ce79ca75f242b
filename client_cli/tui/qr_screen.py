"""The QR code of a room's page, over whatever is on the screen: dark on white in every theme."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from client_cli.language import tr
from client_cli.qr import qr_lines
from client_cli.tui.cells import literal


class QrScreen(ModalScreen[None]):
    """`address`: what a phone opens. `ascii_only`: as in `qr_lines`. Any of Escape, Enter and a click closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,space,q", "dismiss")]
    DEFAULT_CSS = """
    QrScreen {
        align: center middle;
        & > Vertical { width: auto; height: auto; max-height: 100%; overflow: auto; background: $surface; }
        Static { width: auto; padding: 0 1; }
        #qr { color: black; background: white; padding: 0; }
        &:ansi #qr { color: ansi_default; background: ansi_default; text-style: reverse; }
    }
    """

    def __init__(self, address: str, *, ascii_only: bool) -> None:
        super().__init__()
        self._address = address
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content("\n".join(qr_lines(self._address, ascii_only=self._ascii_only, light=True))), id="qr")
            yield Static(Content(literal(self._address)))
            yield Static(Content(tr("Escape: back")))

    def on_click(self) -> None:
        self.dismiss()
