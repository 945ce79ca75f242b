"""How long bots take, counted by game, level and how it ended."""

from collections import defaultdict
from typing import Literal, NamedTuple

from protocol.view import BotLevel
from server.durations import Durations

THOUGHT_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5)

Ending = Literal["as_asked", "easier", "late", "failed"]
"""The bot that was asked; an easier one for want of time; nobody in time; none that is usable."""


class Sort(NamedTuple):
    """`level`: the one that was asked for."""

    game: str
    level: BotLevel
    ending: Ending


class Thinking:
    """`answered`: from the question to the answer, with the wait for a free worker. `thought`: the worker's part, of
    those that were answered."""

    def __init__(self) -> None:
        self.answered: defaultdict[Sort, Durations] = defaultdict(lambda: Durations(THOUGHT_S))
        self.thought: defaultdict[Sort, Durations] = defaultdict(lambda: Durations(THOUGHT_S))
