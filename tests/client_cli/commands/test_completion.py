"""What shells complete: held against a real bash, as a person would press Tab there."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from client_cli.__main__ import EXAMPLES, program
from client_cli.tickets import SavedSeat, TicketStore
from protocol.errors import ExitCode

COMMANDS = {*EXAMPLES, "config"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell_knows_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program()(["completion", shell]) == ExitCode.OK
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)


@pytest.mark.slow
def test_bash_completes_commands_flags_games_settings_and_saved_rooms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program()(["completion", "bash"])
    (tmp_path / "script").write_text(capsys.readouterr().out)
    command = tmp_path / "bin" / "paizhuo"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m client_cli "$@"\n')
    command.chmod(0o755)
    state = tmp_path / "paizhuo" / "seats"
    TicketStore(state).keep(SavedSeat("ws://h:8470/ws", "K7QF2MXR", 0, "Anna", "K7QF2MXR.t", 4e9))
    wanted = {
        "": COMMANDS,
        "pl": {"play"},
        "play c": {"chuo-pai"},
        "play chuo-pai --theme h": {"high-contrast"},
        "play paohuzi --bots ": {"random", "easy", "normal", "hard"},
        "host paohuzi --pace ": {"none", "slow", "normal", "fast"},
        "rules pa": {"paohuzi"},
        "rules paohuzi hux": {"huxi"},
        "resume K": {"K7QF-2MXR"},
        "config s": {"show", "set"},
        "config set the": {"theme"},
        "config set theme l": {"light"},
        "completion z": {"zsh"},
    }
    pressed = "".join(f"tab paizhuo {_words(typed)}\n" for typed in wanted)
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"source {shlex.quote(str(tmp_path / 'script'))}\n{TAB}\n{pressed}"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path)},
    )
    completed = [set(line.split()) for line in ran.stdout.splitlines()]
    assert dict(zip(wanted, completed, strict=True)) == wanted
    assert ran.stderr == ""


TAB = 'tab() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _paizhuo; echo "${COMPREPLY[*]}"; }'
"""What bash does when Tab is pressed at the end of these words."""


def _words(typed: str) -> str:
    return " ".join(map(shlex.quote, typed.split(" ")))
