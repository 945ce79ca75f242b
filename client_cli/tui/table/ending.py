"""The end of a deal or of the match: who won what and why, and all hands. Pure."""

from collections.abc import Iterator

from rich.cells import cell_len

from client_cli.language import tr
from client_cli.render import zone
from client_cli.tui.cells import fit, fit_right, literal, wrap
from client_cli.tui.faces import Size
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.groups import caption, lying, paint, wrapped_groups
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import SEATS, Sight
from client_cli.words_paohuzi import hand_at_the_end
from protocol.view import Group, Result

NAME_CELLS = 18
POINTS_CELLS = 8


def ending(sight: Sight, look: Look, width: int, height: int) -> Canvas:
    """The panel; empty while the deal goes on."""
    result = sight.view.result
    canvas = Canvas(width, height)
    if result is None:
        return canvas
    y = 0
    for text, style in _headings(sight, result):
        for row in wrap(text, width):
            canvas.write(0, y, row, style)
            y += 1
    for row in _scores(sight, look, result):
        canvas.write(0, y, row)
        y += 1
    hands = [row for seat in SEATS for row in _hand(sight, seat, width)]
    y += 1
    y = _counted(canvas, sight, look, result.groups, y, keep=len(hands) + 1)
    for row in hands:
        canvas.write(0, y, row)
        y += 1
    return canvas


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


def _counted(canvas: Canvas, sight: Sight, look: Look, groups: tuple[Group, ...], y: int, keep: int) -> int:
    """The groups that counted, side by side, as pictures if `keep` rows are left below. Gives the row after them."""
    if not groups:
        return y
    names = sight.speaker.names
    canvas.write(0, y, tr("What counts:"), "bold")
    pictures = [lying(group.cards, names, Size.SMALL, look.glyphs) for group in groups]
    tall = max(laid.height for laid in pictures)
    wide = sum(max(laid.width, cell_len(caption(group))) + 1 for laid, group in zip(pictures, groups, strict=True))
    if wide <= canvas.width and y + tall + 2 + keep <= canvas.height:
        x = 0
        for group, laid in zip(groups, pictures, strict=True):
            canvas.write(x, y + 1, caption(group), style_of("label"))
            paint(canvas, x, y + 2, laid, names, Size.SMALL, look.glyphs)
            x += max(laid.width, cell_len(caption(group))) + 1
        return y + tall + 3
    texts = [f"{caption(group)} {'+'.join(map(names.marked, group.cards))}" for group in groups]
    for row in wrapped_groups([literal(text) for text in texts], canvas.width):
        y += 1
        canvas.write(0, y, row)
    return y + 2


def _hand(sight: Sight, seat: int, width: int) -> Iterator[str]:
    hand = zone(sight.view, "hand", seat)
    if hand is None:
        return
    cards = " ".join(sight.speaker.names.marked(card) for group in hand.groups for card in group.cards)
    yield from wrap(literal(hand_at_the_end(sight.speaker, seat, cards)), width)
