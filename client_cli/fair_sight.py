"""What a viewer has seen of the cards of a deal, to be held against the deck that it was said to be dealt from."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from protocol.notation import Card, groups_of
from protocol.view import Happening, TableView

Cards = Counter[Card]


class Dealing(NamedTuple):
    """What a deck means in a game. `hands`: of each seat, if one begins; `stock`: in the order of reveals."""

    hands: Callable[[Sequence[Card], int], tuple[Sequence[Card], ...]]
    stock: Callable[[Sequence[Card]], Sequence[Card]]


def _in_thirds(deck: Sequence[Card], _first: int) -> tuple[Sequence[Card], ...]:
    return deck[:28], deck[28:56], deck[56:]


def _from_the_dealer(deck: Sequence[Card], first: int) -> tuple[Sequence[Card], ...]:
    dealt = deck[:21], deck[21:41], deck[41:61]
    return tuple(dealt[(seat - first) % 3] for seat in range(3))


DEALINGS = {
    "chuo-pai": Dealing(_in_thirds, lambda deck: deck[84:]),
    "paohuzi": Dealing(_from_the_dealer, lambda deck: deck[61:]),
}


class Sight:
    """Of one deal, view by view."""

    def __init__(self) -> None:
        self._begins: int | None = None
        self._own: Cards | None = None  # as it was dealt
        self._held: Cards = Counter()  # the most of each card that was there at once
        self._revealed: dict[int, Card] = {}  # by how many were left in the stock
        self._public: Card | None = None

    def see(self, view: TableView, happened: Sequence[Happening], seat: int | None) -> None:
        """A view of the deal, and what has led to it."""
        for it in happened:
            if it.kind == "deal_started":
                self._begins = it.seat
            elif it.kind == "dealt_public":
                self._public = "".join(it.cards)
        left = _count(view, "stock")
        revealed = ["".join(it.cards) for it in happened if it.kind == "revealed"]
        for before, card in enumerate(reversed(revealed)):
            self._revealed[left + before] = card
        for card in _kinds(view, "public", "revealed"):
            self._revealed[left] = card
        if seat is None:
            return
        own = _from_hand(view, seat)
        self._held |= own
        if self._own is None:
            self._own = _as_dealt(view, seat)

    def agrees(self, view: TableView, seat: int | None, deck: Sequence[Card], first: int) -> bool:
        """Is all of that what this deck must bring? `view`: of the end, with all hands open."""
        dealing = DEALINGS[view.room.game]
        hands, stock = dealing.hands(deck, first), dealing.stock(deck)
        if self._begins not in (None, first) or self._public not in (None, deck[20]):
            return False
        if any(stock[len(stock) - left - 1 :][:1] != (card,) for left, card in self._revealed.items()):
            return False
        if seat is not None:
            own = Counter(hands[seat])
            if self._held - own or self._own not in (None, own):
                return False
        return all(_fits(view, each, Counter(hand)) for each, hand in enumerate(hands))


def _fits(view: TableView, seat: int, dealt: Cards) -> bool:
    """Did this seat have these cards, as far as the end of the deal shows? Its melds hold some of others, too."""
    shown = _from_hand(view, seat)
    return not shown - dealt and not dealt - (shown + _cards(view, "melds", seat))


def _as_dealt(view: TableView, seat: int) -> Cards | None:
    """All cards that a seat was dealt, or None where it may have taken others."""
    has_melds = view.room.game == "paohuzi"
    if has_melds and (_count(view, "stock") < 19 or (view.deal is not None and view.deal.history)):
        return None
    return _from_hand(view, seat) + _cards(view, "melds", seat)


def _from_hand(view: TableView, seat: int) -> Cards:
    """The cards of a seat that can only have come from its hand: those there, played, discarded, or of its bonus."""
    found = _cards(view, "hand", seat) + Counter(_kinds(view, "pile", "bonus", seat))
    for line in view.deal.history if view.deal is not None else ():
        _, who, action = [*line.split(" ", 2), "", ""][:3]
        if who == str(seat) and action.startswith(("play ", "discard ")):
            found.update(card for group in groups_of(action) for card in group)
    return found


def _cards(view: TableView, name: str, seat: int | None) -> Cards:
    zones = view.deal.zones if view.deal is not None else ()
    groups = (group for zone in zones if (zone.name, zone.seat) == (name, seat) for group in zone.groups)
    return Counter(card for group in groups for card in group.cards)


def _kinds(view: TableView, name: str, kind: str, seat: int | None = None) -> list[Card]:
    zones = view.deal.zones if view.deal is not None else ()
    groups = (group for zone in zones if (zone.name, zone.seat) == (name, seat) for group in zone.groups)
    return [card for group in groups if group.kind == kind for card in group.cards]


def _count(view: TableView, name: str) -> int:
    zones = view.deal.zones if view.deal is not None else ()
    return sum(zone.count for zone in zones if zone.name == name)
