"""The lobby in real terminals: from a first start to a table of two people, and back to it."""

import re
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from tests.e2e.processes import processes_of
from tests.terminal import Terminal

pytestmark = pytest.mark.slow

F10 = "\x1b[21~"
ESCAPE = "\x1b"
MENU = "Play now"
HERE = '{"place": "here", "port": 0}'
"""Where a table was hosted last: on this machine, at any free port."""


def home_of(folder: Path, name: str) -> Path:
    """A person's own, who was here before."""
    home = folder / name
    for state in (home, home / ".local" / "state"):
        (state / "paizhuo").mkdir(parents=True, exist_ok=True)
        (state / "paizhuo" / "last-choices.json").write_text(HERE)
    return home


async def test_a_newcomer_plays_leaves_and_goes(tmp_path: Path) -> None:
    async with Terminal((), tmp_path) as terminal:
        await terminal.shows("What is your name at the table?")
        terminal.types("\r")
        await terminal.shows("Good to see you", MENU)
        terminal.types("\r")
        await terminal.shows("deal 1 of 1", "Bot 2", "Bot 3")
        terminal.types(F10)
        await terminal.shows("This game ends when you go.")
        terminal.types(F10)
        await terminal.shows(MENU)
        terminal.types("q")
        assert await terminal.ends() == ExitCode.OK
        assert not processes_of(tmp_path)


async def test_two_people_meet_and_the_host_comes_back(tmp_path: Path) -> None:
    named = {"PAIZHUO_NAME": "Anna"}
    async with (
        Terminal((), home_of(tmp_path, "anna"), settings=named) as anna,
        Terminal((), home_of(tmp_path, "budi"), columns=120, rows=40, settings={"PAIZHUO_NAME": "Budi"}) as budi,
    ):
        await anna.shows(MENU)
        anna.types("3")
        await anna.shows("Open the table")
        anna.types("\r")
        await anna.shows("paizhuo join")
        found = re.search(r"paizhuo join (\S+)", anna.text)
        assert found is not None
        await budi.shows(MENU)
        budi.types("4")
        await budi.shows("Type or paste here")
        budi.types(f"{found[1].lower()}\r")
        await budi.shows("You (Budi)", "Anna")
        await anna.shows("Budi", "1 seat is free")
        anna.types("1")
        await anna.shows("deal 1 of 1", "Bot 3")
        await budi.shows("deal 1 of 1", "Bot 3")
        anna.types(F10)
        await anna.shows("Your server stops when you go")
        anna.types(F10)
        await anna.shows(MENU, "1 game is unfinished", "Your server stops now")
        anna.types("6")
        await anna.shows("no answer")
        anna.types("\r")
        await anna.shows("deal 1 of 1", "Bot 3")
        await budi.shows("Connected again.")


async def test_a_server_that_does_not_answer_is_told_and_can_be_tried_again(tmp_path: Path) -> None:
    async with Terminal((), tmp_path, settings={"PAIZHUO_NAME": "Anna"}) as terminal:
        await terminal.shows(MENU)
        terminal.types("4")
        await terminal.shows("Type or paste here")
        terminal.types("K7QF-2MXR@127.0.0.1:1\r")
        await terminal.shows("no answer from 127.0.0.1:1", "Try again")
        terminal.types("\x03")
        assert await terminal.ends() == ExitCode.INTERRUPTED
