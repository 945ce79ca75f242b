"""What is to be thought of the offered actions before any is played on: the prospects of the hands that they leave."""

from typing import NamedTuple

from protocol.notation import Action
from server.bots.paohuzi.kernel import Table
from server.bots.paohuzi.moves import Choice, Waits, choices, hands
from server.bots.paohuzi.plan import Plans
from server.bots.paohuzi.sight import Sight


class Move(NamedTuple):
    """One offered action, as the kernel has it, and what it promises."""

    action: Action
    choice: Choice
    prospects: float


def judged(seen: Sight, actions: tuple[Action, ...]) -> list[Move]:
    """The offered actions but a win, the best first.

    Moves after which the hand waits for its last card are ranked among themselves by what it waits for, which is
    certain; whether to wait at all, by the prospects.
    """
    judge, waits = _Judge(seen), Waits(seen)
    moves, worth = [], {}
    for action, choice in choices(seen, actions):
        left = hands(seen, choice)
        moves.append(Move(action, choice, max(map(judge.prospects, left), default=0.0)))
        worth[action] = max(map(waits.of, left), default=0.0)
    waiting = [move for move in moves if worth[move.action]]
    ranks = sorted((move.prospects for move in waiting), reverse=True)
    waiting.sort(key=lambda move: (-worth[move.action], -move.prospects))
    promised = {move.action: rank for move, rank in zip(waiting, ranks, strict=True)}
    moves = [move._replace(prospects=promised.get(move.action, move.prospects)) for move in moves]
    return sorted(moves, key=lambda move: (-move.prospects, -worth[move.action]))


class _Judge:
    def __init__(self, seen: Sight) -> None:
        self._seen = seen
        self._plans: dict[bool, Plans] = {}

    def prospects(self, table: Table) -> float:
        """Of the own hand on a table where it need not discard."""
        me, fours = self._seen.me, table.fours[self._seen.me] > 0
        plans = self._plans.get(fours)
        if plans is None:
            plans = self._plans[fours] = Plans(self._seen.unseen, self._seen.table.barred[me], fours=fours)
        return plans.prospects(table.loose[me], table.groups[me], table.huxi[me], table.growth(me, self._seen.unseen))
