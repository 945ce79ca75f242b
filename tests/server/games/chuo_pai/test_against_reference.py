"""The engine against the rules written out a second time: slowly, with cards as text and plays found by trial."""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.view import Result
from server.games.chuo_pai.cards import PACK, hand_of
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import answers, leads
from server.games.chuo_pai.state import State

GAME = ChuoPai()

FAMILY_RANKS = {
    "long": "66 > 11 > 44 > 13 > 55 > 33 > 22",
    "yao": "15 > 16 > 46 > 56",
    "black": "36 > 26 = 35 > 25 > 23",
    "red": "45 > 34 > 14 > 12 = 24",
}
COMBINATIONS = {"66": {"36", "45"}, "11": {"26", "35"}, "44": {"25", "34"}, "13": {"14", "23"}}

Cards = tuple[str, ...]


def standing(cards: Cards, bound: int) -> tuple[str, int] | None:
    """Family and rank (0 is the highest) of a play; None for cards that are no play."""
    identities = set(cards)
    if len(identities) == 1 and len(cards) <= 4:
        for family, ranks in FAMILY_RANKS.items():
            for rank, equals in enumerate(ranks.split(" > ")):
                if cards[0] in equals.split(" = "):
                    return family, rank
    for rank, (named, total) in enumerate(COMBINATIONS.items()):
        rest = identities - {named}
        if named in identities and rest and rest <= total and len(cards) <= bound:
            return "combination", rank
    return None


def choices(hand: Counter[str], identities: Collection[str]) -> Iterator[Cards]:
    """Every way to take at least one card of these identities from the hand."""
    for counts in product(*(range(hand[card] + 1) for card in sorted(identities))):
        if any(counts):
            yield tuple(card for card, count in zip(sorted(identities), counts, strict=True) for _ in range(count))


def legal(candidates: Collection[Cards], highest: Cards | None, bound: int) -> set[str]:
    found = set()
    for cards in candidates:
        place = standing(cards, bound)
        if place is None:
            continue
        if highest is not None:
            above = standing(highest, bound)
            assert above is not None
            if place[0] != above[0] or len(cards) != len(highest) or place[1] >= above[1]:
                continue
        found.add("play " + "+".join(cards))
    return found or {"pass"}


def promising(hand: Counter[str]) -> set[Cards]:
    """The choices from whole hands among which all plays must be: of one identity, or of one combination's three."""
    groups = [{card} for card in hand] + [{named, *total} for named, total in COMBINATIONS.items()]
    return {cards for group in groups for cards in choices(hand, group)}


def slow_deal(hands: list[Counter[str]], first: int, bound: int) -> Generator[tuple[int, set[str]], str, list[int]]:
    """Yields who must act and how, takes the action, and returns the scores."""
    scores = [0, 0, 0]
    for seat, hand in enumerate(hands):
        if hand["12"] and hand["24"]:
            scores[seat] = hand.pop("12") + hand.pop("24")
    leader = first
    while True:
        highest: Cards | None = None
        winner = leader
        for seat in (leader, (leader + 1) % 3, (leader + 2) % 3):
            if hands[seat].total():
                action = yield seat, legal(promising(hands[seat]), highest, bound)
                if action != "pass":
                    highest = tuple(action.removeprefix("play ").split("+"))
                    hands[seat] -= Counter(highest)
                    winner = seat
        assert highest is not None
        scores[winner] += len(highest)
        holding = [seat for seat in range(3) if hands[seat].total()]
        if len(holding) <= 1:
            return scores
        leader = next(seat for seat in (winner, (winner + 1) % 3, (winner + 2) % 3) if seat in holding)


def follow(state: State, slow: Generator[tuple[int, set[str]], str, list[int]], actions: Iterator[str]) -> None:
    """Play both side by side, comparing every question, and at the end the scores."""
    question: tuple[int, set[str]] | None = next(slow)
    while question:
        seat, expected = question
        asked = GAME.asked(state)
        assert list(asked) == [seat]
        assert set(asked[seat]) == expected
        assert len(asked[seat]) == len(expected)
        action = next(actions)
        state = GAME.apply(state, seat, action)
        try:
            question = slow.send(action)
        except StopIteration as end:
            question, scores = None, end.value
    winners = tuple(seat for seat in range(3) if scores[seat] == max(scores))
    assert GAME.result(state) == Result(tuple(scores), winners)


POOLS = (sorted(set(PACK)), ["66", "36", "45", "11", "26", "35"], ["44", "25", "34", "13", "14", "23"])

small_hands = (
    st.sampled_from(POOLS)
    .flatmap(
        lambda pool: st.lists(
            st.tuples(st.sampled_from(pool), st.integers(1, 4)), min_size=1, max_size=4, unique_by=lambda run: run[0]
        )
    )
    .map(lambda runs: Counter(dict(runs)))
)
bounds = st.integers(2, 12)


@settings(max_examples=150)
@given(small_hands, bounds)
def test_leads_are_all_sub_multisets_that_are_plays(hand: Counter[str], bound: int) -> None:
    found = leads(hand_of(hand.elements()), bound)
    assert set(found) == legal(list(choices(hand, set(hand))), None, bound)
    assert len(found) == len(set(found))


@settings(max_examples=150)
@given(small_hands, small_hands, st.randoms(use_true_random=False))
def test_answers_are_all_sub_multisets_that_beat_the_highest_play(
    hand: Counter[str], other: Counter[str], rng: Random
) -> None:
    highest = rng.choice(leads(hand_of(other.elements()), 12))
    cards = tuple(highest.removeprefix("play ").split("+"))
    found = answers(hand_of(hand.elements()), highest)
    assert set(found) == legal(list(choices(hand, set(hand))), cards, 12)
    assert len(found) == len(set(found))


def lines(state: State) -> Iterator[tuple[str, ...]]:
    """Every way in which the deal can go on to its end."""
    asked = GAME.asked(state)
    if not asked:
        yield ()
    for seat, actions in asked.items():
        for action in actions:
            for rest in lines(GAME.apply(state, seat, action)):
                yield action, *rest


@pytest.mark.parametrize(
    ("hands", "leaves"),
    [
        (("66 36", "11 26", "44 25"), 9),
        (("13 14 22 22", "44 34 33 33", "66 45 12 55"), 78),
        (("26 26 15 22 12", "35 35 36 16 33", "36 36 25 25 14"), 1847),
        (("13 13 14 23", "44 44 34 25", "11 11 26 35"), 579),
    ],
)
def test_every_line_of_a_small_position_is_a_line_of_the_rules(
    hands: tuple[str, str, str], leaves: int, position: Callable[..., State]
) -> None:
    start = position(*hands)
    found = list(lines(start))
    for line in found:
        follow(start, slow_deal([Counter(hand.split()) for hand in hands], 0, 12), iter(line))
    assert len(found) == len(set(found)) == leaves


@pytest.mark.parametrize("seed", range(40))
def test_whole_deals_agree_step_by_step(seed: int) -> None:
    rng = Random(seed)
    deck = tuple(rng.sample(PACK, 84))
    first = rng.randrange(3)
    bound = rng.choice((12, 12, rng.randrange(2, 13)))
    state = GAME.start(deck, first, {"max_combination": bound})
    hands = [Counter(deck[start : start + 28]) for start in (0, 28, 56)]

    def at_random() -> Iterator[str]:
        shadow = state
        while asked := GAME.asked(shadow):
            ((seat, actions),) = asked.items()
            action = rng.choice(actions)
            yield action
            shadow = GAME.apply(shadow, seat, action)

    follow(state, slow_deal(hands, first, bound), at_random())
