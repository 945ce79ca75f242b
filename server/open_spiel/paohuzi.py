"""Paohuzi as `python_paohuzi`: its actions in numbers, its bounds, and what its tensors hold."""

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import pyspiel

from protocol.notation import PAOHUZI_CARDS, Action, groups_of
from server.games.base import SEATS
from server.games.paohuzi.claims import CHI_NAMED, PASS, WIN
from server.games.paohuzi.game import HAND_SIZE, Paohuzi
from server.games.paohuzi.groups import GROUPS, KAN, LEAST_HUXI, PAO, PENG
from server.open_spiel.game import TableGame, TableState, game_type
from server.open_spiel.node import HAND, Node, Table
from server.open_spiel.observer import BARRED, Pieces
from server.open_spiel.paohuzi_worlds import decks, guesses


def _order(chi: Action) -> tuple[int, list[list[int]]]:
    groups = groups_of(chi)
    return len(groups), [[PAOHUZI_CARDS.index(card) for card in group] for group in groups]


RULES = Paohuzi()

ACTIONS: tuple[Action, ...] = (
    PASS,
    WIN,
    PAO,
    PENG,
    *[f"discard {card}" for card in PAOHUZI_CARDS],
    *sorted({action for _, action in CHI_NAMED}, key=_order),
)
"""Every action by its number: `pass`, `win`, `pao` and `peng` from 0 on, the discards from 4 on, every chi from 24 on:
by how many groups it has, then by their cards in ascending order.
"""

REVEALS = 19
DISCARDS = 61
LONGEST = 3 * REVEALS + 3 * DISCARDS + 1
"""Decisions: every card of the stock is revealed once, and no card of a hand is discarded twice. Three seats at most
decide on a revealed card, two on a discarded one and a third that discards it; one more wins with what it laid.
"""

MOST_HUXI = 12 * GROUPS
MOST_TUN = 1 + (MOST_HUXI - LEAST_HUXI) // 3
"""More than any hand: not all groups can be the dearest."""

LINES = 1 + 15 + REVEALS + DISCARDS + 2 * len(SEATS) * GROUPS + len(SEATS) + 1 + len(SEATS)
"""The dealer's card, opening tis, reveals, discards, melds and what they grow into, dead hands, the end, the hands."""


TABLE = Table(
    rules=RULES,
    cards=PAOHUZI_CARDS,
    actions=ACTIONS,
    numbers={action: number for number, action in enumerate(ACTIONS)},
    decks=partial(decks, RULES),
    kinds=(
        *("dealt_public", "revealed", "discarded"),
        *("ti", "wei", "pao", "peng", "chi"),
        *("dead", "won", "drawn_game", HAND),
    ),
    hands=(
        slice(0, HAND_SIZE + 1),
        slice(HAND_SIZE + 1, 2 * HAND_SIZE + 1),
        slice(2 * HAND_SIZE + 1, 3 * HAND_SIZE + 1),
    ),
    from_first=True,
)


class PaohuziState(TableState):
    table = TABLE

    def guesses(self, rng: Random) -> Iterator[Node]:
        return guesses(RULES, self.node, rng)


KIND = game_type("python_paohuzi", "Paohuzi", RULES, pyspiel.GameType.Utility.ZERO_SUM, {})


class PaohuziGame(TableGame):
    """A return is in tun: a winner gets from both what its hand is worth."""

    state = PaohuziState
    pieces = Pieces(
        TABLE,
        zones=("melds", "discards", "public"),
        own=(HAND, KAN, BARRED),
        facts=("turn", "dealer", "dead"),
        counts=("stock",),
        lines=LINES,
    )

    def __init__(self, params: Mapping[str, Any]):
        info = pyspiel.GameInfo(
            num_distinct_actions=len(ACTIONS),
            max_chance_outcomes=len(PAOHUZI_CARDS),
            num_players=len(SEATS),
            min_utility=-MOST_TUN,
            max_utility=2 * MOST_TUN,
            utility_sum=0,
            max_game_length=LONGEST,
        )
        super().__init__(KIND, info, params)


pyspiel.register_game(KIND, PaohuziGame)
