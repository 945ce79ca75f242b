"""The arithmetic of fair deals, held against test vectors, an independent verifier, and chance.

`python -m tests.protocol.test_fair 200000`: the chi-square of so many decks, card by place.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import fair
from protocol.notation import CARDS
from protocol.view import Proof
from server.games.registry import GAMES
from tests import verifier
from tests.rounds import Hands, proof_of

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden/fair/vectors.json").read_bytes())
DECKS = 4_000
SEEDS = st.binary(min_size=32, max_size=32)


def chi_square(counts: Counter[object], kinds: int) -> float:
    expected = counts.total() / kinds
    return sum((counts[kind] - expected) ** 2 / expected for kind in counts) + (kinds - len(counts)) * expected


def card_by_place(decks: int) -> float:
    """Chi-square, with 20 x 83 degrees of freedom, of which card of Chuo Pai came to which place."""
    pack = fair.pack_of("chuo-pai")
    assert pack is not None
    places = [Counter[object]() for _ in pack]
    for number in range(decks):
        for place, card in zip(places, fair.dealt(pack, number.to_bytes(32, "big"))[0], strict=True):
            place[card] += 1
    return sum(chi_square(place, len(CARDS["chuo-pai"])) for place in places)


@pytest.mark.parametrize("vector", VECTORS["rounds"], ids=lambda vector: vector["about"])
def test_published_rounds_come_out_as_published(vector: dict[str, Any]) -> None:
    room, deal, attempt = vector["room"], vector["deal"], vector["attempt"]
    secret = bytes.fromhex(vector["secret"])
    committed = fair.commitment(room, deal, attempt, secret)
    assert committed.hex() == vector["commitment"]
    first, second, third = (bytes.fromhex(part) for part in vector["parts"])
    pledges = [
        fair.pledge(room, deal, attempt, seat, committed, part).hex() if part else ""
        for seat, part in enumerate((first, second, third))
    ]
    assert pledges == vector["pledges"]
    assert fair.seed(committed, secret, (first, second, third)).hex() == vector["seed"]
    pack = fair.pack_of(vector["game"])
    assert pack is not None
    deck, leader = fair.dealt(pack, bytes.fromhex(vector["seed"]))
    assert (list(deck), leader) == (vector["deck"], vector["first"])


@pytest.mark.parametrize("record", VECTORS["records"], ids=lambda record: record["game"])
def test_the_verifier_that_shares_no_code_accepts_published_records(record: dict[str, Any]) -> None:
    assert verifier.verify(record) == ""


def test_the_packs_are_those_of_the_games() -> None:
    assert {name: fair.pack_of(name) for name in GAMES} == {name: game.pack for name, game in GAMES.items()}
    assert {name: tuple(pack) for name, pack in verifier.PACKS.items()} == {n: g.pack for n, g in GAMES.items()}
    assert fair.pack_of("go") is None


@given(seed=SEEDS, game=st.sampled_from(sorted(GAMES)))
def test_whoever_writes_the_shuffle_anew_gets_the_same_deck(seed: bytes, game: str) -> None:
    deck, first = fair.dealt(GAMES[game].pack, seed)
    assert sorted(deck) == sorted(GAMES[game].pack)
    assert verifier.deal(list(GAMES[game].pack), seed) == (list(deck), first)


def test_what_would_be_biased_is_drawn_again() -> None:
    # 2^32 mod 3 is 1: the largest word alone stands for no seat
    words = iter([fair.WORD - 1, 5])
    assert fair._below(3, words) == 2
    assert list(words) == []
    assert [fair._below(4, iter([word])) for word in (fair.WORD - 1, 7)] == [3, 3]


def test_every_card_comes_to_every_place_equally_often() -> None:
    # 84 places x 20 degrees of freedom: 1680 on average, standard deviation 58; it is the same in every run
    assert 1390 < card_by_place(DECKS) < 1970


def test_a_biased_swap_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "_below", lambda bound, words: next(words) % 84 % bound)
    assert card_by_place(DECKS) > 1970


def test_every_seat_begins_equally_often_and_all_orders_come() -> None:
    drawn = [fair.dealt(("a", "b", "c"), number.to_bytes(32, "big")) for number in range(6_000)]
    assert chi_square(Counter(first for _, first in drawn), 3) < 35  # 2 degrees of freedom: once in 40 million
    assert chi_square(Counter(deck for deck, _ in drawn), 6) < 43  # 5 degrees: once in 30 million


THREE = st.tuples(*[SEEDS | st.just(b"")] * 3)


@given(hands=st.builds(Hands, secret=SEEDS, parts=THREE, deal=st.integers(1, 32), attempt=st.integers(1, 4)))
def test_what_came_about_as_it_must_has_no_fault(hands: Hands) -> None:
    proof = proof_of(hands)
    assert list(fair.faults(proof)) == []
    deck, first = fair.deal_of(proof, GAMES["paohuzi"].pack)
    record = {"game": "paohuzi", "deck": list(deck), "first": first, "fair": [msgspec.to_builtins(proof)]}
    assert verifier.verify(record) == ""


def one_digit_changed(digits: str, at: int) -> str:
    at %= len(digits)
    return digits[:at] + ("0" if digits[at] != "0" else "1") + digits[at + 1 :]


@given(data=st.data(), parts=st.tuples(SEEDS, SEEDS | st.just(b""), SEEDS), secret=SEEDS, other=SEEDS)
def test_every_field_of_a_proof_is_needed_as_it_is(
    data: st.DataObject, parts: tuple[bytes, bytes, bytes], secret: bytes, other: bytes
) -> None:
    proof = proof_of(Hands(secret=secret, parts=parts))
    pack = GAMES["chuo-pai"].pack
    deck, first = fair.deal_of(proof, pack)
    field = data.draw(st.sampled_from(Proof.__struct_fields__))
    value = getattr(proof, field)
    changed: object
    match field:
        case "room":
            changed = data.draw(st.text("ABC234", min_size=1, max_size=8).filter(lambda room: room != value))
        case "deal" | "attempt":
            changed = data.draw(st.integers(1, 2**31 - 1).filter(lambda number: number != value))
        case "commitment" | "secret":
            changed = one_digit_changed(value, data.draw(st.integers(0, 63)))
        case "pledges" | "parts":
            at = data.draw(st.integers(0, 2))
            becomes = one_digit_changed(value[at], data.draw(st.integers(0, 63))) if value[at] else other.hex()
            becomes = data.draw(st.sampled_from([becomes, ""])) if value[at] else becomes
            changed = (*value[:at], becomes, *value[at + 1 :])
        case _:
            changed = (data.draw(st.integers(0, 2)),)
    forged = msgspec.structs.replace(proof, **{field: changed})
    assert list(fair.faults(forged)) or fair.deal_of(forged, pack) != (deck, first)
    record = {"game": "chuo-pai", "deck": list(deck), "first": first, "fair": [msgspec.to_builtins(forged)]}
    assert verifier.verify(record) != ""


def test_a_seat_that_is_left_out_on_both_sides_changes_the_deck() -> None:
    hands = Hands(parts=(b"a" * 32, b"b" * 32, b""))
    with_both, with_one = proof_of(hands), proof_of(hands._replace(parts=(b"a" * 32, b"", b"")))
    assert list(fair.faults(with_one)) == []
    pack = GAMES["chuo-pai"].pack
    assert fair.deal_of(with_both, pack) != fair.deal_of(with_one, pack)


def test_a_voided_round_may_lack_parts_and_a_dealt_one_may_not() -> None:
    proof = proof_of(Hands(parts=(b"a" * 32, b"b" * 32, b"")))
    lacking = msgspec.structs.replace(proof, parts=(proof.parts[0], "", ""), missing=(1,))
    assert list(fair.faults(lacking, voided=True)) == []
    assert len(list(fair.faults(lacking))) == 2
    assert len(list(fair.faults(proof, voided=True))) == 1


def test_what_is_no_hexadecimal_is_no_proof() -> None:
    assert list(fair.faults(msgspec.structs.replace(proof_of(Hands()), secret="xy"))) != []


if __name__ == "__main__":
    print(round(card_by_place(int(sys.argv[1])), 1))
