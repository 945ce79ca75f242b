"""What a player is told is what it could see at our tables, and nothing more."""

from collections import defaultdict
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel: make openspiel")


import pyspiel
from open_spiel.python.observation import make_observation

from server.games.base import SEATS
from server.open_spiel.game import TableState
from server.open_spiel.node import TERMINAL
from tests.server.open_spiel.courses import GAMES, course

RECALLED = pyspiel.IIGObservationType(perfect_recall=True)


def seen(state: TableState, seat: int) -> list[Any]:
    """Everything that the seat has been shown since the deal, and what it has declared, in order."""
    rules, node = state.table.rules, state.node
    again = rules.start(node.dealt, node.first, node.options)
    shown: list[Any] = []
    choices = [each.action for each in state.full_history() if each.player >= 0]
    at = state.table.begin(node, node.dealt)
    for choice in [*choices, None]:
        for view in views_up_to(state, again, at.state, seat):
            if not shown or shown[-1] != view:
                shown.append(view)
        again = at.state
        if choice is None:
            break
        action = state.table.actions[choice]
        if at.player == seat:
            shown.append(action)
        again = rules.apply(again, at.player, action)
        at = state.table.apply(at, action)
    return shown


def views_up_to(state: TableState, at: Any, end: Any, seat: int) -> list[Any]:
    rules = state.table.rules
    views = [rules.view(at, seat)]
    while at != end:
        at = rules.go_on(at)
        views.append(rules.view(at, seat))
    return views


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_information_states_are_equal_exactly_where_all_views_so_far_are(name: str) -> None:
    """Held against worlds in which other cards are hidden: those agree with all views, or with none of the new ones."""
    compared = 0
    for seed in range(2):
        states = list(course(name, seed))
        for state in states[:: max(1, len(states) // 12)]:
            if state.node.player == TERMINAL:
                continue
            player = state.current_player()
            sampler = pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)
            for _ in range(2):
                other = state.resample_from_infostate(player, sampler)
                for seat in SEATS:
                    same = state.information_state_string(seat) == other.information_state_string(seat)
                    assert same == (seen(state, seat) == seen(other, seat))
                    compared += not same
    assert compared


@pytest.mark.parametrize("name", GAMES)
def test_no_two_moments_of_a_deal_look_alike_to_who_decides(name: str) -> None:
    """Perfect recall: an information state says all that its player has seen and done before."""
    for seed in range(4):
        told: dict[int, list[str]] = defaultdict(list)
        for state in course(name, seed):
            if not state.is_terminal():
                told[state.current_player()].append(state.information_state_string())
        for texts in told.values():
            assert len(set(texts)) == len(texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_tensor_of_an_information_state_says_what_its_text_says(name: str) -> None:
    known: dict[tuple[float, ...], str] = {}
    observation = make_observation(pyspiel.load_game(name), RECALLED)
    for seed in range(3):
        for state in course(name, seed):
            for seat in SEATS:
                observation.set_from(state, seat)
                text = observation.string_from(state, seat)
                assert known.setdefault(tuple(observation.tensor), text) == text
    assert len(set(known.values())) == len(known)


def test_a_declaration_is_told_to_who_made_it_alone() -> None:
    secret = 0
    for seed in range(30):
        before: Any = None
        for state in course("python_paohuzi", seed):
            if before is not None and before.node.told == state.node.told:
                declarer = before.current_player()
                for seat in SEATS:
                    told = before.information_state_string(seat) != state.information_state_string(seat)
                    assert told == (seat == declarer)
                    assert before.observation_string(seat) == state.observation_string(seat)
                secret += 1
            before = state
    assert secret > 10


def test_while_the_deck_is_dealt_a_player_knows_its_own_cards() -> None:
    states = list(course("python_paohuzi", 1, dealt=False))
    assert states[0].information_state_string(0) == "0 "
    assert states[1].information_state_string(0) == f"0 {states[1].node.dealt[0]}"
    assert states[22].information_state_string(0) == states[21].information_state_string(0)


def test_the_parts_of_a_tensor_count_cards() -> None:
    for state in course("python_paohuzi", 2):
        observation = make_observation(pyspiel.load_game("python_paohuzi"))
        for seat in SEATS:
            observation.set_from(state, seat)
            parts = observation.dict
            assert parts["player"][seat] == parts["player"].sum() == 1
            assert parts["hand"].sum() + parts["kan"].sum() == parts["held"][seat]
            owned = parts["held"].sum() + sum(parts[zone].sum() for zone in ("melds", "discards"))
            shown = 0 if state.node.state.public and state.node.state.public.kind == "dealt" else parts["public"].sum()
            won = state.is_terminal() and any(state.returns())
            assert owned + parts["stock"][0] + shown == 80 or won


def test_everything_public_is_all_that_a_spectator_sees() -> None:
    public = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    rng = Random(1)
    for name in ("python_chuo_pai", "python_paohuzi"):
        observation = make_observation(pyspiel.load_game(name), public)
        states = list(course(name, 7))
        for state in rng.sample(states[:-1], 8):
            other = state.resample_from_infostate(state.current_player(), rng.random)
            for seat in SEATS:
                assert observation.string_from(state, seat) == observation.string_from(other, seat)


def test_observations_have_no_parameters() -> None:
    with pytest.raises(ValueError, match="no parameters"):
        pyspiel.load_game("python_paohuzi").make_py_observer(None, {"depth": 1})
