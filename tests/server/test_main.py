import subprocess
import sys

import pytest

from protocol.errors import ExitCode

WITHOUT = (
    "import sys; sys.modules[{missing!r}] = None; from server.__main__ import main; sys.argv[1:] = ['serve']; main()"
)


def test_a_players_installation_says_what_hosting_needs() -> None:
    script = WITHOUT.format(missing="confusable_homoglyphs")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == ExitCode.FAILURE
    assert run.stderr.count("\n") == 1
    assert "pip install '.[server]'" in run.stderr


@pytest.mark.parametrize("command", ["serve", "record", "verify", "bench"])
def test_every_command_has_help_with_examples(command: str) -> None:
    words = [sys.executable, "-m", "server", *(("bench", "engine") if command == "bench" else (command,)), "--help"]
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert "Examples:" in run.stdout
