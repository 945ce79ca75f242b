"""Positions in the middle of a deal, from hands written as cards."""

from typing import Protocol

import pytest

from protocol.notation import Action
from server.games.base import Seat
from server.games.chuo_pai.cards import hand_of
from server.games.chuo_pai.plays import answers, leads
from server.games.chuo_pai.state import State


class Position(Protocol):
    def __call__(
        self, *hands: str, leader: Seat = 0, turn: Seat = 0, highest: Action | None = None, max_combination: int = 12
    ) -> State: ...


@pytest.fixture
def position() -> Position:
    """A round of which only the lead (`highest`) is played, or nothing yet."""

    def make(
        *hands: str, leader: Seat = 0, turn: Seat = 0, highest: Action | None = None, max_combination: int = 12
    ) -> State:
        first, second, third = (hand_of(hand.split()) for hand in hands)
        held = (first, second, third)
        return State(
            max_combination=max_combination,
            hands=held,
            piles=((), (), ()),
            round=1,
            leader=leader,
            turn=turn,
            table=((leader, highest),) if highest else (),
            history=(f"1 {leader} {highest}",) if highest else (),
            legal=answers(held[turn], highest) if highest else leads(held[turn], max_combination),
        )

    return make
