"""The deals that fit a sight, against all that there are."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import prod
from random import Random

import pytest

from server.bots.ladder import bot_for
from server.bots.paohuzi.kernel import BIT, NUMBER, SHIFT, Table, size
from server.bots.paohuzi.sight import MOST_KANS, Hidden, Shown, Sight, sight
from server.bots.paohuzi.worlds import (
    EVEN,
    KAN_NEAR_DISCARDS,
    KAN_PASSED,
    PAIR,
    PAIR_PASSED,
    SINGLE,
    SINGLE_DISCARDED,
    SINGLE_NEAR_DISCARDS,
    Worlds,
    likelihoods,
)
from server.games.registry import GAMES
from tests.deals import seen, states

GAME = GAMES["paohuzi"]


def hidden(seat: int, cards: int, most: int = 2, *, kans: str = "", held: str = "", dead: bool = False) -> Hidden:
    """At most so many loose copies of each card, and a kan of some only."""
    allowed = [NUMBER[card] for card in kans.split()]
    kan = tuple(number in allowed for number in range(20))
    return Hidden(seat, cards, (most,) * 20, kan, NUMBER[held] if held else -1, (), dead)


def unknown(unseen: str, *others: Hidden) -> Sight:
    """Seat 0 looks on, and all that it has not seen are these cards, as in `s1 s1 b2`."""
    counted = Counter(NUMBER[card] for card in unseen.split())
    first, second = others
    return Sight(
        0,
        Table(),
        -1,
        revealed=False,
        unseen=tuple(counted[number] for number in range(20)),
        stock=counted.total() - first.cards - second.cards,
        hidden=(first, second),
        shown=(),
        stale=(0, 0, 0),
        chi_stale=(0, 0, 0),
    )


Hands = tuple[tuple[int, ...], tuple[int, ...]]


def hands(table: Table, known: Sight) -> Hands:
    """By identity, how many concealed copies each of the two others has."""
    one, other = (
        tuple(
            (table.loose[each.seat] >> SHIFT[number] & 3) + 3 * bool(table.kans[each.seat] & BIT[number])
            for number in range(20)
        )
        for each in known.hidden
    )
    return one, other


def fits(held: tuple[int, ...], known: Hidden) -> bool:
    return all(
        (copies <= known.most[number] if copies < 3 else copies == 3 and known.kan[number])
        for number, copies in enumerate(held)
    ) and (known.held < 0 or held[known.held] > 0)


def by_trial(known: Sight) -> Counter[Hands]:
    """How many deals of single cards make each two hands, each hand as often as it is likely."""
    cards = [number for number in range(20) for _ in range(known.unseen[number])]
    places = range(len(cards))
    first, second = known.hidden
    found: Counter[Hands] = Counter()
    for one in combinations(places, first.cards):
        mine = counted(cards[place] for place in one)
        if fits(mine, first):
            for other in combinations([place for place in places if place not in one], second.cards):
                yours = counted(cards[place] for place in other)
                if fits(yours, second):
                    found[mine, yours] += likely(mine) * likely(yours)
    return found


def counted(cards: Iterable[int]) -> tuple[int, ...]:
    held = Counter(cards)
    return tuple(held[number] for number in range(20))


def likely(held: tuple[int, ...]) -> int:
    """Of a seat that has done nothing yet."""
    return prod((EVEN, SINGLE, PAIR, EVEN)[copies] for copies in held)


SMALL = {
    "pairs": unknown("s1 s1 s2 s3 s3 b1 b1 b2", hidden(1, 3), hidden(2, 2)),
    "few copies": unknown("s1 s1 s2 s2 s3 s3 s4 s4", hidden(1, 3, most=1), hidden(2, 3)),
    "kans": unknown("s1 s1 s1 s2 s2 s2 s3 b1", hidden(1, 4, kans="s1"), hidden(2, 3, kans="s1 s2")),
    "four left": unknown("s1 s1 s1 s1 s2 s3 s3", hidden(1, 3, kans="s1"), hidden(2, 3, kans="s1")),
    "a card known": unknown("s1 s1 s2 s3 s4 b1 b1", hidden(1, 2, held="s1"), hidden(2, 3)),
    "a dead hand": unknown("s1 s1 s1 s2 s2 s3 s4", hidden(1, 3, most=0, kans="s1", dead=True), hidden(2, 2)),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_deal_comes_as_often_as_it_should(name: str) -> None:
    known = SMALL[name]
    expected = by_trial(known)
    worlds = Worlds(known)
    assert worlds.ways == expected.total()
    rng = Random(1)
    tries = 3000
    dealt = Counter(hands(worlds.deal(rng), known) for _ in range(tries))
    assert set(dealt) <= set(expected)
    for each, ways in expected.items():
        share = ways / expected.total()
        assert abs(dealt[each] - tries * share) < 5 * (tries * share * (1 - share)) ** 0.5 + 1


def test_a_sight_that_contradicts_itself_is_an_error() -> None:
    worlds = Worlds(unknown("s1 s1 s1 s2", hidden(1, 3, most=1), hidden(2, 0)))
    assert worlds.ways == 0
    with pytest.raises(ValueError, match="no deal"):
        worlds.deal(Random(1))


def test_what_a_seat_has_done_makes_some_hands_less_likely() -> None:
    s1, s2, s3, b9 = (NUMBER[card] for card in ("s1", "s2", "s3", "b9"))
    known = unknown("s1 s1 s1 s2", hidden(1, 3, kans="s1"), hidden(2, 0))
    known = known._replace(stale=(0, BIT[s1], 0), shown=(Shown(1, s3, revealed=False), Shown(2, b9, revealed=False)))
    known.table.barred[1] = BIT[s3]
    weights = likelihoods(known, known.hidden[0])
    assert weights[s1] == (EVEN, SINGLE_NEAR_DISCARDS[1], PAIR_PASSED, KAN_PASSED)
    assert weights[s2] == (EVEN, SINGLE_NEAR_DISCARDS[1], PAIR, KAN_NEAR_DISCARDS)
    assert weights[s3] == (EVEN, SINGLE_DISCARDED, PAIR, EVEN)
    assert weights[b9] == (EVEN, SINGLE, PAIR, EVEN)


@pytest.mark.parametrize("seed", range(6))
def test_dealt_worlds_hold_all_unseen_cards_and_break_no_proof(seed: int) -> None:
    bot = bot_for("paohuzi", "easy")
    rng = Random(seed)
    for state in states("paohuzi", (bot, bot, bot), Random(seed)):
        for me in GAME.asked(state):
            known = sight(seen(GAME, state, me))
            worlds = Worlds(known)
            for _ in range(5):
                kept(worlds.deal(rng), known)


def kept(world: Table, known: Sight) -> None:
    both = hands(world, known)
    stock = Counter(world.stock)
    for number in range(20):
        assert both[0][number] + both[1][number] + stock[number] == known.unseen[number]
    assert len(world.stock) == known.stock
    for each, held in zip(known.hidden, both, strict=True):
        assert fits(held, each)
        assert sum(held) == each.cards == size(world.loose[each.seat]) + 3 * world.kans[each.seat].bit_count()
        assert world.kans[each.seat].bit_count() <= MOST_KANS
        assert all(any(not held[number] for number in claimed) for claimed in each.claimed)
    me = known.me
    assert (world.loose[me], world.kans[me], world.barred[me]) == (
        known.table.loose[me],
        known.table.kans[me],
        known.table.barred[me],
    )
