"""The cards of Paohuzi: sizes, numbers, and a hand as one integer.

Source: `client_cli/rules/en/paohuzi.md`, which players read; 80 cards, four copies of each small and each big number.
"""

from collections.abc import Iterable
from functools import cache

from protocol.notation import PAOHUZI_CARDS, Card

COPIES = 4

PACK: tuple[Card, ...] = tuple(card for card in PAOHUZI_CARDS for _ in range(COPIES))

Hand = int
"""Copies held, three bits to an identity. The identities stand by number, small before big, from the lowest bits up,
so that cards that can form a group stand close together.

A hand has at most three copies of an identity, which leaves the highest of its three bits free: see `holds`.
"""

LANE: dict[Card, int] = {card: 3 * (2 * (place % 10) + place // 10) for place, card in enumerate(PAOHUZI_CARDS)}
"""Where an identity's three bits begin; the identities in ascending order of cards."""

_ONES = sum(1 << lane for lane in LANE.values())
_TWOS = _ONES << 1
GUARDS: Hand = _ONES << 2

PARTS: tuple[Hand, ...] = tuple(
    sum(7 << LANE[card] for card in PAOHUZI_CARDS[start : start + 5]) for start in range(0, 20, 5)
)
"""Four parts of a hand, in ascending order: five identities have few holdings, so what is found of one can be kept."""


_BIT = {card: 1 << lane for card, lane in LANE.items()}


def hand_of(cards: Iterable[Card]) -> Hand:
    return sum(map(_BIT.__getitem__, cards))


def parted(cards: Iterable[Card]) -> tuple[Hand, tuple[Card, ...], tuple[Card, ...]]:
    """Cards as dealt: those of which there are one or two, and of what there are three and four."""
    dealt = hand_of(cards)
    threes, fours = dealt & dealt >> 1 & _ONES, dealt & GUARDS
    return dealt - 3 * threes - fours, _identities(threes), _identities(fours >> 2)


def _identities(ones: Hand) -> tuple[Card, ...]:
    return tuple([card for card, bit in _BIT.items() if ones & bit]) if ones else ()


def holds(hand: Hand, part: Hand) -> bool:
    """Whether each identity has enough copies: with the guard bits set, a lane that has too few borrows from its own
    guard, so one subtraction tests all of them."""
    return ((hand | GUARDS) - part) & GUARDS == GUARDS


def count(hand: Hand) -> int:
    """How many cards the hand has."""
    return (hand & _ONES).bit_count() + 2 * (hand & _TWOS).bit_count()


def cards_of(hand: Hand) -> tuple[Card, ...]:
    """In ascending order."""
    first, second, third, fourth = PARTS
    return _cards_in(hand & first) + _cards_in(hand & second) + _cards_in(hand & third) + _cards_in(hand & fourth)


@cache
def _cards_in(part: Hand) -> tuple[Card, ...]:
    return tuple(card for card, lane in LANE.items() for _ in range(part >> lane & 7))
