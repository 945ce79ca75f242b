"""A beginner at Paohuzi, who sees groups and pairs in its own hand and nothing else.

It takes every card that makes one more group, whatever that does to the rest, and does not count what is out.
"""

from random import Random

from protocol.notation import Action, Card
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.arranging import Held, held_in
from server.games.paohuzi.cards import LANE, Hand, cards_of, hand_of, holds
from server.games.paohuzi.groups import CHIS, PAO

PAIR = 2
"""What the other card of a pair counts, against 1 for a neighbour with which a card may come to lie in a group."""


class EasyBot:
    """Wins when it can, claims what makes one more group at once, and discards the loneliest card."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        assert view.deal is not None
        assert view.you is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        if len(actions) == 1:
            return actions[0]
        held = held_in(view.deal, view.you.seat)
        actions = tuple(rng.sample(actions, len(actions)))  # so that it does not always prefer the first of two equals
        if "pass" in actions:
            return max(actions, key=lambda action: _claimed(held, action))
        return min(actions, key=lambda action: _kept(held, action.removeprefix("discard ")))


def _claimed(held: Held, action: Action) -> tuple[bool, int, int, bool]:
    """How good a claim looks, or `pass`: a pao takes no card of the hand; else groups count, then the huxi laid."""
    after = held.after(action)
    return action == PAO, after.whole, after.laid.huxi, action == "pass"


def _kept(held: Held, card: Card) -> tuple[int, int]:
    """What a discard costs: the groups of the hand that break, and the links of the card to others."""
    rest = held.loose - (1 << LANE[card])
    return -held._replace(loose=rest).whole, _links(card, rest)


def _links(card: Card, rest: Hand) -> int:
    pair = PAIR if holds(rest, hand_of([card])) else 0
    return pair + sum(any(other in chi.cards and card in chi.cards for chi in CHIS) for other in cards_of(rest))
