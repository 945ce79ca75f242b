"""Histories that a player cannot tell apart."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel: make openspiel")


import pyspiel

from server.games.base import SEATS
from server.open_spiel.resampling import retold
from tests.server.open_spiel.courses import GAMES, course


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_resampled_state_looks_to_its_player_as_the_true_one_does(name: str) -> None:
    """As OpenSpiel's ResampleInfostateTest, which its Python package leaves out, for each seat at each decision."""
    sampler = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0)
    for state in list(course(name, 1))[:-1]:
        for player in SEATS:
            other = state.resample_from_infostate(player, sampler)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.current_player() == state.current_player()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("name", GAMES)
def test_a_resampled_state_has_a_history_that_leads_to_it(name: str) -> None:
    states = list(course(name, 2))
    for state in islice(states[:-1], 2, None, 9):
        other = state.resample_from_infostate(state.current_player(), Random(3).random)
        again = other.get_game().new_initial_state()
        for action in other.history():
            assert action in again.legal_actions()
            again.apply_action(action)
        assert str(again) == str(other)


@pytest.mark.parametrize("name", ["python_chuo_pai", "python_paohuzi"])
def test_hidden_cards_differ_from_one_sample_to_the_next(name: str) -> None:
    state = next(course(name, 3))
    sampler = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0)
    samples = [state.resample_from_infostate(state.current_player(), sampler) for _ in range(5)]
    assert len({str(sample) for sample in samples}) == 5


@pytest.mark.parametrize("name", GAMES)
def test_guesses_are_resampled_states_without_a_history(name: str) -> None:
    states = list(course(name, 4))
    for state in states[:-1:5]:
        player = state.current_player()
        for node in islice(state.guesses(Random(1)), 3):
            other = state.get_game().new_initial_state()
            other.node = node
            assert other.current_player() == player
            assert other.information_state_string() == state.information_state_string()
            assert other.legal_actions() == state.legal_actions()
            deal = Random(2)
            while not other.is_terminal():
                other.apply_action(deal.choice(other.legal_actions()))


def test_earlier_claims_in_a_window_that_is_open_are_unknown() -> None:
    """Whoever is asked second does not know whether somebody was asked first, or what they declared."""
    found: Counter[int] = Counter()
    for seed in range(12):
        for state in course("python_paohuzi", seed):
            at = state.node.state
            if not state.is_terminal() and at.claims is not None and any(at.claims.declared):
                player = state.current_player()
                for node in islice(state.guesses(Random(seed)), 12):
                    found[sum(map(bool, node.state.claims.declared))] += 1
                    assert player in node.state.asked
    assert min(found[0], found[1]) > 0


def test_decks_that_do_not_fit_are_no_worlds() -> None:
    state = list(course("python_paohuzi", 1))[5]
    reversed_decks = iter([tuple(reversed(state.node.dealt))] * 3)
    with pytest.raises(LookupError, match="do not lead to"):
        retold(state.table, reversed_decks, state.node, state.current_player(), Random(1))
