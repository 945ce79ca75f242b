"""Rounds of fair deals, made by hand."""

from typing import NamedTuple

from protocol import fair
from protocol.view import Proof


class Hands(NamedTuple):
    """What everybody drew for a deal; empty parts: of seats that add nothing."""

    secret: bytes = b"s" * 32
    parts: fair.Three = (b"", b"", b"")
    room: str = "ABCDEFGH"
    deal: int = 1
    attempt: int = 1


def pledges_of(hands: Hands, committed: bytes) -> tuple[str, str, str]:
    room, deal, attempt = hands.room, hands.deal, hands.attempt
    first, second, third = (
        fair.pledge(room, deal, attempt, seat, committed, part).hex() if part else ""
        for seat, part in enumerate(hands.parts)
    )
    return first, second, third


def proof_of(hands: Hands) -> Proof:
    """What an honest server reveals."""
    committed = fair.commitment(hands.room, hands.deal, hands.attempt, hands.secret)
    first, second, third = (part.hex() for part in hands.parts)
    return Proof(
        hands.room,
        hands.deal,
        hands.attempt,
        committed.hex(),
        hands.secret.hex(),
        pledges_of(hands, committed),
        (first, second, third),
    )
