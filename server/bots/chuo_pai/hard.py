"""A player of Chuo Pai who plays the deal on in its head, with the hidden cards dealt as they may lie."""

from collections.abc import Callable
from itertools import islice
from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.chuo_pai.endgame import Endgame, worth
from server.bots.chuo_pai.kernel import NUMBERS, tried
from server.bots.chuo_pai.normal import appraised
from server.bots.chuo_pai.sight import Sight, sight
from server.bots.chuo_pai.worlds import World, Worlds
from server.bots.search import best
from server.games.chuo_pai.cards import count
from server.games.chuo_pai.plays import PLAYS

ROLLOUTS = 1000
MOVES = 16
"""More than these are not tried: what a good player thinks so little of is hardly ever best."""
TRUST = 50
"""How many rollouts of a move weigh as much as what a normal player thinks of it."""
EXACT = 12
"""With so many cards in play or fewer, worlds are played to the end exactly instead."""
EXACT_IF_KNOWN = 15
"""The same while there is only one world."""
EXACT_IF_FEW = 18
"""The same while there are few worlds."""
GROWTH = 1.85
"""How many times as long each card above `EXACT` makes an exact try: measured in 160 positions of 12 to 17 cards."""

Points = tuple[int, int, int]


class HardBot:
    """Tries what a normal player would consider, in worlds that agree with all that it knows.

    With a budget for one rollout or none it does what a normal player does.
    """

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        assert view.prompt is not None
        if len(view.prompt.actions) == 1:
            return view.prompt.actions[0]
        seen = sight(view)
        values = appraised(seen, view.prompt.actions)
        moves = sorted(rng.sample(view.prompt.actions, len(view.prompt.actions)), key=values.__getitem__, reverse=True)
        budget = min(budget, ROLLOUTS)
        return moves[0] if budget <= 1 else self._found(seen, moves, values, rng, budget)

    def _found(self, seen: Sight, moves: list[Action], values: dict[Action, float], rng: Random, budget: int) -> Action:
        worlds = self.worlds(seen)
        in_play = count(seen.hand + seen.unseen)
        if in_play <= EXACT_IF_FEW:
            most = int(budget / GROWTH ** max(0, in_play - EXACT)) // len(moves)
            every = list(islice(worlds.all(), max(1, most) + 1))
            if len(every) <= most or (len(every) == 1 and in_play <= EXACT_IF_KNOWN):
                return _solved(seen, moves, every)
        outcome = _exact(seen) if in_play <= EXACT else _played_on(seen)
        tried_moves = moves[:MOVES]
        return best(
            tried_moves,
            worlds.dealt(rng),
            lambda move, world: _gain(outcome(move, world)),
            budget,
            [values[move] for move in tried_moves],
            TRUST,
        )

    def worlds(self, seen: Sight) -> Worlds:
        """The deals that it thinks possible."""
        return Worlds(seen)


def _gain(points: Points) -> float:
    """What counts is how far one is ahead of the others."""
    own, following, other = points
    return own - (following + other) / 2


def _played_on(seen: Sight) -> Callable[[Action, World], Points]:
    """What a play comes to in a world: the seat's points first, then clockwise."""
    me, followers, largest = seen.seat, seen.followers, seen.max_combination

    def outcome(move: Action, world: World) -> Points:
        return tried(world[me], world[me - 2], world[me - 1], NUMBERS[move], followers, largest)

    return outcome


def _exact(seen: Sight) -> Callable[[Action, World], Points]:
    """The same, by the best play of all."""
    me, followers, endgame = seen.seat, seen.followers, Endgame(seen.max_combination)

    def outcome(move: Action, world: World) -> Points:
        return endgame.played(world[me], world[me - 2], world[me - 1], PLAYS[move], followers)

    return outcome


def _solved(seen: Sight, moves: list[Action], worlds: list[tuple[World, int]]) -> Action:
    """The best play on average of all the worlds there are; in the only one, that of the exact endgame."""
    outcome = _exact(seen)
    if len(worlds) == 1:
        return max(moves, key=lambda move: worth(outcome(move, worlds[0][0])))
    return max(moves, key=lambda move: sum(ways * _gain(outcome(move, world)) for world, ways in worlds))
