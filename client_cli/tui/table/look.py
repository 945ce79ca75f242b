"""How a person wants the table drawn. Pure."""

from typing import NamedTuple

from client_cli.settings import Settings
from client_cli.terminal import USUAL, Terminal, ascii_only
from client_cli.tui.faces import ASCII, BOXES, Glyphs
from client_cli.tui.table.hand import Order


class Look(NamedTuple):
    """`order`: of the own hand. `remaining`: the cards that have not been seen are counted."""

    glyphs: Glyphs = BOXES
    order: Order = Order.FAMILIES
    remaining: bool = False

    @property
    def is_ascii(self) -> bool:
        return self.glyphs.across.isascii()


def look_of(settings: Settings, terminal: Terminal = USUAL) -> Look:
    """As the settings say, and as far as the terminal can show it."""
    glyphs = ASCII if ascii_only(settings.ascii, terminal) else BOXES
    glyphs = glyphs._replace(tiles=settings.dominoes == "unicode", named=settings.dominoes == "names")
    return Look(glyphs, Order(settings.order), settings.remaining)
