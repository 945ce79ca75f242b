"""Real nodes and real clients in a simulated world: whatever befalls them, everybody sees one history."""

import os
import re
import subprocess
import sys

import pytest

SEEDS = 2_000


def run(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    """`python -m tests.simulation` in a process of its own."""
    command = (sys.executable, "-m", "tests.simulation", *arguments)
    return subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_whatever_befalls_them_everybody_sees_one_history() -> None:
    played = run("--seeds", str(SEEDS))
    assert played.returncode == 0, played.stdout + played.stderr
    assert re.match(rf"{SEEDS} courses, 0 failed", played.stdout)


def test_some_courses_at_once() -> None:
    played = run("--seeds", "40", "--from", "1000000")
    assert played.returncode == 0, played.stdout + played.stderr


@pytest.mark.parametrize("seed", [3, 7, 11])
def test_a_seed_gives_the_same_course_byte_by_byte(seed: int) -> None:
    first, second = (run(str(seed), "--trace", hash_seed=hash_seed) for hash_seed in ("1", "2"))
    assert len(first.stdout.splitlines()) > 20
    assert first.stdout == second.stdout
