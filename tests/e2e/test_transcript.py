"""A whole deal by ear: through pipes, on a dumb terminal that knows no Chinese, each line typed after its question."""

import re
from pathlib import Path

import pytest

from client_cli.names import codes_alone
from client_cli.speaker import Speaker
from client_cli.words import cannot_beat
from client_cli.words_happenings import happened
from protocol.errors import ExitCode
from tests.client_cli.replays import replay_of_line
from tests.client_cli.test_transcripts import HELD, QUESTIONS
from tests.e2e.processes import processes_of
from tests.e2e.test_programs import running

pytestmark = pytest.mark.slow

SETTLED = "That question has been settled already."
"""What a claim is answered where the bots were faster."""

TOO_FAST = "Too many messages; "
"""What is answered where bots and machine are so fast that this player says more than 20 things a second."""


@pytest.mark.parametrize("game", ["chuo-pai", "paohuzi"])
async def test_a_deal_is_played_from_its_transcript_alone(tmp_path: Path, game: str) -> None:
    record, asked = tmp_path / "deal.jsonl", 0
    ascii_only = {"TERM": "dumb", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    async with running("play", game, "--plain", "--name", "Anna", home=tmp_path, **ascii_only) as player:
        saving = [f"save {record}"]
        while not (await player.until(f"^(The match is over|{'|'.join(map(re.escape, QUESTIONS))})"))[0].startswith(
            "The"
        ):
            asked += 1
            player.stdin.write("".join(f"{line}\n" for line in (*saving, "#1")).encode())
            saving = []
        ended = await player.ended()
    assert (ended.code, ended.err) == (ExitCode.OK, "")
    lines = ended.out.splitlines()
    assert all(line.isascii() and line.isprintable() for line in lines)
    steps = replay_of_line(record.read_bytes()).steps
    public = [happened(Speaker(step.view, 0), it) for step in steps for it in step.happened]
    begin, end = (
        next(at for at, line in enumerate(lines) if line.startswith(f"Deal 1 of 1 {it}")) for it in ("b", "is")
    )
    during = [line for line in lines[begin : end + 1] if not line.startswith((*HELD, "Deal 1 will be saved"))]
    questions = [line for line in during if line.startswith(QUESTIONS)]
    assert len(questions) == asked
    apart = {*questions, cannot_beat(), SETTLED}
    told = [line for line in during if line not in apart and not line.startswith(TOO_FAST)]
    assert told == [codes_alone(line or "") for line in public]
    assert processes_of(tmp_path) == []
