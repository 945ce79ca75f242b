"""The own hand: its order, where each card lies in the room that there is, and the picture. Pure."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len

from client_cli.names import Lexicon
from client_cli.tui.cells import clip, literal
from client_cli.tui.faces import Face, Glyphs, Size, face, width_of
from client_cli.tui.styles import style_of
from client_cli.tui.table.canvas import Canvas
from client_cli.words_paohuzi import kind
from protocol.notation import Card
from protocol.view import Group

LOOSE = "hand"
"""What games call the group of cards in a hand that are not bound to others."""


class Order(StrEnum):
    """`FAMILIES`: as players sort their cards. `RANKS`: by the number on them. `COPIES`: the most alike first."""

    FAMILIES = "families"
    RANKS = "ranks"
    COPIES = "copies"

    @property
    def following(self) -> "Order":
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


class Section(NamedTuple):
    """Cards that lie side by side under one label."""

    label: str
    cards: tuple[Card, ...]


def sections(groups: Sequence[Group], names: Lexicon, order: Order) -> tuple[Section, ...]:
    """A hand zone in its parts: what is bound together first, then the loose cards in their order."""
    bound = [Section(kind(group.kind), group.cards) for group in groups if group.kind != LOOSE]
    loose = [card for group in groups if group.kind == LOOSE for card in group.cards]
    return (*bound, *_ORDERS[order](loose, names))


def _by_family(cards: Sequence[Card], names: Lexicon) -> Iterator[Section]:
    for label, row in names.laid_out(cards):
        yield Section(label, row)


def _by_number(cards: Sequence[Card], _names: Lexicon) -> Iterator[Section]:
    for number, row in groupby(sorted(cards, key=lambda card: (_number(card), card)), key=_number):
        yield Section(str(number), tuple(row))


def _number(card: Card) -> int:
    """The first digit of a domino; the number on other cards; 0 without one."""
    digits = "".join(sign for sign in card if sign in "0123456789")
    if digits == card:
        return int(digits[:1] or 0)
    return int(digits[:9] or 0)


def _by_copies(cards: Sequence[Card], names: Lexicon) -> Iterator[Section]:
    copies = Counter(cards)
    in_order = [card for _, row in names.laid_out(list(copies)) for card in row]
    for count in sorted(set(copies.values()), reverse=True):
        yield Section(f"x{count}", tuple(card for card in in_order if copies[card] == count for _ in range(count)))


_ORDERS = {Order.FAMILIES: _by_family, Order.RANKS: _by_number, Order.COPIES: _by_copies}


class Spot(NamedTuple):
    """Where a card lies: cells from the left, and which line of cards from the top."""

    x: int
    line: int


class Spread(NamedTuple):
    """A hand laid out in a room. `cards` and `spots` go together; `labels`: with their spots."""

    size: Size
    card_height: int
    lines: int
    cards: tuple[Card, ...]
    spots: tuple[Spot, ...]
    labels: tuple[tuple[str, Spot], ...]

    @property
    def height(self) -> int:
        """In rows."""
        return self.lines * self.line_height

    @property
    def above(self) -> int:
        """Rows above each line of cards, for labels and for cards that are picked; codes do without."""
        return 0 if self.size is Size.CODE else 1

    @property
    def line_height(self) -> int:
        return self.card_height + self.above


WIDEST_STEP = 5
"""No picture is so narrow that more of it would be seen under another."""

GAP = 1
"""Between sections, in cells."""


def spread(
    hand: Sequence[Section], names: Lexicon, glyphs: Glyphs, width: int, height: int, most: Size = Size.LARGE
) -> Spread:
    """The largest cards up to `most` of which all fit, side by side if they can and overlapping if they must.

    Where nothing fits, as codes in as many lines as it takes.
    """
    for size in (size for size in (Size.LARGE, Size.SMALL) if size <= most):
        for step in (None, *range(WIDEST_STEP, 0, -1)):
            laid = _lay(hand, names, glyphs, width, size, step)
            if laid.height <= height:
                return laid
    return _lay(hand, names, glyphs, width, Size.CODE, None)


def _lay(hand: Sequence[Section], names: Lexicon, glyphs: Glyphs, width: int, size: Size, step: int | None) -> Spread:
    """Line by line. `step`: how many cells are seen of identical cards under the last one; None: all."""
    cards, spots, labels = [], [], []
    x = line = 0
    card_height = 1
    for section in hand:
        steps = list(_steps(section.cards, names, glyphs, size, step))
        label = cell_len(literal(section.label))
        if x and x + (label + sum(steps) if size is Size.CODE else max(label, sum(steps))) > width:
            x, line = 0, line + 1
        labels.append((section.label, Spot(x, line)))
        start = x
        if size is Size.CODE:
            x += label
        for card, advance in zip(section.cards, steps, strict=True):
            drawn = face(card, names, size, glyphs)
            card_height = max(card_height, len(drawn))
            if x and x + _room(drawn, size) > width:
                x, line, start = 0, line + 1, 0
            cards.append(card)
            spots.append(Spot(x, line))
            x += advance
        x = max(x, start + cell_len(literal(section.label))) + GAP
    return Spread(size, card_height, line + 1 if cards else 0, tuple(cards), tuple(spots), tuple(labels))


def _room(drawn: Face, size: Size) -> int:
    return width_of(drawn) + (2 if size is Size.CODE else 0)


def _steps(cards: Sequence[Card], names: Lexicon, glyphs: Glyphs, size: Size, step: int | None) -> Iterator[int]:
    """How far from each card the next one lies. A code has room for brackets around it."""
    for place, card in enumerate(cards):
        hidden = size is not Size.CODE and place + 1 < len(cards) and cards[place + 1] == card
        room = _room(face(card, names, size, glyphs), size)
        yield min(step, room) if step is not None and hidden else room


def picture(
    laid: Spread,
    names: Lexicon,
    glyphs: Glyphs,
    width: int,
    *,
    bright: Collection[int],
    picked: Collection[int],
    cursor: int | None,
) -> Canvas:
    """The hand with its picked cards one row higher. All cards by their place in `laid.cards`."""
    canvas = Canvas(width, laid.height)
    for label, spot in laid.labels:
        canvas.write(
            spot.x, spot.line * laid.line_height, clip(literal(label), width - spot.x, glyphs.more), style_of("label")
        )
    for place, (card, spot) in enumerate(zip(laid.cards, laid.spots, strict=True)):
        is_picked = place in picked
        drawn = face(card, names, laid.size, glyphs)
        y = spot.line * laid.line_height + (0 if is_picked else laid.above)

        def style(role: str, place: int = place, is_picked: bool = is_picked) -> str:
            return style_of(role, dim=place not in bright, picked=is_picked, cursor=place == cursor)

        if laid.size is Size.CODE:
            before, after = "[]" if is_picked else ("<>" if place == cursor else "  ")
            canvas.write(spot.x, y, before, style("frame"), place)
            canvas.paint(spot.x + 1, y, drawn, style, place)
            canvas.write(spot.x + 1 + width_of(drawn), y, after, style("frame"), place)
        else:
            canvas.paint(spot.x, y, drawn, style, place)
    return canvas
