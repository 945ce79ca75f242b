"""Deals out what a seat cannot see, consistently with all that its sight proves, likelier hands more often.

How many copies of each identity each of the other two seats has is drawn identity by identity, in the exact proportion
of the deals that are left: those are counted beforehand by a polynomial in two variables, one for each hand's number of
cards, whose coefficients lie side by side in one long integer.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import factorial
from random import Random
from typing import Final, NamedTuple

from server.bots.paohuzi.kernel import BIT, NEAR, SHIFT, THREE_HUXI, Table
from server.bots.paohuzi.sight import MOST_KANS, Hidden, Sight
from server.games.paohuzi.cards import COPIES, Hand

# How much more often than by chance a seat has so many copies of a card, in sixteenths. Counted in 70 deals among three
# bots of level normal. A pair waits for its third and is kept; single cards go.
EVEN: Final = 16
SINGLE: Final = 15
PAIR: Final = 18

SINGLE_NEAR_DISCARDS: Final = (SINGLE, 12, 9)
"""One copy of a card that could lie in a chi with none, one, or more of those that it has discarded."""

KAN_NEAR_DISCARDS: Final = 30
"""A kan of such a card, which is why the other was of no use."""

SINGLE_DISCARDED: Final = 4
"""Another copy of a card that it has discarded."""

PAIR_PASSED: Final = 13
"""Two copies of a card that it let pass though it could have penged it."""

KAN_PASSED: Final = 2
"""A kan of a card that it let pass though it could have made a pao: no bot does."""

Weights = tuple[tuple[int, int, int, int], ...]


class Option(NamedTuple):
    """So many copies for the one hand, for the other, and in how many ways, likelihood included."""

    first: int
    second: int
    ways: int


class Worlds:
    """All deals that one sight leaves."""

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self._first, self._second = sight.hidden
        self._options = tuple(
            _options(number, sight.unseen[number], sight.hidden, (weights, others))
            for number, weights, others in zip(
                range(20), likelihoods(sight, self._first), likelihoods(sight, self._second), strict=True
            )
        )
        self._width = sum(sum(option.ways for option in options).bit_length() for options in self._options) + 1
        self._row = self._second.cards + COPIES
        self._counted = self._count()
        self._draws: dict[int, tuple[list[float], tuple[Option, ...]]] = {}

    def _count(self) -> tuple[int, ...]:
        """For each identity: the ways to deal it and all after it, by the cards of the first and the second hand."""
        width, row = self._width, self._row
        field = (1 << width) - 1
        line = sum(field << width * place for place in range(self._second.cards + 1))
        kept = sum(line << width * row * place for place in range(self._first.cards + 1))
        counted = [1]
        for options in reversed(self._options):
            before = counted[-1]
            ways = sum(option.ways * (before << width * (option.first * row + option.second)) for option in options)
            counted.append(ways & kept)
        return tuple(reversed(counted))

    @property
    def ways(self) -> int:
        """In how many ways the cards can lie, weighted; 0 if the sight contradicts itself."""
        return self._ways(0, self._first.cards, self._second.cards)

    def _ways(self, place: int, first: int, second: int) -> int:
        return self._counted[place] >> self._width * (first * self._row + second) & (1 << self._width) - 1

    def _draw(self, place: int, first: int, second: int) -> tuple[list[float], tuple[Option, ...]]:
        key = (place * 32 + first) * 32 + second
        known = self._draws.get(key)
        if known is None:
            options = tuple(
                option for option in self._options[place] if option.first <= first and option.second <= second
            )
            ways = [
                float(option.ways * self._ways(place + 1, first - option.first, second - option.second))
                for option in options
            ]
            self._draws[key] = known = list(accumulate(ways)), options
        return known

    def deal(self, rng: Random) -> Table:
        """One of them: all concealed cards and the order of the stock. Raises `ValueError` if there is none."""
        if not self.ways:
            raise ValueError("no deal fits what is seen")
        while True:
            table = self._dealt(rng)
            if table is not None:
                return table

    def stream(self, rng: Random) -> Iterator[Table]:
        while True:
            yield self.deal(rng)

    def _dealt(self, rng: Random) -> Table | None:
        left, right = self._first.cards, self._second.cards
        hands = [0, 0]
        kans: list[list[int]] = [[], []]
        stock: list[int] = []
        for number in range(20):
            sums, options = self._draw(number, left, right)
            first, second, _ = options[bisect_right(sums, rng.random() * sums[-1])] if len(options) > 1 else options[0]
            left -= first
            right -= second
            if first == 3:
                kans[0].append(number)
            else:
                hands[0] += first << SHIFT[number]
            if second == 3:
                kans[1].append(number)
            else:
                hands[1] += second << SHIFT[number]
            stock += [number] * (self.sight.unseen[number] - first - second)
        table = self.sight.table.copy()
        for hidden, loose, locked in zip(self.sight.hidden, hands, kans, strict=True):
            if len(locked) > MOST_KANS or not _fits(hidden, loose):
                return None
            conceal(table, hidden.seat, loose, locked)
            _bar(table, hidden.seat, self.sight)
        rng.shuffle(stock)
        table.stock = tuple(stock)
        return table


def conceal(table: Table, seat: int, loose: Hand, kans: Sequence[int]) -> None:
    """Give a seat of which only the melds are known its concealed cards."""
    table.loose[seat] = loose
    table.kans[seat] = sum([BIT[number] for number in kans])
    table.groups[seat] += len(kans)
    table.huxi[seat] += sum([THREE_HUXI[number] for number in kans])
    table.counted(seat)


def _bar(table: Table, seat: int, sight: Sight) -> None:
    """What the seat could claim of these cards now it could also claim when such a card went by."""
    pairs = table.loose[seat] >> 1
    table.barred[seat] |= sight.chi_stale[seat] | sight.stale[seat] & pairs


def _fits(hidden: Hidden, loose: Hand) -> bool:
    return all(any(not loose >> SHIFT[number] & 3 for number in claimed) for claimed in hidden.claimed)


def _options(
    number: int, unseen: int, hidden: tuple[Hidden, ...], weights: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[Option, ...]:
    first, second = (
        [
            copies
            for copies in range(min(unseen, 3) + 1)
            if (copies <= each.most[number] if copies < 3 else each.kan[number]) and (copies or each.held != number)
        ]
        for each in hidden
    )
    found = []
    for one in first:
        for other in second:
            rest = unseen - one - other
            if rest >= 0:
                ways = factorial(unseen) // (factorial(one) * factorial(other) * factorial(rest))
                ways *= weights[0][one] * weights[1][other]
                found.append(Option(one, other, ways))
    return tuple(found)


def likelihoods(sight: Sight, hidden: Hidden) -> Weights:
    """For each identity and 0 to 3 copies."""
    passed, discarded = sight.stale[hidden.seat], sight.table.barred[hidden.seat]
    dropped = [NEAR[shown.card] for shown in sight.shown if shown.seat == hidden.seat and not shown.revealed]
    found = []
    for number in range(20):
        near = min(2, sum(cards >> SHIFT[number] & 1 for cards in dropped))
        single = SINGLE_DISCARDED if discarded & BIT[number] else SINGLE_NEAR_DISCARDS[near]
        if passed & BIT[number]:
            found.append((EVEN, single, PAIR_PASSED, KAN_PASSED))
        else:
            found.append((EVEN, single, PAIR, KAN_NEAR_DISCARDS if near else EVEN))
    return tuple(found)
