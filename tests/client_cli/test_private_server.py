"""A server of our own starts, is watched, and is gone when it is needed no more."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from client_cli import private_server as module
from client_cli import words_link
from client_cli.failure import CommandFailed
from client_cli.private_server import private_server
from protocol.errors import ExitCode

READY = 'echo "listening on ws://127.0.0.1:1/ws"'


class StandIn:
    """A program that is run instead of Python: a shell script."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.path = directory / "python"

    def does(self, *commands: str) -> None:
        self.path.write_text("\n".join(["#!/bin/sh", f"cd {self._directory}", "echo $$ >pid", *commands, ""]))
        self.path.chmod(0o700)

    def has_ended(self) -> bool:
        pid = int((self._directory / "pid").read_text())
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    def wrote(self, name: str) -> str:
        return (self._directory / name).read_text().strip()


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    program = StandIn(tmp_path)
    monkeypatch.setattr(sys, "executable", str(program.path))
    return program


async def test_it_gives_its_address_and_stops_when_its_input_ends(stand_in: StandIn) -> None:
    stand_in.does('echo "$@" >flags', READY, "cat >rest", "echo in order >end")
    async with private_server("--port", "0") as url:
        assert url == "ws://127.0.0.1:1/ws"
        assert not stand_in.has_ended()
    assert stand_in.wrote("flags") == "-m server serve --port 0 --stop-with-stdin"
    assert stand_in.wrote("end") == "in order"
    assert stand_in.has_ended()


@pytest.mark.parametrize(
    ("commands", "exit_code", "sentence"),
    [
        (["echo noise >&2", "echo 'paizhuo-server: port 1 is taken' >&2", "exit 1"], 1, "port 1 is taken"),
        (["echo 'paizhuo-server: the disk is full' >&2", "exit 7"], 7, "the disk is full"),
        (["echo noise >&2", "echo >&2", "echo 'paizhuo-server: bad value' >&2", "echo >&2", "exit 2"], 1, "bad value"),
        (["exit 3"], 1, "the server stopped (status 3)"),
        (["echo 'python: No module named server' >&2", "exit 1"], 1, words_link.server_missing()),
        (["echo \"ModuleNotFoundError: No module named 'redis'\" >&2", "exit 1"], 1, words_link.server_missing()),
    ],
)
async def test_a_server_that_does_not_start_says_why(
    stand_in: StandIn, commands: list[str], exit_code: int, sentence: str
) -> None:
    stand_in.does(*commands)
    with pytest.raises(CommandFailed) as failed:
        async with private_server():
            pytest.fail("there is no server")
    assert failed.value.exit_code == exit_code
    assert failed.value.sentence.endswith(sentence)


@pytest.mark.slow
async def test_what_the_server_complains_of_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIZHUO_BEAT_MS", "9" * 300)
    with pytest.raises(CommandFailed) as failed:
        async with private_server("--port", "0"):
            pytest.fail("there is no server")
    assert failed.value.sentence.startswith("Invalid value")
    assert "PAIZHUO_BEAT_MS" in failed.value.sentence


async def test_a_server_that_dies_ends_what_was_done_with_it(stand_in: StandIn) -> None:
    stand_in.does("trap 'echo paizhuo-server: out of memory >&2; exit 1' USR1", READY, "while :; do sleep 0.05; done")

    async def outlived() -> None:
        async with private_server():
            os.kill(int(stand_in.wrote("pid")), signal.SIGUSR1)
            await asyncio.Event().wait()

    with pytest.raises(CommandFailed, match="out of memory"):
        await outlived()


async def test_a_failure_of_ours_comes_out_as_it_is_and_the_server_stops(stand_in: StandIn) -> None:
    stand_in.does(READY, "cat >rest")
    with pytest.raises(CommandFailed, match="no such room") as failed:
        async with private_server():
            raise CommandFailed(ExitCode.NO_SUCH_ROOM, "no such room")
    assert failed.value.exit_code == ExitCode.NO_SUCH_ROOM
    assert stand_in.has_ended()


async def test_a_server_that_says_too_much_is_still_read(stand_in: StandIn) -> None:
    stand_in.does(
        "i=0; while [ $i -lt 3000 ]; do echo a line of the log that nobody asked for >&2; i=$((i+1)); done",
        READY,
        "cat >rest",
    )
    async with private_server() as url:
        assert url == "ws://127.0.0.1:1/ws"


async def test_a_server_that_never_gets_ready_is_given_up(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in.does("cat >rest")
    monkeypatch.setattr(module, "START_S", 0.05)
    with pytest.raises(CommandFailed, match="did not start"):
        async with private_server():
            pytest.fail("there is no server")
    assert stand_in.has_ended()


async def test_a_server_that_does_not_stop_is_made_to(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in.does("trap '' TERM", READY, "exec sleep 600 <&-")
    monkeypatch.setattr(module, "STOP_S", 0.05)
    async with private_server():
        pass
    assert stand_in.has_ended()
