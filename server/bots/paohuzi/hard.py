"""A player of Paohuzi that plays its most promising choices to the end, in many deals that fit what it sees."""

from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.kernel import Table
from server.bots.paohuzi.normal import Move, judged
from server.bots.paohuzi.rollout import Policy, played
from server.bots.paohuzi.sight import sight
from server.bots.paohuzi.worlds import Worlds
from server.bots.search import best

ROLLOUTS = 150
"""The full budget."""

MOST_MOVES = 6
"""So many of the most promising moves are tried."""


class HardBot:
    """Wins when it can, and else does what scores most on average."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        assert view.prompt is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        if len(actions) == 1:
            return actions[0]
        seen = sight(view)
        moves = judged(seen, actions)[:MOST_MOVES]
        if budget < 2 * len(moves):
            return moves[0].action
        policy = Policy(seen.unseen, seen.table.loose[seen.me])

        def value(move: Move, world: Table) -> float:
            return played(world.copy(), policy, seen.me, move.choice, seen.public, seen.revealed)

        return best(moves, Worlds(seen).stream(rng), value, min(budget, ROLLOUTS)).action
