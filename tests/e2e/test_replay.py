"""`paizhuo replay` as people run it: as a pipe, and at a terminal."""

import asyncio
import json
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from tests.client_cli.replays import GOLDEN, golden_replay
from tests.e2e.processes import processes_of, run
from tests.terminal import Terminal

pytestmark = pytest.mark.slow

CHUO_PAI = str(GOLDEN / "chuo-pai.jsonl")


async def test_as_a_pipe_it_prints_the_whole_deal(tmp_path: Path) -> None:
    played = await run("paizhuo", "replay", CHUO_PAI, "--deal", "3", home=tmp_path, TERM="dumb")
    assert (played.code, played.err) == (ExitCode.OK, "")
    lines = played.out.splitlines()
    assert len([line for line in lines if line[0].isdecimal()]) == len(golden_replay("chuo-pai", 3).steps)
    assert lines[-1].startswith("Hand of Seat 3: ")
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


async def test_in_lines_it_goes_step_by_step(tmp_path: Path) -> None:
    async with Terminal(("replay", CHUO_PAI, "--plain"), tmp_path) as terminal:
        await terminal.shows("Enter or n: ")
        terminal.types("\r")
        await terminal.shows("2. Seat ")
        terminal.types("/wins the deal\r")
        await terminal.shows("wins the deal.")
        terminal.types("q\r")
        assert await terminal.ends() == ExitCode.OK
    assert processes_of(tmp_path) == []


async def test_on_the_full_screen_it_is_looked_at_and_closed(tmp_path: Path) -> None:
    async with Terminal(("replay", CHUO_PAI, "--deal", "3"), tmp_path) as terminal:
        await terminal.shows("step 1 of 89", "Seat 1, 28 cards", "Seat 2, 21 cards", "Seat 3, 28 cards")
        terminal.types("\x1b[C")
        await terminal.shows("step 2 of 89")
        terminal.types("/wins the deal\r")
        await terminal.shows("step 89 of 89", "Deal 3 of 20 is over.")
        terminal.resizes(120, 40)
        await terminal.shows("Hand of Seat 3: ", "Search back")
        terminal.types("q")
        assert await terminal.ends() == ExitCode.OK
        assert terminal.modes_now == terminal.modes
    assert processes_of(tmp_path) == []


async def test_it_is_interrupted_in_order(tmp_path: Path) -> None:
    async with Terminal(("replay", CHUO_PAI), tmp_path) as terminal:
        await terminal.shows("step 1 of ")
        terminal.types("\x03")
        assert await terminal.ends() == ExitCode.INTERRUPTED
        assert terminal.modes_now == terminal.modes
        assert bytes(terminal.written).rfind(b"\x1b[?1049l") > bytes(terminal.written).rfind(b"\x1b[?1049h")
