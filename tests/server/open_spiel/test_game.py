"""OpenSpiel's own tests, and that the deals are those of our rules."""

import pickle
import unittest
from itertools import islice
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel: make openspiel")


import pyspiel
from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts, outcome_sampling_mccfr
from open_spiel.python.bots import uniform_random
from open_spiel.python.tests import games_sim_test

from protocol.notation import Action
from server.games.base import IllegalAction, settled
from server.games.paohuzi.game import Paohuzi
from server.open_spiel.chuo_pai import ACTIONS as CHUO_PAI_ACTIONS
from server.open_spiel.game import TableState
from server.open_spiel.paohuzi import ACTIONS as PAOHUZI_ACTIONS
from tests.server.open_spiel.courses import GAMES, course


@pytest.mark.parametrize("name", GAMES)
def test_random_simulations_of_openspiel_find_nothing(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)
    for _ in range(3):
        games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.parametrize("name", GAMES)
def test_the_api_tests_of_openspiel_find_nothing_in_whole_deals(name: str) -> None:
    """On states of whole deals: those that they sample themselves are nearly all from before the first decision."""

    class OnWholeDeals(api_test.EnforceAPIOnPartialTreeBase):
        game_name, game = name, pyspiel.load_game(name)

        @classmethod
        def setUpClass(cls) -> None:
            cls.game_type = cls.game.get_type()
            cls.some_states = [state for seed in range(2) for state in course(name, seed, dealt=False)]

    found = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(OnWholeDeals).run(found)
    assert found.testsRun >= 5
    assert not found.errors + found.failures + found.skipped


@pytest.mark.parametrize("name", GAMES)
def test_a_deal_is_that_of_the_rules(name: str) -> None:
    for seed in range(10):
        rng = Random(seed)
        state: TableState = pyspiel.load_game(name).new_initial_state()
        while state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        rules, root = state.table.rules, state.node
        ours = settled(rules, rules.start(root.dealt, root.first, root.options))
        while not state.is_terminal():
            player = state.current_player()
            legal = [state.action_to_string(action) for action in state.legal_actions()]
            assert sorted(legal) == sorted(rules.asked(ours)[player])
            action = rng.choice(legal)
            ours = settled(rules, rules.apply(ours, player, action))
            state.apply_action(state.string_to_action(action))
            assert state.returns() == [0, 0, 0] or state.is_terminal()
        result = rules.result(ours)
        assert result is not None
        assert not rules.asked(ours)
        if "margin" in name:
            assert state.returns() == [score - (sum(result.scores) - score) / 2 for score in result.scores]
        else:
            assert state.returns() == list(result.scores)


@pytest.mark.parametrize("actions", [CHUO_PAI_ACTIONS, PAOHUZI_ACTIONS])
def test_every_action_has_one_number(actions: tuple[Action, ...]) -> None:
    assert len(set(actions)) == len(actions)


def test_the_numbers_of_actions_stay() -> None:
    """Who has trained something with them relies on it."""
    assert len(CHUO_PAI_ACTIONS) == 469
    assert CHUO_PAI_ACTIONS[:3] == ("pass", "play 66", "play 66+66")
    assert CHUO_PAI_ACTIONS[84:86] == ("play 24+24+24+24", "play 36+66")
    assert CHUO_PAI_ACTIONS[-1] == "play 13+13+13+13+14+14+14+14+23+23+23+23"
    assert len(PAOHUZI_ACTIONS) == 400
    assert PAOHUZI_ACTIONS[:5] == ("pass", "win", "pao", "peng", "discard s1")
    assert PAOHUZI_ACTIONS[23:25] == ("discard b10", "chi s1+s1+b1")
    assert PAOHUZI_ACTIONS[-1] == "chi b6+b7+b8 b8+b9+b10 b8+b9+b10"


def test_a_deck_is_any_order_of_the_pack() -> None:
    for name in ("python_chuo_pai", "python_paohuzi"):
        state = next(course(name, 1))
        assert sorted(state.node.dealt) == sorted(state.table.rules.pack)
        (first, *_) = course(name, 1, dealt=False)
        assert sum(chance for _, chance in first.chance_outcomes()) == pytest.approx(1)


def test_who_leads_or_deals_is_a_parameter() -> None:
    for first in range(3):
        for name in ("python_chuo_pai", "python_paohuzi"):
            state = next(course(f"{name}(first={first})", 3))
            leader = state.node.state.leader if name == "python_chuo_pai" else state.node.state.dealer
            assert leader == first
    with pytest.raises(ValueError, match="first is 3"):
        pyspiel.load_game("python_paohuzi(first=3)")


def test_a_house_rule_out_of_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="max_combination"):
        pyspiel.load_game("python_chuo_pai(max_combination=13)")


def test_what_is_no_choice_is_refused() -> None:
    state = next(course("python_paohuzi", 1))
    with pytest.raises(IllegalAction):
        state.apply_action(1)


@pytest.mark.parametrize("name", GAMES)
def test_a_state_comes_back_from_bytes_in_the_midst_of_a_deal(name: str) -> None:
    for state in islice(course(name, 5), 3, None, 20):
        again = pickle.loads(pickle.dumps(state))
        assert str(again) == str(state)
        assert again.history() == state.history()
        assert again.legal_actions() == state.legal_actions()


def test_claims_are_declared_from_the_seat_that_shows_the_card_on() -> None:
    windows = 0
    for seed in range(40):
        for state in course("python_paohuzi", seed):
            at = state.node.state
            asked = Paohuzi().asked(at)
            if len(asked) > 1:
                windows += 1
                assert state.current_player() == min(asked, key=lambda seat: (seat - at.claims.owner) % 3)
    assert windows > 20


@pytest.mark.parametrize("name", ["python_chuo_pai", "python_paohuzi"])
def test_learning_and_search_of_openspiel_run(name: str) -> None:
    game = pyspiel.load_game(name)
    outcome_sampling_mccfr.OutcomeSamplingSolver(game).iteration()
    environment = rl_environment.Environment(game)
    step: Any = environment.reset()
    while not step.last():
        step = environment.step([step.observations["legal_actions"][step.observations["current_player"]][0]])
    assert len(step.rewards) == 3
    state = next(course(name, 1))
    evaluator = mcts.RandomRolloutEvaluator(1)
    assert len(evaluator.evaluate(state)) == 3
    bots = [uniform_random.UniformRandomBot(player, Random(1)) for player in range(3)]
    assert bots[state.current_player()].step(state) in state.legal_actions()
