"""`paizhuo verify`: saved deals whose cards came about as they must, and others."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from client_cli.commands.verify import verify
from client_cli.failure import CommandFailed
from protocol.errors import ExitCode

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "golden/fair/vectors.json").read_bytes())[
    "records"
]


@pytest.fixture
def deals(tmp_path: Path) -> Path:
    """One of each game; of the first, a round had been voided."""
    path = tmp_path / "deals.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return path


def rewritten(path: Path, **fields: object) -> Path:
    first, *others = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in (first | fields, *others)))
    return path


def test_fair_deals_are_said_to_be_fair_and_what_that_means(deals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(deals)) == ExitCode.OK
    first, second, proves = capsys.readouterr().out.splitlines()
    assert first.startswith("Line 1: the deck follows from what had been committed to; players of these seats")
    assert first.endswith("added to it: 1, 2, 3. Rounds that came to nothing: 1.")
    assert "added to it: 1, 3." in second
    assert proves.startswith("This proves that each deck follows from what is in the file.")


def test_programs_get_one_object_for_each_deal(deals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(deals), json=True) == ExitCode.OK
    first, second = json.loads(capsys.readouterr().out)
    assert first == {"line": 1, "deal": 1, "verdict": "fair", "contributed": [0, 1, 2], "voided": 1, "faults": []}
    assert (second["verdict"], second["contributed"]) == ("fair", [0, 2])


@pytest.mark.parametrize(
    "forged",
    [
        {"deck": [*RECORDS[0]["deck"][1:], RECORDS[0]["deck"][0]]},
        {"first": (RECORDS[0]["first"] + 1) % 3},
        {"deal": RECORDS[0]["deal"] + 1},
        {"game": "paohuzi"},
        {"game": "go"},
        {"fair": []},
        {"fair": RECORDS[0]["fair"][:1]},
        {"fair": RECORDS[1]["fair"]},
        {"fair": [RECORDS[1]["fair"][0], RECORDS[0]["fair"][1]]},
        {"fair": [*RECORDS[0]["fair"], RECORDS[0]["fair"][1]]},
    ],
    ids=str,
)
def test_what_was_changed_is_said_to_be_wrong(
    deals: Path, forged: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(str(rewritten(deals, **forged))) == ExitCode.VERIFICATION_FAILED
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Line 1: NOT FAIR: ")
    assert second.startswith("Line 2: the deck follows")


def test_a_deal_without_a_proof_is_not_proven(deals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in deals.read_text().splitlines()]
    del lines[0]["fair"]
    deals.write_text(json.dumps(lines[0]))
    assert verify(str(deals)) == ExitCode.VERIFICATION_FAILED
    assert capsys.readouterr().out == "Line 1: no proof is saved with this deal.\n"


@pytest.mark.parametrize(
    "line", ["milk", json.dumps(RECORDS[0] | {"fair": "fair"}), json.dumps(RECORDS[0] | {"format": "paizhuo-record/2"})]
)
def test_a_line_that_is_no_record_accuses_nobody(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shopping").write_text(f"{line}\n")
    assert verify(str(tmp_path / "shopping")) == ExitCode.VERIFICATION_FAILED
    out = capsys.readouterr().out
    assert out.startswith("Line 1: no record of a deal: ")
    assert "FAIR" not in out


def test_a_file_without_a_deal_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_text("\n\n")
    assert verify(str(tmp_path / "empty")) == ExitCode.VERIFICATION_FAILED
    assert capsys.readouterr().out == "There is no deal in it.\n"
    with pytest.raises(CommandFailed) as failed:
        verify(str(tmp_path / "missing"))
    assert failed.value.exit_code == ExitCode.FAILURE


def test_standard_input_is_read_and_nothing_hostile_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.dumps(RECORDS[0] | {"game": "\x1b]52;c;AA\x07"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
    assert verify("-") == ExitCode.VERIFICATION_FAILED
    assert "\x1b" not in capsys.readouterr().out
