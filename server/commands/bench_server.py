"""`paizhuo-server bench server`: what a move costs, beside a server that only sends frames of the same sizes.

The server is a real `serve`, and its players answer at once; the other is `websockets` on uvloop without a game. Each
of the four is a process of its own. They take turns, so that what else the machine does falls on both alike.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.commands.bench_bare import Traffic
from server.commands.bench_traffic import Part, Played
from server.games.registry import UnknownGame, game_named

SLICE_S = 1.0
TOO_SHORT = "no move was played to its end in so short a time: give more --seconds"

MODERATE = 0.25
"""The load at which moves are timed, as a part of the moves that the server has just been found to manage."""

STOP_S = 15

T = TypeVar("T")


class Found(Struct, frozen=True):
    """Medians of slices. CPU: of the server's process. `ratio`: of `moves_per_s` to `bare_moves_per_s`, each as fast
    as it went. `p50_ms`, `p99_ms`: of a move, from its sending until all three players had it, at `MODERATE` load.
    """

    moves_per_s: float
    cpu_s_per_1000_moves: float
    bare_moves_per_s: float
    bare_cpu_s_per_1000_moves: float
    ratio: float
    p50_ms: float
    p99_ms: float
    kib_per_idle_seat: float


def server(
    *,
    rooms: Annotated[int, Parameter(validator=Number(gte=2, lte=1000))] = 100,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 10,
    store: str | None = None,
    game: str = "chuo-pai",
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure what moves cost a server, beside one that only sends frames of the same sizes.

    Three players in every room answer at once, by lot; no bot plays. Needs Linux.

    Parameters
    ----------
    rooms
        How many rooms are played at once.
    seconds
        How long each of the two servers is kept busy; the moves are timed for as long again.
    store
        Where rooms are kept, as for `serve`; a temporary SQLite file if it is not given.
    game
        What is played.
    json
        Print one JSON object.
    """
    try:
        game_named(game)
    except UnknownGame as unknown:
        raise CommandFailed(ExitCode.USAGE, str(unknown)) from None
    if not Path("/proc/self/statm").exists():
        raise CommandFailed(ExitCode.FAILURE, "this benchmark reads what processes use from /proc, which Linux has")
    with TemporaryDirectory(prefix="paizhuo-") as directory:
        where = store or f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        found = asyncio.run(measured(where, game, rooms, seconds))
    if json:
        print(msgspec.json.encode(found).decode())
        return
    print(f"{game}, {rooms} rooms{'moves a second':>32}{'CPU s per 1,000':>20}")
    print(f"{'this server':<24}{found.moves_per_s:>24,.0f}{found.cpu_s_per_1000_moves:>20.3f}")
    print(f"{'frames alone':<24}{found.bare_moves_per_s:>24,.0f}{found.bare_cpu_s_per_1000_moves:>20.3f}")
    by_cpu = found.bare_cpu_s_per_1000_moves / found.cpu_s_per_1000_moves
    print(f"ratio {found.ratio:.2f}; by CPU time, which other programs disturb less, {by_cpu:.2f}")
    print(f"a move until all have seen it: p50 {found.p50_ms:.1f} ms, p99 {found.p99_ms:.1f} ms")
    print(f"an idle seat: {found.kib_per_idle_seat:.1f} KiB")


async def measured(store: str, game: str, rooms: int, seconds: float) -> Found:
    """Play both servers, in turns."""
    serving = ("server", "serve", "--host", "127.0.0.1", "--port", "0", "--store", store, "--beat-ms", "0")
    flags = ("--exempt", "127.0.0.1", "--log-level", "error", "--stop-with-stdin")
    async with process(*serving, *flags) as ours:
        url = (await line(ours)).decode().split()[-1]
        async with process("server.commands.bench_seats", url, game, str(rooms)) as players:
            await said(players, int)
            empty_kib = _resident_kib(ours)
            say(players, 1)
            await said(players, int)
            seat_kib = (_resident_kib(ours) - empty_kib) / (3 * rooms - 3)
            first = min(SLICE_S, seconds)
            await _played(players, Part(first))
            traffic = await said(players, Traffic)
            return await _beside_bare(ours, players, traffic, seconds, seat_kib)


