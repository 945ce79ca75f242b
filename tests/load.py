"""What many rooms cost, and how soon they go on after a death: `python -m tests.load calm|deaths [--rooms N] ...`.

The people play in processes of their own, which tell what they saw as lines of text; all times are of the one monotonic
clock of this machine.

calm      rooms of bots and people for some minutes: how the memory of each server grows after the first part of that
          time, and how many appends were conflicts
deaths    a server is killed: how soon each of its players has the table back. The store is killed: how soon after its
          return each room has its next move, and whether its players were told
"""

import asyncio
import logging
import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from websockets.asyncio.client import ClientConnection

from protocol.messages import Create, Join, Notice, ServerMessage, Table
from server.games.registry import GAMES
from tests.faults.fleet import EXEMPT, Fleet, standing
from tests.faults.people import Meter, Person
from tests.history import History, Step
from tests.soak import STOPPED, memory_mb, quantile
from tests.valkey import Valkey

THINK_S = {"calm": 3.0, "deaths": 1.0}
COME_BACK_S = 0.5
DEALS = 32
BEAT_MS = 700
WARM_UP = 0.3
"""The part of the time after which memory is first measured."""

SAMPLE_S = 5.0
LEAST_CALM_S = 20 * SAMPLE_S
"""Memory is compared between two tenths of the time, which have samples in them from here on."""

SETTLE_S = 30.0
"""How long after a death all must go on."""


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.load", description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("calm", "deaths", "people"))
    parser.add_argument("--rooms", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=10.0, help="of calm (10)")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--crowds", type=int, default=2, help="processes of people (2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--think", type=float, default=None, help="longest time before a move, in s (calm: 3, deaths: 1)"
    )
    parser.add_argument("--urls", default="", help="for people: where the servers listen, with commas between")
    asked = parser.parse_args()
    if asked.what == "calm" and asked.minutes * 60 < LEAST_CALM_S:
        parser.error(f"--minutes: a shorter time than {LEAST_CALM_S / 60:.2g} is too short to compare memory")
    logging.disable(logging.CRITICAL)
    if asked.what == "people":
        asyncio.run(crowd(asked.urls.split(","), asked.rooms, asked.seed, asked.think))
        return 0
    return asyncio.run(measured(asked))


# The people


class Oblivious(History):
    """Keeps nothing: a load lasts longer than there is memory."""

    def _add(self, step: Step) -> None:
        pass


class Teller(Person):
    """Says on stdout what is to be measured: `moved ROOM AT_S`, `told KIND AT_S`, `back SECONDS AT_S`."""

    async def _take(self, connection: ClientConnection, message: ServerMessage) -> bool:
        back = len(self._meter.back_s)
        stays = await super()._take(connection, message)
        match message:
            case Table(view=view, happened=happened) if happened:
                _say("moved", view.room.code)
            case Notice(kind=kind):
                _say("told", kind)
            case _:
                pass
        for seconds in self._meter.back_s[back:]:
            _say("back", f"{seconds:.3f}")
        return stays


def _say(*words: str) -> None:
    print(*words, f"{time.monotonic():.3f}", flush=True)


async def crowd(urls: list[str], rooms: int, seed: int, think_s: float) -> None:
    """Play until stdin ends. A room that is over is followed by another."""
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    tables = [asyncio.create_task(_table(number, urls, Random(f"{seed}/{number}"), think_s)) for number in range(rooms)]
    await ended
    for table in tables:
        table.cancel()
    await asyncio.gather(*tables, return_exceptions=True)


async def _table(number: int, urls: list[str], rng: Random, think_s: float) -> None:
    await asyncio.sleep(rng.uniform(0, number / 20))  # people do not come all at once
    while True:
        await _match(number, urls, rng, think_s)


async def _match(number: int, urls: list[str], rng: Random, think_s: float) -> None:
    meter, humans = Meter(), rng.choice((1, 1, 2, 3))

    def person(name: str, entry: Create | Join) -> Teller:
        own = Random(rng.random())
        made = Teller(
            name, entry, lambda: urls, meter, own, humans=humans, think_s=think_s, hops=0, come_back_s=COME_BACK_S
        )
        made.history = Oblivious(name)
        return made

    create = Create(sorted(GAMES)[number % len(GAMES)], deals=DEALS, secret=_secret(rng))
    host = person("Host", create)
    async with AsyncExitStack() as stack:
        stack.callback(asyncio.create_task(host.run()).cancel)
        await meter.until(lambda: host.place is not None)
        assert host.place is not None
        for _ in range(1, humans):
            guest = person("Guest", Join(host.place.code, _secret(rng)))
            stack.callback(asyncio.create_task(guest.run()).cancel)
        await meter.until(lambda: host.over)


def _secret(rng: Random) -> str:
    return f"{rng.getrandbits(128):032x}"


# The measurements


