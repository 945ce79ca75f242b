"""What a bot is: a choice among the offered actions, made from a view alone.

Knows no room and no state of a game, so a bot cannot see more than a player in its seat.
"""

from random import Random
from typing import Protocol

from protocol.notation import Action
from protocol.view import TableView

UNLIMITED = 2**32 - 1
"""A budget that leaves every bot its full strength."""


class Bot(Protocol):
    """One level of one game. It keeps nothing between choices, so any process may make any of them."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        """One of `view.prompt.actions`; the same for the same view, generator and budget. Called with a prompt only.

        `budget`: how many rollouts it may make, where it makes any. It never takes more than it needs for its full
        strength, and it is counted, not timed, so that a choice can be made again.
        """


def offered(view: TableView) -> tuple[Action, ...]:
    """The actions that the viewer is asked to choose from. Raises `ValueError` where it is asked nothing."""
    if view.prompt is None:
        raise ValueError("the view asks nothing")
    return view.prompt.actions


def fallback(view: TableView) -> Action:
    """What is done for a seat that does not decide: pass where that is legal, else the first offered action."""
    actions = offered(view)
    return "pass" if "pass" in actions else actions[0]


class RandomBot:
    """Every offered action alike: the measure of all other levels, and enough for tests."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:  # noqa: ARG002 it does not search
        return rng.choice(offered(view))
