from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from server.bots.base import RandomBot
from server.bots.chuo_pai.endgame import Endgame
from server.bots.chuo_pai.hard import HardBot
from server.bots.chuo_pai.normal import NormalBot
from server.bots.chuo_pai.sight import sight
from server.bots.chuo_pai.worlds import Worlds
from server.bots.ladder import bot_for
from server.games.base import SEATS
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PLAYS
from server.games.chuo_pai.state import State
from tests.deals import seen, states
from tests.server.bots.chuo_pai.cheating import CheatingBot
from tests.server.bots.chuo_pai.duplicate import advantage
from tests.server.bots.chuo_pai.endings import endings

GAME = ChuoPai()

POSITIONS = 10_000
SAMPLED = 4
"""In each so many-th position the choices are compared too: they take the time, and follow from equal views."""


def choices(deals: int, seed: int) -> Iterator[State]:
    """States in which a seat has a choice, of deals among beginners and random bots."""
    kinds = (bot_for("chuo-pai", "easy"), RandomBot())
    for deal in range(deals):
        rng = Random(f"{seed}/{deal}")
        for state in states("chuo-pai", rng.choices(kinds, k=3), rng):
            if len(state.legal) > 1:
                yield state


@pytest.mark.slow
def test_hidden_cards_never_change_a_choice() -> None:
    """The hidden cards are dealt anew between the other hands as the view allows."""
    normal, hard = NormalBot(), HardBot()
    positions = moved = 0
    for state in choices(deals=400, seed=1):
        rng = Random(positions)
        view = seen(GAME, state, state.turn)
        other = replace(state, hands=next(Worlds(sight(view)).dealt(rng)))
        hidden = seen(GAME, other, state.turn)
        assert msgspec.msgpack.encode(view) == msgspec.msgpack.encode(hidden)
        if positions % SAMPLED == 0:
            assert normal.choose(view, Random(1)) == normal.choose(hidden, Random(1))
            assert hard.choose(view, Random(1), 4) == hard.choose(hidden, Random(1), 4)
        positions += 1
        moved += other != state
        if positions == POSITIONS:
            break
    assert positions == POSITIONS
    assert moved > POSITIONS * 0.8, "in the others every hand is known"


def test_without_time_for_rollouts_it_plays_as_a_normal_player_values_plays() -> None:
    for state in choices(deals=3, seed=2):
        view = seen(GAME, state, state.turn)
        for budget in (0, 1):
            assert HardBot().choose(view, Random(1), budget) == NormalBot().choose(view, Random(1))


def test_with_all_hands_certain_it_plays_exactly() -> None:
    certain = 0
    for state in endings(deals=40, most=12):
        view = seen(GAME, state, state.turn)
        if sum(1 for _ in Worlds(sight(view)).all()) > 1:
            continue
        certain += 1
        me, followers = state.turn, (state.leader - state.turn - 1) % 3
        hands = state.hands[me], state.hands[me - 2], state.hands[me - 1]
        endgame = Endgame(state.max_combination)
        own = {action: endgame.played(*hands, PLAYS[action], followers)[0] for action in state.legal}
        assert own[HardBot().choose(view, Random(1))] == max(own.values())
    assert certain > 50


def test_the_same_question_has_the_same_answer_in_every_process() -> None:
    """Pinned: hash seeds, memos and the order of earlier questions must not matter."""
    played = [
        HardBot().choose(seen(GAME, state, state.turn), Random(number), 60)
        for number, state in enumerate(choices(deals=1, seed=3))
    ]
    again = [
        HardBot().choose(seen(GAME, state, state.turn), Random(number), 60)
        for number, state in reversed(list(enumerate(choices(deals=1, seed=3))))
    ]
    assert played == again[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "reference", "deals", "least"),
    [
        ("normal", "easy", 150, 0.2),
        ("normal", "random", 60, 2.0),
        ("hard", "normal", 7, -0.5),
        ("hard", "random", 5, 2.5),
    ],
)
def test_a_level_beats_those_below_it(level: str, reference: str, deals: int, least: float) -> None:
    bot, other = bot_for("chuo-pai", level), bot_for("chuo-pai", reference)  # type: ignore[arg-type]
    difference, _ = advantage(bot, other, deals, seed=7, budget=60)
    assert difference > least


@pytest.mark.slow
def test_knowing_all_hands_would_not_win_much_more() -> None:
    difference, interval = advantage(CheatingBot(), HardBot(), deals=8, seed=7, budget=60)
    assert difference - interval < 0.6
    assert difference < 2


def test_a_seat_that_is_asked_nothing_else_is_answered_at_once() -> None:
    state = next(choices(deals=1, seed=4))
    view = seen(GAME, state, state.turn)
    assert view.prompt is not None
    for action in view.prompt.actions:
        alone = replace(view, prompt=replace(view.prompt, actions=(action,)))
        assert HardBot().choose(alone, Random(1)) == action


def test_every_seat_counts_its_followers_from_the_leader() -> None:
    asked = {(state.turn - state.leader) % len(SEATS): sight(seen(GAME, state, state.turn)) for state in choices(2, 5)}
    assert {steps: found.followers for steps, found in asked.items()} == {0: 2, 1: 1, 2: 0}
