"""The sum over plans, against all plans written out."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from protocol.notation import Card
from server.bots.paohuzi import plan
from server.bots.paohuzi.kernel import CARDS, NUMBER
from server.bots.paohuzi.plan import Plans
from server.games.paohuzi.cards import cards_of, hand_of
from server.games.paohuzi.groups import CHIS

Chance = tuple[int, float]


def plans_of(cards: tuple[Card, ...], unseen: list[int]) -> Iterator[tuple[int, int, float]]:
    """Groups, huxi and chance of every plan, without a pair: by the lowest card's place in it."""
    if not cards:
        yield 0, 0, 1.0
        return
    for groups, huxi, chance in plans_of(cards[1:], unseen):  # it is not needed
        yield groups, huxi, chance
    for others in {*combinations(cards[1:], 1), *combinations(cards[1:], 2)}:
        left = tuple((Counter(cards[1:]) - Counter(others)).elements())
        rest = tuple(sorted(left, key=NUMBER.__getitem__))
        for value, likely in worth((cards[0], *others), unseen):
            for groups, huxi, chance in plans_of(rest, unseen):
                yield groups + 1, huxi + value, chance * likely


def worth(cards: tuple[Card, ...], unseen: list[int]) -> Iterator[Chance]:
    """The huxi of these cards as a group, or as a part of one, and how likely that is."""
    held = hand_of(cards)
    yield from ((chi.value or 0, 1.0) for chi in CHIS if hand_of(chi.cards) == held)
    for part in plan.PARTS:
        if part.cards == held:
            yield from ((key - (1 << 6), chance) for key, chance in plan.chances(part, unseen, 0))


@pytest.mark.parametrize("seed", range(8))
def test_prospects_are_the_sum_over_all_plans(seed: int) -> None:
    rng = Random(seed)
    loose = hand_of(rng.sample([card for card in CARDS[:8] for _ in range(2)], 8))
    unseen = [rng.randrange(3) for _ in CARDS]
    total = 0.0
    for groups, huxi, chance in plans_of(cards_of(loose), unseen):
        if groups <= 3:
            total += (chance * plan.NO_PART ** (3 - groups) * plan.gain(10 + huxi, growth=3)) ** plan.SHARPNESS
    expected = total ** (1 / plan.SHARPNESS)
    assert Plans(unseen, 0, fours=False).prospects(loose, groups=4, huxi=10, growth=3) == pytest.approx(expected)


LIVE = [2] * 20


def prospects(
    loose: str, groups: int, huxi: int, *, unseen: list[int] = LIVE, barred: str = "", fours: bool = False
) -> float:
    plans = Plans(unseen, hand_of(barred.split()), fours=fours)
    return plans.prospects(hand_of(loose.split()), groups, huxi)


def test_prospects_fall_with_live_cards_with_bars_and_with_huxi_that_lack() -> None:
    hand = "s4 s5 b8 b8"
    best = prospects(hand, 5, 15)
    dead = [0 if card in ("s3", "s6") else 2 for card in CARDS]
    assert prospects(hand, 5, 15, unseen=dead) < best
    assert prospects(hand, 5, 15, barred="s6") < best
    assert prospects(hand, 5, 9) < best < prospects(hand, 5, 18)


def test_a_hand_with_a_group_of_four_needs_a_pair() -> None:
    assert prospects("s4 s5 b8 b8", 5, 15, fours=True) > prospects("s4 s5 b7 s1", 5, 15, fours=True)
