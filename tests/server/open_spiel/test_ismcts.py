"""OpenSpiel's ISMCTS as a player of duels."""

from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel: make openspiel")

from open_spiel.python.algorithms import ismcts, mcts

from server.duels import Duel, deal_played
from server.games.base import settled
from server.games.registry import game_named
from server.open_spiel.ismcts import Rollouts
from server.players import Position, UnknownPlayer, player_named
from tests.server.open_spiel.courses import GAMES, course

BUDGET = 4


def positions(game: str, seed: int) -> list[Position]:
    """All positions of a random deal in which a seat has a choice, claims declared in the order of the seats."""
    rules, rng = game_named(game), Random(seed)
    deck = tuple(rng.sample(rules.pack, len(rules.pack)))
    steps: list[tuple[int, str]] = []
    state: Any = settled(rules, rules.start(deck, seed % 3, {}))
    found = []
    while asked := rules.asked(state):
        seat = min(asked)
        if len(asked[seat]) > 1:
            found.append(Position(rules, {}, deck, seed % 3, tuple(steps), state, seat))
        steps.append((seat, rng.choice(asked[seat])))
        state = settled(rules, rules.apply(state, *steps[-1]))
    return found


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_it_chooses_what_is_offered_and_the_same_again(game: str) -> None:
    player = player_named(game, "ismcts", BUDGET)
    for position in positions(game, 1):
        chosen = [player.choose(player.shown(position), Random(5)) for _ in range(2)]
        assert chosen[0] == chosen[1]
        assert chosen[0] in position.game.asked(position.state)[position.seat]


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_it_does_not_look_at_hidden_cards(game: str) -> None:
    """The same choice on every deck that its seat cannot tell from the true one."""
    player = player_named(game, "ismcts", BUDGET)
    for position in positions(game, 2)[::4]:
        shown: Any = player.shown(position)
        other = shown.resample_from_infostate(position.seat, Random(8).random)
        assert player.choose(other, Random(5)) == player.choose(shown, Random(5))


def test_claims_declared_in_another_order_are_told_alike() -> None:
    """A duel asks by the number of the seat, the adapter from the seat that shows the card on."""
    asked = 0
    for seed in range(30):
        for position in positions("paohuzi", seed):
            shown: Any = player_named("paohuzi", "ismcts").shown(position)
            assert shown.current_player() == position.seat
            rules = position.game
            offered = {shown.action_to_string(action) for action in shown.legal_actions()}
            assert offered == set(rules.asked(position.state)[position.seat])
            assert rules.view(shown.node.state, position.seat) == rules.view(position.state, position.seat)
            asked += len(rules.asked(position.state)) > 1
    assert asked > 10


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
def test_it_sits_in_a_duel(game: str) -> None:
    played = deal_played(Duel(game, "ismcts", "random", 1, budget=2), 1, lambda: 0.0)
    assert len(played.margins) == 3


def test_it_plays_the_games_of_the_adapter_alone() -> None:
    with pytest.raises(UnknownPlayer):
        player_named("mahjong", "ismcts")


@pytest.mark.parametrize("name", GAMES)
def test_its_rollouts_are_random_deals_to_the_end(name: str) -> None:
    """Against OpenSpiel's own evaluator, by their means."""
    state = next(course(name, 1))
    ours = Rollouts(state.table, Random(1))
    theirs = mcts.RandomRolloutEvaluator(1)
    means = [sum(each.evaluate(state) for _ in range(150)) / 150 for each in (ours, theirs)]
    assert means[0] == pytest.approx(means[1], abs=1.5)
    assert ours.prior(state) == theirs.prior(state)


@pytest.mark.parametrize("name", ["python_chuo_pai", "python_paohuzi"])
def test_the_bot_of_openspiel_runs_as_it_is(name: str) -> None:
    state = next(course(name, 1))
    game = state.get_game()
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1), 2.0, 8)
    assert bot.step(state) in state.legal_actions()
