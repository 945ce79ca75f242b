"""What a bot is: a choice among the offered actions, made from a view alone.

Knows no room and no state of a game, so a bot cannot see more than a player in its seat.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from random import Random
from typing import Protocol, get_args

from protocol.notation import Action
from protocol.view import BotLevel, Reason, TableView
from server.bots import chuo_pai, chuo_pai_reasons, paohuzi, paohuzi_reasons


class Bot(Protocol):
    """One level of one game. It keeps nothing between choices, so any process may make any of them."""

    def choose(self, view: TableView, rng: Random) -> Action:
        """One of `view.prompt.actions`; the same for the same view and generator. Called with a prompt only."""


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

    def choose(self, view: TableView, rng: Random) -> Action:
        return rng.choice(offered(view))


BOTS: Mapping[tuple[str, BotLevel], Bot] = {
    ("chuo-pai", "random"): RandomBot(),
    ("chuo-pai", "easy"): chuo_pai.EasyBot(),
    ("paohuzi", "random"): RandomBot(),
    ("paohuzi", "easy"): paohuzi.EasyBot(),
}
"""Every bot there is, by game and level."""

REASONS: Mapping[str, Callable[[TableView, Action], Iterator[Reason]]] = {
    "chuo-pai": chuo_pai_reasons.reasons,
    "paohuzi": paohuzi_reasons.reasons,
}

MOST_REASONS = 3
"""More than these nobody reads."""


def bot_for(game: str, level: BotLevel) -> Bot:
    """Raises `LookupError` for a game that has no bot of this level."""
    return BOTS[game, level]


def strongest(game: str) -> BotLevel:
    """The best level that plays this game. Raises `ValueError` for a game without bots."""
    return max((level for played, level in BOTS if played == game), key=get_args(BotLevel).index)


def reasons_for(game: str, view: TableView, action: Action) -> tuple[Reason, ...]:
    """The strongest of what speaks for one of several offered actions. Raises `LookupError` for an unknown game."""
    return tuple(islice(REASONS[game](view, action), MOST_REASONS))
