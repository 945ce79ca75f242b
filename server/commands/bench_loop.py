"""`paizhuo-server bench loop`: how long the event loop of a busy server is held up, and how long its bots think.

The server is a real one in this process; its players are another process, so that they take none of its time.
"""

import asyncio
import sys
from asyncio.events import Handle
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from protocol.view import BotLevel
from server.app import running
from server.bots.pool import BotPool
from server.bots.worker import Answer, Question
from server.limits import Limits
from server.settings import ServerSettings

LIMIT_MS = 5.0
"""No callback may take longer: everybody else at every table waits for it."""


class Spread(Struct, frozen=True):
    """Of many times, in milliseconds; all 0 where there are none."""

    mean: float
    p50: float
    p99: float
    max: float


class Measurement(Struct, frozen=True):
    """`cpu_ms`: what callbacks took of the loop's thread; `wall_ms`: with what other threads and processes took from
    it. `over_limit`: callbacks whose CPU time was above `LIMIT_MS`; `slowest`: whose CPU time was the longest.

    Of the bots of level `bots`, each move that was no forced one: `thought_ms` is the time of the worker, `answered_ms`
    that from the question to the answer, with the wait for a free worker. `easier`: those for which there was no more
    time than for an easier bot's; `late`: those for which the default stood in.
    `budget_p50`, `budget_p10`: rollouts that they were given. The player on autopilot is of another level.
    """

    game: str
    bots: str
    workers: int
    rooms: int
    seconds: float
    moves_per_s: float
    callbacks: int
    cpu_ms: Spread
    wall_ms: Spread
    over_limit: int
    slowest: str
    answers: int
    thought_ms: Spread
    answered_ms: Spread
    easier: int
    late: int
    budget_p50: int
    budget_p10: int


class TimedPool(BotPool):
    """Keeps of every question its level, how long it took until it was answered, and the answer."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.answers: list[tuple[BotLevel, float, Answer | None]] = []

    async def answer(self, question: Question, timeout_ms: int) -> Answer | None:
        start_s = perf_counter()
        answer = await super().answer(question, timeout_ms)
        self.answers.append((question.level, (perf_counter() - start_s) * 1000, answer))
        return answer


class Stopwatch:
    """Times callbacks. `slowest` names the one that took the most CPU time."""

    def __init__(self) -> None:
        self.cpu_ms: list[float] = []
        self.wall_ms: list[float] = []
        self.slowest = ""
        self._longest_ms = 0.0

    @contextmanager
    def on_every_callback(self) -> Iterator[None]:
        """Of all event loops; use it where only one runs."""
        run = Handle._run  # noqa: SLF001 - every callback goes through here, and asyncio offers no other place

        def timed(handle: Handle) -> None:
            wall_s, cpu_s = perf_counter(), thread_time()
            run(handle)
            cpu_ms = (thread_time() - cpu_s) * 1000
            self.wall_ms.append((perf_counter() - wall_s) * 1000)
            self.cpu_ms.append(cpu_ms)
            if cpu_ms > self._longest_ms:
                self._longest_ms, self.slowest = cpu_ms, _name(handle)

        Handle._run = timed  # type: ignore[method-assign, assignment]  # noqa: SLF001 - as above
        try:
            yield
        finally:
            Handle._run = run  # type: ignore[method-assign]  # noqa: SLF001 - as above


def loop(
    *,
    rooms: Annotated[int, Parameter(validator=Number(gte=1, lte=1000))] = 30,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 10,
    game: str = "chuo-pai",
    bots: BotLevel = "easy",
    beat_ms: Annotated[int, Parameter(validator=Number(gte=0, lte=5000))] = 0,
    bot_workers: Annotated[int | None, Parameter(validator=Number(gte=1, lte=64))] = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure how long a busy server's event loop is held up by single callbacks, and how long its bots think.

    Bots play in every room without a pause, on a temporary SQLite file; one player of each room is a client on
    autopilot.

    Parameters
    ----------
    rooms
        How many rooms are played at once.
    seconds
        How long to measure.
    game
        What is played.
    bots
        How well the bots play that take two seats of each room.
    beat_ms
        As for `serve`; 0 makes the bots play as fast as they can.
    bot_workers
        As for `serve`.
    json
        Print one JSON object.
    """
    with TemporaryDirectory(prefix="paizhuo-") as directory:
        limits = Limits(exempt=("127.0.0.1",))
        store = f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        settings = ServerSettings(port=0, store=store, beat_ms=beat_ms, limits=limits)
        if bot_workers is not None:
            settings = replace(settings, bot_workers=bot_workers)
        found = asyncio.run(measured(settings, game, bots, rooms, seconds))
    if json:
        print(msgspec.json.encode(found).decode())
        return
    print(f"{found.rooms} rooms of {game}, {found.seconds:.1f} s, {found.moves_per_s:,.0f} moves a second")
    print(f"{f'{found.callbacks:,} callbacks, ms':<24}{'mean':>10}{'p50':>10}{'p99':>10}{'max':>10}")
    for label, spread in (
        ("CPU time", found.cpu_ms),
        ("wall time", found.wall_ms),
        (f"thought of {bots} bots", found.thought_ms),
        ("with the wait for it", found.answered_ms),
    ):
        print(f"{label:<24}" + "".join(f"{ms:>10.3f}" for ms in (spread.mean, spread.p50, spread.p99, spread.max)))
    budgets = f"{found.budget_p50:,} rollouts (p10 {found.budget_p10:,})"
    print(f"{found.answers:,} thoughts within {budgets}, {found.easier:,} by easier bots, {found.late} too late")
    print(f"{found.over_limit} callbacks over {LIMIT_MS:.0f} ms of CPU time; the longest: {found.slowest}")


