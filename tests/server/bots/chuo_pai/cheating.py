"""A twin of the hard bot that sees all hands: what its search would gain from knowing instead of guessing."""

from collections.abc import Iterator
from random import Random

from server.bots.chuo_pai.hard import HardBot
from server.bots.chuo_pai.sight import Sight
from server.bots.chuo_pai.worlds import World, Worlds


class Truth(Worlds):
    """The one world there really is."""

    def __init__(self, sight: Sight, world: World) -> None:
        super().__init__(sight)
        self._true = world

    def dealt(self, rng: Random) -> Iterator[World]:
        while True:
            yield self._true

    def all(self) -> Iterator[tuple[World, int]]:
        yield self._true, 1


class CheatingBot(HardBot):
    """`hands` must be set to those of the state before each choice."""

    hands: World = (0, 0, 0)

    def worlds(self, seen: Sight) -> Worlds:
        return Truth(seen, self.hands)
