from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from protocol.notation import CHUO_PAI_CARDS
from server.games.chuo_pai.cards import FAMILIES, PACK, cards_of, hand_of, lanes


def test_the_pack_has_four_copies_of_each_of_21_identities() -> None:
    assert len(PACK) == 84
    assert set(Counter(PACK).values()) == {4}
    assert tuple(dict.fromkeys(PACK)) == CHUO_PAI_CARDS


def test_every_identity_belongs_to_exactly_one_family() -> None:
    members = [card for family in FAMILIES for rank in family for card in rank]
    assert sorted(members) == sorted(CHUO_PAI_CARDS)


@given(st.sets(st.integers(0, 83)))
def test_a_hand_keeps_exactly_its_cards(places: set[int]) -> None:
    cards = [PACK[place] for place in places]
    assert list(cards_of(hand_of(cards))) == sorted(cards)


def test_lanes_cut_the_cards_of_some_identities_out_of_a_hand() -> None:
    assert cards_of(hand_of(PACK) & lanes(["12", "66"])) == ("12",) * 4 + ("66",) * 4
