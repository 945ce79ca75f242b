"""The full screen in a real terminal: it draws, survives what comes in, is quiet, and leaves everything as it was."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import processes_of
from tests.terminal import MODES_OFF, MODES_ON, Terminal

pytestmark = pytest.mark.slow

PLAY = ("play", "chuo-pai", "--name", "张三李四")
FAILING = """
import sys
from client_cli.__main__ import main
from client_cli.tui.table.screen import TableScreen
def fail(*_): raise RuntimeError("made to fail")
TableScreen.draw = fail
main()
"""
LAST_ROW = "Type an action"
QUIET_S = 3.0
MOST_BYTES_A_SECOND = 100


def left_as_it_was(terminal: Terminal) -> None:
    last = {mode: bytes(terminal.written).rfind(mode) for mode in (*MODES_ON, *MODES_OFF)}
    assert all(last[mode] > 0 for mode in MODES_ON)
    assert min(last[mode] for mode in MODES_OFF) > max(last[mode] for mode in MODES_ON)
    assert terminal.modes_now == terminal.modes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Bot 3")
        terminal.process.send_signal(number)
        assert await terminal.ends() == 128 + number
        left_as_it_was(terminal)
        assert not processes_of(tmp_path)  # nor does the private server stay behind


async def test_a_fault_of_ours_ends_it_in_order_and_is_shown(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path, program=(sys.executable, "-c", FAILING)) as terminal:
        assert await terminal.ends() == 1
        left_as_it_was(terminal)
        assert "made to fail" in terminal.text
        assert not processes_of(tmp_path)


async def test_whatever_comes_in_does_no_harm(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Your turn", LAST_ROW)
        await terminal.types_all(b"\x1b[200~" + b"pasted \xe4\xb8\xad " * 80_000 + b"\x1b[201~")  # one megabyte
        await terminal.types_all(b"\x1b[M\x20\xff\xff\x1b[<0;999;999M\x1b[<64;-1;0m\x1b[<35;1")  # mice that are none
        await terminal.types_all(
            b"\x1b]52;c;aGk=\x07\x1b[?1;2c\x1b[99;99R\x1bP1$r\x1b\\"
        )  # answers that nobody asked for
        await terminal.types_all(bytes(range(128, 256)) + b"\xff\xfe\xc3\x28\xed\xa0\x80")  # no UTF-8
        await terminal.shows("\ufffd" * 20)
        terminal.types("\x15")
        await terminal.shows(LAST_ROW)
        terminal.types("help\r")
        await terminal.shows("It is kept")
        terminal.process.terminate()
        assert await terminal.ends() == 128 + signal.SIGTERM
        left_as_it_was(terminal)


async def test_a_table_that_waits_for_its_player_sends_next_to_nothing(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Your turn", LAST_ROW)
        before = len(terminal.written)
        await asyncio.sleep(QUIET_S)  # what is measured is what does not happen
        assert len(terminal.written) <= before + MOST_BYTES_A_SECOND * QUIET_S
