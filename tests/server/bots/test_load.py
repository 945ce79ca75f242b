"""What becomes of thoughts when a hundred rooms want them: the pool itself, in virtual time.

The workers are models; what their thoughts take was measured on one idle core (Python 3.11), and is drawn about that.
"""

import asyncio
from collections.abc import Callable
from itertools import cycle
from random import Random
from statistics import fmean
from typing import NamedTuple, cast

import pytest

from protocol.view import BotLevel, TableView
from server.bots.base import offered
from server.bots.pool import BotPool
from server.bots.process import Failed, Worker
from server.bots.worker import Answer, Question
from server.games.registry import GAMES
from tests.deals import seen
from tests.simulation.loop import Loop, Timeline

ROUND_TRIP_MS = 0.3
SERVED_MS = 0.4
"""What the server itself does for a move, one at a time."""

LEVELS: tuple[BotLevel, BotLevel, BotLevel] = ("hard", "normal", "hard")

Thought = Callable[[Question, Random], float]


def chuo_pai(question: Question, rng: Random) -> float:
    """Milliseconds."""
    if question.level != "hard":
        return 0.1
    return 0.7 + rng.uniform(0.2, 1.8) * 0.04 * min(question.budget, 1000)


def paohuzi(question: Question, rng: Random) -> float:
    if question.level != "hard":
        return 0.45
    plan_ms = rng.choices((1.5, 10.0, 53.0), (87, 11, 2))[0]
    return plan_ms + rng.uniform(0.2, 1.8) * 0.3 * min(question.budget, 300)


class ModelledWorker:
    """Thinks for as long as it is said to; or hangs, where that is for ever."""

    def __init__(self, thought: Thought, rng: Random, number: int) -> None:
        self.alive = True
        self.pid = number
        self._thought = thought
        self._rng = rng

    async def ready(self) -> None:
        pass

    async def answer(self, question: Question, limit_ms: int) -> Answer:
        took_ms = self._thought(question, self._rng)
        await asyncio.sleep((min(took_ms, limit_ms) + ROUND_TRIP_MS) / 1000)
        if took_ms > limit_ms:
            raise Failed("took too long")
        return Answer(offered(question.view)[0], "", (), question.level, question.budget, took_ms)

    async def end(self) -> None:
        await asyncio.sleep(0)


class ModelledPool(BotPool):
    def __init__(self, thought: Thought, workers: int, start_ms: float = 300) -> None:
        super().__init__(workers)
        self.started = 0
        self._thought = thought
        self._start_ms = start_ms

    async def _started(self) -> Worker:
        self.started += 1
        await asyncio.sleep(self._start_ms / 1000)
        return cast(Worker, ModelledWorker(self._thought, Random(self.started), self.started))


class Asked(NamedTuple):
    level: BotLevel
    answered_ms: float
    answer: Answer | None


class Rooms:
    """So many, two bots in each `hard` and one `normal`: `asked` once the first seconds are over."""

    def __init__(self, pool: BotPool, view: TableView, beat_ms: float, timeout_ms: int) -> None:
        self.asked: list[Asked] = []
        self._pool = pool
        self._view = view
        self._beat_ms = beat_ms
        self._timeout_ms = timeout_ms
        self._serving = asyncio.Lock()

    async def play(self, number: int, until_s: float) -> None:
        loop, levels = asyncio.get_running_loop(), cycle(LEVELS)
        await asyncio.sleep(Random(number).random() * self._beat_ms / 1000)
        while loop.time() < until_s:
            level = next(levels)
            begun_s = loop.time()
            answer = await self._pool.answer(Question("modelled", level, 0, self._view), self._timeout_ms)
            self.asked.append(Asked(level, (loop.time() - begun_s) * 1000, answer))
            async with self._serving:
                await asyncio.sleep(SERVED_MS / 1000)
            await asyncio.sleep(max(0.0, begun_s + self._beat_ms / 1000 - loop.time()))


def played(pool: ModelledPool, rooms: int, beat_ms: float, *, timeout_ms: int = 2000) -> list[Asked]:
    """All that was asked of a `hard` bot in three seconds, after as many that are not looked at."""
    game = GAMES["chuo-pai"]
    view = seen(game, game.start(game.pack, 0, {}), 0)
    timeline = Timeline(Random(0))
    loop = Loop(timeline, "server", 1.0)  # type: ignore[abstract]
    table, early = Rooms(pool, view, beat_ms, timeout_ms), list[int]()
    timeline.at(3.0, lambda: early.append(len(table.asked)))
    for number in range(rooms):
        loop.create_task(table.play(number, 6.0))
    timeline.run(20.0)
    return [asked for asked in table.asked[early[0] :] if asked.level == "hard"]


def p99(times_ms: list[float]) -> float:
    return sorted(times_ms)[len(times_ms) * 99 // 100]


def thoughts(asked: list[Asked]) -> list[Answer]:
    return [each.answer for each in asked if each.answer is not None]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("beat_ms", [0, 700])
@pytest.mark.parametrize("thought", [chuo_pai, paohuzi])
def test_a_hundred_rooms_wait_for_no_bot_for_long(thought: Thought, beat_ms: float, workers: int) -> None:
    asked = played(ModelledPool(thought, workers), 100, beat_ms)
    answers = thoughts(asked)
    assert len(answers) == len(asked) > 200, "none was late"
    assert fmean(answer.took_ms for answer in answers) < 15
    assert p99([each.answered_ms for each in asked]) < 300


@pytest.mark.parametrize(("thought", "full"), [(chuo_pai, 1000), (paohuzi, 150)])
def test_a_few_rooms_get_all_the_strength_that_a_bot_has(thought: Thought, full: int) -> None:
    answers = thoughts(played(ModelledPool(thought, 1), 3, 700))
    assert {answer.level for answer in answers} == {"hard"}
    assert sum(answer.budget >= full for answer in answers) > len(answers) * 0.8


def test_urgent_claims_of_many_rooms_are_answered_in_time() -> None:
    asked = played(ModelledPool(paohuzi, 1), 60, 700, timeout_ms=350)
    assert len(thoughts(asked)) >= len(asked) * 0.99


def test_a_bot_that_hangs_now_and_then_costs_one_start_each_time_and_all_rooms_go_on() -> None:
    hung = 0

    def hangs_at_times(question: Question, rng: Random) -> float:
        nonlocal hung
        if question.level == "hard" and rng.random() < 0.002:
            hung += 1
            return float("inf")
        return chuo_pai(question, rng)

    pool = ModelledPool(hangs_at_times, 1)
    asked = played(pool, 100, 0)
    assert hung > 1
    assert pool.started == 1 + hung
    late = len(asked) - len(thoughts(asked))
    assert late <= hung, "nobody else does without an answer"
    assert sorted(each.answered_ms for each in asked)[len(asked) // 2] < 300
