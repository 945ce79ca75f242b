"""A player of Paohuzi that knows how hands are completed and what has gone, but does not play on in its head."""

from random import Random
from typing import NamedTuple

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.kernel import BIT, CARDS, NUMBER, PAO_HUXI, PAOS, PENG_HUXI, THREE_HUXI, Claim
from server.bots.paohuzi.plan import Plans
from server.bots.paohuzi.sight import Sight, sight
from server.games.paohuzi.cards import Hand


class Move(NamedTuple):
    """One offered action, as the kernel has it: a card to discard, or a claim (None for a pass); what it promises."""

    action: Action
    choice: Claim | int | None
    prospects: float


class _Judge:
    def __init__(self, seen: Sight) -> None:
        self._seen = seen
        self._plans: dict[bool, Plans] = {}

    def held(self) -> tuple[Hand, int, int, int, bool]:
        """Loose cards, groups, huxi, how many groups of four, and whether a discard is due."""
        table, me = self._seen.table, self._seen.me
        return table.loose[me], table.groups[me], table.huxi[me], table.fours[me], table.over[me] > 0

    def plans(self, fours: bool) -> Plans:
        plans = self._plans.get(fours)
        if plans is None:
            seen = self._seen
            plans = self._plans[fours] = Plans(seen.unseen, seen.table.barred[seen.me], fours=fours)
        return plans

    def best(self, loose: Hand, groups: int, huxi: int, fours: int, due: bool) -> float:
        """The prospects of a hand, after its best discard if one is due."""
        plans = self.plans(fours > 0)
        if not due:
            return plans.prospects(loose, groups, huxi)
        cards = [bit for bit in BIT if loose & 3 * bit]
        return max([plans.prospects(loose - bit, groups, huxi) for bit in cards], default=0.0)

    def discard(self, card: int) -> float:
        loose, groups, huxi, fours, _ = self.held()
        return self.best(loose - BIT[card], groups, huxi, fours, due=False)

    def claim(self, claim: Claim) -> float:
        table, me, card = self._seen.table, self._seen.me, self._seen.public
        loose, groups, huxi, fours, _ = self.held()
        if claim.kind == PAOS:
            before = PENG_HUXI[card] if table.pengs[me] & BIT[card] else THREE_HUXI[card]
            due = table.over[me] + (fours == 0) > 0
            return self.best(loose, groups, huxi + PAO_HUXI[card] - before, fours + 1, due)
        due = table.over[me] >= 0
        return self.best(loose - claim.taken, groups + claim.groups, huxi + claim.huxi, fours, due)


class NormalBot:
    """Wins when it can, and else does what leaves its hand the best prospects."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        seen = sight(view)
        return actions[0] if len(actions) == 1 else judged(seen, actions)[0].action


def judged(seen: Sight, actions: tuple[Action, ...]) -> list[Move]:
    """The offered actions but a win, the best first."""
    judge = _Judge(seen)
    if "pass" in actions:
        moves = [Move("pass", None, judge.best(*judge.held()))]
        moves += [Move(claim.action, claim, judge.claim(claim)) for claim in claims_of(seen, actions)]
    else:
        cards = [NUMBER[action.removeprefix("discard ")] for action in actions]
        moves = [Move(f"discard {CARDS[card]}", card, judge.discard(card)) for card in cards]
    return sorted(moves, key=lambda move: -move.prospects)


def claims_of(seen: Sight, actions: tuple[Action, ...]) -> list[Claim]:
    distance = (seen.me - seen.table.turn) % 3
    claims = seen.table.claims(seen.me, seen.public, distance, seen.revealed, may_chi=True)
    return [claim for claim in claims if claim.action in actions]
