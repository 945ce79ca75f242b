"""The process of those who attack: `python -m tests.fuzz.attackers`, told what to do on stdin, and telling on stdout
what came of it; one JSON value a line.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from random import Random

import msgspec
from msgspec import Struct

from tests.fuzz.behaviours import misbehave
from tests.fuzz.callers import Callers, Rooms, Told
from tests.fuzz.wire import Address


class Target(Struct, frozen=True):
    """`at_once`: see `Callers`. `callers`, `connections`: how many of each there are at any time."""

    url: str
    seed: int
    at_once: int
    callers: int = 12
    connections: int = 16


class Wave(Struct, frozen=True):
    """So many frames, and so many connections that misbehave; at most so many frames a second, if that is said.
    `others`: codes of rooms that are played in.
    """

    others: tuple[str, ...]
    frames: int
    connections: int
    frames_per_s: float | None = None


class Report(Struct, frozen=True):
    seconds: float
    done: dict[str, int]
    wrong: list[str]


class Attack:
    def __init__(self, target: Target) -> None:
        self._target = target
        self._address = Address.of(target.url)
        self._rooms = Rooms()
        self._callers = Callers(self._address, self._rooms, str(target.seed), target.at_once)
        self._conversations = count()
        self._misdeeds = count()

    async def strike(self, wave: Wave) -> Report:
        told, began_s = Told(), time.monotonic()
        self._rooms.others = wave.others
        misdeeds = iter([next(self._misdeeds) for _ in range(wave.connections)])
        async with asyncio.TaskGroup() as group:
            for _ in range(self._target.callers):
                group.create_task(self._call(wave, told, began_s))
            for _ in range(self._target.connections):
                group.create_task(self._misbehave(misdeeds, told))
        return Report(time.monotonic() - began_s, dict(told.done), told.wrong)

    async def _call(self, wave: Wave, told: Told, began_s: float) -> None:
        while (left := wave.frames - told.done["frames"]) > 0:
            if wave.frames_per_s is not None:
                await asyncio.sleep(began_s + told.done["frames"] / wave.frames_per_s - time.monotonic())
            await self._callers.call(next(self._conversations), left, told)

    async def _misbehave(self, numbers: Iterator[int], told: Told) -> None:
        for number in numbers:
            name, wrong = await misbehave(self._address, Random(f"{self._target.seed}/misdeed {number}"))
            told.done[f"misdeed: {name}"] += 1
            told.done["misdeeds"] += 1
            if wrong is not None:
                told.wrong.append(f"misdeed {number}, {name}: {wrong}")


async def main() -> None:
    attack = Attack(msgspec.json.decode(sys.stdin.buffer.readline(), type=Target))
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        report = await attack.strike(msgspec.json.decode(line, type=Wave))
        sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
        sys.stdout.buffer.flush()


def total(reports: list[Report]) -> Report:
    """Of all waves together."""
    done = Counter[str]()
    for report in reports:
        done.update(report.done)
    return Report(
        sum(report.seconds for report in reports), dict(done), [w for report in reports for w in report.wrong]
    )


if __name__ == "__main__":
    asyncio.run(main())
