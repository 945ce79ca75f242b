import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from protocol.record import BadRecord, write
from server.games.record import discrepancies, read

GOLDEN = Path(__file__).parents[2] / "golden"
LINES = [line for file in sorted(GOLDEN.glob("*.jsonl")) for line in file.read_bytes().splitlines()]


@pytest.fixture
def fields() -> dict[str, Any]:
    """A good record, to be spoiled."""
    loaded: dict[str, Any] = json.loads((GOLDEN / "chuo-pai.jsonl").read_bytes().splitlines()[0])
    return loaded


@pytest.fixture
def won() -> dict[str, Any]:
    """A good record of Paohuzi that ends with a win, to be spoiled."""
    lines = map(json.loads, (GOLDEN / "paohuzi.jsonl").read_bytes().splitlines())
    return next(fields for fields in lines if fields["result"]["kind"] == "win")


def reasons(fields: dict[str, Any]) -> list[str]:
    return list(discrepancies(read(json.dumps(fields))))


def test_the_golden_records_have_no_discrepancy() -> None:
    assert len(LINES) == 120
    assert [found for line in LINES for found in discrepancies(read(line))] == []


def test_a_record_is_written_as_it_was_read() -> None:
    for line in LINES:
        assert json.loads(write(read(line))) == json.loads(line)


def test_unknown_top_level_keys_are_kept_and_ignored(fields: dict[str, Any]) -> None:
    fields |= {"table": {"name": "梅"}, "extra": 3}
    record = read(json.dumps(fields))
    assert record.extra == {"table": {"name": "梅"}, "extra": 3}
    assert json.loads(write(record)) == fields
    assert not list(discrepancies(record))


def test_a_record_without_legal_lists_is_replayed_all_the_same(fields: dict[str, Any]) -> None:
    for step in fields["steps"]:
        del step["legal"]
    assert reasons(fields) == []
    assert json.loads(write(read(json.dumps(fields)))) == fields


@pytest.mark.parametrize("cut", [1, 100, 5000])
def test_a_truncated_line_is_no_record(cut: int) -> None:
    with pytest.raises(BadRecord, match="truncated"):
        read(LINES[0][:-cut])


@pytest.mark.parametrize("line", [b"", b"[]", b"7", b"\xff\xfe", b'{"format":"\xff"}', b"[" * 100_000, b"{} {}"])
def test_what_is_no_json_object_is_no_record(line: bytes) -> None:
    with pytest.raises(BadRecord, match="no JSON object"):
        read(line)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("format", "paizhuo-record/2", "'paizhuo-record/2' instead of 'paizhuo-record/1'"),
        ("format", None, "None instead of"),
        ("game", "go-fish", "unknown game 'go-fish'"),
        ("game", 7, r"Expected `str`, got `int` - at `\$.game`"),
        ("options", {"jokers": 1}, "no option 'jokers'"),
        ("options", {"max_combination": 13}, "max_combination is 13"),
        ("options", {"max_combination": False}, "max_combination is False"),
        ("options", {"max_combination": "4"}, "options"),
        ("first", 3, r"\$.first"),
        ("first", True, r"\$.first"),
        ("deck", ["11"], "1 cards instead of 84"),
        ("deck", ["11"] * 84, "84 copies of 11"),
        ("deck", ["s1"] * 84, "'s1'"),
        ("steps", [{"seat": 0}], "action"),
        ("steps", [{"seat": 0, "action": "pass", "note": 1}], "note"),
        ("result", {"scores": [1, 2]}, "scores"),
        ("result", {"scores": [1, 2, 3], "loser": 1}, "loser"),
    ],
)
def test_a_bad_field_is_named(fields: dict[str, Any], key: str, value: object, reason: str) -> None:
    fields[key] = value
    with pytest.raises(BadRecord, match=reason):
        read(json.dumps(fields))


@pytest.mark.parametrize("key", ["game", "options", "first", "deck", "steps", "result"])
def test_a_missing_field_is_named(fields: dict[str, Any], key: str) -> None:
    del fields[key]
    with pytest.raises(BadRecord, match=f"missing required field `{key}`"):
        read(json.dumps(fields))


def test_an_illegal_action_is_reported_with_its_step_and_seat(fields: dict[str, Any]) -> None:
    seat = fields["steps"][1]["seat"]
    fields["steps"][1]["action"] = "dance"
    (reason,) = reasons(fields)
    assert reason.startswith(f"step 2, seat {seat}: 'dance' is illegal: ")


def test_a_wrong_seat_is_reported(fields: dict[str, Any]) -> None:
    seat = fields["steps"][0]["seat"]
    fields["steps"][0]["seat"] = (seat + 1) % 3
    (reason,) = reasons(fields)
    assert reason.startswith(f"step 1, seat {(seat + 1) % 3}: ")
    assert reason.endswith(f"it is the turn of seat {seat}")


def test_what_a_legal_list_lacks_or_adds_is_shown_and_the_replay_goes_on(fields: dict[str, Any]) -> None:
    first, second = fields["steps"][:2]
    lost = first["legal"].pop(3)
    second["legal"].append("play 77")
    assert reasons(fields) == [
        f"step 1, seat {first['seat']}: legal list lacks {lost}",
        f"step 2, seat {second['seat']}: legal list has 'play 77', which the rules do not allow",
    ]


