import pickle
import re
from collections import Counter
from itertools import count
from random import Random
from typing import Any

import pytest

from protocol.notation import Action
from server import players
from server.duels import DealPlayed, Duel, deal_played, summed_up
from server.games.base import BadOption, Seat
from server.games.registry import GAMES, UnknownGame
from server.intervals import Watched
from server.players import Position, UnknownPlayer


class Noting:
    """Plays by lot, and writes down every position and what it drew."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.drawn: list[float] = []

    def shown(self, position: Position) -> Position:
        self.positions.append(position)
        return position

    def choose(self, shown: Position, rng: Random) -> Action:
        self.drawn.append(rng.random())
        return rng.choice(shown.game.asked(shown.state)[shown.seat])


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> dict[str, Noting]:
    """The players `one` and `two`."""
    noting = {"one": Noting(), "two": Noting()}
    monkeypatch.setattr(players, "OTHERS", {name: lambda game, budget, name=name: noting[name] for name in noting})
    return noting


def cpu_s() -> float:
    return 0.0


def dealt(position: Position) -> tuple[Any, Seat]:
    return position.deck, position.first


@pytest.mark.parametrize("game", GAMES)
def test_in_one_deal_the_candidate_plays_every_seat_of_the_same_cards(game: str, noted: dict[str, Noting]) -> None:
    deal_played(Duel(game, "one", "two"), 1, cpu_s)
    candidate, reference = noted["one"].positions, noted["two"].positions
    assert {dealt(position) for position in candidate} == {dealt(candidate[0])} == {dealt(each) for each in reference}
    seats = [position.seat for position in candidate]
    assert seats == sorted(seats)  # one game in each, in this order
    assert set(seats) == {0, 1, 2}


def test_three_deals_in_a_row_have_each_pair_of_seat_and_first_leader_once(noted: dict[str, Noting]) -> None:
    pairs: Counter[tuple[Seat, Seat]] = Counter()
    decks = set()
    for number in range(4, 10):
        noted["one"].positions.clear()
        deal_played(Duel("chuo-pai", "one", "two"), number, cpu_s)
        pairs.update({(position.seat, position.first) for position in noted["one"].positions})
        decks |= {position.deck for position in noted["one"].positions}
    assert pairs == {(seat, first): 2 for seat in range(3) for first in range(3)}
    assert len(decks) == 6


def test_a_seat_draws_the_same_whoever_sits_there(noted: dict[str, Noting]) -> None:
    """Nobody in seat 0 knows, until play parts, in which game it is; and the seats do not draw the same."""
    deal_played(Duel("chuo-pai", "one", "two"), 1, cpu_s)  # seat 0 leads
    openings = [
        (noting.drawn[place])
        for noting in noted.values()
        for place, position in enumerate(noting.positions)
        if not position.steps
    ]
    assert len(openings) == 3
    assert len(set(openings)) == 1
    firsts = {
        position.seat: noted["one"].drawn[place]
        for place, position in reversed(list(enumerate(noted["one"].positions)))
    }
    assert len(set(firsts.values())) == 3


def test_seeds_and_deals_have_decks_of_their_own(noted: dict[str, Noting]) -> None:
    for seed in (1, 2):
        for number in (1, 2):
            deal_played(Duel("chuo-pai", "one", "two", seed), number, cpu_s)
    assert len({position.deck for position in noted["one"].positions}) == 4


@pytest.mark.parametrize(("game", "level"), [("chuo-pai", "random"), ("chuo-pai", "easy"), ("paohuzi", "easy")])
def test_a_player_is_exactly_as_good_as_itself_in_every_deal(game: str, level: str) -> None:
    played = [deal_played(Duel(game, level, level), number, cpu_s) for number in range(1, 9)]
    assert [sum(deal.margins) for deal in played] == [0] * 8
    assert any(margin for deal in played for margin in deal.margins)
    assert [deal.won for deal in played] == pytest.approx([deal.decided / 3 for deal in played])


def test_a_margin_is_what_the_candidate_has_more_than_the_others_in_the_mean(noted: dict[str, Noting]) -> None:
    """Paohuzi pays what others lose, so a margin is one and a half times the score: nothing, won, or lost."""
    margins = {
        margin
        for number in range(1, 13)
        for margin in deal_played(Duel("paohuzi", "easy", "easy"), number, cpu_s).margins
    }
    assert min(margins) < 0 < max(margins)
    assert all(margin % 1.5 == 0 for margin in margins)
    assert {margin for margin in margins if margin > 0} == {-2 * margin for margin in margins if margin < 0}


def test_only_the_candidates_choices_are_timed(noted: dict[str, Noting]) -> None:
    ticks = count()
    deal = deal_played(Duel("chuo-pai", "one", "two"), 1, lambda: next(ticks) * 0.25)
    assert deal.choices_ms == (250,) * len(noted["one"].positions)
    assert all(len(each.game.asked(each.state)[each.seat]) > 1 for each in noted["one"].positions)


def test_house_rules_are_played(noted: dict[str, Noting]) -> None:
    deal_played(Duel("chuo-pai", "one", "two", options={"max_combination": 2}), 1, cpu_s)
    assert {position.state.max_combination for position in noted["one"].positions} == {2}


def test_a_duel_can_be_sent_to_another_process() -> None:
    duel = Duel("chuo-pai", "easy", "random", 3, {"max_combination": 4}, 10, 20)
    assert pickle.loads(pickle.dumps(duel)) == duel


@pytest.mark.parametrize(
    ("duel", "error", "sentence"),
    [
        (Duel("mahjong", "easy", "random"), UnknownGame, "the games here are: chuo-pai, paohuzi"),
        (Duel("paohuzi", "clever", "random"), UnknownPlayer, "no bot 'clever' plays paohuzi; there are: random"),
        (Duel("paohuzi", "easy", "clever"), UnknownPlayer, "no bot 'clever' plays paohuzi; there are: random"),
        (Duel("chuo-pai", "easy", "random", options={"jokers": 1}), BadOption, "no option 'jokers'"),
    ],
)
def test_what_there_is_not_is_refused(duel: Duel, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        duel.players()


def test_a_summary_worked_by_hand() -> None:
    """Values of deals 1, 2 and 3: mean 2, standard error 1/sqrt(3), 4.30265 of them to each side."""
    found = summed_up(
        [
            DealPlayed((0, 1, 2), 1.5, 3, (1.0, 2.0)),
            DealPlayed((2, 2, 2), 1.0, 2, (3.0,)),
            DealPlayed((4, 3, 2), 0.0, 1, ()),
        ]
    )
    assert (found.deals, found.difference, found.decided, found.choices) == (3, 2, 6, 3)
    assert found.ci95 == pytest.approx((2 - 2.48414, 2 + 2.48414), abs=1e-5)
    assert not found.certain
    assert found.win_share == pytest.approx(2.5 / 6)
    assert (found.mean_ms, found.p99_ms) == (2, 3)
    assert found.sd == 1
    assert found.fresh_sd == pytest.approx((10 / 8 / 3) ** 0.5)


def test_nothing_decided_and_nothing_chosen_leave_no_figures() -> None:
    found = summed_up([DealPlayed((0, 0, 0), 0, 0, ())] * 2)
    assert list(found.ci95) == [0, 0]
    assert not found.certain
    assert {found.win_share, found.win_ci95, found.mean_ms, found.p99_ms} == {None}


def test_no_more_deals_are_played_once_it_is_certain() -> None:
    taken = iter([DealPlayed((1, 2, 3), 3, 3, (1.0,))] * 1000)
    found = summed_up(taken, until_certain=True)
    assert found.deals == Watched.LEAST
    assert found.certain
    assert len(list(taken)) == 1000 - Watched.LEAST


def test_a_watched_interval_is_the_wider_one() -> None:
    rng = Random(4)
    deals = [DealPlayed((rng.gauss(0, 1),) * 3, 1, 3, (1.0,)) for _ in range(100)]
    watched, ordinary = summed_up(deals, until_certain=True), summed_up(deals)
    assert watched.deals == ordinary.deals == 100
    assert watched.ci95[0] < ordinary.ci95[0] < ordinary.ci95[1] < watched.ci95[1]
