"""Which plays there are and which beat which: the worked examples of the rules."""

import pytest

from server.games.chuo_pai.cards import PACK, hand_of
from server.games.chuo_pai.plays import PLAYS, answers, leads


@pytest.mark.parametrize(
    ("highest", "hand", "legal"),
    [
        pytest.param("play 55", "13 22 66 16", "play 13, play 66", id="plum_is_beaten_within_the_long_family_only"),
        pytest.param("play 26+26", "35 35 36 36 45 45", "play 36+36", id="bent_eights_tie_straight_eights"),
        pytest.param("play 26", "35 25 45", "pass", id="who_cannot_beat_an_eight_passes"),
        pytest.param("play 12", "24 14", "play 14", id="two_red_ties_the_nail"),
        pytest.param(
            "play 11+26+35",
            "66 66 36 45 44 44 44 25",
            "play 36+66+66, play 45+66+66, play 36+45+66",
            id="earth_eight_is_beaten_by_heaven_nine_of_as_many_cards",
        ),
        pytest.param(
            "play 13+14", "44 34 11 26", "play 34+44, play 11+26", id="harmony_five_is_the_lowest_combination"
        ),
        pytest.param("play 22", "33 55", "play 33, play 55", id="plum_and_long_three_beat_the_bench"),
        pytest.param("play 55", "33", "pass", id="long_three_does_not_beat_plum"),
        pytest.param("play 36+66", "45 66", "pass", id="two_heaven_nines_of_one_size_tie"),
        pytest.param("play 22+22", "11 26 66", "pass", id="a_combination_never_beats_a_set"),
        pytest.param("play 13+14", "66 66 11 11", "pass", id="a_set_never_beats_a_combination"),
    ],
)
def test_answers(highest: str, hand: str, legal: str) -> None:
    assert set(answers(hand_of(hand.split()), highest)) == set(legal.split(", "))


def test_lead_options_of_two_heavens_a_red_nine_and_two_benches() -> None:
    assert leads(hand_of(["66", "66", "36", "22", "22"]), 12) == (
        "play 66",
        "play 66+66",
        "play 22",
        "play 22+22",
        "play 36",
        "play 36+66",
        "play 36+66+66",
    )


@pytest.mark.parametrize("hand", ["16 44", "11 44", "26 35", "14 23", "66 11"])
def test_two_identities_without_a_named_card_and_its_total_are_no_play(hand: str) -> None:
    assert all(len(PLAYS[action].cards) == 1 for action in leads(hand_of(hand.split()), 12))


def test_a_combination_has_up_to_twelve_cards() -> None:
    hand = hand_of(["66"] * 4 + ["36"] * 4 + ["45"] * 4)
    assert "play 36+36+36+36+45+45+45+45+66+66+66+66" in leads(hand, 12)
    assert max(len(PLAYS[action].cards) for action in leads(hand, 5)) == 5


def test_there_are_84_sets_and_384_combinations() -> None:
    assert len(leads(hand_of(PACK), 12)) == len(PLAYS) == 84 + 384


def test_leads_read_by_family_and_rank_then_combinations_by_rank() -> None:
    hand = hand_of(["12", "13", "14", "22", "36", "45", "56", "66"])
    assert [action.removeprefix("play ") for action in leads(hand, 12)] == [
        *("66", "13", "22", "56", "36", "45", "14", "12"),
        *("36+66", "45+66", "36+45+66", "13+14"),
    ]