async def measured(settings: ServerSettings, game: str, bots: BotLevel, rooms: int, seconds: float) -> Measurement:
    """Play so many rooms for so long on a server of these settings."""
    stopwatch, pool = Stopwatch(), TimedPool(settings.bot_workers)
    async with running(settings, pool) as port:
        players = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "server.commands.bench_players", settings.url(port), game, bots, str(rooms)),
            stdin=PIPE,
            stdout=PIPE,
        )
        assert players.stdout is not None
        await players.stdout.readline()
        pool.answers.clear()
        start_s = perf_counter()
        with stopwatch.on_every_callback():
            await asyncio.sleep(seconds)
        elapsed_s, count = perf_counter() - start_s, len(pool.answers)
        moves, _ = await players.communicate(b"")  # closes its stdin, which it waits for
    asked = [(ms, answer) for level, ms, answer in pool.answers[:count] if level == bots]
    answers = [answer for _, answer in asked if answer is not None]
    budgets = sorted(answer.budget for answer in answers) or [0]
    return Measurement(
        game=game,
        bots=bots,
        workers=settings.bot_workers,
        rooms=rooms,
        seconds=elapsed_s,
        moves_per_s=int(moves) / elapsed_s,
        callbacks=len(stopwatch.cpu_ms),
        cpu_ms=_spread(stopwatch.cpu_ms),
        wall_ms=_spread(stopwatch.wall_ms),
        over_limit=sum(ms > LIMIT_MS for ms in stopwatch.cpu_ms),
        slowest=stopwatch.slowest,
        answers=len(answers),
        thought_ms=_spread([answer.took_ms for answer in answers]),
        answered_ms=_spread([ms for ms, _ in asked]),
        easier=sum(answer.level != bots for answer in answers),
        late=len(asked) - len(answers),
        budget_p50=budgets[len(budgets) // 2],
        budget_p10=budgets[len(budgets) // 10],
    )


def _spread(times_ms: list[float]) -> Spread:
    ordered = sorted(times_ms) or [0.0]
    return Spread(fmean(ordered), ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1])


def _name(handle: Handle) -> str:
    callback = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001 - as above
    owner = getattr(callback, "__self__", None)
    named = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
    return str(getattr(named, "__qualname__", named))
