"""A replay as pictures: where the parts lie, each seat with its open hand, the steps, and the line of time. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.geometry import Region

from client_cli.language import listed, tr
from client_cli.names import RED_MARK, Lexicon
from client_cli.render import fact, zone
from client_cli.replay import Cursor
from client_cli.tui.cells import clip, fit, literal, wrap
from client_cli.tui.faces import Face, Glyphs, Run, Size, face, width_of
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.groups import LEFT, as_text, wrapped_groups
from client_cli.tui.table.hand import Section, Spread, sections, spread
from client_cli.tui.table.look import Look
from client_cli.tui.table.plan import Plan, log_width
from client_cli.tui.table.seats import card_count, laid_open, remarks, seat_name
from client_cli.tui.table.sight import SEATS, Sight
from protocol.notation import Card

ROOMY_WIDTH = 100
"""From here on the steps have a column of their own."""

LEAST_MIDDLE = 5
MOST_SEAT = 12
SEATS_SHOWN = ("first", "second", "third")
"""The parts of the seats, from the top; the viewer's own is the last."""


def replay_plan(width: int, height: int, *, ended: bool = False) -> Plan:
    """`ended`: the end of the deal takes the place of the seats."""
    beside = width >= ROOMY_WIDTH
    log = log_width(width)
    table = width - log if beside else width
    rows = height - 3
    seat = min(MOST_SEAT, (rows - LEAST_MIDDLE) // 3)
    below = 1 + 3 * seat
    middle = rows - 3 * seat
    parts = {
        "title": Region(0, 0, width, 1),
        "steps": Region(width - log, 1, log, rows) if beside else Region(width - log, below, log, middle),
        "scrubber": Region(0, height - 2, width, 1),
        "keys": Region(0, height - 1, width, 1),
    }
    if ended and beside:
        return parts | {"ending": Region(0, 1, table, rows)}
    if ended:
        return parts | {"ending": Region(0, 1, table, 3 * seat), "steps": Region(0, below, width, middle)}
    seats = {name: Region(0, 1 + place * seat, table, seat) for place, name in enumerate(SEATS_SHOWN)}
    return parts | seats | {"middle": Region(0, below, width - log, middle)}


def replay_title(sight: Sight, cursor: Cursor, look: Look, width: int) -> Canvas:
    """Which deal this is, and how far it has come."""
    room = sight.view.room
    parts = (
        literal(sight.speaker.names.title()),
        tr("replay"),
        tr("deal {deal} of {deals}", deal=room.deal, deals=room.deals),
    )
    right = tr("step {step} of {steps}", step=cursor.at + 1, steps=cursor.last + 1)
    canvas = Canvas(width, 1)
    canvas.write(0, 0, fit(" " + "  ".join(parts), width - cell_len(right) - 1, look.glyphs.more) + right + " ")
    return canvas


def hand_size(sight: Sight, look: Look, width: int, height: int) -> Size:
    """The size in which all three hands can be drawn, in panels of these cells: as they were dealt, for the whole deal.

    So that nothing changes its size from step to step.
    """
    names, room = sight.speaker.names, height - 1 - _laid_rows(height)
    hands = (zone(sight.view, "hand", seat) for seat in SEATS)
    laid = [
        spread(sections(it.groups if it else (), names, look.order), names, look.glyphs, width, room) for it in hands
    ]
    return min(it.size if it.height <= room else Size.CODE for it in laid)


def _laid_rows(height: int) -> int:
    """Of a panel: for what lies open."""
    return max(1, (height - 1) // 4)


def open_seat(sight: Sight, look: Look, seat: int, width: int, height: int, size: Size) -> Canvas:
    """One seat with all its cards: in the hand, and laid in the open."""
    canvas = Canvas(width, height)
    names, glyphs = sight.speaker.names, look.glyphs
    turn = fact(sight.view, "turn") == seat
    name = f"{glyphs.turn if turn else ' '} {literal(seat_name(sight, seat))}, {card_count(sight, seat)} "
    shown = clip(name, width, glyphs.more)
    canvas.write(0, 0, shown, "bold reverse" if turn else "bold")
    about = clip(listed(remarks(sight, seat)), width - cell_len(shown) - 1, glyphs.more)
    canvas.write(cell_len(shown) + 1, 0, about)
    laid = laid_open(sight.view, seat)
    rows = wrapped_groups([as_text(sight.speaker, group) for group in laid], width)[-_laid_rows(height) :]
    hand = zone(sight.view, "hand", seat)
    in_parts = sections(hand.groups if hand else (), names, look.order)
    room = height - 1 - _laid_rows(height)
    if size is Size.CODE:
        _draw_codes(canvas, in_parts, names, glyphs, 1, room)
    else:
        _draw_pictures(canvas, spread(in_parts, names, glyphs, width, room, size), names, glyphs, 1)
    for down, row in enumerate(rows):
        canvas.write(0, height - len(rows) + down, row)
    return canvas


def _draw_pictures(canvas: Canvas, laid: Spread, names: Lexicon, glyphs: Glyphs, y: int) -> None:
    for label, spot in laid.labels:
        text = clip(literal(label), canvas.width - spot.x, glyphs.more)
        canvas.write(spot.x, y + spot.line * laid.line_height, text, style_of("label"))
    for card, spot in zip(laid.cards, laid.spots, strict=True):
        drawn = face(card, names, laid.size, glyphs)
        canvas.paint(spot.x, y + spot.line * laid.line_height + laid.above, drawn, style_of)


def _draw_codes(canvas: Canvas, hand: Sequence[Section], names: Lexicon, glyphs: Glyphs, y: int, room: int) -> None:
    """In `room` rows: as codes, or where these do not fit by what is printed on the cards."""
    placed = _placed(hand, lambda card: face(card, names, Size.CODE, glyphs), canvas.width)
    if names.faces and placed and placed[-1].down >= room:
        placed = _placed(hand, lambda card: _printed(card, names), canvas.width)
    for card in placed:
        if card.down >= room:
            canvas.write(canvas.width - 1, y + room - 1, glyphs.more)
            return
        canvas.write(card.x, y + card.down, card.label, style_of("label"))
        canvas.paint(card.x + cell_len(card.label), y + card.down, card.drawn, style_of)


class _Placed(NamedTuple):
    """A card in rows of cards. `label`: of the section that it begins."""

    x: int
    down: int
    label: str
    drawn: Face


def _placed(hand: Sequence[Section], draw: Callable[[Card], Face], width: int) -> list[_Placed]:
    placed = []
    x, down = LEFT, 0
    for section in hand:
        for place, card in enumerate(section.cards):
            label = f"{literal(section.label)} " if place == 0 else ""
            drawn = draw(card)
            taken = cell_len(label) + width_of(drawn)
            if x > LEFT and x + taken > width:
                x, down = LEFT, down + 1
            placed.append(_Placed(x, down, label, drawn))
            x += taken + 1
        x += 1
    return placed


def _printed(card: Card, names: Lexicon) -> Face:
    red = card in names.red
    return ((Run(names.faces.get(card, card) + (RED_MARK if red else ""), "red" if red else "black"),),)


def step_list(lines: Sequence[str], at: int, look: Look, width: int, height: int) -> Canvas:
    """The steps around the one that is shown, which is marked; each row belongs to its step."""
    canvas = Canvas(width, height)
    mark = f"{look.glyphs.turn} "
    before, after = at, at
    rows = {at: _wrapped(lines, at, width)}
    taken = len(rows[at])
    while taken < height and (before > 0 or after < len(lines) - 1):
        if before > 0 and (at - before <= after - at or after == len(lines) - 1):
            place = before = before - 1
        else:
            place = after = after + 1
        rows[place] = _wrapped(lines, place, width)
        taken += len(rows[place])
    shown = [(place, row) for place in sorted(rows) for row in rows[place]]
    first = next(y for y, (place, _) in enumerate(shown) if place == at)
    start = max(0, min(first, len(shown) - height, max(0, first - height // 2)))
    for y, (place, row) in enumerate(shown[start : start + height]):
        now = place == at
        text = (mark if now and start + y == first else "  ") + row
        canvas.write(0, y, fit(text, width, look.glyphs.more), "bold reverse" if now else "", place)
    return canvas


def _wrapped(lines: Sequence[str], place: int, width: int) -> list[str]:
    return wrap(f"{place + 1}. {literal(lines[place])}", max(1, width - 2))


def scrubber(cursor: Cursor, look: Look, width: int) -> Canvas:
    """The course of the deal from left to right; each cell belongs to a step. Rounds are marked where there is room."""
    canvas = Canvas(width, 1)
    seconds = f"{cursor.step_s:g}"
    pace = tr("{seconds} s a step", seconds=seconds)
    right = f" {look.glyphs.turn} {pace} " if cursor.playing else f" {pace} "
    bar = max(2, width - cell_len(right))
    marks = {_cell(place, cursor, bar) for place in cursor.rounds} if len(cursor.rounds) * 3 < bar else set()
    for x in range(bar):
        sign = look.glyphs.down if x in marks else look.glyphs.across
        canvas.write(x, 0, sign, "dim", round(x * cursor.last / (bar - 1)))
    canvas.write(_cell(cursor.at, cursor, bar), 0, look.glyphs.pip, "bold", cursor.at)
    canvas.write(bar, 0, right, "bold" if cursor.playing else "dim")
    return canvas


def _cell(place: int, cursor: Cursor, bar: int) -> int:
    return round(place * (bar - 1) / max(1, cursor.last))
