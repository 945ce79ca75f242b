"""Lines come from files, pipes and terminals alike; what goes out is safe."""

import io
import os
import pty
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from client_cli.console import LONGEST_LINE_BYTES, Console, write_line
from client_cli.frontend import JoinPage
from client_cli.qr import qr_lines
from client_cli.session import Session
from client_cli.settings import Settings
from protocol.messages import Join
from tests.client_cli.tables import CODE, leading, view


def console_of(source: int | None) -> Console:
    return Console(source, io.StringIO(), io.StringIO())


async def lines_of(source: int | None) -> list[str]:
    console, lines = console_of(source), []
    while (line := await console.line()) is not None:
        lines.append(line)
    assert await console.line() is None, "the end stays the end"
    return lines


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\n\nthree", ["one", "", "three"]),
        ("打 张三\n".encode(), ["打 张三"]),
        (b"\xff\xfe\n", ["\ufffd\ufffd"]),
    ],
)
async def test_a_file_is_read_line_by_line_to_its_end(tmp_path: Path, given: bytes, lines: list[str]) -> None:
    path = tmp_path / "typed"
    path.write_bytes(given)
    with path.open("rb") as file:
        assert await lines_of(file.fileno()) == lines


async def test_the_null_device_and_a_missing_input_end_at_once() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    assert await lines_of(nothing) == []
    os.close(nothing)
    assert await lines_of(None) == []


async def test_a_pipe_is_read_no_further_than_asked() -> None:
    reading, writing = os.pipe()
    console = console_of(reading)
    os.write(writing, b"one\n")
    assert await console.line() == "one"
    os.write(writing, b"tw")
    os.write(writing, b"o\n")
    assert await console.line() == "two"
    os.close(writing)
    assert await console.line() is None
    os.close(reading)


async def test_a_line_without_end_is_cut() -> None:
    reading, writing = os.pipe()
    console = console_of(reading)
    os.set_blocking(writing, False)
    sent = os.write(writing, b"x" * LONGEST_LINE_BYTES)
    assert sent == LONGEST_LINE_BYTES
    assert await console.line() == "x" * LONGEST_LINE_BYTES
    os.close(writing)
    assert await console.line() is None
    os.close(reading)


def test_who_wants_ascii_hears_the_codes_of_cards_alone() -> None:
    out = io.StringIO()
    console = Console(None, out, io.StringIO(), Settings(ascii="on"))
    console.show("Budi lays a chi, s1一+s2二+s3三. 张三 passes.")
    assert out.getvalue() == "Budi lays a chi, s1+s2+s3. 张三 passes.\n"


async def test_a_terminal_is_known_as_one() -> None:
    primary, secondary = pty.openpty()
    console = console_of(secondary)
    assert console.interactive
    os.write(primary, b"hand\n")
    assert await console.line() == "hand"
    os.close(primary)
    assert await console.line() is None, "a terminal that hangs up has ended"
    os.close(secondary)
    reading, writing = os.pipe()
    assert not console_of(reading).interactive
    os.close(reading)
    os.close(writing)


async def test_nothing_raw_is_shown_or_noted() -> None:
    transcript, notes = io.StringIO(), io.StringIO()
    console = Console(None, transcript, notes)
    console.show("张三 says: \x1b]52;c;x\x07\nsecond\u202e [red]")
    console.note("\x9b2J")
    assert transcript.getvalue() == "张三 says: \\x1b]52;c;x\\x07\\x0asecond\\u202e [red]\n"
    assert notes.getvalue() == "\\x9b2J\n"


def shown_on_a_terminal(lines: list[str], columns: int) -> list[str]:
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, columns))
    with os.fdopen(secondary, "w") as terminal:
        for line in lines:
            Console(None, terminal, terminal).show(line)
        Console(None, terminal, terminal).note(lines[0])
    shown = b""
    with suppress(OSError):  # how a terminal ends
        while chunk := os.read(primary, 4096):
            shown += chunk
    os.close(primary)
    return shown.decode().splitlines()


def test_on_a_terminal_a_line_is_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert shown_on_a_terminal(["Choose: 1) 22+22+22  2) 36"], 20) == ["Choose: 1) 22+22+22", "  2) 36"] * 2


def test_a_dumb_terminal_breaks_lines_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert shown_on_a_terminal(["Choose: 1) 22+22+22  2) 36"], 20) == ["Choose: 1) 22+22+22  2) 36"] * 2


def test_a_terminal_without_a_size_is_taken_for_a_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert shown_on_a_terminal(["word " * 17], 0)[0] == "word " * 15 + "word"


def test_an_output_without_the_characters_of_the_cards_shows_their_codes() -> None:
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    write_line("Your hand (2): small s2二* s3三", ascii_only)
    write_line("张 discards b10拾.", ascii_only)
    ascii_only.seek(0)
    assert ascii_only.read() == "Your hand (2): small s2* s3\n\\u5f20 discards b10.\n"


async def chosen(typed: str) -> tuple[str | None, list[str]]:
    reading, writing = os.pipe()
    os.write(writing, typed.encode())
    os.close(writing)
    transcript = io.StringIO()
    choice = await Console(reading, transcript, io.StringIO()).choose("Which?", [("a", "Alpha"), ("b", "Beta")])
    os.close(reading)
    return choice, transcript.getvalue().splitlines()


@pytest.mark.parametrize(
    ("typed", "choice"),
    [("\n", "a"), ("1\n", "a"), (" 2 \n", "b"), ("b\n", "b"), ("Beta", "b"), ("", None), ("3\n", None)],
)
async def test_a_choice_is_answered_by_number_by_name_by_enter_or_not_at_all(typed: str, choice: str | None) -> None:
    assert (await chosen(typed))[0] == choice


async def test_a_choice_is_asked_again_after_an_answer_that_is_none() -> None:
    choice, transcript = await chosen("x\n2\n")
    assert choice == "b"
    question = ["Which?", "1) Alpha", "2) Beta"]
    assert transcript == [*question, "'x' is none of these. Type a number from 1 to 2.", *question]


def test_columns_that_the_environment_says_go_before_those_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    assert shown_on_a_terminal(["word " * 9], 80)[0] == "word " * 5 + "word"


def test_a_page_is_drawn_for_cameras_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    page = JoinPage("http://10.0.0.2:8470/j/K7QF2MXR")
    *code, address, _note = shown_on_a_terminal([page], 80)
    assert code == qr_lines(page)
    assert address == page
    transcript = io.StringIO()
    Console(None, transcript, transcript).show(page)
    assert transcript.getvalue() == f"{page}\n"


@pytest.mark.parametrize(("bell", "rung"), [(True, b"\a"), (False, b"")])
def test_the_bell_calls_the_person_once_for_each_question(
    monkeypatch: pytest.MonkeyPatch, bell: bool, rung: bytes
) -> None:
    primary, secondary = pty.openpty()
    asked = Session("Anna", Join(CODE))
    asked.view = view(prompt=leading())
    with os.fdopen(secondary, "w") as terminal:
        console = Console(secondary, terminal, terminal, Settings(bell=bell))
        console.changed(Session("Anna", Join(CODE)))
        for _ in range(2):
            console.changed(asked)
        print("|", file=terminal, flush=True)
        shown = b""
        while not shown.endswith(b"\n"):
            shown += os.read(primary, 100)
    assert shown == rung + b"|\r\n"
    os.close(primary)
