"""OpenSpiel's search over information sets (ISMCTS) as a player of duels: the measure for our own bots.

It is OpenSpiel's bot in Python; the one in C++ can neither call a Python game's `resample_from_infostate` nor be given
another sampler from Python. What is ours around it only makes it faster: worlds are those of our bots, without a
history to show, and random rollouts are played by the rules themselves. In Chuo Pai it plays for what duels count, the
margin.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, cast

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from protocol.notation import Action
from server.games.base import Seat
from server.open_spiel.game import TableState
from server.open_spiel.node import Table, next_of
from server.players import Position, UnknownPlayer

SPIEL_NAMES: Mapping[str, str] = {"chuo-pai": "python_chuo_pai", "paohuzi": "python_paohuzi"}

UCT_C: Mapping[str, float] = {"chuo-pai": 1.5, "paohuzi": 5.0}
"""How much it explores, in points. Measured against two easy bots: in Chuo Pai (40 deals) 1.5, 5 and 15 lose by 0.05,
0.17 and 0.52 points a deal, in Paohuzi (50 deals) 1, 3 and 9 by 2.3, 2.0 and 1.7, with 0.6 as half of an interval. The
easy bots of Paohuzi counted cards then, and were harder to beat than those of today.
"""

SIMULATIONS: Mapping[str, int] = {"chuo-pai": 350, "paohuzi": 80}
"""As many as take no less time than `hard` does: 113 and 43 ms a choice, where that took 104 and 41."""


class Rollouts(mcts.Evaluator):
    """What one random deal to the end brings, as `mcts.RandomRolloutEvaluator` finds it in several times the time."""

    def __init__(self, table: Table, rng: Random):
        self._table, self._rng = table, rng

    def evaluate(self, state: TableState) -> Any:
        rules, choice = self._table.rules, self._rng.choice
        at = state.node.state
        while True:
            asked = rules.asked(at)
            if asked:
                seat = next_of(rules, at)
                at = rules.apply(at, seat, choice(asked[seat]))
            elif rules.window(at):
                at = rules.go_on(at)
            else:
                return np.array(self._table.scores(at, margin=state.node.margin))

    def prior(self, state: TableState) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


class IsmctsPlayer:
    """`simulations`: of one choice; None for `SIMULATIONS`. `uct_c`: in the unit of returns; None for `UCT_C`."""

    def __init__(self, game: str, simulations: int | None = None, uct_c: float | None = None):
        """Raises `UnknownPlayer`."""
        if game not in SPIEL_NAMES:
            raise UnknownPlayer(f"ismcts plays no {game}")
        self._name = SPIEL_NAMES[game]
        self._simulations = SIMULATIONS[game] if simulations is None else simulations
        self._uct_c = UCT_C[game] if uct_c is None else uct_c

    def shown(self, position: Position) -> TableState:
        margin = {"margin": True} if position.game.name == "chuo-pai" else {}
        game = pyspiel.load_game(self._name, {"first": position.first, **margin, **position.options})
        state = cast(TableState, game.new_initial_state())
        state.node = state.table.reached(state.node, position.deck, position.steps, position.seat)
        return state

    def choose(self, shown: TableState, rng: Random) -> Action:
        guesses = shown.guesses(rng)
        bot = ismcts.ISMCTSBot(
            shown.get_game(),
            Rollouts(shown.table, rng),
            self._uct_c,
            self._simulations,
            random_state=np.random.RandomState(rng.getrandbits(32)),
            final_policy_type=ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        )

        def resampled(state: TableState, player: Seat) -> TableState:  # noqa: ARG001 always those of `shown`
            other = cast(TableState, shown.get_game().new_initial_state())
            other.node = next(guesses)
            return other

        bot.set_resampler(resampled)
        number: int = bot.step(shown)
        return shown.table.actions[number]