class Crowd:
    """One process of people, and when they said what: `moved` by room, `told` by kind, `back` with how long it took."""

    def __init__(self) -> None:
        self.moved: defaultdict[str, list[float]] = defaultdict(list)
        self.told: defaultdict[str, list[float]] = defaultdict(list)
        self.back: list[tuple[float, float]] = []

    async def run(self, urls: list[str], rooms: int, seed: int, think_s: float) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.load", "people", "--urls", ",".join(urls)),
            *("--rooms", str(rooms), "--seed", str(seed), "--think", str(think_s)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                what, detail, at_s = line.decode().split()
                if what == "moved":
                    self.moved[detail].append(float(at_s))
                elif what == "told":
                    self.told[detail].append(float(at_s))
                else:
                    self.back.append((float(at_s), float(detail)))
        finally:
            process.stdin.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(10):
                    await process.wait()
            if process.returncode is None:
                process.kill()


async def measured(asked: Namespace) -> int:
    meter, think_s = Meter(), THINK_S[asked.what] if asked.think is None else asked.think
    with TemporaryDirectory(prefix="paizhuo-") as name:
        valkey = Valkey(Path(name))
        try:
            flags = ("--beat-ms", str(BEAT_MS), "--grace-s", "30", "--log-level", "info", *EXEMPT)
            async with standing(valkey.url, Path(name), asked.servers, meter, flags) as servers:
                crowds = [Crowd() for _ in range(asked.crowds)]
                urls = servers.urls()
                running = [
                    asyncio.create_task(one.run(urls, asked.rooms // asked.crowds, asked.seed + number, think_s))
                    for number, one in enumerate(crowds)
                ]
                try:
                    await _all_play(crowds, asked.rooms // asked.crowds * asked.crowds)
                    if asked.what == "calm":
                        return await calm(servers, crowds, asked.minutes * 60)
                    return await deaths(servers, crowds, valkey)
                finally:
                    for task in running:
                        task.cancel()
                    await asyncio.gather(*running, return_exceptions=True)
        finally:
            valkey.kill()


async def _all_play(crowds: list[Crowd], rooms: int) -> None:
    while sum(len(one.moved) for one in crowds) < rooms:
        print(f"{sum(len(one.moved) for one in crowds)} of {rooms} rooms play", flush=True)
        await asyncio.sleep(SAMPLE_S)


async def calm(servers: Fleet, crowds: list[Crowd], seconds: float) -> int:
    began_s = time.monotonic()
    samples: list[tuple[float, list[float]]] = []
    while (now_s := time.monotonic() - began_s) < seconds:
        samples.append((now_s, memory_mb(servers)))
        moves = sum(len(moved) for one in crowds for moved in one.moved.values())
        print(f"{now_s / 60:.1f} min: {moves} steps seen, memory {samples[-1][1]} MB", flush=True)
        await asyncio.sleep(min(SAMPLE_S, seconds))
    early = [mb for at_s, mb in samples if WARM_UP * seconds <= at_s < (WARM_UP + 0.1) * seconds]
    late = [mb for at_s, mb in samples if at_s >= 0.9 * seconds]
    grown = []
    for before, after in zip(zip(*early, strict=True), zip(*late, strict=True), strict=True):
        grown.append(100 * (median(after) / median(before) - 1))
        print(f"memory of a server: {median(before):.1f} MB -> {median(after):.1f} MB, {grown[-1]:+.2f} %")
    for member in servers.members:
        await member.stop()
    counted = re.findall(STOPPED, servers.logs)
    appends, conflicts = (sum(int(pair[at]) for pair in counted) for at in (0, 1))
    share = 100 * conflicts / appends if appends else 0.0
    print(f"{appends} appends, {conflicts} conflicts: {share:.2f} %")
    print(f"memory {max(grown):+.2f} % at most (goal: 2), conflicts {share:.2f} % (goal: under 5)")
    return int(max(grown) > 2 or share >= 5 or not appends)


async def deaths(servers: Fleet, crowds: list[Crowd], valkey: Valkey) -> int:
    def back() -> list[tuple[float, float]]:
        return [pair for one in crowds for pair in one.back]

    await asyncio.sleep(SAMPLE_S)
    before = len(back())
    await servers.members[0].kill()
    await asyncio.sleep(SETTLE_S)
    took_s = [seconds for _, seconds in back()[before:]]
    print(
        f"a server killed: {len(took_s)} players are back at their tables after p50 {quantile(took_s, 0.5):.2f} s, "
        f"p99 {quantile(took_s, 0.99):.2f} s, at most {max(took_s, default=0):.2f} s (goal: p99 under 3)"
    )
    killed_s = time.monotonic()
    valkey.kill()
    await asyncio.sleep(SAMPLE_S)
    told = sum(len([at for at in one.told["stale"] if at > killed_s]) for one in crowds)
    await asyncio.to_thread(valkey.start)
    returned_s = time.monotonic()
    await asyncio.sleep(SETTLE_S)
    went_on_s = [
        min((at for at in moved if at > returned_s), default=returned_s + SETTLE_S) - returned_s
        for one in crowds
        for moved in one.moved.values()
        if any(killed_s - SETTLE_S < at < killed_s for at in moved)
    ]
    print(
        f"the store killed, and back after {returned_s - killed_s:.1f} s: {told} players were told meanwhile; the next "
        f"move of {len(went_on_s)} rooms came after p50 {quantile(went_on_s, 0.5):.2f} s, "
        f"p99 {quantile(went_on_s, 0.99):.2f} s, at most {max(went_on_s, default=0):.2f} s (goal: under 3)"
    )
    return int(quantile(took_s, 0.99) >= 3 or quantile(went_on_s, 0.99) >= 3 or not told)


if __name__ == "__main__":
    sys.exit(main())
