"""The arithmetic of fair deals: who could have chosen the cards, if nobody did. Hashing and nothing else.

For each deal the server commits itself to a `secret`; then every client that takes part commits itself to a `part` by
a pledge; then the parts are revealed, and the deck follows from the secret and all parts; after the deal, the secret
is revealed. The whole scheme, what it proves and what not: protocol/README.md, section 15. Everything here is SHA-256
and HMAC-SHA-256, so whoever wants to check a deal can do so in any language.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count

from protocol.notation import CARDS, Card
from protocol.view import Proof

BYTES = 32
"""Of a secret, a part, a commitment and a pledge."""

COPIES = 4
"""Of each card of a pack, in the games of `CARDS`."""

WORD = 1 << 32

Three = tuple[bytes, bytes, bytes]
"""One for each seat; empty for a seat that adds nothing."""


def commitment(room: str, deal: int, attempt: int, secret: bytes) -> bytes:
    """What the server shows of its secret before anybody has pledged."""
    return _hash(b"paizhuo fair 1 commitment", room.encode(), _number(deal), _number(attempt), secret)


def pledge(room: str, deal: int, attempt: int, seat: int, committed: bytes, part: bytes) -> bytes:
    """What a client shows of its part. `committed`: the server's commitment that it was shown."""
    return _hash(
        b"paizhuo fair 1 pledge", room.encode(), _number(deal), _number(attempt), _number(seat), committed, part
    )


def seed(committed: bytes, secret: bytes, parts: Three) -> bytes:
    """What the order of the cards follows from."""
    return _hash(b"paizhuo fair 1 seed", committed, secret, *parts)


def dealt(pack: tuple[Card, ...], key: bytes) -> tuple[tuple[Card, ...], int]:
    """The deck that follows from a seed, and the seat that begins. `pack`: all cards in ascending order.

    Fisher-Yates from the last place down, then one draw below 3. No draw is biased: what would be is drawn again.
    """
    deck = list(pack)
    words = _words(key)
    for place in range(len(deck) - 1, 0, -1):
        other = _below(place + 1, words)
        deck[place], deck[other] = deck[other], deck[place]
    return tuple(deck), _below(3, words)


def pack_of(game: str) -> tuple[Card, ...] | None:
    """All cards of a game in ascending order; None for a game that is not known here."""
    cards = CARDS.get(game)
    return None if cards is None else tuple(card for card in cards for _ in range(COPIES))


def faults(proof: Proof, *, voided: bool = False) -> Iterator[str]:
    """What is wrong with a proof, apart from the cards. `voided`: no cards came of it, and parts may be missing."""
    try:
        secret, committed = bytes.fromhex(proof.secret), bytes.fromhex(proof.commitment)
        pledges, parts = [[bytes.fromhex(each) for each in three] for three in (proof.pledges, proof.parts)]
    except ValueError:
        yield "it is not written in hexadecimal digits"
        return
    if commitment(proof.room, proof.deal, proof.attempt, secret) != committed:
        yield "the secret is not the one that the server had committed itself to"
    for seat, (pledged, part) in enumerate(zip(pledges, parts, strict=True)):
        if part and pledge(proof.room, proof.deal, proof.attempt, seat, committed, part) != pledged:
            yield f"the part of seat {seat} is not the one that it had pledged"
        elif pledged and not part and not voided:
            yield f"the part of seat {seat} is missing"
    if bool(proof.missing) != voided:
        yield "only a round that was voided has missing parts"


def deal_of(proof: Proof, pack: tuple[Card, ...]) -> tuple[tuple[Card, ...], int]:
    """The deck and the first seat of a proof without `faults`."""
    first, second, third = (bytes.fromhex(part) for part in proof.parts)
    key = seed(bytes.fromhex(proof.commitment), bytes.fromhex(proof.secret), (first, second, third))
    return dealt(pack, key)


def faults_of(proofs: Sequence[Proof], pack: tuple[Card, ...], deck: tuple[Card, ...], first: int) -> Iterator[str]:
    """What is wrong with the proof of a deck: rounds that were voided, and then the one that the deck follows from."""
    if not proofs:
        yield "there is no round in it"
        return
    *others, last = proofs
    for proof in others:
        for fault in faults(proof, voided=True):
            yield f"attempt {proof.attempt}: {fault}"
    if {(proof.room, proof.deal) for proof in others} - {(last.room, last.deal)}:
        yield "a voided round is one of another deal"
    if wrong := list(faults(last)):
        yield from wrong
    elif deal_of(last, pack) != (deck, first):
        yield "the deck, or who begins, is not what follows from the secret and the parts"


def _hash(*fields: bytes) -> bytes:
    """Of fields of which none can pass for another: each comes after its length in two bytes."""
    return sha256(b"".join(len(field).to_bytes(2, "big") + field for field in fields)).digest()


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _words(key: bytes) -> Iterator[int]:
    for block in count():
        stream = hmac.digest(key, _number(block), sha256)
        for start in range(0, len(stream), 4):
            yield int.from_bytes(stream[start : start + 4], "big")


def _below(bound: int, words: Iterator[int]) -> int:
    """The first word that is below the largest multiple of `bound`, by remainder."""
    limit = WORD - WORD % bound
    return next(word for word in words if word < limit) % bound
