"""Writes the test vectors of fair deals: `python -m tests.golden.fair.record`. What is published never changes."""

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from protocol import fair
from protocol.record import Record, Step
from server.games.base import settled
from server.games.record import outcome
from server.games.registry import game_named
from tests.rounds import Hands, proof_of

ROUNDS = (
    ("all seats add", "chuo-pai", Hands(parts=(b"0", b"1", b"2"), room="K7QF2MXR")),
    ("nobody adds", "chuo-pai", Hands(room="K7QF2MXR")),
    ("seat 1 adds", "paohuzi", Hands(parts=(b"", b"1", b""), room="ABCD2345", deal=3)),
    ("a second attempt", "paohuzi", Hands(parts=(b"0", b"", b"2"), room="ABCD2345", deal=32, attempt=2)),
)


def drawn(name: bytes) -> bytes:
    return sha256(b"test vector " + name).digest()


def with_bytes(hands: Hands, about: str) -> Hands:
    first, second, third = (drawn(about.encode() + part) if part else b"" for part in hands.parts)
    return hands._replace(secret=drawn(about.encode()), parts=(first, second, third))


def round_of(about: str, game: str, hands: Hands) -> dict[str, Any]:
    proof, pack = proof_of(hands), game_named(game).pack
    deck, first = fair.deal_of(proof, pack)
    key = fair.seed(bytes.fromhex(proof.commitment), hands.secret, hands.parts)
    proven: dict[str, Any] = {"pledges": ["", "", ""], "parts": ["", "", ""]} | msgspec.to_builtins(proof)
    return {"about": about, "game": game} | proven | {"seed": key.hex(), "deck": deck, "first": first}


def record_of(game: str, hands: Hands) -> dict[str, Any]:
    """A deal played at random. Ahead of it one round was voided, for want of seat 1."""
    rules, rng = game_named(game), Random(game)
    proof = proof_of(hands)
    deck, first = fair.deal_of(proof, rules.pack)
    lost = proof_of(hands._replace(secret=drawn(b"lost"), parts=(hands.parts[0], b"1" * 32, b""), attempt=1))
    voided = msgspec.structs.replace(lost, parts=(lost.parts[0], "", ""), missing=(1,))
    state, steps = settled(rules, rules.start(deck, first, {})), []
    while questions := rules.asked(state):
        seat = min(questions)
        steps.append(Step(seat=seat, action=rng.choice(questions[seat])))
        state = settled(rules, rules.apply(state, seat, steps[-1].action))
    result = rules.result(state)
    assert result is not None
    record = Record(
        game=game,
        options={},
        first=first,
        deck=deck,
        steps=tuple(steps),
        result=outcome(result),
        fair=(voided, proof),
        extra={"names": ["Ann", "Bea", "Bot 3"], "deal": hands.deal, "deals": 32},
    )
    plain: dict[str, Any] = msgspec.to_builtins(record)
    del plain["extra"]
    return plain | record.extra


if __name__ == "__main__":
    rounds = [(about, game, with_bytes(hands, about)) for about, game, hands in ROUNDS]
    told = {
        "rounds": [round_of(*each) for each in rounds],
        "records": [record_of(game, hands._replace(attempt=2)) for _, game, hands in (rounds[0], rounds[3])],
    }
    Path(__file__).with_name("vectors.json").write_text(json.dumps(told, indent=1) + "\n", encoding="ascii")
