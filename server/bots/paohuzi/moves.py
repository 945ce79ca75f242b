"""The offered actions as the kernel has them, the hands that they leave, and the cards that these wait for."""

from protocol.notation import Action
from server.bots.paohuzi.kernel import BIT, LEAST, NUMBER, Claim, Table, tun
from server.bots.paohuzi.plan import GREED
from server.bots.paohuzi.sight import Sight

Choice = Claim | int | None
"""A claim, a card to discard, or a pass."""


def choices(seen: Sight, actions: tuple[Action, ...]) -> list[tuple[Action, Choice]]:
    """All offered actions but a win."""
    if "pass" not in actions:
        return [(action, NUMBER[action.removeprefix("discard ")]) for action in actions]
    offers = seen.table.offers((seen.me - seen.table.turn) % 3, seen.public, seen.revealed)
    return [("pass", None), *((claim.action, claim) for claim in offers if claim.action in actions)]


def hands(seen: Sight, choice: Choice) -> list[Table]:
    """The tables that the choice leads to: one for each discard that may follow it."""
    me, table = seen.me, seen.table.copy()
    if isinstance(choice, int):
        table.discard(me, choice)
    elif choice is not None:
        table.carry(me, seen.public, choice)
    if table.over[me] <= 0:
        return [table]
    found = []
    for card in range(20):
        if table.loose[me] & 3 * BIT[card]:
            following = table.copy()
            following.discard(me, card)
            found.append(following)
    return found


class Waits:
    """How much the own hand waits for its last card."""

    def __init__(self, seen: Sight) -> None:
        self._seen = seen
        self._known: dict[tuple[int, int, int, int], float] = {}

    def of(self, table: Table) -> float:
        """The unseen copies of all cards that complete the hand, each times what its win is worth; 0 if none does."""
        me = self._seen.me
        key = table.loose[me], table.groups[me], table.huxi[me], table.fours[me]
        known = self._known.get(key)
        if known is None:
            known = 0.0
            for card, copies in enumerate(self._seen.unseen):
                if copies and not table.dead[me]:
                    huxi = table.win_huxi(me, card)
                    if huxi >= LEAST:
                        known += copies * tun(huxi) ** GREED
            self._known[key] = known
        return known
