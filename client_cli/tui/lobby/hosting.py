"""A table that is still open: how others join, and who has come. Pure; the host and the guests see the same."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from client_cli import words, words_house_rules
from client_cli.address import how_to_join, page_url, spaced_code
from client_cli.language import listed, tr
from client_cli.qr import qr_lines
from client_cli.servers import is_loopback
from client_cli.tui.cells import clip, literal, wrap
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.look import Look
from client_cli.tui.table.seats import remarks, seat_name
from client_cli.tui.table.sight import Sight

LEAST_WIDTH = 40
"""Cells that the words need beside a QR code."""

LEAST_LOG = 4


def hosting(sight: Sight, look: Look, width: int, height: int, reached_at: str) -> Canvas:
    """`reached_at`: the URL of the server, or empty where nobody else can join."""
    canvas = Canvas(width, height)
    code = f"  {' '.join(spaced_code(literal(sight.view.room.code)))}  "
    for y, (row, style) in enumerate(_rows(sight, code, width - 2, reached_at)):
        canvas.write(1, y, clip(row, width - 2, look.glyphs.more), style)
    return canvas


def rows_needed(sight: Sight, width: int, reached_at: str) -> int:
    return sum(1 for _ in _rows(sight, "", width - 2, reached_at))


def code_lines(sight: Sight, look: Look, reached_at: str, width: int, height: int) -> Sequence[str]:
    """The QR code of the room's page; nothing where it does not fit beside the words, or nobody else can join."""
    if not reached_at or is_loopback(reached_at):
        return ()
    lines = qr_lines(page_url(reached_at, sight.view.room.code), ascii_only=look.is_ascii, light=True)
    fits = len(lines) <= height and cell_len(lines[0]) + LEAST_WIDTH <= width
    return lines if fits else ()


def _rows(sight: Sight, code: str, width: int, reached_at: str) -> Iterator[tuple[str, str]]:
    room = sight.view.room
    yield tr("The code of this table:"), ""
    blank = " " * cell_len(code)
    yield from ((row, "bold reverse") for row in (blank, code, blank))
    yield "", ""
    if reached_at:
        join, page = f"paizhuo join {how_to_join(reached_at, room.code)}", page_url(reached_at, room.code)
        yield from ((row, "bold") for row in wrap(literal(join), width))
        yield from ((row, "") for row in wrap(literal(page), width))
        if is_loopback(reached_at):
            yield from ((row, "") for row in wrap(tr("Only programs on this machine can join."), width))
        yield "", ""
    for seat in sight.view.seats:
        said = listed(remarks(sight, seat.seat))
        name = seat_name(sight, seat.seat)
        yield literal(f"{name} ({said})" if said else name), "dim" if seat.kind == "empty" else "bold"
    rules = [words_house_rules.named(name, value) for name, value in sorted(room.options.items())]
    terms = [words.deals(room.deals), words.pace(room.pace), *rules]
    yield from ((row, "") for row in wrap(literal(listed(terms)), width))
