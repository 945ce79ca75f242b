"""`make soak MINUTES=N`: people play while servers and stores die, for as long as you like, and every match is checked.

The last line is `kills N, lost 0, doubled 0, divergent 0`; the exit code is 1 when any of the three is not 0. What
belongs to a fault (the room's log, what its people saw, the servers' logs) is kept, and it is said where. `divergent`
counts all faults that are neither of the other two: see `tests/history.py`.
"""

import asyncio
import logging
import re
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random, SystemRandom
from tempfile import TemporaryDirectory, mkdtemp

from tests.faults.fleet import FLAGS, Fleet, fail_over, fleet, standing
from tests.faults.matches import Checked, Play
from tests.faults.nemesis import Nemesis, play_goes_on
from tests.faults.people import Meter
from tests.history import Fault
from tests.sentinel import Watched
from tests.valkey import Valkey

TELL_EACH_S = 30
DROP_REPLIES, DROP_PUBLISHED = 0.01, 0.2
THINK_S = 0.1
SENTINELS = 0.15
"""The part of the time that is played on a primary with one replica, under Sentinels, moves waiting for the replica."""

STOPPED = r"stopped: (\d+) appends, (\d+) conflicts"
"""The last line of the log of a server that was not killed."""
KILLS = ("node kills", "store kills", "failovers")


def main() -> int:
    parser = ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="for how long (30)")
    parser.add_argument("--seed", type=int, default=None, help="of what happens; drawn and told where none is given")
    parser.add_argument("--tables", type=int, default=6, help="with people at them, at any time (6)")
    parser.add_argument("--servers", type=int, default=3, help="on the one store (3)")
    asked = parser.parse_args()
    seed = SystemRandom().getrandbits(32) if asked.seed is None else asked.seed
    logging.disable(logging.CRITICAL)  # connections break all the time
    print(f"soak: {asked.minutes:g} minutes, {asked.tables} tables, {asked.servers} servers, seed {seed}", flush=True)
    return asyncio.run(Soak(seed, asked.tables, asked.servers).run(asked.minutes * 60))


