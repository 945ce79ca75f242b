"""A player of Paohuzi that knows what a hand waits for and how likely its groups are made, but does not play on in its
head.

It plays as every seat does when `hard` plays on (`rollout.Policy`), in a tenth of the time that plans take.
"""

from random import Random

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED
from server.bots.paohuzi.kernel import CARDS, Claim
from server.bots.paohuzi.moves import Waits, choices, hands
from server.bots.paohuzi.rollout import Policy
from server.bots.paohuzi.sight import sight


class NormalBot:
    """Wins when it can, waits for as many cards as it can, and else claims what makes its hand likelier to be completed
    and discards what has least to grow together with."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        assert view.prompt is not None
        actions = view.prompt.actions
        if "win" in actions:
            return "win"
        if len(actions) == 1:
            return actions[0]
        seen = sight(view)
        me, waits = seen.me, Waits(seen)
        offered = choices(seen, actions)
        waiting = [max(map(waits.of, hands(seen, choice)), default=0.0) for _, choice in offered]
        most = max(waiting)
        left = {action: choice for (action, choice), wait in zip(offered, waiting, strict=True) if wait == most}
        if len(left) == 1:
            return next(iter(left))
        policy = Policy(seen.unseen, seen.table.loose[me], seen.table.barred[me])
        if "pass" in actions:
            claim = policy.claim(
                seen.table, me, seen.public, [each for each in left.values() if isinstance(each, Claim)]
            )
            action = claim.action if claim else "pass"
        else:
            action = f"discard {CARDS[policy.discard(seen.table, me)]}"
        return action if action in left else next(iter(left))
