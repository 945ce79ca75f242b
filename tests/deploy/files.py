"""The files of deploy/, and the tools that look at them: see `make tools`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
BIN = Path(sys.executable).parent


def tool(name: str, remedy: str = "make tools") -> str:
    """Where a program is; skips the test where it is not."""
    for place in (BIN / name, shutil.which(name)):
        if place is not None and Path(place).exists():
            return str(place)
    pytest.skip(f"needs {name}: {remedy}")


def passes(*command: str | Path, cwd: Path = DEPLOY, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints, which must end well. `environment`: on top of ours."""
    env = {**os.environ, **(environment or {})}
    ended = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, f"{' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def every(suffixes: Sequence[str]) -> list[Path]:
    return sorted(path for path in DEPLOY.rglob("*") if path.suffix in suffixes)
