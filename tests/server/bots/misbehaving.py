"""A worker process whose bots misbehave; which way is the name of the game. Run by the tests of the pool."""

import os
from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import cast

from protocol.notation import Action
from protocol.view import BotLevel, TableView
from server.bots.base import UNLIMITED, Bot, offered
from server.bots.ladder import bot_for
from server.bots.worker import serve


class Misbehaving:
    def __init__(self, act: Callable[[TableView], object]) -> None:
        self._act = act

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        return cast("Action", self._act(view))


def hang(view: TableView) -> None:
    while True:
        pass


def fail(view: TableView) -> None:
    raise KeyError(offered(view)[-1])


class Overspending:
    """Takes no notice of its budget."""

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        for _ in range(10**12):
            rng.random()
        return offered(view)[-1]


def be_slow(view: TableView) -> Action:
    """Long enough to be late where nobody waits, and far from hanging."""
    sum(range(3_000_000))
    return offered(view)[-1]


BOTS: dict[str, Bot] = {
    "crash": Misbehaving(lambda view: os._exit(3)),
    "hang": Misbehaving(hang),
    "overspend": Overspending(),
    "slow": Misbehaving(be_slow),
    "fail": Misbehaving(fail),
    "invent": Misbehaving(lambda view: "play 66+66+66+66+66"),
    "count": Misbehaving(lambda view: 7),
    "babble": Misbehaving(lambda view: print("thinking of", offered(view)[-1], flush=True)),
}


def source(game: str, level: BotLevel) -> Bot:
    return BOTS.get(game) or bot_for(game, level)


if __name__ == "__main__":
    serve(source, perf_counter)
