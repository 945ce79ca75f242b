"""How many copies of each card a viewer has not seen, counted from what the view shows. Pure; it says nothing itself.

No rule is needed for that: only which parts of a view show the same card twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from client_cli.render import cards_in, fact, zone
from protocol.notation import CARDS, Card, groups_of
from protocol.view import TableView

COPIES = 4
"""Of each identity, in both games."""


def remaining(view: TableView) -> Mapping[Card, int]:
    """Copies that are in hidden hands or in the stock, 0 to 4, for every identity in the order of their codes.

    Empty before the first deal, and for a game that is not known here.
    """
    seen_in = _SEEN.get(view.room.game)
    if view.deal is None or seen_in is None:
        return {}
    seen = Counter(seen_in(view))
    return {card: max(0, COPIES - seen[card]) for card in CARDS[view.room.game]}


def _open_hands(view: TableView) -> Iterator[Card]:
    for seat in view.seats:
        yield from cards_in(zone(view, "hand", seat.seat))


def _seen_in_chuo_pai(view: TableView) -> Iterator[Card]:
    """What was played stands in the history, also what has left the table; the bonus lies in the piles alone."""
    yield from _open_hands(view)
    for seat in view.seats:
        pile = zone(view, "pile", seat.seat)
        for group in pile.groups if pile else ():
            if group.kind == "bonus":
                yield from group.cards
    for entry in view.deal.history if view.deal else ():
        for cards in groups_of(entry.split(" ", 2)[-1]):
            yield from cards


def _seen_in_paohuzi(view: TableView) -> Iterator[Card]:
    """No card leaves the table. The card that was dealt face up lies in the dealer's hand until it shows elsewhere."""
    yield from _open_hands(view)
    for seat in view.seats:
        yield from cards_in(zone(view, "melds", seat.seat))
    yield from cards_in(zone(view, "discards"))
    public = zone(view, "public")
    if public is not None and all(group.kind != "dealt" for group in public.groups):
        yield from cards_in(public)
    dealer, card = fact(view, "dealer"), fact(view, "dealer_card")
    if isinstance(dealer, int) and isinstance(card, str) and _held_by(view, dealer, card):
        yield card


def _held_by(view: TableView, dealer: int, card: Card) -> bool:
    """Does the dealer, whose hand is hidden, still hold the card that all have seen?"""
    hand, melds = zone(view, "hand", dealer), zone(view, "melds", dealer)
    history = view.deal.history if view.deal else ()
    discarded = (entry.split(" ", 1)[-1] == f"{dealer} discard {card}" for entry in history)
    return not (hand is not None and hand.groups) and card not in cards_in(melds) and not any(discarded)


_SEEN: Mapping[str, Callable[[TableView], Iterator[Card]]] = {
    "chuo-pai": _seen_in_chuo_pai,
    "paohuzi": _seen_in_paohuzi,
}
