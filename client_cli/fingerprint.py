"""What tells one server's certificate from all others: the start of its SHA-256, in letters that people can type.

Written in Crockford's base 32, as room codes are: 52 signs are all of it, and 16 (80 bits) the least that is taken.
"""

import re
from hashlib import sha256

from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.text import clipped
from protocol.errors import ExitCode

SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
FULL, LEAST = 52, 16
"""In signs of 5 bits."""

_MISREAD = str.maketrans("OIL", "011", "-")


def fingerprint(certificate: bytes) -> str:
    """All of it; of a certificate in DER."""
    bits = int.from_bytes(sha256(certificate).digest(), "big") << 4  # 256 bits in 52 signs
    return "".join(SIGNS[bits >> 5 * place & 31] for place in reversed(range(FULL)))


def tidy_fingerprint(typed: str) -> str:
    """Its signs alone. Raises `CommandFailed` (usage) for what is none, or is too short to tell servers apart."""
    signs = typed.upper().translate(_MISREAD)
    if not re.fullmatch(f"[{SIGNS}]{{{LEAST},{FULL}}}", signs):
        raise CommandFailed(
            ExitCode.USAGE,
            tr(
                "'{typed}' is no fingerprint of a server: behind the # there are at least {count} letters and digits, "
                "such as ABCD-EFGH-JKMN-PQRS",
                typed=clipped(typed),
                count=LEAST,
            ),
        )
    return signs


def short(fingerprint: str) -> str:
    """As people pass it on: `ABCD-EFGH-JKMN-PQRS`."""
    return "-".join(fingerprint[place : place + 4] for place in range(0, LEAST, 4))
