"""The full screen in a real terminal: it draws, survives what comes in, is quiet, and leaves everything as it was."""

import asyncio
import re
import signal
import sys
import unicodedata
from functools import partial
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
LAST_ROW = "Type any action"
LOG_KEY = "\x1bOS"  # F4
ASKED = re.compile("Your turn|You can|YOU CAN|is over")
COLOUR = re.compile(rb"(^|;)(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;|$)")
"""What names one in the styles of a terminal; 39 and 49 stand for its own."""

QUIET_S = 3.0
MOST_BYTES_A_SECOND = 100
MOST_TRIES = 5


def left_as_it_was(terminal: Terminal) -> None:
    last = {mode: bytes(terminal.written).rfind(mode) for mode in (*MODES_ON, *MODES_OFF)}
    assert all(last[mode] > 0 for mode in MODES_ON)
    assert min(last[mode] for mode in MODES_OFF) > max(last[mode] for mode in MODES_ON)
    assert terminal.modes_now == terminal.modes


async def settled(terminal: Terminal) -> list[str]:
    """The rows, when a question stands there and all has been drawn that the program knew before a key."""
    await terminal.until(lambda: ASKED.search(terminal.text) is not None)
    terminal.types("x")
    await terminal.until(lambda: terminal.lines[-1] == "x")
    terminal.types("\x15")
    await terminal.shows(LAST_ROW)
    return terminal.lines


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Bot 3")
        terminal.process.send_signal(number)
        assert await terminal.ends() == 128 + number
        left_as_it_was(terminal)
        assert not processes_of(tmp_path)  # nor does the private server stay behind


async def test_a_window_that_is_closed_ends_it(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Your turn", LAST_ROW)
        terminal.closes()
        assert await terminal.process.wait() != 0
        assert not processes_of(tmp_path)


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
        sent = [len(terminal.written)]
        for _ in range(MOST_TRIES):  # the first may see the end of the drawing
            await asyncio.sleep(QUIET_S)  # what is measured is what does not happen
            sent.append(len(terminal.written))
            if sent[-1] - sent[-2] <= MOST_BYTES_A_SECOND * QUIET_S:
                break
        else:
            raise AssertionError(sent)


SIZES = ((79, 24), (40, 10), (120, 40), (81, 25), (20, 5), (1, 1), (100, 30), (80, 23))
SMALL = "Too small"


def table(terminal: Terminal) -> list[str]:
    """All but the middle, whose log may scroll while it is looked at."""
    return [*terminal.lines[:4], *terminal.lines[13:]]


async def test_a_window_that_is_pulled_about_ends_up_drawn_as_if_it_had_always_been_so(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path, settings={"COLUMNS": "80", "LINES": "24"}) as terminal:
        await settled(terminal)
        before = table(terminal)
        for size in SIZES * 4:
            terminal.resizes(*size)
        terminal.resizes(40, 10)
        await terminal.shows(SMALL)
        terminal.resizes(80, 24)
        await terminal.until(lambda: table(terminal) == before)


def stands(terminal: Terminal, column: int) -> bool:
    """On the line to type on, at whose end the cursor is one cell behind the place for the next sign."""
    return terminal.cursor == (column, len(terminal.lines) - 1)


async def test_what_is_typed_in_wide_characters_is_said_and_the_cursor_is_where_it_belongs(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path) as terminal:
        await terminal.shows("Your turn", LAST_ROW)
        for typed, cells in (("say 你好", 8), ("ab中", 12), ("\x7f\x7f", 9), ("b\u0301!", 11)):
            terminal.types(typed)
            await terminal.until(partial(stands, terminal, cells + 1))
        terminal.types("\r")
        await terminal.shows("You say: 你好ab\u0301!")


async def test_a_terminal_that_draws_frames_two_cells_wide_gets_none(tmp_path: Path) -> None:
    async with Terminal(PLAY, tmp_path, ambiguous_cells=2) as terminal:
        await terminal.shows("Your turn", LAST_ROW)
        assert not [sign for sign in terminal.text if unicodedata.east_asian_width(sign) == "A"]


@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"TERM": "vt220"}], ids=["NO_COLOR", "vt220"])
async def test_where_no_colour_is_wanted_or_known_none_is_sent(tmp_path: Path, settings: dict[str, str]) -> None:
    async with Terminal(PLAY, tmp_path, settings=settings) as terminal:
        await terminal.shows("Your turn")
        styles = set(re.findall(rb"\x1b\[([0-9;]*)m", bytes(terminal.written)))
    assert styles
    assert not [style for style in styles if COLOUR.search(style)]


ALONE = "Your turn. Discard a card."
"""Nobody else is asked then: nothing changes until it is answered. Other questions may be taken away at any time."""

OVER = "is over"
COMPARED = 4


def cards_held(terminal: Terminal) -> str | None:
    """How many, as it stands beside the own name; a discard makes them fewer, and nothing makes them more."""
    found = re.search(r"You \(Anna\) .* (\d+ cards?)$", terminal.text, re.MULTILINE)
    return None if found is None else found[1]


async def test_what_was_drawn_piece_by_piece_is_what_is_drawn_at_once(tmp_path: Path) -> None:
    settings = {"PAIZHUO_BEAT_MS": "0"}
    async with Terminal(("play", "paohuzi", "--name", "Anna"), tmp_path, settings=settings) as terminal:
        for _ in range(COMPARED):
            while ALONE not in (text := "\n".join(await settled(terminal))) and OVER not in text:
                terminal.types("win\r" if "YOU CAN WIN" in text else "pass\r")  # no harm where the question is gone
            if OVER in text:
                break
            drawn, held = terminal.lines, cards_held(terminal)
            terminal.types(LOG_KEY)
            await terminal.until(lambda: "You (Anna)" not in terminal.text)
            terminal.types(LOG_KEY)
            await terminal.until(lambda drawn=drawn: terminal.lines == drawn)  # type: ignore[misc]
            terminal.types(" ")
            await terminal.shows("Enter: discard")
            terminal.types("\r")
            await terminal.until(lambda held=held: OVER in terminal.text or cards_held(terminal) != held)  # type: ignore[misc]
