import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from random import Random

import msgspec
import pytest

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import Bot, offered
from server.bots.ladder import bot_for
from server.bots.paohuzi.endgame import CARDS_IN_PLAY, best_scores, cards_in_play
from server.bots.paohuzi.hard import HardBot
from server.bots.paohuzi.judging import judged
from server.bots.paohuzi.kernel import NUMBER, Table
from server.bots.paohuzi.sight import Sight, sight
from server.duels import Duel, deal_played, summed_up
from server.games.base import SEATS, Seat, settled
from server.games.paohuzi.state import State
from server.games.registry import GAMES
from tests.deals import seen, states
from tests.server.bots.paohuzi.exchanged import hidden_exchanged
from tests.server.bots.paohuzi.tables import claims_in, table_of
from tests.server.bots.paohuzi.test_endgame import questions

GAME = GAMES["paohuzi"]
NORMAL, HARD = bot_for("paohuzi", "normal"), bot_for("paohuzi", "hard")


def positions(seeds: range, level: str = "easy") -> Iterator[tuple[State, Seat]]:
    """Every question of some deals."""
    bot = bot_for("paohuzi", "easy") if level == "easy" else bot_for("paohuzi", "random")
    for seed in seeds:
        for state in states("paohuzi", (bot, bot, bot), Random(seed)):
            for seat in GAME.asked(state):
                yield state, seat


def views(seeds: range) -> Iterator[TableView]:
    for state, seat in positions(seeds):
        yield seen(GAME, state, seat)


def at_once(view: TableView) -> Action:
    """What is best by its prospects alone."""
    actions = offered(view)
    return "win" if "win" in actions else judged(sight(view), actions)[0].action


def test_without_a_budget_it_chooses_by_prospects() -> None:
    for view in views(range(3)):
        assert {HARD.choose(view, Random(1), budget) for budget in (0, 1)} == {at_once(view)}


def test_with_a_budget_it_claims_otherwise_now_and_then() -> None:
    chosen = [(HARD.choose(view, Random(1)), at_once(view)) for view in views(range(4)) if "pass" in offered(view)]
    others = sum(searched != unsearched for searched, unsearched in chosen)
    assert 0.02 < others / len(chosen) < 0.3


def test_a_discard_is_not_searched_while_many_cards_are_in_play() -> None:
    early = (each for each in positions(range(4)) if cards_in_play(table_of(each[0])) > CARDS_IN_PLAY)
    asked = [view for state, seat in early if "pass" not in offered(view := seen(GAME, state, seat))]
    assert len(asked) > 20
    assert all(HARD.choose(view, Random(1)) == at_once(view) for view in asked)


