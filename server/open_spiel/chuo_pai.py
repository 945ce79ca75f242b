"""Chuo Pai as `python_chuo_pai`: its actions in numbers, its bounds, and what its tensors hold."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pyspiel
from msgspec.structs import replace

from protocol.notation import CHUO_PAI_CARDS, Action, Card, join
from server.bots.chuo_pai.sight import sight
from server.bots.chuo_pai.worlds import World, Worlds
from server.deals import NOBODY, table_for
from server.games.base import SEATS, Deck, Seat
from server.games.chuo_pai.cards import cards_of, hand_of
from server.games.chuo_pai.game import HAND_SIZE, ChuoPai
from server.games.chuo_pai.plays import PASS, PLAYS
from server.open_spiel.game import TableGame, TableState, game_type
from server.open_spiel.node import HAND, Node, Table
from server.open_spiel.observer import Pieces

RULES = ChuoPai()

ACTIONS: tuple[Action, ...] = (PASS, *PLAYS)
"""Every action by its number: `pass`, sets by family, rank and size, then combinations by rank and size."""

MARGIN = "margin"
"""The parameter."""

LONGEST = 3 * 84
"""Decisions: a round takes at least one card, and three at most decide in it."""

LINES = LONGEST + 2 * len(SEATS)
"""Decisions, bonuses, and the hands at the end."""


def decks(node: Node, player: Seat, rng: Random) -> Iterator[Deck]:
    """The hands of the bots' worlds, with what has left them since the deal."""
    gone = _gone(node)
    for world in _worlds(node, player, rng):
        first, second, third = [(*cards_of(hand), *gone[seat]) for seat, hand in enumerate(world)]
        yield first + second + third


def _worlds(node: Node, player: Seat, rng: Random) -> Iterator[World]:
    return Worlds(sight(table_for(RULES, node.state, player, node.options, NOBODY))).dealt(rng)


def _gone(node: Node) -> list[list[Card]]:
    gone: list[list[Card]] = [[], [], []]
    for line in node.told:
        kind, seat, *cards = line.split(" ")
        if kind != HAND and cards:
            gone[int(seat)] += cards[0].split("+")
    return gone


TABLE = Table(
    rules=RULES,
    cards=CHUO_PAI_CARDS,
    actions=ACTIONS,
    numbers={action: number for number, action in enumerate(ACTIONS)},
    decks=decks,
    kinds=("bonus", "led", "played", "passed", HAND),
    hands=(slice(0, HAND_SIZE), slice(HAND_SIZE, 2 * HAND_SIZE), slice(2 * HAND_SIZE, 3 * HAND_SIZE)),
    from_first=False,
)


class ChuoPaiState(TableState):
    table = TABLE

    def guesses(self, rng: Random) -> Iterator[Node]:
        """Every world fits, so nothing need be played again."""
        node = self.node
        gone = [hand_of(cards) for cards in _gone(node)]
        for world in _worlds(node, node.player, rng):
            one, two, three = [cards_of(hand + gone[seat]) for seat, hand in enumerate(world)]
            state = replace(node.state, hands=world)
            yield replace(node, state=state, dealt=one + two + three, starts=(join(one), join(two), join(three)))


class ChuoPaiGame(TableGame):
    """A return is the cards in the seat's pile, which only its own cards get into; with the parameter `margin`, less
    the mean of the two others: then the sum is 0.
    """

    state = ChuoPaiState
    pieces = Pieces(TABLE, zones=("pile", "round"), own=(HAND,), facts=("turn", "leader"), lines=LINES)

    def __init__(self, params: Mapping[str, Any]):
        margin = params[MARGIN]
        info = pyspiel.GameInfo(
            num_distinct_actions=len(ACTIONS),
            max_chance_outcomes=len(CHUO_PAI_CARDS),
            num_players=len(SEATS),
            min_utility=-HAND_SIZE if margin else 0,
            max_utility=HAND_SIZE,
            utility_sum=0 if margin else None,
            max_game_length=LONGEST,
        )
        super().__init__(_kind(margin=margin), info, params, margin=margin)


def _kind(*, margin: bool) -> Any:
    utility = pyspiel.GameType.Utility
    return game_type(
        "python_chuo_pai",
        "Chuo Pai",
        RULES,
        utility.ZERO_SUM if margin else utility.GENERAL_SUM,
        {MARGIN: False},
    )


pyspiel.register_game(_kind(margin=False), ChuoPaiGame)
