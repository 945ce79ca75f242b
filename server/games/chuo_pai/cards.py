"""The cards of Chuo Pai: families, ranks, combinations, and a hand as one integer.

Source: `client_cli/rules/en/chuo-pai.md`, which players read; 84 cards, four copies of each of 21 domino identities.
"""

from collections.abc import Iterable
from functools import cache
from itertools import chain

from protocol.notation import CHUO_PAI_CARDS, Card

COPIES = 4

PACK: tuple[Card, ...] = tuple(card for card in CHUO_PAI_CARDS for _ in range(COPIES))

FAMILIES: tuple[tuple[tuple[Card, ...], ...], ...] = (
    (("66",), ("11",), ("44",), ("13",), ("55",), ("33",), ("22",)),  # Long
    (("15",), ("16",), ("46",), ("56",)),  # Yao
    (("36",), ("26", "35"), ("25",), ("23",)),  # Black
    (("45",), ("34",), ("14",), ("12", "24")),  # Red
)
"""Each family's ranks from highest to lowest; identities that stand together are equal in rank."""

COMBINATIONS: tuple[tuple[Card, tuple[Card, Card]], ...] = (
    ("66", ("36", "45")),  # Heaven-Nine
    ("11", ("26", "35")),  # Earth-Eight
    ("44", ("25", "34")),  # Man-Seven
    ("13", ("14", "23")),  # Harmony-Five
)
"""From highest to lowest: the named card, and the cards of the matching total. They are one family of their own."""

NAIL: Card = "12"
TWO_RED: Card = "24"

Hand = int
"""Copies held, three bits to an identity, the identities in ascending order from the lowest bits up."""

LANE: dict[Card, int] = {card: 3 * position for position, card in enumerate(CHUO_PAI_CARDS)}
"""Where an identity's three bits begin."""


_ONES = sum(1 << lane for lane in LANE.values())
_TWOS = _ONES << 1
_FOURS = _ONES << 2

_PARTS: tuple[Hand, ...] = tuple(7 * (_ONES >> start & 0o1111) << start for start in range(0, 63, 12))
"""A hand in ascending order, four identities at a time: they have few holdings, so what is found of one can be kept."""


def hand_of(cards: Iterable[Card]) -> Hand:
    return sum(1 << LANE[card] for card in cards)


def cards_of(hand: Hand) -> tuple[Card, ...]:
    """In ascending order."""
    return tuple(chain.from_iterable([_cards_in(hand & part) for part in _PARTS]))


@cache
def _cards_in(part: Hand) -> tuple[Card, ...]:
    return tuple([card for card, lane in LANE.items() for _ in range(part >> lane & 7)])


def count(hand: Hand) -> int:
    """How many cards the hand has."""
    return (hand & _ONES).bit_count() + 2 * (hand & _TWOS).bit_count() + 4 * (hand & _FOURS).bit_count()


def lanes(cards: Iterable[Card]) -> Hand:
    """All bits of these identities: `hand & lanes(cards)` is the part of a hand that consists of them."""
    return sum(7 << LANE[card] for card in set(cards))
