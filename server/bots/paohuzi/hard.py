"""A player of Paohuzi that plays its most promising choices to the end, in many deals that fit what it sees."""

from collections.abc import Iterator, Mapping
from math import log
from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.endgame import CARDS_IN_PLAY, best_scores, cards_in_play
from server.bots.paohuzi.judging import Move, judged
from server.bots.paohuzi.kernel import Table
from server.bots.paohuzi.plan import GREED
from server.bots.paohuzi.rollout import Policy, played
from server.bots.paohuzi.sight import Sight, sight
from server.bots.paohuzi.worlds import Worlds
from server.bots.search import best

ROLLOUTS = 150
"""The full budget."""

MOST_MOVES = 4
"""So many of the most promising moves are tried."""

TRUST = 1.0
"""What a move gets for each e-fold of its prospects, beside what the rollouts bring: there is never time for so many
that luck would not decide between moves of about the same worth."""

FURTHEST = 3.0
"""No move is held back by more e-folds than this."""

_LEAST_PROSPECTS = 1e-30

_MOST_TUN = 40

WORTH: Mapping[int, float] = {
    0: 0.0,
    **{2 * tun: 2 * float(tun**GREED) for tun in range(1, _MOST_TUN)},
    **{-tun: -float(tun**GREED) for tun in range(1, _MOST_TUN)},
}
"""What a score is worth: a big win less than its points, as `GREED` has it, which also leaves less to luck."""


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
        folds = {move.action: log(max(move.prospects, _LEAST_PROSPECTS)) for move in moves}
        promised = {action: TRUST * max(-FURTHEST, fold - folds[moves[0].action]) for action, fold in folds.items()}

        def value(move: Move, world: Table) -> float:
            table = world.copy()
            if cards_in_play(table) <= CARDS_IN_PLAY:
                return best_scores(table, seen.me, move.choice, seen.public, revealed=seen.revealed)[seen.me]
            score = played(table, policy, seen.me, move.choice, seen.public, seen.revealed)
            return promised[move.action] + WORTH[score]

        return best(moves, self.worlds(seen, rng), value, min(budget, ROLLOUTS)).action

    def worlds(self, seen: Sight, rng: Random) -> Iterator[Table]:
        """Without end, one after another."""
        return Worlds(seen).stream(rng)
