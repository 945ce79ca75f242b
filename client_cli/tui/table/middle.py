"""The middle of the table: the round, or the public card, and what else lies there. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from client_cli.language import tr, tr_n
from client_cli.render import fact
from client_cli.tui.cells import clip, literal, wrap
from client_cli.tui.faces import Size
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.groups import Lying, as_text, lying, paint
from client_cli.tui.table.look import Look
from client_cli.tui.table.seats import KNOWN
from client_cli.tui.table.sight import Sight
from client_cli.words_paohuzi import discards_of
from protocol.notation import groups_of
from protocol.view import Group, Zone

IN_QUESTION = ("round", "public")
"""Zones whose cards everybody looks at: they are drawn as pictures."""

GAP = 2
WIDEST_CAPTION = 20
LEAST_BESIDE = 18
"""Cells that notes need to stand beside the cards instead of under them."""


class _Column(NamedTuple):
    """One group of cards, with whose it is above and what it is called below."""

    group: Group
    above: str
    below: str
    laid: Lying

    @property
    def width(self) -> int:
        return max(self.laid.width, min(WIDEST_CAPTION, max(cell_len(self.above), cell_len(self.below))))


def middle(sight: Sight, look: Look, width: int, height: int) -> Canvas:
    """What lies between the seats, as large as there is room."""
    canvas = Canvas(width, height)
    zones = [it for it in (sight.view.deal.zones if sight.view.deal else ()) if it.seat is None]
    groups = [group for it in zones if it.name in IN_QUESTION for group in it.groups]
    heading = ""
    if not groups and (groups := _round_before(sight, zones)):
        heading = tr("The round before:")
    notes = list(_notes(sight, zones))
    for size in (Size.LARGE, Size.SMALL):
        columns = [_column(sight, look, group, size) for group in groups]
        if _drawn(canvas, sight, look, heading, columns, notes, size):
            return canvas
    shown = [f"{_above(sight, group)}: {as_text(sight.speaker, group)}" for group in groups]
    texts = [*filter(None, [heading]), *shown, *notes]
    _write(canvas, 0, 0, [row for text in texts for row in wrap(text, width)][:height])
    return canvas


def _round_before(sight: Sight, zones: Sequence[Zone]) -> list[Group]:
    """What was played in the newest round of the history, in a game of rounds: its end is seen for a moment only."""
    history = sight.view.deal.history if sight.view.deal else ()
    if not history or not any(it.name == "round" for it in zones):
        return []
    newest = history[-1].partition(" ")[0]
    groups = []
    for entry in history:
        match entry.split(" ", 2):
            case [number, ("0" | "1" | "2") as seat, action] if number == newest:
                groups += [Group(group, seat=int(seat)) for group in groups_of(action)]
            case _:
                pass
    return groups


def _drawn(
    canvas: Canvas,
    sight: Sight,
    look: Look,
    heading: str,
    columns: Sequence[_Column],
    notes: Sequence[str],
    size: Size,
) -> bool:
    """Draw the columns side by side and the notes beside or under them; False where there is no room for that. Under
    a `heading` lies what is over: it is faint.
    """
    taken, top = sum(column.width + GAP for column in columns), int(bool(heading))
    bottom = top + max((column.laid.height + 1 + bool(column.below) for column in columns), default=0)
    beside = canvas.width - taken >= LEAST_BESIDE
    if taken - GAP > canvas.width or bottom > canvas.height - (1 if notes and not beside else 0):
        return False
    canvas.write(0, 0, clip(heading, canvas.width, look.glyphs.more), style_of("label"))
    x = 0
    for column in columns:
        canvas.write(x, top, clip(column.above, column.width, look.glyphs.more), "dim" if heading else "bold")
        paint(canvas, x, top + 1, column.laid, sight.speaker.names, size, look.glyphs, dim=bool(heading))
        below = clip(column.below, column.width, look.glyphs.more)
        canvas.write(x, top + 1 + column.laid.height, below, style_of("label"))
        x += column.width + GAP
    left, first = (taken, top) if beside else (0, bottom)
    rows = [row for text in notes for row in wrap(text, canvas.width - left)]
    _write(canvas, left, first, rows[: canvas.height - first])
    return True


def _write(canvas: Canvas, x: int, y: int, rows: Sequence[str]) -> None:
    for down, row in enumerate(rows):
        canvas.write(x, y + down, row)


def _column(sight: Sight, look: Look, group: Group, size: Size) -> _Column:
    names = sight.speaker.names
    below = literal(names.called(group.cards))
    return _Column(group, _above(sight, group), below, lying(group.cards, names, size, look.glyphs))


def _above(sight: Sight, group: Group) -> str:
    who = literal(sight.speaker.who(group.seat))
    match group.kind:
        case "revealed":
            return tr("{who}: revealed", who=who)
        case "discarded":
            return tr("{who}: discarded", who=who)
        case "dealt":
            return tr("{who}: dealt open", who=who)
        case _:
            return who


def _notes(sight: Sight, zones: Sequence[Zone]) -> Iterator[str]:
    view, speaker = sight.view, sight.speaker
    if (number := fact(view, "round")) is not None and view.result is None:
        yield tr("Round {number}", number=number)
    if (highest := sight.highest) is not None:
        best, who = literal(speaker.cards(highest.cards)), literal(speaker.who(highest.seat))
        yield tr("Highest: {cards}, {who}", cards=best, who=who)
    for told in view.deal.facts if view.deal else ():
        if told.seat is None and told.label not in KNOWN and told.label != "round":
            yield literal(f"{told.label}: {told.value}")
    for it in zones:
        if it.name == "stock":
            yield tr_n("Stock: {count} card", "Stock: {count} cards", it.count)
        elif it.name == "discards":
            for seat in view.seats:
                cards = [card for group in it.groups if group.seat == seat.seat for card in group.cards]
                if cards:
                    shown = " ".join(map(speaker.names.marked, cards))
                    yield literal(discards_of(speaker, seat.seat, shown))
        elif it.name not in IN_QUESTION:
            shown = "  ".join(as_text(speaker, group) for group in it.groups)
            yield literal(f"{it.name} ({it.count}): {shown}")


def least_rows(sight: Sight, look: Look) -> int:
    """What the middle needs to show the smallest pictures."""
    cards = [
        card for it in (sight.view.deal.zones if sight.view.deal else ()) for group in it.groups for card in group.cards
    ]
    drawn = lying(cards[:1] or sight.speaker.names.order()[:1], sight.speaker.names, Size.SMALL, look.glyphs)
    return drawn.height + 1
