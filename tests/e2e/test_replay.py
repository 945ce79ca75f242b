"""`paizhuo replay` as people run it: as a pipe, and at a terminal."""

import asyncio
import json
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import pytest

from protocol.errors import ExitCode
from tests.client_cli.replays import GOLDEN, golden_replay
from tests.e2e.processes import PROGRAMS, environment, processes_of, run

pytestmark = pytest.mark.slow

CHUO_PAI = str(GOLDEN / "chuo-pai.jsonl")


async def test_as_a_pipe_it_prints_the_whole_deal(tmp_path: Path) -> None:
    played = await run("paizhuo", "replay", CHUO_PAI, "--deal", "3", home=tmp_path, TERM="dumb")
    assert (played.code, played.err) == (ExitCode.OK, "")
    lines = played.out.splitlines()
    assert len([line for line in lines if line[0].isdecimal()]) == len(golden_replay("chuo-pai", 3).steps)
    assert lines[-1].startswith("Cards left: ")
    assert played.out.isascii()


async def test_it_reads_standard_input(tmp_path: Path) -> None:
    given = (GOLDEN / "paohuzi.jsonl").read_bytes()
    played = await run("paizhuo", "replay", "-", "--deal", "2", home=tmp_path, given=given)
    assert (played.code, played.err) == (ExitCode.OK, "")
    assert played.out.startswith("Replay of Paohuzi, ")


async def test_json_is_what_the_server_gives(tmp_path: Path) -> None:
    ours, theirs = await asyncio.gather(
        run("paizhuo", "replay", CHUO_PAI, "--json", home=tmp_path),
        run("paizhuo-server", "replay", CHUO_PAI, home=tmp_path),
    )
    assert (ours.code, ours.out) == (ExitCode.OK, theirs.out)
    assert json.loads(ours.out.splitlines()[0])["format"] == "paizhuo-replay/1"


async def test_what_is_no_deal_is_one_sentence(tmp_path: Path) -> None:
    failed = await run("paizhuo", "replay", CHUO_PAI, "--deal", "21", home=tmp_path)
    assert (failed.code, failed.out) == (ExitCode.USAGE, "")
    assert failed.err == f"paizhuo: {CHUO_PAI} has 20 deals: there is no deal 21 in it\n"


async def test_a_name_in_a_record_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    fields = json.loads(Path(CHUO_PAI).read_bytes().splitlines()[0])
    file = tmp_path / "deal.jsonl"
    file.write_text(json.dumps(fields | {"names": ["\x1b]0;x\x07", "a\nb", "[red]c"]}))
    played = await run("paizhuo", "replay", str(file), home=tmp_path)
    assert played.code == ExitCode.OK
    assert not {"\x1b", "\x07"} & set(played.out)
    assert "[red]c leads" in played.out
    assert "a\\x0ab plays" in played.out


@contextmanager
def terminal(*arguments: str, home: Path) -> Iterator[tuple[int, Popen[bytes]]]:
    """A program at a terminal of its own, of which this is the other side."""
    side, other = pty.openpty()
    process = Popen((PROGRAMS / "paizhuo", *arguments), stdin=other, stdout=other, stderr=other, env=environment(home))
    os.close(other)
    try:
        yield side, process
    finally:
        process.kill()
        process.wait()
        os.close(side)


def test_at_a_terminal_it_goes_step_by_step(tmp_path: Path) -> None:
    with terminal("replay", CHUO_PAI, home=tmp_path) as (side, process):
        shown = b""

        def until(text: bytes) -> None:
            nonlocal shown
            while text not in shown:
                shown += os.read(side, 4096)

        until(b"Enter or n: ")
        os.write(side, b"\n")
        until(b"\n2. ")
        os.write(side, b"/wins the deal\n")
        until(b"wins the deal.")
        os.write(side, b"q\n")
        assert process.wait(20) == ExitCode.OK
    assert b"Traceback" not in shown
    assert processes_of(tmp_path) == []
