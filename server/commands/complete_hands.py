"""Random complete hands of Paohuzi, for measurements and tests of the search."""

from collections import Counter
from random import Random
from typing import NamedTuple

from protocol.notation import PAOHUZI_CARDS, Card
from protocol.view import Group
from server.games.paohuzi.cards import COPIES
from server.games.paohuzi.groups import CHIS, GROUPS, IDENTICAL, KAN, LEAST_HUXI, PAIR, PAO, PENG, TI, WEI


class CompleteHand(NamedTuple):
    """Groups that are fixed, loose cards in no order, and the winning card, which completes a chi or the pair."""

    fixed: tuple[Group, ...]
    loose: tuple[Card, ...]
    card: Card


def complete_hand(rng: Random) -> CompleteHand:
    """None to four groups of identical cards and otherwise chi, with at least 15 huxi."""
    while True:
        kinds = [rng.choice((TI, PAO, WEI, KAN, PENG)) for _ in range(rng.randrange(5))]
        fixed = [IDENTICAL[kind, rng.choice(PAOHUZI_CARDS)] for kind in kinds]
        free = [IDENTICAL[PAIR, rng.choice(PAOHUZI_CARDS)]] if {TI, PAO} & {*kinds} else []
        free += rng.choices(CHIS, k=GROUPS - len(fixed) - len(free))
        cards = [card for group in free for card in group.cards]
        winning = cards.pop(rng.randrange(len(cards)))
        whole = Counter(card for group in (*fixed, *free) for card in group.cards)
        huxi = sum(group.value or 0 for group in (*fixed, *free))
        if huxi >= LEAST_HUXI and max(whole.values()) <= COPIES and max(Counter(cards).values()) <= 2:
            rng.shuffle(cards)
            return CompleteHand(tuple(fixed), tuple(cards), winning)
