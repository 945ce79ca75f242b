"""Which bots there are, by game and level, and what speaks for their choices."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import get_args

from protocol.notation import Action
from protocol.view import BotLevel, Reason, TableView
from server.bots.base import Bot, RandomBot
from server.bots.chuo_pai import easy as chuo_pai_easy
from server.bots.chuo_pai import hard as chuo_pai_hard
from server.bots.chuo_pai import normal as chuo_pai_normal
from server.bots.chuo_pai import reasons as chuo_pai_reasons
from server.bots.paohuzi import easy as paohuzi_easy
from server.bots.paohuzi import hard as paohuzi_hard
from server.bots.paohuzi import normal as paohuzi_normal
from server.bots.paohuzi import reasons as paohuzi_reasons

BOTS: Mapping[tuple[str, BotLevel], Bot] = {
    ("chuo-pai", "random"): RandomBot(),
    ("chuo-pai", "easy"): chuo_pai_easy.EasyBot(),
    ("chuo-pai", "normal"): chuo_pai_normal.NormalBot(),
    ("chuo-pai", "hard"): chuo_pai_hard.HardBot(),
    ("paohuzi", "random"): RandomBot(),
    ("paohuzi", "easy"): paohuzi_easy.EasyBot(),
    ("paohuzi", "normal"): paohuzi_normal.NormalBot(),
    ("paohuzi", "hard"): paohuzi_hard.HardBot(),
}
"""Every bot there is, by game and level."""

REASONS: Mapping[str, Callable[[TableView, Action], Iterator[Reason]]] = {
    "chuo-pai": chuo_pai_reasons.reasons,
    "paohuzi": paohuzi_reasons.reasons,
}

AT_A_GLANCE: tuple[BotLevel, ...] = ("random", "easy", "normal")
"""Levels that take next to no time, the best one last."""

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
