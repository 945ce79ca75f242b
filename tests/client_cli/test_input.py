"""What a player types finds the action that was meant, or none."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_cli.input import NotOffered, action_of, cards_text
from protocol.notation import CHUO_PAI_CARDS, PAOHUZI_CARDS

OFFERED = ("play 66", "play 66+66", "play 36+66", "play 13")


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("1", "play 66"),
        ("#3", "play 36+66"),
        ("  4 ", "play 13"),
        ("66", "play 66"),
        ("13", "play 13"),
        ("66+66", "play 66+66"),
        ("66 66", "play 66+66"),
        ("66+36", "play 36+66"),
        ("66 36", "play 36+66"),
        ("66 + 36", "play 36+66"),
        ("play 66+ 36", "play 36+66"),
        ("play 66+36", "play 36+66"),
        ("PLAY  13", "play 13"),
    ],
)
def test_an_action_is_typed_by_number_by_cards_or_in_full(typed: str, action: str) -> None:
    assert action_of(typed, OFFERED, CHUO_PAI_CARDS) == action


@pytest.mark.parametrize(
    "typed", ["0", "5", "-1", "#", "#9", "11", "play", "play 11", "pass", "66+66+66", "²", "9" * 500]
)
def test_what_is_not_offered_is_refused(typed: str) -> None:
    with pytest.raises(NotOffered):
        action_of(typed, OFFERED, CHUO_PAI_CARDS)


LONG_LIST = ("play 66", *(f"play {card}" for card in CHUO_PAI_CARDS if card != "66"))


def test_a_number_that_is_also_another_card_is_asked_back() -> None:
    assert LONG_LIST[11 - 1] != "play 11"
    with pytest.raises(NotOffered, match="#11 or play 11"):
        action_of("11", LONG_LIST, CHUO_PAI_CARDS)
    assert action_of("#11", LONG_LIST, CHUO_PAI_CARDS) == LONG_LIST[10]
    assert action_of("play 11", LONG_LIST, CHUO_PAI_CARDS) == "play 11"


def test_a_number_that_is_that_very_card_is_taken() -> None:
    offered = tuple(f"play {card}" for card in [*CHUO_PAI_CARDS[5:15], "11"])
    assert action_of("11", offered, CHUO_PAI_CARDS) == "play 11"


def test_cards_that_fit_two_actions_are_asked_back() -> None:
    with pytest.raises(NotOffered, match="peng s1\\+s1\\+s1 or wei s1\\+s1\\+s1"):
        action_of("s1+s1+s1", ("peng s1+s1+s1", "wei s1+s1+s1", "pass"), ())


CLAIMS = ("win", "pao", "chi s2+s3+s3", "chi s1+s2+s3 s3+s4+s5", "pass")
SHOWN = ("win", "pao s3+s3+s3+s3", "chi s2+s3+s3", "chi s1+s2+s3 s3+s4+s5", "pass")


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("win", "win"),
        ("WIN", "win"),
        ("1", "win"),
        ("pao", "pao"),
        ("pao s3+s3+s3+s3", "pao"),
        ("s3+s3+s3+s3", "pao"),
        ("chi s3+s2+s3", "chi s2+s3+s3"),
        ("chi s3 s2 s3", "chi s2+s3+s3"),
        ("Pao s3 s3 s3 s3", "pao"),
        ("chi s5+s4+s3 s3+s2+s1", "chi s1+s2+s3 s3+s4+s5"),
        ("s1+s2+s3 s3+s4+s5", "chi s1+s2+s3 s3+s4+s5"),
        ("pass", "pass"),
        ("5", "pass"),
    ],
)
def test_a_claim_is_typed_as_it_is_offered_or_as_it_is_shown(typed: str, action: str) -> None:
    assert action_of(typed, CLAIMS, PAOHUZI_CARDS, SHOWN) == action


def test_a_verb_is_enough_where_only_one_choice_has_it() -> None:
    assert action_of("chi", ("chi s1+s2+s3", "pass"), PAOHUZI_CARDS) == "chi s1+s2+s3"
    with pytest.raises(NotOffered, match="chi s2\\+s3\\+s3 or chi s1"):
        action_of("chi", CLAIMS, PAOHUZI_CARDS, SHOWN)


def test_a_discard_is_typed_as_its_card() -> None:
    offered = ("win", "discard s3", "discard s10")
    assert action_of("s3", offered, PAOHUZI_CARDS) == "discard s3"
    assert action_of("discard s10", offered, PAOHUZI_CARDS) == "discard s10"
    assert action_of("3", offered, PAOHUZI_CARDS) == "discard s10"
    with pytest.raises(NotOffered):
        action_of("s4", offered, PAOHUZI_CARDS)


def test_a_bare_verb_is_typed_as_it_is() -> None:
    assert action_of("Pass", ("pass",), CHUO_PAI_CARDS) == "pass"
    assert cards_text("pass") == "pass"
    assert cards_text("play 36+66") == "36+66"
    assert cards_text("chi s1+s2+s3 s4+s5+s6") == "s1+s2+s3 s4+s5+s6"


@given(st.text(min_size=1).filter(str.strip))
def test_no_text_is_taken_for_an_action_that_is_not_offered(typed: str) -> None:
    with suppress(NotOffered):
        assert action_of(typed, OFFERED, CHUO_PAI_CARDS) in OFFERED
