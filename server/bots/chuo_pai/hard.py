"""A player of Chuo Pai who plays the deal on in its head, with the hidden cards dealt as they may lie."""

from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.chuo_pai.kernel import NUMBERS, tried
from server.bots.chuo_pai.normal import preferred
from server.bots.chuo_pai.sight import sight
from server.bots.chuo_pai.worlds import World, Worlds
from server.bots.search import best

ROLLOUTS = 1000
MOVES = 16
"""More than these are not tried: what comes so late in a good player's preference is rarely best."""


class HardBot:
    """Tries what a normal player would consider, in worlds that agree with all that it knows."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        assert view.prompt is not None
        if len(view.prompt.actions) == 1:
            return view.prompt.actions[0]
        moves = preferred(view, rng)[:MOVES]
        seen = sight(view)
        me, following, other = seen.seat, (seen.seat + 1) % 3, (seen.seat + 2) % 3
        followers = (seen.leader - seen.seat - 1) % 3

        def value(move: Action, world: World) -> float:
            won = tried(world[me], world[following], world[other], NUMBERS[move], followers, seen.max_combination)
            return won[0] - (won[1] + won[2]) / 2

        return best(moves, Worlds(seen).dealt(rng), value, min(budget, ROLLOUTS))
