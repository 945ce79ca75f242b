"""Which of the offered actions the picked cards lead to. Pure; knows no rule, only what is offered and held."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocol.notation import Action, Card, groups_of


class Offer(NamedTuple):
    """One action. `text`: with all the cards that it lays down. `needs`: those of them that come from the own hand."""

    action: Action
    text: Action
    needs: Counter[Card]


def offers(actions: Sequence[Action], texts: Sequence[Action], held: Iterable[Card]) -> tuple[Offer, ...]:
    """The actions of a prompt. `texts`: the same with all their cards, as a `Layout` has them.

    Cards that the hand does not hold lie on the table: the public one that is claimed.
    """
    hand = Counter(held)
    return tuple(
        Offer(action, text, Counter(card for group in groups_of(text) for card in group) & hand)
        for action, text in zip(actions, texts, strict=True)
    )


class Picks(NamedTuple):
    """What the picked cards mean. `bright`: how many of each card may be picked in all, the picked ones included.

    `reached`: offers that need all picked cards. `exact`: those that need no others.
    """

    picked: Counter[Card]
    bright: Counter[Card]
    reached: tuple[Offer, ...]
    exact: tuple[Offer, ...]

    @property
    def meant(self) -> Offer | None:
        """The one offer that Enter carries out: the only exact one, or the only one that is still in reach."""
        if not self.picked:
            return self.reached[0] if len(self.reached) == 1 else None
        if self.exact:
            return self.exact[0] if len(self.exact) == 1 else None
        return self.reached[0] if len(self.reached) == 1 else None

    def toggled(self, card: Card, *, is_picked: bool) -> Counter[Card]:
        """The picked cards after one copy is put back, or picked; a copy that leads to no offer is not picked."""
        after = self.picked.copy()
        if is_picked:
            after[card] -= 1
        elif self.picked[card] < self.bright[card]:
            after[card] += 1
        return +after


def picks(offered: Sequence[Offer], picked: Counter[Card]) -> Picks:
    """Cards that lead to no offer together count as not picked."""
    reached = tuple(offer for offer in offered if picked <= offer.needs)
    if not reached:
        picked = Counter()
        reached = tuple(offered)
    bright: Counter[Card] = Counter()
    for offer in reached:
        bright |= offer.needs
    return Picks(picked, bright, reached, tuple(offer for offer in reached if offer.needs == picked))


def top_places(cards: Sequence[Card], counts: Counter[Card]) -> frozenset[int]:
    """The places of so many copies of each card: the last ones, which lie on top."""
    left, places = counts.copy(), set()
    for place in reversed(range(len(cards))):
        if left[cards[place]] > 0:
            left[cards[place]] -= 1
            places.add(place)
    return frozenset(places)
