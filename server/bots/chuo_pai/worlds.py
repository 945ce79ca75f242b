"""Deals of the hidden cards that agree with everything a seat knows, each as likely as the shuffle makes it.

No proof in `sight` speaks of identities from two different groups (a combination's cards; Nails and Two Reds; any
other identity alone). So the ways to fill a hand are counted group by group, and a world is drawn by its number
among all of them: uniformly, without a rejected try.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain, product
from math import comb, prod
from random import Random

from protocol.notation import Card
from server.bots.chuo_pai.sight import Hidden, Sight
from server.games.base import Seat
from server.games.chuo_pai.cards import COMBINATIONS, LANE, NAIL, TWO_RED, Hand

World = tuple[Hand, Hand, Hand]
"""The hands of all three seats."""

_PAIR = (NAIL, TWO_RED)
_TRIPLES = tuple((named, *matching) for named, matching in COMBINATIONS)
_GROUPS: tuple[tuple[Card, ...], ...] = (
    *_TRIPLES,
    _PAIR,
    *[(card,) for card in LANE if card not in {*chain(*_TRIPLES, _PAIR)}],
)


class Worlds:
    """All worlds that agree with a `Sight`. `total`: how many there are, with copies of one identity told apart."""

    def __init__(self, sight: Sight) -> None:
        self._seat: Seat = sight.seat
        self._hand = sight.hand
        self._unseen = sight.unseen
        first, second = sight.hidden
        self._size = first.size
        # For each group: what of it the first hidden hand may hold, how many cards that is, and in how many ways.
        self._shares = [_shares(group, sight.unseen, first, second) for group in _GROUPS]
        # For each number of cards still to be taken: the ways to take them from this group and those after it.
        self._ways: list[dict[int, int]] = [{0: 1}]
        for shares in reversed(self._shares):
            after, ways = self._ways[-1], dict[int, int]()
            for _, cards, copies in shares:
                for left, count in after.items():
                    if left + cards <= self._size:
                        ways[left + cards] = ways.get(left + cards, 0) + copies * count
            self._ways.append(ways)
        self._ways.reverse()
        self.total = self._ways[0].get(self._size, 0)
        self._choices: list[dict[int, tuple[list[int], list[tuple[Hand, int, int]]]]] = [{} for _ in _GROUPS]

    def dealt(self, rng: Random) -> Iterator[World]:
        """Worlds without end, drawn independently. Needs a `total` above 0."""
        while True:
            # `randrange` takes several times as long, and no deal of this game has more worlds than a float can count.
            yield self._world(int(rng.random() * self.total))

    def all(self) -> Iterator[tuple[World, int]]:
        """Each different world once, with the number of ways to deal it. Only for few unseen cards."""
        yield from self._from(0, self._size, 0, 1)

    def _from(self, place: int, left: int, taken: Hand, ways: int) -> Iterator[tuple[World, int]]:
        if place == len(_GROUPS):
            yield self._with(taken), ways
            return
        after = self._ways[place + 1]
        for share, cards, copies in self._shares[place]:
            if left - cards in after:
                yield from self._from(place + 1, left - cards, taken + share, ways * copies)

    def _world(self, number: int) -> World:
        left, taken = self._size, 0
        for place, known in enumerate(self._choices):
            choices = known.get(left)
            if choices is None:
                choices = known[left] = self._chosen(place, left)
            starts, shares = choices
            at = bisect_right(starts, number) - 1
            share, cards, copies = shares[at]
            number = (number - starts[at]) // copies
            taken += share
            left -= cards
        return self._with(taken)

    def _chosen(self, place: int, left: int) -> tuple[list[int], list[tuple[Hand, int, int]]]:
        after = self._ways[place + 1]
        shares = [each for each in self._shares[place] if left - each[1] in after]
        starts = accumulate((copies * after[left - cards] for _, cards, copies in shares), initial=0)
        return list(starts)[:-1], shares

    def _with(self, taken: Hand) -> World:
        hands = [self._hand, taken, self._unseen - taken]
        back = -self._seat % 3
        return hands[back], hands[back - 2], hands[back - 1]


def _shares(group: tuple[Card, ...], unseen: Hand, first: Hidden, second: Hidden) -> list[tuple[Hand, int, int]]:
    copies = [unseen >> LANE[card] & 7 for card in group]
    shares = []
    for one in product(*(range(count + 1) for count in copies)):
        other = tuple(count - taken for count, taken in zip(copies, one, strict=True))
        if _allowed(group, one, first) and _allowed(group, other, second):
            share = sum(taken << LANE[card] for card, taken in zip(group, one, strict=True))
            shares.append((share, sum(one), prod(map(comb, copies, one))))
    return shares


def _allowed(group: tuple[Card, ...], counts: tuple[int, ...], hand: Hidden) -> bool:
    if any(count > hand.most[card] for card, count in zip(group, counts, strict=True)):
        return False
    if group == _PAIR:
        return hand.allows_bonus_cards(*counts)
    if group in _TRIPLES:
        named, *matching = counts
        return all(bound.allows(named, sum(matching)) for bound in hand.bounds[_TRIPLES.index(group)])
    return True