class Soak:
    """One run. Faults are kept as they are found."""

    def __init__(self, seed: int, tables: int, servers: int) -> None:
        self._seed = seed
        self._rng = Random(seed)
        self._tables = tables
        self._servers = servers
        self._meter = Meter()
        self._faults = Counter[str]()
        self._kept: Path | None = None
        self._memory: list[list[float]] = []
        self._began_s = time.monotonic()

    async def run(self, seconds: float) -> int:
        telling = asyncio.create_task(self._tell())
        try:
            await self._on_one_store(seconds * (1 - SENTINELS))
            await self._under_sentinels(seconds * SENTINELS)
        finally:
            telling.cancel()
        return self._report()

    async def _on_one_store(self, seconds: float) -> None:
        with TemporaryDirectory(prefix="paizhuo-") as name:
            valkey = Valkey(Path(name))
            try:
                async with fleet(valkey, Path(name), self._servers, self._meter, self._rng) as servers:
                    for proxy in servers.proxies:
                        proxy.drop_replies, proxy.drop_published = DROP_REPLIES, DROP_PUBLISHED
                    await self._strike(servers, Nemesis(servers, valkey, self._meter, self._rng).round, seconds)
                    for proxy in servers.proxies:
                        self._meter.done.update({f"dropped: {what}": n for what, n in proxy.done.items()})
            finally:
                valkey.kill()

    async def _under_sentinels(self, seconds: float) -> None:
        with TemporaryDirectory(prefix="paizhuo-") as name:
            watched = await asyncio.to_thread(Watched, Path(name))
            flags = (*FLAGS, "--wait-replicas", "1")

            async def strike() -> None:
                await servers.restart(self._rng.choice(servers.members))
                await play_goes_on(self._meter)
                await fail_over(watched, self._meter)
                await play_goes_on(self._meter)

            try:
                async with standing(watched.url, Path(name), self._servers, self._meter, flags) as servers:
                    await self._strike(servers, strike, seconds)
            finally:
                watched.stop()

    async def _strike(self, servers: Fleet, strike: Callable[[], Awaitable[None]], seconds: float) -> None:
        """Again and again while people play, for so long; then let them finish."""
        ends_s = time.monotonic() + seconds
        play = Play(servers.urls, servers.read, self._meter, self._rng, tables=self._tables, think_s=THINK_S)
        self._memory.append(memory_mb(servers))
        while time.monotonic() < ends_s:
            await strike()
            self._keep(play, servers)
        await play.finish()
        self._keep(play, servers)
        self._memory.append(memory_mb(servers))
        for member in servers.members:
            await member.stop()
        for appends, conflicts in re.findall(STOPPED, servers.logs):
            self._meter.done["appends of those that were not killed"] += int(appends)
            self._meter.done["conflicts of those that were not killed"] += int(conflicts)

    def _keep(self, play: Play, servers: Fleet) -> None:
        """Take in the faults that were found since, and keep what belongs to them."""
        found, play.faults = play.faults, []
        for checked, fault in found:
            self._faults[fault.kind] += 1
            print(f"FAULT in room {checked.code}: {fault.kind}: {fault.text}", flush=True)
        for checked in {checked.code: checked for checked, _ in found}.values():
            self._write(checked, [fault for of, fault in found if of is checked], servers.logs)

    def _write(self, checked: Checked, faults: list[Fault], logs: str) -> None:
        if self._kept is None:
            self._kept = Path(mkdtemp(prefix="paizhuo-soak-"))
        directory = self._kept / (checked.code or "unopened")
        directory.mkdir(exist_ok=True)
        (directory / "faults.txt").write_text("".join(f"{fault.kind}: {fault.text}\n" for fault in faults))
        (directory / "log.hex").write_text("".join(f"{entry.hex()}\n" for entry in checked.end.entries))
        (directory / "servers.log").write_text(logs)
        for number, history in enumerate(checked.end.histories):
            (directory / f"{number}.jsonl").write_bytes(b"".join(line + b"\n" for line in history.lines()))

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(TELL_EACH_S)
            done, back = self._meter.done, self._meter.back_s
            print(
                f"{(time.monotonic() - self._began_s) / 60:.1f} min: {self._meter.moves} moves, "
                f"{done['node kills']} servers and {done['store kills']} stores killed, "
                f"{done['failovers']} failovers, {done['partitions']} partitions, {done['deals']} deals, "
                f"back after p50 {quantile(back, 0.5):.2f} s, p99 {quantile(back, 0.99):.2f} s, "
                f"faults {dict(self._faults) or 0}",
                flush=True,
            )

    def _report(self) -> int:
        meter, back = self._meter, self._meter.back_s
        print(f"moves {meter.moves}, commands acknowledged {meter.acknowledged}")
        print(f"matches {meter.done['matches']}, deals finished and verified {meter.done['deals']}")
        for what, times in sorted(meter.done.items()):
            print(f"  {what}: {times}")
        print(f"notices: {dict(sorted(meter.notices.items()))}")
        print(f"{len(back)} times back at the table: p50 {quantile(back, 0.5):.2f} s, ", end="")
        print(f"p99 {quantile(back, 0.99):.2f} s, at most {max(back, default=0):.2f} s")
        print("memory of the servers in MB: " + " -> ".join(map(str, self._memory)))
        if self._kept is not None:
            print(f"what belongs to the faults is kept in {self._kept}; the seed was {self._seed}")
        lost, doubled = self._faults["lost"], self._faults["doubled"]
        divergent = self._faults.total() - lost - doubled
        kills = sum(meter.done[kind] for kind in KILLS)
        print(f"kills {kills}, lost {lost}, doubled {doubled}, divergent {divergent}", flush=True)
        return int(bool(lost or doubled or divergent))


def memory_mb(servers: Fleet) -> list[float]:
    """What each server that is up holds in memory now; nothing where the system does not show it."""
    found = []
    for member in servers.members:
        if member.process is not None and (status := Path(f"/proc/{member.pid}/status")).exists():
            resident = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
            found += [round(int(resident[1]) / 1024, 1)] if resident else []
    return found


def quantile(values: list[float], part: float) -> float:
    """0 where there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


if __name__ == "__main__":
    sys.exit(main())
