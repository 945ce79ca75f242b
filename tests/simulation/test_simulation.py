"""Real nodes and real clients in a simulated world: whatever befalls them, everybody sees one history."""

import gc
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest

from protocol.errors import ErrorCode
from server.node.room import Room
from server.rooms.commands import ByPlayer, Command
from server.rooms.refusal import Refusal
from server.store.base import CHAIN_BYTES, Position
from server.store.redis import RedisStore, log_of
from tests.simulation.valkey import Reply, Valkey
from tests.simulation.world import Mix, simulate

SEEDS = 2_000


def run(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    """`python -m tests.simulation` in a process of its own."""
    command = (sys.executable, "-m", "tests.simulation", *arguments)
    return subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=False
    )


@pytest.mark.slow(long=True)
def test_whatever_befalls_them_everybody_sees_one_history() -> None:
    played = run("--seeds", str(SEEDS))
    assert played.returncode == 0, played.stdout + played.stderr
    assert re.match(rf"{SEEDS} courses, 0 failed", played.stdout)
    assert re.search(r"found fair [1-9]", played.stdout)


def test_some_courses_at_once() -> None:
    played = run("--seeds", "40", "--from", "1000000")
    assert played.returncode == 0, played.stdout + played.stderr


@pytest.mark.parametrize("seed", [3, 7, 11])
def test_a_seed_gives_the_same_course_byte_by_byte(seed: int) -> None:
    first, second = (run(str(seed), "--trace", hash_seed=hash_seed) for hash_seed in ("1", "2"))
    assert len(first.stdout.splitlines()) > 20
    assert first.stdout == second.stdout


# The simulation itself must be able to fail: each of these breaks the product or the store on purpose.


@pytest.fixture
def thrown_away() -> Iterator[None]:
    """Dead machines leave work behind that was never begun, and begin more of it while they are collected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            while gc.collect():
                pass


FAILOVERS = Mix(rooms=6, chaos_s=10.0, every_s=1.0, deaf=0.2, unruly=0.0, failovers=100, whole=False)
"""Hardly anything but a store that loses entries, while there is play that goes on from them."""

BLOWS_AND_FAILOVERS = Mix(rooms=1, chaos_s=2.0, every_s=0.2, deaf=0.2, unruly=0.0, failovers=20, whole=False)

BLOWS = Mix(rooms=2, chaos_s=5.0, every_s=0.2, deaf=0.2, unruly=0.0, failovers=0, whole=False)


def faults(mix: Mix) -> Iterator[str]:
    """What is found wrong in courses that are made of this, one after another. A few are enough for each fault below;
    the rest is for the day on which another draw of the dice gives each seed another course.
    """
    return (fault for seed in range(40) for fault in simulate(seed, mix=mix).faults)


@pytest.mark.usefixtures("thrown_away")
def test_a_store_that_compares_only_the_version_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Valkey.append

    def append(self: Valkey, key: bytes, arguments: list[bytes], now_us: int) -> Reply:
        channel, version, chain, *rest = arguments
        if 0 < int(version) <= len(self.log(key)):
            chain = self.log(key)[int(version) - 1][:CHAIN_BYTES]
        return right(self, key, [channel, version, chain, *rest], now_us)

    monkeypatch.setattr(Valkey, "append", append)
    assert any("does not follow from the one before it" in fault for fault in faults(FAILOVERS))


@pytest.mark.usefixtures("thrown_away")
def test_catching_up_without_overlap_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(self: RedisStore, room: str, after: Position) -> tuple[bytes, ...]:
        return tuple(await self._ask("LRANGE", log_of(room), after.version, -1, tag=room, durable=True))

    monkeypatch.setattr(RedisStore, "read", read)
    found = faults(BLOWS_AND_FAILOVERS)
    assert any("stuck" in fault or "not back" in fault or "divergent" in fault for fault in found)


@pytest.mark.usefixtures("thrown_away")
def test_a_node_that_acknowledges_what_is_not_saved_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Room.submit

    async def submit(self: Room, command: Command, not_before_ms: int = 0) -> None:
        try:
            await right(self, command, not_before_ms)
        except Refusal as refusal:
            if refusal.code is not ErrorCode.STORE_UNAVAILABLE or not isinstance(command, ByPlayer):
                raise

    monkeypatch.setattr(Room, "submit", submit)
    assert any("is done, and the log does not have it" in fault for fault in faults(BLOWS))