async def _beside_bare(ours: Process, players: Process, traffic: Traffic, seconds: float, seat_kib: float) -> Found:
    answered = [[exchange for exchange in table if any(exchange.answers)] for table in traffic]
    async with process("server.commands.bench_bare", "serve") as bare:
        say(bare, answered)
        url = f"ws://127.0.0.1:{await said(bare, int)}"
        async with process("server.commands.bench_bare", "play", url) as callers:
            say(callers, answered)
            await said(callers, int)
            slices = max(1, round(seconds / SLICE_S))
            part = Part(seconds / slices)
            of_ours, of_bare = [], []
            for _ in range(slices):
                of_ours.append(await _cost(ours, players, part))
                of_bare.append(await _cost(bare, callers, part))
            moves_per_s, cpu_s = _medians(of_ours)
            bare_moves_per_s, bare_cpu_s = _medians(of_bare)
            timed = await _played(players, Part(seconds, moves_per_s * MODERATE))
    seen_ms = sorted(timed.seen_ms)
    if not seen_ms:
        raise CommandFailed(ExitCode.FAILURE, TOO_SHORT)
    return Found(
        moves_per_s=moves_per_s,
        cpu_s_per_1000_moves=cpu_s,
        bare_moves_per_s=bare_moves_per_s,
        bare_cpu_s_per_1000_moves=bare_cpu_s,
        ratio=moves_per_s / bare_moves_per_s,
        p50_ms=seen_ms[len(seen_ms) // 2],
        p99_ms=seen_ms[len(seen_ms) * 99 // 100],
        kib_per_idle_seat=seat_kib,
    )


def _medians(costs: list[tuple[float, float]]) -> tuple[float, float]:
    moves_per_s, cpu_s = zip(*costs, strict=True)
    return median(moves_per_s), median(cpu_s)


async def _cost(served_by: Process, players: Process, part: Part) -> tuple[float, float]:
    """Moves a second, and seconds of CPU per 1,000 moves."""
    before_s = _cpu_s(served_by)
    played = await _played(players, part)
    return played.moves / played.seconds, (_cpu_s(served_by) - before_s) / played.moves * 1000


async def _played(players: Process, part: Part) -> Played:
    """Raises `CommandFailed` where nothing was played, of which there is nothing to say."""
    say(players, part)
    played = await said(players, Played)
    if not played.moves:
        raise CommandFailed(ExitCode.FAILURE, TOO_SHORT)
    return played


# Processes


@asynccontextmanager
async def process(*command: str) -> AsyncIterator[Process]:
    """A module of ours, stopped by the end of its stdin."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAIZHUO_")}
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *command), stdin=PIPE, stdout=PIPE, env=environment, limit=2**30
    )
    try:
        yield started
    finally:
        assert started.stdin is not None
        started.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await started.wait()
        except TimeoutError:
            started.kill()
            await started.wait()


def say(to: Process, what: object) -> None:
    assert to.stdin is not None
    to.stdin.write(msgspec.json.encode(what) + b"\n")


async def said(of: Process, kind: type[T]) -> T:
    """What it says next. Raises `CommandFailed` where it has ended instead."""
    return msgspec.json.decode(await line(of), type=kind)


async def line(of: Process) -> bytes:
    assert of.stdout is not None
    found = await of.stdout.readline()
    if not found:
        raise CommandFailed(ExitCode.FAILURE, "a part of the benchmark ended too early; it says why on stderr")
    return found


def _cpu_s(of: Process) -> float:
    """All threads of it."""
    fields = Path(f"/proc/{of.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_kib(of: Process) -> float:
    pages = int(Path(f"/proc/{of.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024
