"""A real server with games in progress, and an attack on it: what was found wrong, and what it cost the players."""

import asyncio
import re
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
from redis import Redis

from tests.e2e.processes import ServerProcess, serving
from tests.faults.fleet import EXEMPT
from tests.faults.people import Meter
from tests.fuzz.attackers import Report, Target, Wave, total
from tests.fuzz.tables import Table
from tests.fuzz.values import MARK
from tests.history import check
from tests.valkey import Valkey

FRAMES_AT_ONCE = 33
"""What a connection sends before it has used up what a server lets anybody say at once, with a question in between."""

SLACK_FILES = 3
GONE_S = 15.0
"""How long the server may keep what belonged to connections that are gone."""

_CODE = re.compile(r"^\{|\}:log$")
_FAULT = re.compile(
    r"Traceback|^\S+ \S+ (?:WARNING|ERROR|CRITICAL) (?!server\.(?:bots\.pool|gateway\.admission)).*", re.MULTILINE
)
"""It is no fault that bots cannot keep up where somebody opens many rooms, or that somebody plays the proxy."""


class Plan(NamedTuple):
    """`calm`: for as long as each wave took the players are then left alone, to compare. `frames_per_s`: at most.
    `flags`: more, of the server.
    """

    frames: int
    connections: int
    seed: int
    waves: int = 1
    tables: int = 6
    think_s: float = 0.1
    calm: bool = False
    frames_per_s: float | None = None
    log_level: str = "debug"
    flags: tuple[str, ...] = ()


class Found(NamedTuple):
    """`attacked_s`, `calm_s`: how long the moves of players took in each wave, and while they were left alone after it,
    in seconds. `memory_mb`: of the server, before and after.
    """

    wrong: list[str]
    report: Report
    moves: int
    attacked_s: list[list[float]]
    calm_s: list[list[float]]
    memory_mb: tuple[float, float]
    rooms: int


async def assault(plan: Plan) -> Found:
    """Play, attack, and look at everything afterwards."""
    rng = Random(plan.seed)
    with TemporaryDirectory(prefix="paizhuo-") as name:
        valkey = Valkey(Path(name))
        try:
            flags = ("--log-level", plan.log_level, *EXEMPT, *plan.flags)
            with serving(valkey.url, Path(name), *flags) as server:
                meter = Meter()
                tables = [Table(server.url, n, meter, rng, plan.think_s) for n in range(plan.tables)]
                await asyncio.gather(*(table.open() for table in tables))
                target = Target(server.url, plan.seed, FRAMES_AT_ONCE)
                files, memory_mb = _files(server), _memory_mb(server)
                attacks, rests, reports = await _waves(plan, target, tables)
                wrong = await _left_behind(server, files)
                memory_after_mb = _memory_mb(server)
                for table in tables:
                    await table.leave()
            wrong += _said(server, meter)
            logs = _logs(valkey)
            wrong += _in_the_store(logs, tables)
        finally:
            valkey.kill()
    report = total(reports)
    moves = [move for table in tables for move in table.moves]
    return Found(
        wrong + report.wrong,
        report,
        len(moves),
        _within(moves, attacks),
        _within(moves, rests),
        (memory_mb, memory_after_mb),
        len(logs),
    )


async def _waves(
    plan: Plan, target: Target, tables: Sequence[Table]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]], list[Report]]:
    """When was attacked, when was rest, and what came of it."""
    attacks, rests, reports = list[tuple[float, float]](), list[tuple[float, float]](), list[Report]()
    async with _attackers(target) as process:
        for number in range(plan.waves):
            began_s = time.perf_counter()
            frames, connections = (_share(of, number, plan.waves) for of in (plan.frames, plan.connections))
            codes = tuple(table.matches[-1].code for table in tables)
            reports.append(await _strike(process, Wave(codes, frames, connections, plan.frames_per_s)))
            attacks.append((began_s, ended_s := time.perf_counter()))
            if plan.calm:
                await asyncio.sleep(ended_s - began_s)
                rests.append((ended_s, time.perf_counter()))
    return attacks, rests, reports


def _share(whole: int, number: int, parts: int) -> int:
    return whole * (number + 1) // parts - whole * number // parts


@asynccontextmanager
async def _attackers(target: Target) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fuzz.attackers", stdin=PIPE, stdout=PIPE, limit=2**24
    )
    assert process.stdin is not None
    try:
        process.stdin.write(msgspec.json.encode(target) + b"\n")
        yield process
        process.stdin.close()
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _strike(process: Process, wave: Wave) -> Report:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode(wave) + b"\n")
    return msgspec.json.decode(await process.stdout.readline(), type=Report)


def _within(moves: list[tuple[float, float]], times: list[tuple[float, float]]) -> list[list[float]]:
    """How long the moves took that were said in each of these times."""
    return [[took_s for said_s, took_s in moves if begin <= said_s < end] for begin, end in times]


# What is looked at afterwards


async def _left_behind(server: ServerProcess, files: int) -> list[str]:
    """The server has let go of all that the attackers held."""
    give_up_s = time.monotonic() + GONE_S
    while (held := _files(server)) > files + SLACK_FILES:
        if time.monotonic() > give_up_s:
            return [f"the server holds {held} files open, {files} before the attack"]
        await asyncio.sleep(0.1)
    return []


def _said(server: ServerProcess, meter: Meter) -> Iterator[str]:
    """What it logged, up to its end, and what players noticed."""
    if server.process.returncode != 0:
        yield f"the server ended with {server.process.returncode}"
    yield from faults_in(server.log)
    for what in ("connections lost", "refused: internal", "refused: store_unavailable"):
        if meter.done[what]:
            yield f"{what} by players: {meter.done[what]}"
    if meter.notices:
        yield f"players were given notice: {dict(meter.notices)}"


def faults_in(log: str) -> Iterator[str]:
    """What should not stand in a server's log."""
    for line in sorted(set(_FAULT.findall(log)))[:20]:
        yield f"in the server's log: {line}"
    quoted = [line for line in log.splitlines() if MARK in line.lower()]
    yield from (f"in the server's log stands what a client sent: {line}" for line in quoted[:5])


def _in_the_store(logs: dict[str, list[bytes]], tables: Sequence[Table]) -> Iterator[str]:
    """The logs of all rooms are sound, and those of the players have nothing that is not theirs."""
    matches = {match.code: match for table in tables for match in table.matches}
    for code, match in matches.items():
        yield from (f"at the table {code}: {fault}" for fault in match.faults(logs[code]))
    for code in logs.keys() - matches.keys():
        yield from (f"in the attackers' room {code}: {fault}" for fault in check(logs[code], ()))


def _logs(valkey: Valkey) -> dict[str, list[bytes]]:
    """Of all rooms, by their codes."""
    with Redis(unix_socket_path=str(valkey.socket)) as client:
        keys = sorted(client.keys("{*}:log"))
        return {_CODE.sub("", key.decode()): client.lrange(key, 0, -1) for key in keys}


def _files(server: ServerProcess) -> int:
    """How many it holds open, connections among them; 0 where the system does not show it."""
    held = Path(f"/proc/{server.process.pid}/fd")
    return len(list(held.iterdir())) if held.exists() else 0


def _memory_mb(server: ServerProcess) -> float:
    """What it holds in memory now; 0 where the system does not show it."""
    status = Path(f"/proc/{server.process.pid}/status")
    resident = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(resident[1]) / 1024 if resident else 0.0
