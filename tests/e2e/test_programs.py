"""The real programs on pipes, as people run them."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from tests.e2e.conftest import Servers
from tests.e2e.logs import read_log
from tests.e2e.processes import PROGRAMS, Ended, ServerProcess, environment, processes_of, run

pytestmark = pytest.mark.slow


class Running:
    """A program whose lines are read as they come."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.lines: list[str] = []

    async def until(self, pattern: str) -> re.Match[str]:
        """Reads up to the first line in which the pattern is found."""
        while line := (await self.stdout.readline()).decode():
            self.lines.append(line.rstrip())
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"{pattern} never came: {self.lines}")

    async def ended(self) -> Ended:
        out, err = await self.process.communicate(b"")
        assert self.process.returncode is not None
        return Ended(self.process.returncode, "\n".join([*self.lines, out.decode()]), err.decode())


@asynccontextmanager
async def running(*arguments: str, home: Path, **more: str) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        PROGRAMS / "paizhuo",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home) | more,
    )
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def told_of(out: str, name: str) -> list[str]:
    """What a transcript tells of the deal, in the third person: the same for everybody.

    Without who is connected, which is in no log: each server hears of it in its own time. What each program has checked
    for its own player differs as well.
    """
    lines = [line for line in out.splitlines() if not re.search(r" (is|are) (not )?connected|^Checked: ", line)]
    begin = next(at for at, line in enumerate(lines) if line.startswith("Deal 1 of 1 begins."))
    spoken = (re.sub(r"\b[Yy]ou\b", name, re.sub("^Your hand", f"Hand of {name}", line)) for line in lines[begin:])
    return [re.sub(r"\b(lead|play|pass|win|score)e?s\b", r"\1", line) for line in spoken]


async def test_programs_on_two_servers_tell_the_same_deal(servers: Servers, tmp_path: Path) -> None:
    first, second = servers.first.address, servers.second.address
    async with running("host", "chuo-pai", "--server", first, "--auto", "--name", "Ann", home=tmp_path) as host:
        code = (await host.until(r"paizhuo join (\S+)@"))[1]
        async with running("watch", f"{code}@{second}", "--name", "Cy", home=tmp_path) as watcher:
            await watcher.until("Seat 2: free")
            async with running("join", f"{code}@{second}", "--auto", "--name", "Bo", home=tmp_path) as guest:
                await watcher.until("Bo sits down on seat 2")
                host.stdin.write(b"start easy\n")
                ended = await asyncio.gather(host.ended(), guest.ended(), watcher.ended())
    assert [program.code for program in ended] == [ExitCode.OK] * 3, ended
    tales = [told_of(program.out, name) for program, name in zip(ended, ("Ann", "Bo", "Cy"), strict=True)]
    assert tales[0] == tales[1] == tales[2]
    for program, checked in zip(ended, ("were nobody's choice.", "were nobody's choice.", "were drawn."), strict=True):
        (line,) = (line for line in program.out.splitlines() if line.startswith("Checked: "))
        assert line.endswith(checked)
    assert tales[0][-1].startswith("The match is over. Totals: ")
    (record,) = (await read_log(servers.store, code.replace("-", ""))).records
    assert len([line for line in tales[0] if re.search(" (lead [1-6]|play [1-6]|pass\\.)", line)]) == len(record.steps)
    assert processes_of(tmp_path) == []


async def test_programs_outlast_a_server_that_is_killed_and_started_again(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.sqlite3'}"
    server = ServerProcess(store, tmp_path)
    try:
        async with running("host", "chuo-pai", "--server", server.address, "--auto", home=tmp_path) as host:
            where = (await host.until(r"paizhuo join (\S+)"))[1]
            async with running("join", where, "--auto", home=tmp_path) as guest:
                await host.until("sits down on seat 2")
                host.stdin.write(b"start easy\n")
                await guest.until("wins? the round")
                server.kill()
                server = ServerProcess(store, tmp_path, port=int(server.address.rpartition(":")[2]))
                ended = await asyncio.gather(host.ended(), guest.ended())
    finally:
        server.stop()
    assert [program.code for program in ended] == [ExitCode.OK] * 2, ended
    assert any("The match is over." in program.out for program in ended)  # the other may come back to the scores
    assert all("Connected again." in program.out for program in ended)
    log = await read_log(store, where.partition("@")[0].replace("-", ""))
    log.verify()
    assert log.state.phase == "over"
    assert processes_of(tmp_path) == []


async def test_a_game_against_bots_leaves_no_process_behind(tmp_path: Path) -> None:
    played = await run("paizhuo", "play", "chuo-pai", "--auto", "--plain", home=tmp_path)
    assert (played.code, played.err) == (ExitCode.OK, "")
    assert played.out.splitlines()[-1].startswith("The match is over.")
    assert processes_of(tmp_path) == []


async def test_a_code_that_no_room_has_is_told_by_the_server(servers: Servers, tmp_path: Path) -> None:
    joined = await run("paizhuo", "join", f"AAAA-AAAA@{servers.second.address}", "--plain", home=tmp_path)
    assert (joined.code, joined.out) == (ExitCode.NO_SUCH_ROOM, "")
    assert joined.err.startswith("paizhuo: ")
    assert joined.err.count("\n") == 1
