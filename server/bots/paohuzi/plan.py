"""How good the prospects of a hand are: all plans for its loose cards, each by how likely it comes off.

No card ever enters a hand. So a hand is completed by groups that its loose cards make among themselves, and by others
of which it has two cards and the third must come in public. A plan says which groups those are; all cards beside them
are there to be discarded. Its chance is the product of the chances of its parts. There are thousands of plans, but the
sum over all of them needs one step for each part of each rest of the hand.
"""

from collections.abc import Iterator, Sequence
from math import exp
from typing import Final, NamedTuple

from server.bots.paohuzi.kernel import BIT, GROUPS, LEAST, NUMBER, PENG_HUXI, THREE_HUXI
from server.games.paohuzi.cards import GUARDS, Hand, hand_of
from server.games.paohuzi.groups import CHIS

BY_CHI = 0.093
BY_PENG = 0.44
"""How likely one unseen copy of a card comes in time to be chied, or to be penged."""

BY_WIN = 0.12
"""How likely one unseen copy of a card comes to make the pair of a hand that needs one."""

WEI = 0.375
"""How much of a pair's chance is that the seat reveals the third card itself, and lays a wei."""

BARRED_CHI = 0.48
BARRED_PENG = 0.72
"""What is left of a chance when the seat may no longer chi or peng the card: it can win on it, or make a wei of it."""

SHARPNESS = 2.25
"""Chances are raised to this power before they are added up, so that one good plan is worth more than many bad ones."""

NO_PART = 0.21
"""The chance of a group of which the hand does not have two cards."""

NO_PAIR = 0.2
"""The same for the pair that a hand with a four-card group needs."""

LACKS_HUXI = 0.52
PER_HUXI = 0.15
"""The chance of a plan that lacks huxi: what a lack costs by itself, and the exponent by which each huxi lowers it."""

GREED = 0.5
"""The points of a win are raised to this power: below 1 for more wins, of which fewer are big."""

OUT_OF_REACH = 0.05
"""What is left of that where nothing that the seat has can grow as much: another plan must then come in between."""

_GROUP: Final = 1 << 6
_PAIRED: Final = 1 << 12
"""Numbers of plans that are alike are added up under one key: its huxi, so many groups, and whether it has the pair."""

_Ways = dict[int, float]


class Part(NamedTuple):
    """Two cards, and each card that makes them a group, with its huxi then."""

    cards: Hand
    missing: tuple[tuple[int, int], ...]

    @property
    def pair(self) -> int:
        """The card of which this is a pair, or -1."""
        number = (self.cards.bit_length() - 1) // 3
        return number if self.cards == 2 * BIT[number] else -1


def _parts() -> tuple[Part, ...]:
    found: dict[Hand, dict[int, int]] = {2 * BIT[number]: {number: PENG_HUXI[number]} for number in range(20)}
    for chi in CHIS:
        for card in dict.fromkeys(chi.cards):
            held = hand_of(chi.cards) - BIT[NUMBER[card]]
            found.setdefault(held, {})[NUMBER[card]] = chi.value or 0
    return tuple(Part(held, tuple(missing.items())) for held, missing in found.items())


PARTS: Final = _parts()


class Plans:
    """The prospects of hands with these `unseen` copies of each card, for a seat that is barred from some.

    `fours`: whether the seat has a four-card group, and so needs one pair.
    """

    def __init__(self, unseen: Sequence[int], barred: Hand, *, fours: bool) -> None:
        self._fours = fours
        self._from: dict[Hand, list[tuple[Hand, tuple[tuple[int, float], ...]]]] = {}
        for number in range(20):
            self._from[BIT[number]] = self._from[2 * BIT[number]] = []
        for chi in CHIS:
            self._add(hand_of(chi.cards), [(_GROUP + (chi.value or 0), 1.0)])
        for part in PARTS:
            self._add(part.cards, list(chances(part, unseen, barred)))
        if fours:
            for number in range(20):
                self._add(2 * BIT[number], [(_PAIRED, 1.0)])
                self._add(BIT[number], [(_PAIRED, 1 - (1 - BY_WIN) ** unseen[number])])
        self._memo: dict[Hand, _Ways] = {0: {0: 1.0}}

    def _add(self, cards: Hand, chances: list[tuple[int, float]]) -> None:
        powers = tuple((key, chance**SHARPNESS) for key, chance in chances if chance)
        if powers:
            self._from[cards & -cards].append((cards, powers))

    def _ways(self, cards: Hand) -> _Ways:
        known = self._memo.get(cards)
        if known is not None:
            return known
        lowest = cards & -cards
        found = self._ways(cards - BIT[(lowest.bit_length() - 1) // 3]).copy()
        guarded = cards | GUARDS
        for taken, powers in self._from[lowest]:
            if (guarded - taken) & GUARDS == GUARDS:
                rest = self._ways(cards - taken)
                for more, power in powers:
                    for key, value in rest.items():
                        found[key + more] = found.get(key + more, 0.0) + value * power
        self._memo[cards] = found
        return found

    def prospects(self, loose: Hand, groups: int, huxi: int, growth: int = 0) -> float:
        """Of these loose cards beside so many groups that are fixed, which count `huxi`: only for comparison.

        `growth`: how many huxi more they may come to count yet, by a ti or pao in place of a kan, wei or peng.

        They grow with the points of a win. Twice as good prospects are twice as good chances.
        """
        places = GROUPS - groups - self._fours
        total = 0.0
        for key, value in self._ways(loose).items():
            chance = 1.0
            if self._fours:
                if key >= _PAIRED:
                    key -= _PAIRED  # noqa: PLW2901
                else:
                    chance = NO_PAIR
            lacking = places - key // _GROUP
            if lacking >= 0:
                total += value * (chance * NO_PART**lacking * gain(huxi + key % _GROUP, growth)) ** SHARPNESS
        return float(total ** (1 / SHARPNESS))


def gain(huxi: int, growth: int) -> float:
    """What a plan is worth that comes to so many huxi: its points, or how likely what lacks is made good for."""
    if huxi >= LEAST:
        return float((1 + (huxi - LEAST) / 3) ** GREED)
    likely = LACKS_HUXI * exp(PER_HUXI * (huxi - LEAST))
    return likely if huxi + growth >= LEAST else likely * OUT_OF_REACH


def chances(part: Part, unseen: Sequence[int], barred: Hand) -> Iterator[tuple[int, float]]:
    for number, huxi in part.missing:
        if number == part.pair:
            chance = 1 - (1 - BY_PENG) ** unseen[number]
            if barred & BIT[number]:
                yield _GROUP + THREE_HUXI[number], chance * BARRED_PENG
            else:
                yield _GROUP + huxi, chance * (1 - WEI)
                yield _GROUP + THREE_HUXI[number], chance * WEI
        else:
            chance = 1 - (1 - BY_CHI) ** unseen[number]
            yield _GROUP + huxi, chance * BARRED_CHI if barred & BIT[number] else chance
