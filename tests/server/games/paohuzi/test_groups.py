"""Groups, their huxi, and complete hands: the worked examples of the rules, and all arrangements found by trial."""

from collections import Counter
from functools import reduce
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.notation import PAOHUZI_CARDS
from protocol.view import Group
from server.commands.complete_hands import complete_hand
from server.games.paohuzi.cards import PACK, hand_of
from server.games.paohuzi.groups import CHIS, IDENTICAL, KAN, PENG, WEI, Fixed, arrangement, chi_huxi, most_huxi, text
from tests.server.games.paohuzi import slow
from tests.server.games.paohuzi.positions import group, holding


def fixed(*groups: Group) -> Fixed:
    return reduce(Fixed.plus, groups, Fixed())


def slowly(groups: tuple[Group, ...]) -> list[slow.SlowGroup]:
    return [(each.kind, each.cards) for each in groups]


@pytest.mark.parametrize(
    ("kind", "small", "big"),
    [("ti", 9, 12), ("pao", 6, 9), ("wei", 3, 6), ("kan", 3, 6), ("peng", 1, 3), ("pair", 0, 0)],
)
def test_the_huxi_of_identical_cards(kind: str, small: int, big: int) -> None:
    assert [IDENTICAL[kind, card].value for card in PAOHUZI_CARDS] == [small] * 10 + [big] * 10


def test_only_1_2_3_and_2_7_10_count_among_the_chi() -> None:
    assert {text(chi): chi.value for chi in CHIS if chi.value} == {
        "chi s1+s2+s3": 3,
        "chi s2+s7+s10": 3,
        "chi b1+b2+b3": 6,
        "chi b2+b7+b10": 6,
    }


def test_there_are_18_runs_and_20_mixed_threes() -> None:
    assert sorted(chi.cards for chi in CHIS) == sorted(slow.CHIS)
    assert len(CHIS) == 38


@pytest.mark.parametrize(
    ("hand", "card", "huxi"),
    [
        pytest.param(
            "b4 b5 b6 s2 s7 s10 s9 s9 b8 b9; ti b2; pao s8; chi s1+s2+s3", "b7", 24, id="completed_by_a_run_with_b7"
        ),
        pytest.param(
            "b9 b9 s4 s5 s6; kan s8; ti b5; peng b10; chi b1+b2+b3; chi s2+s7+s10", None, 27, id="twenty_seven_huxi"
        ),
        pytest.param("s4 s5 b9 b9; kan s2; kan s8; pao s10; peng s1; chi b4+b5+b6", "s6", None, id="thirteen_huxi"),
    ],
)
def test_worked_examples_of_complete_hands(hand: str, card: str | None, huxi: int | None) -> None:
    held = holding(hand)
    assert held.complete(card) == (huxi is not None)
    if huxi:
        assert most_huxi(held.fixed, held.loose, card) == sum(each.value or 0 for each in held.arranged(card)) == huxi


def test_fourteen_huxi_are_not_enough_and_fifteen_are() -> None:
    fourteen = "s4 s5 s6 s7 s8 s9 b5; chi b1+b2+b3; kan s3; peng b9; peng s1; peng s2"
    assert most_huxi(holding(fourteen).fixed, holding(fourteen).loose, None) < 15
    loose = "s4 s5 b4 b5 b6 s7 s8 s9; kan s1; kan s2; peng b9; {}"
    assert not holding(loose.format("peng b10")).complete("s6")
    assert holding(loose.format("kan b10")).complete("s6")


def test_without_a_four_there_is_no_pair_and_with_one_there_is_one() -> None:
    three_pairs = "s4 s5 s6 s8 s9 s10 b4 b5 b6; kan b1; kan b2; kan b3; {}"
    assert holding(three_pairs.format("kan b9")).complete(None)
    assert not holding(three_pairs.format("pao b9")).complete(None)
    assert holding("s4 s5 s6 s8 s9 s10 b5 b5; kan b1; kan b2; kan b3; pao b9").complete(None)


def test_a_kan_may_grow_or_stand_while_the_winning_card_joins_a_chi() -> None:
    grows = holding("s6 s7 s8 b5 b5 s9 s9 b9 s4 s5 s6; kan b2; kan b1; kan s1")
    assert "pao s1+s1+s1+s1" in [text(each) for each in grows.arranged("s1")]
    stands = holding("s2 s3 s6 s7 s8 b4 b5 b6 s9 s9 b9; kan b2; kan b1; kan s1")
    assert "kan s1+s1+s1" in [text(each) for each in stands.arranged("s1")]
    assert "chi s1+s2+s3" in [text(each) for each in stands.arranged("s1")]


