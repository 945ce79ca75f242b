"""OpenSpiel's `Game` and `State` over any game of ours.

Knows nothing of one game: its `Table` is the tree, with what a player may think possible, and its `Pieces` the tensors.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, ClassVar, cast

import pyspiel

from server.games.base import SEATS, Game, Seat
from server.open_spiel.node import CHANCE, TERMINAL, Node, Table
from server.open_spiel.observer import Observer, Pieces
from server.open_spiel.resampling import retold

FIRST = "first"


class TableState(pyspiel.State):
    """A node in a history. All that a clone or a serialised state needs is in `node`."""

    table: ClassVar[Table]

    def __init__(self, game: "TableGame"):
        super().__init__(game)
        self.node: Node = game.root

    def current_player(self) -> int:
        return self.node.player

    def is_terminal(self) -> bool:
        return self.node.player == TERMINAL

    def _legal_actions(self, player: Seat) -> list[int]:
        numbers = self.table.numbers
        return sorted([numbers[action] for action in self.table.rules.asked(self.node.state)[player]])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = self.table.left(self.node)
        cards = sum(left)
        return [(place, copies / cards) for place, copies in enumerate(left) if copies]

    def _apply_action(self, action: int) -> None:
        if self.node.player == CHANCE:
            self.node = self.table.deal(self.node, self.table.cards[action])
        else:
            self.node = self.table.apply(self.node, self.table.actions[action])

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {self.table.cards[action]}" if player == CHANCE else self.table.actions[action]

    def returns(self) -> list[float]:
        if self.node.player != TERMINAL:
            return [0.0] * len(SEATS)
        return self.table.scores(self.node.state, margin=self.node.margin)

    def resample_from_infostate(self, player: Seat, sampler: Callable[[], float]) -> "TableState":
        """Another history, whole from the first card on, that the player cannot tell from this one.

        `sampler`: numbers from 0 to below 1. Raises as `retold` does.
        """
        rng = Random(int(sampler() * 2**53))
        found = retold(self.table, self.table.decks(self.node, player, rng), self.node, player, rng)
        state = cast(TableState, self.get_game().new_initial_state())
        for card in found.deck:
            state.apply_action(self.table.cards.index(card))
        for action in found.choices:
            state.apply_action(self.table.numbers[action])
        return state

    def guesses(self, rng: Random) -> Iterator[Node]:
        """What the player who decides may think possible, without end: as resampled, but with no history to show."""
        decks = self.table.decks(self.node, self.node.player, rng)
        while True:
            yield retold(self.table, decks, self.node, self.node.player, rng).node

    def __str__(self) -> str:
        node = self.node
        lines = [
            f"{seat} {start} {';'.join(own)}" for seat, start, own in zip(SEATS, node.starts, node.own, strict=True)
        ]
        return "\n".join([" ".join(node.dealt), *lines, *node.told])


class TableGame(pyspiel.Game):
    """A game with its house rules as parameters, and `first`: the seat that leads, or deals."""

    state: ClassVar[type[TableState]]
    pieces: ClassVar[Pieces]

    def __init__(self, kind: Any, info: Any, params: Mapping[str, Any], *, margin: bool = False):
        """`margin`: see `Node`. Raises `BadOption` for a house rule out of its range, `ValueError` for no seat."""
        super().__init__(kind, info, params)
        first = params[FIRST]
        if first not in SEATS:
            raise ValueError(f"{FIRST} is {first}; it must be a seat from 0 to 2")
        rules = self.state.table.rules
        options = {rule.name: params[rule.name] for rule in rules.house_rules}
        self.root = Node(rules.options(options), first, margin=margin)

    def new_initial_state(self) -> TableState:
        return self.state(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, object] | None = None) -> Observer:
        return Observer(self.pieces, iig_obs_type, params)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.state.table.rules.pack)


def game_type(short_name: str, long_name: str, rules: Game[Any], utility: Any, more: Mapping[str, object]) -> Any:
    """A `pyspiel.GameType` of three seats that hide cards. `more`: further parameters, with their defaults."""
    return pyspiel.GameType(
        short_name=short_name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=len(SEATS),
        min_num_players=len(SEATS),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={FIRST: 0} | {rule.name: rule.default for rule in rules.house_rules} | dict(more),
    )
