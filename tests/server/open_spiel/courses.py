"""States of the adapter for its tests, along whole random deals."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pyspiel

import server.open_spiel  # noqa: F401 registers the games

GAMES = (
    "python_chuo_pai",
    "python_chuo_pai(first=1,margin=True,max_combination=5)",
    "python_paohuzi",
    "python_paohuzi(chi_passed_reveal=True,dealer_opening_win=True,first=2)",
)


def course(name: str, seed: int, *, dealt: bool = True) -> Iterator[Any]:
    """Each state of a random deal, from the first decision on, or from the first card on."""
    rng = Random(seed)
    state = pyspiel.load_game(name).new_initial_state()
    while not state.is_terminal():
        if not (dealt and state.is_chance_node()):
            yield state.clone()
        state.apply_action(rng.choice(state.legal_actions()))
    yield state
