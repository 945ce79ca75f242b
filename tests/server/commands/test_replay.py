"""`paizhuo-server replay` prints one deal as JSON Lines, or one sentence and nothing else."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.commands.replay import replay

GOLDEN = Path(__file__).parents[2] / "golden"
PAOHUZI = GOLDEN / "paohuzi.jsonl"


def test_it_prints_a_header_and_as_many_steps_as_that_says(capfd: pytest.CaptureFixture[str]) -> None:
    replay(str(PAOHUZI), deal=20)
    sys.stdout.flush()
    header, *steps = map(json.loads, capfd.readouterr().out.splitlines())
    assert (header["format"], header["game"], header["deal"], header["deals"]) == (
        "paizhuo-replay/1",
        "paohuzi",
        20,
        20,
    )
    assert len(steps) == header["steps"]
    assert all(set(step) == {"view", "happened", "action"} for step in steps)
    assert steps[-1]["view"]["result"] == header["result"]


def test_it_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"\n" + PAOHUZI.read_bytes().splitlines()[2]))
    monkeypatch.setattr(sys, "stdin", given)
    replay("-")
    sys.stdout.flush()
    assert json.loads(capfd.readouterr().out.splitlines()[0])["deals"] == 1


@pytest.mark.parametrize(
    ("text", "deal", "code", "sentence"),
    [
        (b"", 1, ExitCode.VERIFICATION_FAILED, "FILE:1: there is no deal in it"),
        (b"\n\nhello\n", 1, ExitCode.VERIFICATION_FAILED, "FILE:3: no JSON object"),
        (b"\n" + b"x" * (1 << 20) + b"x", 1, ExitCode.VERIFICATION_FAILED, "FILE:2: longer than any record of a deal"),
        (PAOHUZI.read_bytes(), 21, ExitCode.USAGE, "FILE has 20 deals: there is no deal 21 in it"),
        (PAOHUZI.read_bytes().splitlines()[0], 2, ExitCode.USAGE, "FILE has 1 deal: there is no deal 2 in it"),
        (
            PAOHUZI.read_bytes().splitlines()[0].replace(b'"action":"discard', b'"action":"keep', 1),
            1,
            ExitCode.VERIFICATION_FAILED,
            "FILE:1: step 1, seat 0: 'keep b5' is illegal",
        ),
    ],
)
def test_what_is_no_good_deal_is_refused_and_nothing_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: bytes, deal: int, code: ExitCode, sentence: str
) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_bytes(text)
    with pytest.raises(CommandFailed) as failed:
        replay(str(file), deal=deal)
    assert failed.value.exit_code is code
    assert failed.value.sentence.startswith(sentence.replace("FILE", str(file)))
    sys.stdout.flush()
    assert capfd.readouterr().out == ""


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="cannot read") as failed:
        replay(str(tmp_path / "none"))
    assert failed.value.exit_code is ExitCode.FAILURE


def test_an_option_that_does_not_exist_is_no_file() -> None:
    with pytest.raises(CommandFailed, match="no option --all") as failed:
        replay("--all")
    assert failed.value.exit_code is ExitCode.USAGE


def test_it_loads_nothing_that_only_a_server_needs() -> None:
    program = "import sys, server.__main__, server.commands.replay; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    assert not {"redis", "uvloop", "websockets", "asyncio", "sqlite3"} & set(loaded)