def test_a_legal_list_out_of_order_is_reported(fields: dict[str, Any]) -> None:
    fields["steps"][0]["legal"].reverse()
    (reason,) = reasons(fields)
    assert reason.endswith("legal list is not sorted, or names an action twice")


def test_missing_steps_are_reported(fields: dict[str, Any]) -> None:
    last = fields["steps"].pop()
    assert reasons(fields) == [
        f"the steps end after step {len(fields['steps'])}, but the deal does not: seat {last['seat']} must act"
    ]


def test_steps_after_the_end_are_reported(fields: dict[str, Any]) -> None:
    count = len(fields["steps"])
    fields["steps"].append({"seat": 0, "action": "pass"})
    assert reasons(fields) == [f"step {count + 1}, seat 0: the deal was over after step {count} of {count + 1}"]


def test_a_changed_score_is_reported(fields: dict[str, Any]) -> None:
    scores = fields["result"]["scores"]
    fields["result"]["scores"] = [scores[0] + 1, *scores[1:]]
    right, wrong = (json.dumps(each, separators=(",", ":")) for each in (scores, fields["result"]["scores"]))
    assert reasons(fields) == [f"result: scores: {right} by the rules, the record has {wrong}"]


def test_a_winner_is_no_part_of_the_result_of_chuo_pai(fields: dict[str, Any]) -> None:
    fields["result"]["winner"] = 1
    assert reasons(fields) == ["result: winner: nothing by the rules, the record has 1"]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("scores", [1, 2, 3]),
        ("winner", None),
        ("kind", "heavenly-ti"),
        ("huxi", 14),
        ("tun", 99),
        ("groups", ["ti s1+s1+s1+s1"]),
    ],
)
def test_a_changed_field_of_a_result_of_paohuzi_is_reported(won: dict[str, Any], field: str, wrong: object) -> None:
    right, won["result"][field] = won["result"][field], wrong
    shown = [json.dumps(each, separators=(",", ":")) for each in (right, wrong)]
    assert reasons(won) == [f"result: {field}: {shown[0]} by the rules, the record has {shown[1]}"]
    del won["result"][field]
    if field == "scores":
        with pytest.raises(BadRecord, match="scores"):
            read(json.dumps(won))
    else:
        assert reasons(won) == [f"result: {field}: {shown[0]} by the rules, the record has nothing"]


def test_the_groups_of_a_result_are_sorted(won: dict[str, Any]) -> None:
    won["result"]["groups"].reverse()
    (reason,) = reasons(won)
    assert reason.startswith("result: groups: ")


def test_declarations_in_another_order_are_as_good_where_the_window_stays_open() -> None:
    swapped = 0
    for fields in (json.loads(line) for line in LINES if b"paohuzi" in line):
        steps = fields["steps"]
        for at, (first, second) in enumerate(pairwise(steps)):
            if first["seat"] != second["seat"] and first["action"] == second["action"] == "pass":
                swapped += not reasons(fields | {"steps": [*steps[:at], second, first, *steps[at + 2 :]]})
    assert swapped > 5


def test_a_seat_that_is_not_asked_in_a_window_is_reported(won: dict[str, Any]) -> None:
    at = next(at for at, step in enumerate(won["steps"]) if step["action"].startswith("discard"))
    asked = won["steps"][at + 1]
    won["steps"].insert(at + 1, {"seat": won["steps"][at]["seat"], "action": "pass"})
    assert asked["seat"] != won["steps"][at]["seat"]
    (reason,) = reasons(won)
    assert reason.endswith("'pass' is illegal: this seat has nothing to declare now")


@pytest.mark.parametrize(
    "line", ['{"format": "paizhuo-record/1", "result": 1, "result": 2}', '{"format": "paizhuo-record/1", "x": NaN}']
)
def test_json_that_readers_read_differently_is_refused(line: str) -> None:
    with pytest.raises(BadRecord, match="no JSON object"):
        read(line)


FAIR: list[dict[str, Any]] = json.loads((GOLDEN / "fair/vectors.json").read_bytes())["records"]


@pytest.mark.parametrize("record", FAIR, ids=lambda record: record["game"])
def test_the_proof_of_a_deck_is_written_as_it_was_read_and_checked(record: dict[str, Any]) -> None:
    record = json.loads(json.dumps(record))  # one of its own, to be spoiled
    assert json.loads(write(read(json.dumps(record)))) == record
    assert reasons(record) == []
    voided, dealt = record["fair"]
    dealt["parts"][0] = dealt["secret"]
    assert reasons(record) == ["fair: the part of seat 0 is not the one that it had pledged"]
    assert reasons(record | {"fair": [voided]}) == [
        "fair: the part of seat 1 is missing",
        "fair: only a round that was voided has missing parts",
    ]
    assert reasons(record | {"fair": []}) == ["fair: there is no round in it"]
    with pytest.raises(BadRecord, match="fair"):
        read(json.dumps(record | {"fair": [voided | {"secret": "short"}]}))


def test_another_order_of_the_deck_than_the_proof_has_is_reported(fields: dict[str, Any]) -> None:
    (chuo_pai,) = (record for record in FAIR if record["game"] == "chuo-pai")
    (reason,) = reasons(fields | {"fair": json.loads(json.dumps(chuo_pai["fair"]))})
    assert reason == "fair: the deck, or who begins, is not what follows from the secret and the parts"
