"""Cards are laid out and called as players do."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from client_cli.names import FAMILIES, Lexicon
from protocol.notation import CHUO_PAI_CARDS

CHUO_PAI = Lexicon.of("chuo-pai")


def test_every_card_has_one_name_in_one_family() -> None:
    named = [card for members in FAMILIES["chuo-pai"].values() for card in members]
    assert Counter(named) == Counter(CHUO_PAI_CARDS)


@given(st.lists(st.sampled_from([*CHUO_PAI_CARDS, "s1"]), max_size=28))
def test_a_hand_that_is_laid_out_still_has_all_its_cards(cards: list[str]) -> None:
    rows = CHUO_PAI.laid_out(cards)
    assert Counter(card for _, row in rows for card in row) == Counter(cards)


def test_a_hand_is_laid_out_by_family_from_high_to_low() -> None:
    rows = CHUO_PAI.laid_out(["11", "12", "66", "22", "36", "66"])
    assert rows == [("Long", ("66", "66", "11", "22")), ("Black", ("36",)), ("Red", ("12",))]


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
