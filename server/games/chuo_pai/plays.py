"""The plays of Chuo Pai: which there are, which a hand can lead, and which beat another.

A hand holds a play if each identity's three bits count at least as many copies. With four added to them and the
play's copies taken away, the highest of the three bits says just that, so one addition tests a whole play.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from protocol.notation import Action, Card, join
from server.games.chuo_pai.cards import COMBINATIONS, COPIES, FAMILIES, LANE, Hand, hand_of, lanes

PASS: Action = "pass"  # noqa: S105 a move, no password

SET = "set"
COMBINATION = "combination"

MAX_COMBINATION = "max_combination"
"""The house rule: the most cards in a combination."""
SMALLEST_COMBINATION = 2
LARGEST_COMBINATION = 12


class Play(NamedTuple):
    """One play. `rank` orders the plays of one `family` and size; `lift` and `tops` are for the test of a hand."""

    action: Action
    cards: tuple[Card, ...]
    kind: str
    family: int
    rank: int
    taken: Hand
    lift: Hand
    tops: Hand

    def held(self, hand: Hand) -> bool:
        return (hand + self.lift) & self.tops == self.tops

    def beats(self, other: "Play") -> bool:
        return self.family == other.family and len(self.cards) == len(other.cards) and self.rank > other.rank


def _play(cards: tuple[Card, ...], kind: str, family: int, place: int) -> Play:
    tops = sum(4 << LANE[card] for card in set(cards))
    taken = hand_of(cards)
    return Play(f"play {join(cards)}", cards, kind, family, -place, taken, tops - taken, tops)


def _sets() -> Iterator[Play]:
    for family, ranks in enumerate(FAMILIES):
        for place, identities in enumerate(ranks):
            for card, size in product(identities, range(1, COPIES + 1)):
                yield _play((card,) * size, SET, family, place)


def _combinations() -> Iterator[Play]:
    for place, (named, (one, other)) in enumerate(COMBINATIONS):
        mixes = [
            tuple(sorted((named,) * a + (one,) * b + (other,) * c))
            for a, b, c in product(range(1, COPIES + 1), range(COPIES + 1), range(COPIES + 1))
            if b + c
        ]
        for cards in sorted(mixes, key=lambda cards: (len(cards), cards)):
            yield _play(cards, COMBINATION, len(FAMILIES), place)


_SETS = tuple(_sets())
_COMBINATIONS = tuple(_combinations())

PLAYS: dict[Action, Play] = {play.action: play for play in _SETS + _COMBINATIONS}
"""Every play there is: sets by family, rank and size, then combinations by rank and size."""


def _runs() -> Iterator[Hand]:
    for family in FAMILIES:
        identities = [card for rank in family for card in rank]
        for start in range(0, len(identities), 4):
            yield lanes(identities[start : start + 4])


# A lead is looked up part by part. Four identities have 5**4 holdings, three 5**3: the caches below stay small.
_SET_PARTS = tuple(_runs())
_COMBINATION_PARTS = tuple(lanes((named, *matching)) for named, matching in COMBINATIONS)


@cache
def _sets_in(part: Hand) -> tuple[Action, ...]:
    return tuple(play.action for play in _SETS if play.held(part))


@cache
def _combinations_in(part: Hand, max_combination: int) -> tuple[Action, ...]:
    return tuple(play.action for play in _COMBINATIONS if len(play.cards) <= max_combination and play.held(part))


@cache
def _beating(highest: Action) -> tuple[tuple[Action, Hand, Hand], ...]:
    beaten = PLAYS[highest]
    return tuple((play.action, play.lift, play.tops) for play in PLAYS.values() if play.beats(beaten))


def leads(hand: Hand, max_combination: int) -> tuple[Action, ...]:
    """All plays that a leader has, in the order of `PLAYS`."""
    found: list[Action] = []
    for part in _SET_PARTS:
        found += _sets_in(hand & part)
    for part in _COMBINATION_PARTS:
        found += _combinations_in(hand & part, max_combination)
    return tuple(found)


def answers(hand: Hand, highest: Action) -> tuple[Action, ...]:
    """All that a following seat may do: the plays that beat the highest one, or to pass where there are none."""
    return tuple([action for action, lift, tops in _beating(highest) if (hand + lift) & tops == tops]) or (PASS,)
