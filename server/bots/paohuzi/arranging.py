"""What a seat holds, as its own view tells, and how many groups that makes at once."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache, reduce
from typing import NamedTuple

from protocol.notation import Action, Card, groups_of
from protocol.view import DealView, Group
from server.games.base import Seat
from server.games.paohuzi.cards import COPIES, GUARDS, LANE, Hand, count, hand_of
from server.games.paohuzi.groups import CHIS, IDENTICAL, PAO, PENG, Fixed

CHI: Mapping[tuple[Card, ...], Group] = {chi.cards: chi for chi in CHIS}


class Held(NamedTuple):
    """The seat's own cards, the public `card` in question, and how many copies of each card it has not seen."""

    loose: Hand
    laid: Fixed
    card: Card
    unseen: Mapping[Card, int]

    @property
    def discards(self) -> bool:
        """Whether the seat has a card too many."""
        return count(self.loose) + self.laid.cards > 20 + max(0, self.laid.fours - 1)

    @property
    def whole(self) -> int:
        """The most groups of three or more that the seat's cards make, those that are fixed included."""
        return len(self.laid.groups) + _most_groups(self.loose)

    def after(self, action: Action) -> "Held":
        if action == "pass":
            return self
        if action == PAO:
            return self._replace(laid=self.laid.grown(IDENTICAL[PAO, self.card]))
        groups = [IDENTICAL[PENG, self.card]] if action == PENG else [CHI[cards] for cards in groups_of(action)]
        own = sum(hand_of(group.cards) for group in groups) - (1 << LANE[self.card])
        return self._replace(loose=self.loose - own, laid=reduce(Fixed.plus, groups, self.laid))


def held_in(deal: DealView, me: Seat) -> Held:
    loose, laid, public = 0, Fixed(), ""
    seen: Counter[Card] = Counter()
    for zone in deal.zones:
        for group in zone.groups:
            if group.kind == "dealt":  # still in the dealer's hand
                continue
            seen.update(group.cards)
            if zone.name == "public":
                public = group.cards[0]
            elif zone.seat == me and group.kind == "hand":
                loose = hand_of(group.cards)
            elif zone.seat == me:
                laid = laid.plus(group)
    return Held(loose, laid, public, {card: COPIES - seen[card] for card in LANE})


_CHIS = tuple((hand_of(chi.cards), chi.cards) for chi in CHIS)
_FROM = {
    bit << lane: tuple(taken for taken, cards in _CHIS if min(map(LANE.__getitem__, cards)) == lane)
    for lane in LANE.values()
    for bit in (1, 2)
}
"""The chi groups that begin with the lowest card of a hand, by the lowest bit of that hand."""


@lru_cache(1 << 14)
def _most_groups(loose: Hand) -> int:
    if not loose:
        return 0
    lowest = loose & -loose
    ones = lowest if lowest.bit_length() % 3 == 1 else lowest >> 1
    most = _most_groups(loose - ones)
    for taken in _FROM[lowest]:
        if ((loose | GUARDS) - taken) & GUARDS == GUARDS:
            most = max(most, 1 + _most_groups(loose - taken))
    return most
