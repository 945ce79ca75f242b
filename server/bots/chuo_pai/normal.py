"""A player of Chuo Pai who counts, keeps together what belongs together, and knows when to cash in."""

from random import Random

from protocol.notation import Action, Card
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.chuo_pai.easy import Count
from server.bots.chuo_pai.sight import Sight, sight
from server.games.chuo_pai.cards import COMBINATIONS, LANE, Hand, count
from server.games.chuo_pai.plays import COMBINATION, PASS, PLAYS, Play

# Measured on duplicate deals against two beginners and two of its own kind: 1,200 deals a value.
CONTROL = 2.5
"""What a card that nothing can beat is worth in hand, in points."""
CONTROL_AT_END = 0.5
"""The same when others hold few cards: what is in hand when theirs run out counts nothing."""
FEW = 9
"""So many unseen cards are few."""
APART = 0.3
"""What it costs to part the copies of one identity, or to take from a combination, in points."""


class NormalBot:
    """Weighs, as a beginner does, the points that a play surely takes against the control that it gives up.

    It also takes every pass and bonus as the proof that it is, does not part sets without need, and plays out its
    sure rounds before the others run out of cards.
    """

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        if view.prompt.actions == (PASS,):
            return PASS
        values = appraised(sight(view), view.prompt.actions)
        # In random order, so that it does not always prefer the first of two equal plays.
        return max(rng.sample(view.prompt.actions, len(view.prompt.actions)), key=values.__getitem__)


def appraised(seen: Sight, plays: tuple[Action, ...]) -> dict[Action, float]:
    """What each of these plays of the seat is worth, in points."""
    control = CONTROL_AT_END if count(seen.unseen) <= FEW else CONTROL
    known = Count(seen.unseen, threat=0)
    values = {}
    for action in plays:
        play = PLAYS[action]
        held = len(play.cards) if seen.holds(play) else 0
        parted = sum(play.taken >> LANE[card] & 7 < seen.hand >> LANE[card] & 7 for card in set(play.cards))
        if play.kind != COMBINATION:
            parted += sum(_taken_from(named, matching, seen.hand, play) for named, matching in COMBINATIONS)
        values[action] = held - control * sum(map(known.control, play.cards)) - APART * parted
    return values


def _taken_from(named: Card, matching: tuple[Card, Card], hand: Hand, play: Play) -> bool:
    """Whether a set has cards of a combination that the hand holds."""
    others = sum(hand >> LANE[card] & 7 for card in matching)
    return bool(hand >> LANE[named] & 7 and others) and play.cards[0] in (named, *matching)
