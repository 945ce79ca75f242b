"""Who sits where: name, what is public of their cards, and who is away, a bot, the host or ready. Pure."""

from collections.abc import Iterator

from rich.cells import cell_len

from client_cli.language import listed, tr, tr_n
from client_cli.render import fact, zone
from client_cli.tui.cells import clip, literal, wrap
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.groups import draw_groups
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import Sight
from client_cli.words_bots import level
from protocol.view import Group, SeatView, TableView

KNOWN = frozenset(
    ("points", "own_huxi", "huxi", "leader", "dealer", "dealer_card", "turn", "dead", "barred", "highest")
)
"""Facts that have words, or a place of their own, here or elsewhere."""


def laid_open(view: TableView, seat: int) -> list[Group]:
    """All groups that lie before a seat, in the order of its zones."""
    zones = view.deal.zones if view.deal else ()
    return [group for it in zones if it.seat == seat and it.name != "hand" for group in it.groups]


def seat_panel(sight: Sight, look: Look, seat: int, width: int, height: int) -> Canvas:
    """The panel of one seat. Whose turn it is differs in a mark and in style."""
    canvas = Canvas(width, height)
    turn = sight.turn == seat
    style = "bold reverse" if turn else "bold"
    count = card_count(sight, seat)
    name = f"{look.glyphs.turn if turn else ' '} {literal(seat_name(sight, seat))} "
    canvas.write(0, 0, clip(name, width - cell_len(count) - 1, look.glyphs.more), style)
    canvas.write(width - cell_len(count) - 1, 0, count, "bold")
    y, said = 1, listed(remarks(sight, seat))
    beside = cell_len(name) + 1
    if beside + cell_len(said) < width - cell_len(count) - 1:
        canvas.write(beside, 0, said)
    else:
        for row in wrap("  " + said, width - 1):
            canvas.write(0, y, row)
            y += 1
    draw_groups(canvas, sight.speaker, look.glyphs, laid_open(sight.view, seat), y)
    return canvas


def seat_name(sight: Sight, seat: int) -> str:
    """Who sits there, or that nobody does."""
    if sight.view.seats[seat].kind == "empty":
        return tr("Seat {number}: free", number=seat + 1)
    if seat == sight.seat:
        return tr("You ({name})", name=sight.view.seats[seat].name)
    return sight.speaker.who(seat)


def card_count(sight: Sight, seat: int) -> str:
    """Of the hand; empty before the first deal."""
    hand = zone(sight.view, "hand", seat)
    return "" if hand is None else tr_n("{count} card", "{count} cards", hand.count)


def remarks(sight: Sight, seat: int) -> Iterator[str]:
    """What else is public of the seat."""
    view, its = sight.view, sight.view.seats[seat]
    if isinstance(points := fact(view, "points", seat), int):
        yield tr_n("{count} point", "{count} points", points)
    if (own := fact(view, "own_huxi", seat)) is not None:
        yield tr("{huxi} huxi with kans", huxi=own)
    elif (huxi := fact(view, "huxi", seat)) is not None:
        yield tr("{huxi} huxi", huxi=huxi)
    if sight.has_totals and view.room.deal > 1:
        yield tr("{points} in the match", points=its.score)
    if fact(view, "leader") == seat:
        yield tr("leads")
    if fact(view, "dealer") == seat:
        yield tr("dealer")
    if fact(view, "dead", seat):
        yield tr("dead hand")
    if barred := fact(view, "barred", seat):
        cards = " ".join(map(sight.speaker.names.faced, str(barred).split("+")))
        yield tr("no chi or peng of {cards}", cards=literal(cards))
    for it in view.deal.facts if view.deal else ():
        if it.seat == seat and it.label not in KNOWN:
            yield f"{it.label} {it.value}"
    yield from _presence(sight, its)


def _presence(sight: Sight, its: SeatView) -> Iterator[str]:
    if its.kind == "bot":
        yield tr("bot, {level}", level=literal(level(its.level))) if its.level else tr("bot")
    if its.kind == "human" and not its.connected:
        yield tr("NOT CONNECTED")
    if its.away:
        yield tr("AWAY, a bot plays")
    elif its.autopilot:
        yield tr("a bot plays")
    if sight.view.room.host == its.seat:
        yield tr("host")
    if its.ready and sight.view.room.phase == "between":
        yield tr("READY")