@pytest.mark.slow
def test_another_process_chooses_the_same() -> None:
    """Whatever its hashes are, and whatever it has thought about before."""
    program = (
        "from random import Random\n"
        "from tests.server.bots.paohuzi.test_hard import HARD, views\n"
        "print([HARD.choose(view, Random(1), 40) for view in views(range({start}, 3))][-20:])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program.format(start=start)],
            env=os.environ | {"PYTHONHASHSEED": str(start)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for start in (0, 2)
    }
    assert len(outputs) == 1


def unmoved(state: State, seat: Seat, rng: Random, bots: tuple[Bot, ...], budget: int) -> bool:
    """Nothing that the seat cannot see changes what it is shown and does. Whether anything was changed."""
    other = hidden_exchanged(state, seat, rng)
    view, same = seen(GAME, state, seat), seen(GAME, other, seat)
    assert msgspec.msgpack.encode(view) == msgspec.msgpack.encode(same)
    seed = rng.random()
    for bot in bots:
        assert bot.choose(view, Random(seed), budget) == bot.choose(same, Random(seed), budget)
    return other.holdings != state.holdings or other.stock != state.stock


SAMPLED = 32
"""The bots are asked in every so many positions: what they are shown is compared in all."""


@pytest.mark.slow
def test_hidden_cards_never_change_a_choice_in_ten_thousand_positions() -> None:
    rng = Random(9)
    changed = asked = 0
    for number, (state, seat) in enumerate(positions(range(5_000, 6_000), "random")):
        bots = (NORMAL, HARD) if number % SAMPLED == 0 else ()
        asked += bool(bots)
        changed += unmoved(state, seat, rng, bots, budget=12)
        if number == 10_000:
            break
    assert asked > 300
    assert changed > 9_900


class Knowing(HardBot):
    """The same bot with one thing more than its view: how the cards lie. For tests only."""

    def __init__(self, truth: Table, *, stock: bool) -> None:
        self._truth = truth
        self._stock = stock

    def worlds(self, seen: Sight, rng: Random) -> Iterator[Table]:
        while True:
            world = self._truth.copy()
            if not self._stock:
                left = list(world.stock)
                rng.shuffle(left)
                world.stock = tuple(left)
            yield world


def points(deal: int, seat: Seat, *, knowing: str) -> int:
    """Of one seat's hard bot against two others, which may know the others' `hands`, or all `cards`."""
    rng = Random(f"knowing/{deal}")
    state: State = settled(GAME, GAME.start(tuple(rng.sample(GAME.pack, len(GAME.pack))), deal % 3, {}))
    chances = [Random(f"{deal}/{each}") for each in SEATS]
    while asked := GAME.asked(state):
        mover = min(asked)
        bot: Bot = HARD
        if mover == seat and knowing:
            bot = Knowing(table_of(state), stock=knowing == "cards")
        action = bot.choose(seen(GAME, state, mover), chances[mover], 60)
        state = settled(GAME, GAME.apply(state, mover, action))
    assert state.result is not None
    return state.result.scores[seat]


@pytest.mark.slow
def test_whoever_knows_all_cards_gains_by_it() -> None:
    """So it matters which worlds are dealt."""
    gained = sum(points(deal, deal % 3, knowing="cards") - points(deal, deal % 3, knowing="") for deal in range(8))
    assert gained > 0


@pytest.mark.slow
def test_with_the_last_cards_known_no_choice_of_ten_thousand_is_worse_than_full_search() -> None:
    """`test_endgame` holds the search itself against one through the real rules, on the same positions.

    A win is declared at once, also where a bigger one would follow: nobody knows the stock.
    """
    mattered = 0
    many = (question for seed in range(1_000, 1_000_000) for question in questions(seed))
    for state, seat in islice(many, 10_000):
        values = exact(state, seat)
        if "win" not in values and len(set(values.values())) > 1:
            view = seen(GAME, state, seat, {"chi_passed_reveal": state.chi_passed_reveal})
            chosen = Knowing(table_of(state), stock=True).choose(view, Random(1))
            assert values[chosen] == max(values.values())
            mattered += 1
    assert mattered > 100, "few of these positions had a choice that mattered"


def exact(state: State, seat: Seat) -> dict[Action, int]:
    """The score of every action but a win without a card."""
    x = -1 if state.claims is None or state.public is None else NUMBER[state.public.cards[0]]
    revealed = state.public is not None and state.public.kind == "revealed"
    claims = {claim.action: claim for claim in claims_in(state, seat)} if state.claims else {}
    values = {}
    for action in state.asked[seat]:
        if action == "win" and not claims:
            continue
        discarded = NUMBER[action.removeprefix("discard ")] if action.startswith("discard ") else None
        choice = claims.get(action) if discarded is None else discarded
        values[action] = best_scores(table_of(state), seat, choice, x, revealed=revealed)[seat]
    return values


@pytest.mark.slow
def test_hard_loses_nothing_to_two_normal_bots_with_little_time() -> None:
    """So few deals show a gross fault. How much better it is takes hundreds: `docs/ladder.md`."""
    duel = Duel("paohuzi", "hard", "normal", seed=1, budget=60)
    played = summed_up(deal_played(duel, number, lambda: 0.0) for number in range(1, 13))
    assert played.win_share is not None
    assert played.win_share > 0.25
    assert played.difference > -1
