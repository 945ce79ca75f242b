"""The end of a deal or of the match: who won what and why, and all hands. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from client_cli.language import tr
from client_cli.render import zone
from client_cli.tui.cells import fit, fit_right, literal, wrap
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.groups import caption, draw_shelf, shelf
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import SEATS, Sight
from protocol.view import Group, Result

NAME_CELLS = 18
POINTS_CELLS = 8


def ending(sight: Sight, look: Look, width: int, height: int) -> Canvas:
    """The panel; empty while the deal goes on. Cards are pictures as far as there is room for that."""
    result = sight.view.result
    canvas = Canvas(width, height)
    if result is None:
        return canvas
    y = 0
    for heading, style in _headings(sight, result):
        for line in wrap(heading, width):
            canvas.write(0, y, line, style)
            y += 1
    for row in _scores(sight, look, result):
        canvas.write(0, y, row)
        y += 1
    shown = [*_counted(sight, result), *_hands(sight)]
    texts = [wrap(lot.text, width) for lot in shown]
    for place, (lot, text) in enumerate(zip(shown, texts, strict=True)):
        needed_below = sum(map(len, texts[place + 1 :]))
        names = sight.speaker.names
        pictures = shelf(lot.groups, names, look.glyphs, width)
        if lot.groups and pictures is not None and y + 1 + pictures.height + needed_below <= height:
            canvas.write(0, y, lot.title, "bold")
            draw_shelf(canvas, y + 1, pictures, names, look.glyphs)
            y += 1 + pictures.height
            continue
        for row in text:
            canvas.write(0, y, row)
            y += 1
    return canvas


class _Lot(NamedTuple):
    """Cards that belong together at the end of a deal: `title` stands over their pictures, `text` has them in it."""

    title: str
    text: str
    groups: Sequence[Group]


def _headings(sight: Sight, result: Result) -> Iterator[tuple[str, str]]:
    room, speaker = sight.view.room, sight.speaker
    if room.phase == "over":
        totals = [seat.score for seat in sight.view.seats]
        best = [seat for seat in SEATS if totals[seat] == max(totals)]
        yield literal(speaker.winners(best, "match")), "bold reverse"
    yield literal(f"{_deal_over(sight)} {_why(sight, result)}".strip()), "bold"


def _deal_over(sight: Sight) -> str:
    room = sight.view.room
    return tr("Deal {deal} of {deals} is over.", deal=room.deal, deals=room.deals)


def _why(sight: Sight, result: Result) -> str:
    speaker = sight.speaker
    if not result.winners:
        return tr("Nobody wins: it is a draw.")
    won = speaker.winners(result.winners, "deal")
    if result.tun:
        return tr("{won} {huxi} huxi, that is {tun} tun.", won=won, huxi=result.huxi, tun=result.tun)
    return won


def _scores(sight: Sight, look: Look, result: Result) -> Iterator[str]:
    """A row for each seat, the winner marked; totals where there is more than one deal."""
    several = sight.has_totals
    heading = fit("", NAME_CELLS + 2) + fit_right(tr("Deal"), POINTS_CELLS)
    yield (heading + fit_right(tr("Match"), POINTS_CELLS)) if several else heading
    for seat in SEATS:
        mark = look.glyphs.turn if seat in result.winners else " "
        row = f"{mark} {fit(literal(sight.speaker.who(seat)), NAME_CELLS, look.glyphs.more)}"
        row += fit_right(str(result.scores[seat]), POINTS_CELLS)
        if several:
            row += fit_right(str(sight.view.seats[seat].score), POINTS_CELLS)
        if sight.view.room.phase == "between" and sight.view.seats[seat].ready:
            row += "  " + tr("ready")
        yield row


def _counted(sight: Sight, result: Result) -> Iterator[_Lot]:
    if result.groups:
        text = literal(f"{tr('What counts:')} {'  '.join(_named(sight, group) for group in result.groups)}")
        yield _Lot(tr("What counts:"), text, result.groups)


def _hands(sight: Sight) -> Iterator[_Lot]:
    speaker = sight.speaker
    for seat in SEATS:
        if (hand := zone(sight.view, "hand", seat)) is not None:
            held = [replace(group, value=None) for group in hand.groups]
            text = speaker.hand_at_the_end(seat, "  ".join(_named(sight, group) for group in held))
            title = tr("Your hand") if seat == sight.seat else tr("Hand of {who}", who=literal(speaker.who(seat)))
            yield _Lot(title, literal(text), held)


def _named(sight: Sight, group: Group) -> str:
    return f"{caption(group)} {' '.join(map(sight.speaker.names.marked, group.cards))}".strip()
