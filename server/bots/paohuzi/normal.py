"""A player of Paohuzi that knows how hands are completed and what has gone, but does not play on in its head."""

from random import Random
from typing import NamedTuple

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.kernel import BIT, LEAST, NUMBER, Claim, Table, tun
from server.bots.paohuzi.plan import GREED, Plans
from server.bots.paohuzi.sight import Sight, sight


class Move(NamedTuple):
    """One offered action, as the kernel has it: a card to discard, or a claim (None for a pass); what it promises."""

    action: Action
    choice: Claim | int | None
    prospects: float


class NormalBot:
    """Wins when it can, and else does what leaves its hand the best prospects."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        return actions[0] if len(actions) == 1 else judged(sight(view), actions)[0].action


def judged(seen: Sight, actions: tuple[Action, ...]) -> list[Move]:
    """The offered actions but a win, the best first.

    Moves after which the hand waits for its last card are ranked among themselves by what it waits for, which is
    certain; whether to wait at all, by the prospects.
    """
    judge = _Judge(seen)
    moves, waits = [], {}
    for action, choice in _choices(seen, actions):
        hands = judge.hands(choice)
        moves.append(Move(action, choice, max(map(judge.prospects, hands), default=0.0)))
        waits[action] = max(map(judge.waits, hands), default=0.0)
    waiting = [move for move in moves if waits[move.action]]
    ranks = sorted((move.prospects for move in waiting), reverse=True)
    waiting.sort(key=lambda move: (-waits[move.action], -move.prospects))
    promised = {move.action: rank for move, rank in zip(waiting, ranks, strict=True)}
    moves = [move._replace(prospects=promised.get(move.action, move.prospects)) for move in moves]
    return sorted(moves, key=lambda move: (-move.prospects, -waits[move.action]))


def _choices(seen: Sight, actions: tuple[Action, ...]) -> list[tuple[Action, Claim | int | None]]:
    if "pass" not in actions:
        return [(action, NUMBER[action.removeprefix("discard ")]) for action in actions]
    offers = seen.table.offers((seen.me - seen.table.turn) % 3, seen.public, seen.revealed)
    return [("pass", None), *((claim.action, claim) for claim in offers if claim.action in actions)]


class _Judge:
    def __init__(self, seen: Sight) -> None:
        self._seen = seen
        self._plans: dict[bool, Plans] = {}
        self._waits: dict[tuple[int, int, int, int], float] = {}

    def hands(self, choice: Claim | int | None) -> list[Table]:
        """The tables that the choice leads to: one for each discard that may follow it."""
        me, table = self._seen.me, self._seen.table.copy()
        if isinstance(choice, int):
            table.discard(me, choice)
        elif choice is not None:
            table.carry(me, self._seen.public, choice)
        if table.over[me] <= 0:
            return [table]
        found = []
        for card in range(20):
            if table.loose[me] & 3 * BIT[card]:
                following = table.copy()
                following.discard(me, card)
                found.append(following)
        return found

    def prospects(self, table: Table) -> float:
        """Of the own hand on a table where it need not discard."""
        me, fours = self._seen.me, table.fours[self._seen.me] > 0
        plans = self._plans.get(fours)
        if plans is None:
            plans = self._plans[fours] = Plans(self._seen.unseen, self._seen.table.barred[me], fours=fours)
        return plans.prospects(table.loose[me], table.groups[me], table.huxi[me], table.growth(me, self._seen.unseen))

    def waits(self, table: Table) -> float:
        """The unseen copies of all cards that complete the own hand, each times what its win is worth."""
        me = self._seen.me
        key = table.loose[me], table.groups[me], table.huxi[me], table.fours[me]
        known = self._waits.get(key)
        if known is None:
            known = 0.0
            for card, copies in enumerate(self._seen.unseen):
                if copies and not table.dead[me]:
                    huxi = table.win_huxi(me, card)
                    if huxi >= LEAST:
                        known += copies * tun(huxi) ** GREED
            self._waits[key] = known
        return known
