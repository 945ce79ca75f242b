"""The groups of Paohuzi, their huxi, and the arrangement of a complete hand that is worth most.

Knows no seat and no deal: groups that are fixed, loose cards and a winning card in, groups out.
"""

from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import product
from typing import Final, NamedTuple

from protocol.notation import PAOHUZI_CARDS, Card, join
from protocol.view import Group
from server.games.paohuzi.cards import GUARDS, LANE, Hand, count, hand_of

TI: Final = "ti"
PAO: Final = "pao"
WEI: Final = "wei"
KAN: Final = "kan"
PENG: Final = "peng"
CHI: Final = "chi"
PAIR: Final = "pair"

GROUPS = 7
LEAST_HUXI = 15
IMPOSSIBLE = -1_000
"""The huxi of cards that cannot be grouped; it stays below 0 whatever else is added."""

_THREES = {WEI, KAN, PENG}

_IDENTICAL = {TI: (4, 9, 12), PAO: (4, 6, 9), WEI: (3, 3, 6), KAN: (3, 3, 6), PENG: (3, 1, 3), PAIR: (2, 0, 0)}
"""Kind: how many cards, huxi of small ones, huxi of big ones."""

IDENTICAL: dict[tuple[str, Card], Group] = {
    (kind, card): Group((card,) * size, kind, value=big if card[0] == "b" else small)
    for kind, (size, small, big) in _IDENTICAL.items()
    for card in PAOHUZI_CARDS
}
"""Every group of identical cards, by its kind and its card."""


def _chis() -> Iterator[Group]:
    for size, huxi in (("s", 3), ("b", 6)):
        for low in range(1, 9):
            yield Group(tuple(f"{size}{low + step}" for step in range(3)), CHI, value=huxi if low == 1 else 0)
        yield Group((f"{size}2", f"{size}7", f"{size}10"), CHI, value=huxi)
    for number in range(1, 11):
        small, big = f"s{number}", f"b{number}"
        yield Group((small, small, big), CHI, value=0)
        yield Group((small, big, big), CHI, value=0)


CHIS: tuple[Group, ...] = tuple(_chis())


def _beginning(card: Card) -> tuple[tuple[Hand, Group], ...]:
    """The chi groups whose lowest lane is this card's, and the pair, which comes last; each with its cards."""
    groups = [chi for chi in CHIS if min(chi.cards, key=LANE.__getitem__) == card]
    return tuple((hand_of(group.cards), group) for group in (*groups, IDENTICAL[PAIR, card]))


# By the lowest bit of a hand. An identity's count is 1 to 3, so that bit is one of two.
_GROUPS_FROM = {bit << lane: _beginning(card) for card, lane in LANE.items() for bit in (1, 2)}
_CHIS_FROM = {
    bit: tuple((taken, group.value or 0) for taken, group in groups[:-1]) for bit, groups in _GROUPS_FROM.items()
}
_PAIR_FROM = {bit: groups[-1][0] for bit, groups in _GROUPS_FROM.items()}

_MOST_GAIN = 6
"""What a winning card adds at most outside chi groups: as a big peng's fourth card."""

_MEMORY = 1 << 12
"""Hands and rests of hands that are remembered: about a megabyte, which fills within minutes of a server"""


@lru_cache(_MEMORY)
def chi_huxi(loose: Hand, pairs: int) -> int:
    """The most huxi of these cards in chi groups and so many pairs (0 or 1); below 0 if they cannot be grouped."""
    if not loose:
        return IMPOSSIBLE * pairs
    lowest = loose & -loose
    guarded = loose | GUARDS
    most = IMPOSSIBLE
    for taken, huxi in _CHIS_FROM[lowest]:
        if (guarded - taken) & GUARDS == GUARDS:
            most = max(most, huxi + chi_huxi(loose - taken, pairs))
    if pairs:
        taken = _PAIR_FROM[lowest]
        if (guarded - taken) & GUARDS == GUARDS:
            most = max(most, chi_huxi(loose - taken, 0))
    return most


class Fixed(NamedTuple):
    """Groups that can no longer be taken apart: melds and kans, with what they come to.

    `threes`: the cards of those with three identical ones. `fours`: how many have four.
    """

    groups: tuple[Group, ...] = ()
    huxi: int = 0
    cards: int = 0
    threes: tuple[Card, ...] = ()
    fours: int = 0

    def plus(self, group: Group) -> "Fixed":
        three = group.kind in _THREES
        return Fixed(
            (*self.groups, group),
            self.huxi + (group.value or 0),
            self.cards + len(group.cards),
            (*self.threes, group.cards[0]) if three else self.threes,
            self.fours + (len(group.cards) == 4),
        )

    def grown(self, four: Group) -> "Fixed":
        """With a ti or pao in place of the three of its card."""
        return reduce(Fixed.plus, grown(self.groups, four), Fixed())


