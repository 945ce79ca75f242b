"""A player of Chuo Pai who knows what is worth keeping, and does not look ahead."""

from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.chuo_pai.easy import counted
from server.games.chuo_pai.cards import LANE
from server.games.chuo_pai.plays import PASS, PLAYS, answers

CONTROL = 2.0
APART = 1.0
"""What it costs to part copies of one identity."""
LEAD = -0.6
"""What it is worth to lead the next round: the leader may have to give up a card for nothing."""


class NormalBot:
    """Weighs as the beginner does, but keeps copies of one identity together."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        if view.prompt.actions == (PASS,):
            return PASS
        return preferred(view, rng)[0]


def preferred(view: TableView, rng: Random) -> list[Action]:
    """The offered actions, the best first."""
    assert view.prompt is not None
    assert view.deal is not None
    assert view.you is not None
    count = counted(view.deal, view.you.seat)
    hand = sum(
        1 << LANE[card]
        for zone in view.deal.zones
        if zone.name == "hand" and zone.seat == view.you.seat
        for group in zone.groups
        for card in group.cards
    )

    def value(action: Action) -> float:
        play = PLAYS[action]
        holds = len(play.cards) > count.threat or answers(count.unseen, action) == (PASS,)
        parted = sum(play.taken >> LANE[card] & 7 < hand >> LANE[card] & 7 for card in set(play.cards))
        control = sum(map(count.control, play.cards))
        return (len(play.cards) + LEAD) * holds - CONTROL * control - APART * parted

    return sorted(rng.sample(view.prompt.actions, len(view.prompt.actions)), key=value, reverse=True)
