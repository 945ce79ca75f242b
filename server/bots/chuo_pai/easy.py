"""A beginner at Chuo Pai who counts cards but does not look ahead.

It knows the ranks and plays of the game, and of the deal only what its view shows.
"""

from random import Random
from typing import NamedTuple

from protocol.notation import Action, Card, groups_of
from protocol.view import DealView, TableView
from server.bots.base import UNLIMITED
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import FAMILIES, LANE, PACK, Hand, hand_of
from server.games.chuo_pai.plays import PASS, PLAYS, answers

CONTROL = 1.5
"""What a card that nothing can beat is worth in hand, in points.

Measured against two random bots: 1, 1.5, 2 and 3 win by 3.6 to 3.8 cards a deal, 5 by 3.4, 0 by 1.7.
"""

HIGHER: dict[Card, tuple[Card, ...]] = {
    card: tuple(higher for rank in family[:place] for higher in rank)
    for family in FAMILIES
    for place, identities in enumerate(family)
    for card in identities
}
"""The identities that beat a single card."""


class EasyBot:
    """Weighs the points that a play surely takes against the control that it gives up.

    So it leads large plays that nothing unseen beats, else low cards; follows with the cheapest play that holds the
    round, or the cheapest of all where none does; and keeps its highest cards until little else is left.
    """

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        assert view.deal is not None
        assert view.you is not None
        if view.prompt.actions == (PASS,):
            return PASS
        count = counted(view.deal, view.you.seat)
        # In random order, so that it does not always prefer the first of two equal plays.
        return max(rng.sample(view.prompt.actions, len(view.prompt.actions)), key=count.value)


class Count(NamedTuple):
    """`unseen`: all cards in other hands. `threat`: the most cards of a seat that still acts in this round."""

    unseen: Hand
    threat: int

    def value(self, action: Action) -> float:
        """Points that the play surely takes, less the control that it gives up."""
        cards = PLAYS[action].cards
        holds = len(cards) > self.threat or answers(self.unseen, action) == (PASS,)
        return len(cards) * holds - CONTROL * sum(map(self.control, cards))

    def control(self, card: Card) -> float:
        """1 for a card that no unseen one beats, less and less the more do."""
        return 1 / (1 + sum(self.unseen >> LANE[higher] & 7 for higher in HIGHER[card]))


def counted(deal: DealView, me: Seat) -> Count:
    """`me` is asked."""
    hands = {zone.seat: zone for zone in deal.zones if zone.name == "hand"}
    seen = [card for group in hands[me].groups for card in group.cards]
    for zone in deal.zones:
        if zone.name == "pile":
            seen += [card for group in zone.groups if group.kind == "bonus" for card in group.cards]
    for line in deal.history:
        seen += [card for group in groups_of(line.split(" ", 2)[2]) for card in group]
    leader = next(fact.value for fact in deal.facts if fact.label == "leader")
    to_act = 0
    for seat in [(me + step) % len(SEATS) for step in (1, 2)]:
        if seat == leader:
            break
        to_act = max(to_act, hands[seat].count)
    return Count(hand_of(PACK) - hand_of(seen), to_act)
