import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.commands.verify import verify

GOLDEN = Path(__file__).parents[2] / "golden"
PLAIN = GOLDEN / "chuo-pai.jsonl"
RARE = GOLDEN / "chuo-pai-rare.jsonl"

PAOHUZI = GOLDEN / "paohuzi.jsonl"

SPOILED_LINE = 3


def swap_an_action(fields: dict[str, Any]) -> None:
    step = next(step for step in fields["steps"] if step["action"] != "pass" and len(step["legal"]) == 1)
    step["action"] = "pass"


def move_a_card(fields: dict[str, Any]) -> None:
    deck = fields["deck"]
    place = next(place for place in range(28, 84) if deck[place] != deck[0])
    deck[0], deck[place] = deck[place], deck[0]


def cut_a_legal_list(fields: dict[str, Any]) -> None:
    fields["steps"][0]["legal"].pop()


def change_a_score(fields: dict[str, Any]) -> None:
    fields["result"]["scores"][1] += 1


def name_an_unknown_option(fields: dict[str, Any]) -> None:
    fields["options"]["jokers"] = 1


def put_an_option_out_of_range(fields: dict[str, Any]) -> None:
    fields["options"]["max_combination"] = 13


def deal_a_wrong_deck(fields: dict[str, Any]) -> None:
    fields["deck"][0] = "11" if fields["deck"][0] != "11" else "12"


SPOILED: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (swap_an_action, "'pass' is illegal: a seat that can beat"),
    (move_a_card, "legal list"),
    (cut_a_legal_list, "legal list lacks play 66"),
    (change_a_score, "result: scores: "),
    (name_an_unknown_option, "no option 'jokers'"),
    (put_an_option_out_of_range, "max_combination is 13"),
    (deal_a_wrong_deck, "5 copies of"),
]


def swap_a_claim(fields: dict[str, Any]) -> None:
    step = next(step for step in fields["steps"] if "peng" in step["legal"])
    step["action"] = "peng" if step["action"] != "peng" else "pass"


def move_a_card_of_the_dealer(fields: dict[str, Any]) -> None:
    deck = fields["deck"]
    deck[0], deck[79] = deck[79], deck[0]


def claim_what_cannot_be(fields: dict[str, Any]) -> None:
    next(step for step in fields["steps"] if "pass" in step["legal"])["action"] = "win"


def change_the_huxi(fields: dict[str, Any]) -> None:
    fields["result"]["huxi"] += 1


def put_a_switch_out_of_range(fields: dict[str, Any]) -> None:
    fields["options"]["chi_passed_reveal"] = 1


SPOILED_PAOHUZI: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (swap_a_claim, ""),
    (move_a_card_of_the_dealer, ""),
    (claim_what_cannot_be, "'win' is illegal: "),
    (cut_a_legal_list, "legal list lacks "),
    (change_a_score, "result: scores: "),
    (change_the_huxi, "result: huxi: "),
    (put_a_switch_out_of_range, "chi_passed_reveal is 1"),
]


def test_good_records_end_with_the_count_and_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(*map(str, sorted(GOLDEN.glob("*.jsonl")))) == ExitCode.OK
    assert capsys.readouterr().out == "120 deals verified, 0 discrepancies\n"


@pytest.mark.parametrize(
    ("good", "spoil", "reason"),
    [*[(PLAIN, *spoiled) for spoiled in SPOILED], *[(PAOHUZI, *spoiled) for spoiled in SPOILED_PAOHUZI]],
)
def test_a_changed_record_is_reported_with_line_and_reason(
    good: Path,
    spoil: Callable[[dict[str, Any]], None],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = good.read_text().splitlines()[:5]
    fields = json.loads(lines[SPOILED_LINE - 1])
    spoil(fields)
    lines[SPOILED_LINE - 1] = json.dumps(fields)
    file = tmp_path / "spoiled.jsonl"
    file.write_text("\n".join(lines))
    assert verify(str(file)) == ExitCode.VERIFICATION_FAILED
    *found, summary = capsys.readouterr().out.splitlines()
    assert found
    assert all(line.startswith(f"{file}:{SPOILED_LINE}: ") for line in found)
    assert reason in found[0]
    assert summary == f"5 deals verified, {len(found)} discrepancies"


def test_a_truncated_line_is_reported_and_the_next_file_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_bytes(PLAIN.read_bytes()[:-500])
    assert verify(str(file), str(RARE)) == ExitCode.VERIFICATION_FAILED
    assert capsys.readouterr().out.splitlines() == [
        f"{file}:20: no JSON object: Input data was truncated",
        "60 deals verified, 1 discrepancies",
    ]


def test_blank_lines_are_passed_over_and_counted_as_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "blank.jsonl"
    file.write_text(f"\n{PLAIN.read_text().splitlines()[0]}\n\nnonsense\n")
    assert verify(str(file)) == ExitCode.VERIFICATION_FAILED
    found, summary = capsys.readouterr().out.splitlines()
    assert found.startswith(f"{file}:4: no JSON object")
    assert summary == "2 deals verified, 1 discrepancies"


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text("{}\n")
    assert verify(str(file), json=True) == ExitCode.VERIFICATION_FAILED
    assert json.loads(capsys.readouterr().out) == {
        "deals": 1,
        "discrepancies": [{"file": str(file), "line": 1, "reason": "the format is None instead of 'paizhuo-record/1'"}],
    }


def test_a_dash_is_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PLAIN.read_bytes())))
    assert verify("-") == ExitCode.OK
    assert capsys.readouterr().out == "20 deals verified, 0 discrepancies\n"


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_missing_file_or_a_directory_is_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="cannot read") as failed:
        verify(str(tmp_path / name))
    assert failed.value.exit_code == ExitCode.FAILURE


@pytest.mark.parametrize("files", [(), ("--strict",)])
def test_no_file_and_an_unknown_option_are_wrong_usage(files: tuple[str, ...]) -> None:
    with pytest.raises(CommandFailed, match="verify") as failed:
        verify(*files)
    assert failed.value.exit_code == ExitCode.USAGE


def test_a_file_without_a_deal_does_not_pass_as_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_bytes(b"\n")
    assert verify(str(file)) is ExitCode.VERIFICATION_FAILED
    assert capsys.readouterr().out == f"{file}:1: there is no deal in it\n0 deals verified, 1 discrepancies\n"
