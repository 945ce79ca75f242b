"""Checks the proofs of saved deals, and shares no code with Paizhuo: it follows protocol/README.md, section 15.

`python tests/verifier.py FILE`: says of each deal what is wrong, or that it is fair.
"""

import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

PACKS = {
    "chuo-pai": [f"{a}{b}" for a in range(1, 7) for b in range(a, 7) for _ in range(4)],
    "paohuzi": [f"{size}{number}" for size in "sb" for number in range(1, 11) for _ in range(4)],
}


def digest(*fields: bytes) -> bytes:
    return hashlib.sha256(b"".join(len(f).to_bytes(2, "big") + f for f in fields)).digest()


def deal(pack: list[str], seed: bytes) -> tuple[list[str], int]:
    blocks = (hmac.new(seed, i.to_bytes(4, "big"), "sha256").digest() for i in range(1 << 20))
    words = (int.from_bytes(b[k : k + 4], "big") for b in blocks for k in range(0, 32, 4))

    def below(n: int) -> int:
        return next(w for w in words if w < (1 << 32) // n * n) % n

    deck = list(pack)
    for i in reversed(range(1, len(deck))):
        j = below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck, below(3)


def verify(record: dict[str, Any]) -> str:
    """The first thing that is wrong; empty where nothing is."""
    for proof in record["fair"]:
        room = proof["room"].encode()
        number = [proof["deal"].to_bytes(4, "big"), proof["attempt"].to_bytes(4, "big")]
        c, s = bytes.fromhex(proof["commitment"]), bytes.fromhex(proof["secret"])
        if digest(b"paizhuo fair 1 commitment", room, *number, s) != c:
            return "commitment"
        parts = [bytes.fromhex(part) for part in proof.get("parts", ["", "", ""])]
        last = proof is record["fair"][-1]
        if last != (not proof.get("missing")):
            return "missing"
        for i, (part, pledge) in enumerate(zip(parts, proof.get("pledges", ["", "", ""]), strict=True)):
            pledged = digest(b"paizhuo fair 1 pledge", room, *number, i.to_bytes(4, "big"), c, part).hex()
            if pledge != (pledged if part else "") and not (pledge and not part and not last):
                return f"part {i}"
    if deal(PACKS[record["game"]], digest(b"paizhuo fair 1 seed", c, s, *parts)) != (record["deck"], record["first"]):
        return "deck"
    return ""


if __name__ == "__main__":
    for line in Path(sys.argv[1]).read_text("utf-8").splitlines():
        print(verify(json.loads(line)) or "fair")
