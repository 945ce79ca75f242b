from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from protocol.notation import PAOHUZI_CARDS
from server.games.paohuzi.cards import PACK, cards_of, count, hand_of, holds

hands = st.lists(st.sampled_from(PAOHUZI_CARDS), max_size=21).map(
    lambda cards: tuple(card for place, card in enumerate(cards) if cards[:place].count(card) < 3)
)


def test_the_pack_has_four_copies_of_each_of_20_identities() -> None:
    assert len(PACK) == 80
    assert set(Counter(PACK).values()) == {4}
    assert tuple(dict.fromkeys(PACK)) == PAOHUZI_CARDS


@given(hands)
def test_a_hand_keeps_exactly_its_cards(cards: tuple[str, ...]) -> None:
    assert cards_of(hand_of(cards)) == tuple(sorted(cards, key=PAOHUZI_CARDS.index))
    assert count(hand_of(cards)) == len(cards)


@given(hands, hands)
def test_a_hand_holds_another_exactly_if_it_has_enough_of_each_identity(
    cards: tuple[str, ...], part: tuple[str, ...]
) -> None:
    assert holds(hand_of(cards), hand_of(part)) == (Counter(part) <= Counter(cards))