def most_huxi(fixed: Fixed, loose: Hand, card: Card | None) -> int:
    """The huxi of the best complete hand, below `LEAST_HUXI` if there is none.

    `fixed` counts as it stands; `card`: the winning card, which is not among `loose` yet.
    """
    if card is None:
        return _huxi(fixed, loose)
    lane = LANE[card]
    whole = loose + (1 << lane)
    bound = fixed.huxi + SMALL_HUXI[whole & SMALL] + BIG_HUXI[whole & BIG]
    if bound + _MOST_GAIN < LEAST_HUXI:
        return IMPOSSIBLE
    if whole >> lane & 7 == 3 or card in fixed.threes:
        return max([_huxi(*way) for way in _ways(fixed, loose, card)])
    return _huxi(fixed, whole) if bound >= LEAST_HUXI else IMPOSSIBLE


def whole_huxi(fixed: Fixed, loose: Hand, card: Card | None) -> int:
    """The huxi of the best seven groups that use every card, however few; below 0 where there are none."""
    return max([_huxi(*way) for way in _ways(fixed, loose, card)])


def arrangement(fixed: Fixed, loose: Hand, card: Card | None) -> tuple[Group, ...]:
    """The seven groups that are worth most, in the order of their texts; of equals, the ones whose texts come first.

    Only for a hand that is complete.
    """
    most = most_huxi(fixed, loose, card)
    best = [
        _sorted((*groups.groups, *_chi_arrangement(rest, min(1, groups.fours))))
        for groups, rest in _ways(fixed, loose, card)
        if _huxi(groups, rest) == most
    ]
    return min(best, key=_texts)


@cache
def text(group: Group) -> str:
    """As records have it: `chi s1+s2+s3`."""
    return f"{group.kind} {join(group.cards)}"


def _texts(groups: tuple[Group, ...]) -> tuple[str, ...]:
    return tuple(map(text, groups))


def _sorted(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=text))


def _ways(fixed: Fixed, loose: Hand, card: Card | None) -> Iterator[tuple[Fixed, Hand]]:
    """The groups that are fixed, and the cards that are left to be grouped, for each use of the winning card."""
    if card is None:
        yield fixed, loose
        return
    lane = LANE[card]
    yield fixed, loose + (1 << lane)
    if loose >> lane & 7 == 2:
        yield fixed.plus(IDENTICAL[PENG, card]), loose - (2 << lane)
    if card in fixed.threes:
        yield fixed.grown(IDENTICAL[PAO, card]), loose


def grown(groups: tuple[Group, ...], four: Group) -> tuple[Group, ...]:
    """A ti or pao takes the place of the three of its card."""
    three = (four.cards[0],) * 3
    return tuple([four if group.cards == three else group for group in groups])


def _huxi(fixed: Fixed, loose: Hand) -> int:
    pairs = min(1, fixed.fours)
    most = fixed.huxi + chi_huxi(loose, pairs)
    if most < 0 or count(loose) != 3 * (GROUPS - len(fixed.groups)) - pairs:
        return IMPOSSIBLE
    return most


def _scoring(size: str, huxi: int) -> tuple[Hand, dict[Hand, int]]:
    """All that scores in a chi is 1-2-3 and 2-7-10: the lanes of those cards, and the huxi of each holding of them."""
    lanes = [LANE[f"{size}{number}"] for number in (1, 2, 3, 7, 10)]
    table = {}
    for copies in product(range(4), repeat=5):
        one, two, three, seven, ten = copies
        part = sum(held << lane for held, lane in zip(copies, lanes, strict=True))
        table[part] = huxi * min(two, min(one, three) + min(seven, ten))
    return sum(7 << lane for lane in lanes), table


SMALL, SMALL_HUXI = _scoring("s", 3)
BIG, BIG_HUXI = _scoring("b", 6)
"""Together they bound what any grouping is worth, which spares most searches."""


def _chi_arrangement(loose: Hand, pairs: int) -> tuple[Group, ...]:
    """Of the groupings that are worth most, the one whose sorted texts come first.

    The first texts of a whole are those of its parts put together, since all groupings of the same cards have as many
    groups, and a further text moves two sorted lists of one length past each other nowhere.
    """
    if not loose:
        return ()
    most = chi_huxi(loose, pairs)
    found = []
    for taken, group in _GROUPS_FROM[loose & -loose]:
        left = pairs - (group.kind == PAIR)
        if left >= 0 and ((loose | GUARDS) - taken) & GUARDS == GUARDS:
            rest = loose - taken
            if chi_huxi(rest, left) + (group.value or 0) == most:
                found.append(_sorted((group, *_chi_arrangement(rest, left))))
    return min(found, key=_texts)
