"""Runs the program `paizhuo` as a person would, with a home of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


class Player:
    """Somebody at a machine."""

    def __init__(self, home: Path) -> None:
        self._home = home
        (home / "tmp").mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAIZHUO_")}
        self.environment = kept | {
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "TMPDIR": str(home / "tmp"),
            "PAIZHUO_STORE": f"sqlite:{home / 'rooms.sqlite3'}",
            "PAIZHUO_BEAT_MS": "0",
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",  # whoever runs the tests may speak another language
        }

    def starts(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "client_cli", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self._home,  # deals are saved where the program runs
            text=True,
            bufsize=1,
        )

    def plays(self, *arguments: str, typed: str = "") -> tuple[int, list[str], str]:
        """Exit code, transcript and notes."""
        with self.starts(*arguments) as program:
            out, err = program.communicate(typed)
            return program.returncode, out.splitlines(), err

    def left_behind(self) -> list[Path]:
        """Temporary files and saved seats."""
        return [*(self._home / "tmp").rglob("*"), *self._home.rglob("*.json")]


def lines_until(program: subprocess.Popen[str], wanted: str) -> list[str]:
    """What it prints up to the line with `wanted`."""
    assert program.stdout is not None
    lines: list[str] = []
    for line in program.stdout:
        lines.append(line.rstrip("\n"))
        if wanted in line:
            return lines
    pytest.fail(f"'{wanted}' never came, but: {lines}")
