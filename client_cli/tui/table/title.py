"""The first row: which room and game, and how far it has come. Pure."""

from collections.abc import Iterator

from rich.cells import cell_len

from client_cli.address import spaced_code
from client_cli.language import tr
from client_cli.tui.cells import clip, fit, literal
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import Sight
from client_cli.words import pace


def title(sight: Sight, look: Look, width: int, right: str) -> str:
    """`right`: what stands at the end of the row."""
    left = " " + "  ".join(map(literal, _parts(sight)))
    return fit(left, width - cell_len(right) - 1, look.glyphs.more) + clip(right, width) + " "


def _parts(sight: Sight) -> Iterator[str]:
    room = sight.view.room
    yield sight.speaker.names.title()
    yield tr("room {code}", code=spaced_code(room.code))
    yield tr("deal {deal} of {deals}", deal=room.deal, deals=room.deals) if room.deal else tr("not started")
    yield pace(room.pace)
    if sight.seat is None:
        yield tr("you watch")
