"""The only source of entropy: secrets of rounds, tickets and command ids, all from the system's generator."""

from secrets import token_bytes, token_urlsafe
from typing import Protocol

from protocol import fair


class Chance(Protocol):
    """What the server draws. Tests hand in one that they steer."""

    def secret(self) -> bytes:
        """32 bytes, of which the deck of one deal will follow."""

    def dealt(self, pack: tuple[str, ...], seed: bytes) -> tuple[tuple[str, ...], int]:
        """The deck that follows from the seed of a deal, and the seat that begins: nothing is drawn for it here."""

    def ticket(self) -> str:
        """128 bits as 22 characters of URL-safe text."""

    def command_id(self) -> bytes:
        """16 bytes that no other command has."""


class SystemChance:
    """Draws from the operating system."""

    def secret(self) -> bytes:
        return token_bytes(fair.BYTES)

    def dealt(self, pack: tuple[str, ...], seed: bytes) -> tuple[tuple[str, ...], int]:
        return fair.dealt(pack, seed)

    def ticket(self) -> str:
        return token_urlsafe(16)

    def command_id(self) -> bytes:
        return token_bytes(16)
