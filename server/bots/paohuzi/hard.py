"""A player of Paohuzi that plays its most promising choices to the end, in many deals that fit what it sees."""

from math import log
from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.endgame import CARDS_IN_PLAY, best_scores, cards_in_play
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

TRUST = 0.8
"""How many points a move gets for each e-fold of its prospects, beside what the rollouts bring: as many rollouts as
there is time for leave more to luck than the prospects do."""

FURTHEST = 3.0
"""No move is held back by more e-folds than this."""


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
        policy = Policy(seen.unseen, seen.table.loose[seen.me])
        promised = {move.action: TRUST * max(-FURTHEST, _log(move) - _log(moves[0])) for move in moves}

        def value(move: Move, world: Table) -> float:
            table = world.copy()
            if cards_in_play(table) <= CARDS_IN_PLAY:
                return best_scores(table, seen.me, move.choice, seen.public, revealed=seen.revealed)[seen.me]
            return promised[move.action] + played(table, policy, seen.me, move.choice, seen.public, seen.revealed)

        return best(moves, Worlds(seen).stream(rng), value, min(budget, ROLLOUTS)).action


def _log(move: Move) -> float:
    return log(move.prospects + 1e-300)
