"""Cards are laid out and called as players do."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_cli.names import FAMILIES, Lexicon, codes_alone
from protocol.notation import CARDS, CHUO_PAI_CARDS

CHUO_PAI = Lexicon.of("chuo-pai")
PAOHUZI = Lexicon.of("paohuzi")


@pytest.mark.parametrize("game", CARDS)
def test_every_card_has_one_name_in_one_family(game: str) -> None:
    named = [card for members in FAMILIES[game].values() for card in members]
    assert Counter(named) == Counter(CARDS[game])


@given(st.lists(st.sampled_from([*CHUO_PAI_CARDS, "s1"]), max_size=28))
def test_a_hand_that_is_laid_out_still_has_all_its_cards(cards: list[str]) -> None:
    rows = CHUO_PAI.laid_out(cards)
    assert Counter(card for _, row in rows for card in row) == Counter(cards)


def test_a_hand_is_laid_out_by_family_from_high_to_low() -> None:
    rows = CHUO_PAI.laid_out(["11", "12", "66", "22", "36", "66"])
    assert rows == [("Long", ("66", "66", "11", "22")), ("Black", ("36",)), ("Red", ("12",))]


def test_a_hand_of_paohuzi_is_laid_out_by_size_then_number() -> None:
    rows = PAOHUZI.laid_out(["b10", "s10", "s2", "b1", "s2"])
    assert rows == [("Small", ("s2", "s2", "s10")), ("Big", ("b1", "b10"))]


def test_a_card_is_shown_as_its_code_and_its_character_and_red_is_marked_without_a_colour() -> None:
    assert (PAOHUZI.faced("s3"), PAOHUZI.faced("b10"), CHUO_PAI.faced("66")) == ("s3三", "b10拾", "66")
    assert [card for card in CARDS["paohuzi"] if PAOHUZI.marked(card).endswith("*")] == [
        *("s2", "s7", "s10", "b2", "b7", "b10")
    ]


@given(st.lists(st.sampled_from(CARDS["paohuzi"]), min_size=1, max_size=9))
def test_cards_read_back_as_their_codes_however_they_were_shown(cards: list[str]) -> None:
    codes = "+".join(cards)
    for shown in ("+".join(map(PAOHUZI.faced, cards)), "+".join(map(PAOHUZI.marked, cards))):
        assert PAOHUZI.unfaced(shown) == codes
    assert PAOHUZI.unfaced("+".join(PAOHUZI.faces[card] for card in cards)) == codes
    assert codes_alone(f"张三: {'+'.join(map(PAOHUZI.faced, cards))}") == f"张三: {codes}"


def test_plays_have_names() -> None:
    assert CHUO_PAI.called(["55"]) == "Plum"
    assert CHUO_PAI.called(["66", "66"]) == "2 Heaven"
    assert CHUO_PAI.called(["36", "45", "66"]) == "Heaven-Nine"
    assert CHUO_PAI.called(["13", "14"]) == "Harmony-Five"
    assert CHUO_PAI.called(["12", "12", "24"]) == ""
    assert CHUO_PAI.called([]) == ""


def test_a_game_without_names_goes_by_its_codes() -> None:
    unknown = Lexicon.of("whist")
    assert unknown.title() == "whist"
    assert unknown.laid_out(["b", "a"]) == [("", ("a", "b"))]
    assert unknown.called(["a"]) == ""
    assert unknown.order() == ()
