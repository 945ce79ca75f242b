"""The only source of entropy: decks, first seats, tickets and command ids, all from the system's generator.

`SystemRandom` draws below a bound by rejection, so a shuffle has no bias and no seed to guess.
"""

from random import SystemRandom
from secrets import token_bytes, token_urlsafe
from typing import Protocol


class Chance(Protocol):
    """What the server draws. Tests hand in one that they steer."""

    def shuffled(self, pack: tuple[str, ...]) -> tuple[str, ...]: ...

    def seat(self) -> int: ...

    def ticket(self) -> str:
        """128 bits as 22 characters of URL-safe text."""

    def command_id(self) -> bytes:
        """16 bytes that no other command has."""


class SystemChance:
    """Draws from the operating system."""

    def __init__(self) -> None:
        self._random = SystemRandom()

    def shuffled(self, pack: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._random.sample(pack, len(pack)))

    def seat(self) -> int:
        return self._random.randrange(3)

    def ticket(self) -> str:
        return token_urlsafe(16)

    def command_id(self) -> bytes:
        return token_bytes(16)
