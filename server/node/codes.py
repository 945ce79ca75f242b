"""Room codes: short enough to read aloud, and derived from the secret of whoever opens the room.

The same secret always leads to the same codes, so a request to open a room that is sent again, to whatever node, finds
the room that it made before.
"""

from collections.abc import Iterator
from hashlib import blake2b

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""No 0/O, 1/I/L: codes are read aloud and typed."""

CODE_LENGTH = 8
"""31**8 is 39.6 bits: too many to guess at the rates that a server allows, few enough to type."""

CODE_TRIES = 8
"""How many codes are tried before giving up; a second one is needed once in millions of rooms."""

_FAIR = 256 - 256 % len(CODE_LETTERS)
"""Bytes from here on are passed over, or the first letters would come more often."""


def room_codes(secret: str) -> Iterator[str]:
    """The codes to try, in order. They tell nothing of the secret."""
    for number in range(CODE_TRIES):
        drawn = blake2b(secret.encode(), salt=bytes((number,)), person=b"room code").digest()
        letters = [CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in drawn if byte < _FAIR]
        yield "".join(letters[:CODE_LENGTH])


def tidied(code: str) -> str | None:
    """A code as typed, in any case, with hyphens and spaces; None for what can be none."""
    tidy = "".join(letter for letter in code.upper() if letter not in "- ")
    return tidy if len(tidy) == CODE_LENGTH and set(tidy) <= set(CODE_LETTERS) else None
