"""The cards that the viewer has not seen, counted: a panel under the log. Pure."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from client_cli.language import tr
from client_cli.names import RED_MARK, Lexicon
from client_cli.remaining import remaining
from client_cli.tui.cells import clip, literal
from client_cli.tui.faces import Run
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import Sight
from protocol.notation import Card

Piece = tuple[str, str]
"""Text and its style."""


def remaining_rows(sight: Sight, width: int) -> int:
    """What the panel needs in this width; 0 where nothing can be counted."""
    rows = list(_rows(sight, width))
    return len(rows) + 1 if rows else 0


def remaining_panel(sight: Sight, look: Look, width: int, height: int) -> Canvas:
    """Family by family, card by card with how many are left; the heading only where there is room for it."""
    canvas = Canvas(width, height)
    rows, left = list(_rows(sight, width)), remaining(sight.view)
    if len(rows) < height:
        heading = tr("Not seen yet: {count}", count=sum(left.values()))
        canvas.write(0, 0, clip(heading, width, look.glyphs.more), "bold")
        rows = [[], *rows]
    for y, row in enumerate(rows[:height]):
        x = 0
        for text, style in row:
            canvas.write(x, y, text, style)
            x += cell_len(text)
    return canvas


def _rows(sight: Sight, width: int) -> Iterator[Sequence[Piece]]:
    left, names = remaining(sight.view), sight.speaker.names
    for family, members in names.families.items() if left else ():
        row: list[Piece] = [(literal(family), style_of("label"))]
        for card in members:
            pieces = [(" ", ""), *_counted(card, left[card], names)]
            if len(row) > 1 and sum(cell_len(text) for text, _ in (*row, *pieces)) > width:
                yield row
                row = [(" ", "")]
            row += pieces
        yield row


def _counted(card: Card, copies: int, names: Lexicon) -> Sequence[Piece]:
    """What players know the card by, and how many are left; without any, both are faint."""
    run = _shown(card, names)
    return (run.text, style_of(run.role, dim=not copies)), (f":{copies}", "bold" if copies else "dim")


def _shown(card: Card, names: Lexicon) -> Run:
    red = card in names.red
    return Run(names.faces.get(card, card) + (RED_MARK if red else ""), "red" if red else "black")
