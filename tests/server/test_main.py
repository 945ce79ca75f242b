import os
import shlex
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize("command", ["serve", "record", "verify", "bench", "admin"])
def test_every_command_has_help_with_examples(command: str) -> None:
    last = {"bench": ("engine",), "admin": ("kick",)}.get(command, ())
    words = [sys.executable, "-m", "server", command, *last, "--help"]
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert "Examples:" in run.stdout


def run(*words: str, shell_tail: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    command = " ".join(shlex.quote(word) for word in (sys.executable, "-m", "server", *words)) + shell_tail
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_reader_who_stops_is_no_fault() -> None:
    ended = run("record", "chuo-pai", "--deals", "200", shell_tail=" | head -n 1")
    assert (ended.returncode, ended.stderr) == (ExitCode.OK, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_output_that_cannot_be_written_is_one_sentence() -> None:
    ended = run("record", "chuo-pai", shell_tail=" >/dev/full")
    assert (ended.returncode, ended.stderr.count("\n")) == (ExitCode.FAILURE, 1)


def test_closed_standard_input_is_one_sentence() -> None:
    ended = run("verify", "-", shell_tail=" <&-")
    assert (ended.returncode, ended.stderr.count("\n")) == (ExitCode.FAILURE, 1)


def test_where_the_operators_listener_is_comes_from_flags_or_the_environment() -> None:
    for words, environment in ((("--admin-port", "1"), {}), ((), {"PAIZHUO_ADMIN_PORT": "1"})):
        ended = run("admin", "kick", "c1", *words, **environment)
        assert ended.returncode == ExitCode.UNREACHABLE
        assert ended.stderr.startswith("paizhuo-server: no operator's listener answers at 127.0.0.1:1:")
        assert ended.stderr.count("\n") == 1


def test_only_settings_come_from_the_environment() -> None:
    assert run("record", "chuo-pai", PAIZHUO_DEALS="many").returncode == ExitCode.OK
    assert run("serve", PAIZHUO_PORT="many").returncode == ExitCode.USAGE