def test_two_loose_copies_make_a_peng_or_parts_of_chi_groups() -> None:
    held = holding("s1 s1 s2 s3 b4 b5 b6 b8 b9 b10 s9 s9 b9 s2 s3; kan b2; kan b1")
    assert not held.complete("s1")
    assert [text(each) for each in holding("b1 b1 s4 s5 s6 s7 s8 s9 b9 b9 s9; kan b2; kan b4; kan b5").arranged("b1")][
        -1
    ] == "peng b1+b1+b1"


def test_of_arrangements_worth_as_much_the_first_texts_are_taken() -> None:
    loose = ["s4", "s4", "s5", "s5", "s6", "b4", "b5", "b6"]
    held = holding(f"{' '.join(loose)}; kan b1; kan b2; kan b3; chi s1+s2+s3")
    assert len(list(slow.arrangements(slowly(held.fixed.groups), Counter(loose), "s6"))) == 2
    assert [text(each) for each in held.arranged("s6")] == [
        *("chi b4+b5+b6", "chi s1+s2+s3", "chi s4+s5+s6", "chi s4+s5+s6"),
        *("kan b1+b1+b1", "kan b2+b2+b2", "kan b3+b3+b3"),
    ]


small_hands = st.lists(st.sampled_from(range(16)), min_size=2, max_size=12).map(
    lambda places: [PAOHUZI_CARDS[place % 8 + place // 8 * 10] for place in places if places.count(place) <= 3]
)


@settings(max_examples=300)
@given(small_hands, st.integers(0, 1))
def test_the_most_huxi_of_loose_cards_is_that_of_all_groupings(cards: list[str], pairs: int) -> None:
    expected = max(map(slow.worth, slow.groupings(Counter(cards), pairs)), default=None)
    found = chi_huxi(hand_of(cards), pairs)
    assert found < 0 if expected is None else found == expected


@pytest.mark.slow
def test_the_best_arrangement_of_2000_random_complete_hands_is_that_found_by_trial() -> None:
    rng = Random(2)
    for _ in range(2000):
        hand = complete_hand(rng)
        most, texts = slow.best(slowly(hand.fixed), Counter(hand.loose), hand.card)
        laid = fixed(*hand.fixed)
        assert most_huxi(laid, hand_of(hand.loose), hand.card) == most >= 15
        assert [text(each) for each in arrangement(laid, hand_of(hand.loose), hand.card)] == texts


@settings(max_examples=150)
@given(st.integers(0, 2**32))
def test_neither_the_order_of_cards_nor_that_of_groups_changes_a_complete_hand(seed: int) -> None:
    rng = Random(seed)
    hand = complete_hand(rng)
    groups = rng.sample(hand.fixed, len(hand.fixed))
    cards = rng.sample(hand.loose, len(hand.loose))
    assert most_huxi(fixed(*groups), hand_of(cards), hand.card) == most_huxi(
        fixed(*hand.fixed), hand_of(hand.loose), hand.card
    )
    assert arrangement(fixed(*groups), hand_of(cards), hand.card) == arrangement(
        fixed(*hand.fixed), hand_of(hand.loose), hand.card
    )


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_whether_any_hand_is_complete_agrees_with_trial(seed: int) -> None:
    """Mostly they are not: the winning card is another one, such as the fourth of a kan, wei or peng."""
    rng = Random(seed)
    hand = complete_hand(rng)
    card = rng.choice(
        (*hand.loose, *[group.cards[0] for group in hand.fixed if len(group.cards) == 3], rng.choice(PACK))
    )
    owned = Counter([*hand.loose, *[each for group in hand.fixed for each in group.cards]])
    if owned[card] == 4:
        return
    most, texts = slow.best(slowly(hand.fixed), Counter(hand.loose), card)
    found = most_huxi(fixed(*hand.fixed), hand_of(hand.loose), card)
    assert found == most if most else found < 15
    if most:
        assert [text(each) for each in arrangement(fixed(*hand.fixed), hand_of(hand.loose), card)] == texts


@pytest.mark.parametrize(
    ("kind", "card", "texts"),
    [(KAN, "s1", "kan s1+s1+s1"), (WEI, "b10", "wei b10+b10+b10"), (PENG, "b2", "peng b2+b2+b2")],
)
def test_a_group_has_a_text(kind: str, card: str, texts: str) -> None:
    assert text(IDENTICAL[kind, card]) == texts
    assert group(texts) == IDENTICAL[kind, card]
