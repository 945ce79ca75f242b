"""What a terminal can show is asked of it and decided without it."""

import os
import pty
import select
import termios
from threading import Thread

import pytest

from client_cli.settings import AsciiChoice
from client_cli.terminal import (
    Probed,
    Terminal,
    ambiguous_width,
    ascii_only,
    colours,
    light_background,
    size,
    this_terminal,
)

USUAL = Terminal("xterm-256color", 80, 24, "256", utf8=True, ambiguous_cells=1, light=False)
QUESTION = b"\r\xe2\x94\x80\x1b[6n"


@pytest.mark.parametrize(
    ("choice", "terminal", "drawn_so"),
    [
        ("auto", USUAL, False),
        ("auto", USUAL._replace(ambiguous_cells=None), False),
        ("auto", USUAL._replace(ambiguous_cells=2), True),
        ("auto", USUAL._replace(utf8=False), True),
        ("auto", USUAL._replace(kind="dumb"), True),
        ("auto", USUAL._replace(kind=""), True),
        ("off", USUAL._replace(ambiguous_cells=2, utf8=False), False),
        ("on", USUAL, True),
    ],
)
def test_frames_are_of_ascii_where_others_would_break_or_the_person_says_so(
    choice: AsciiChoice, terminal: Terminal, drawn_so: bool
) -> None:
    assert ascii_only(choice, terminal) is drawn_so


@pytest.mark.parametrize(
    ("environment", "is_terminal", "depth"),
    [
        ({"TERM": "xterm"}, True, "16"),
        ({"TERM": "xterm-256color"}, True, "256"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, "truecolor"),
        ({"TERM": "xterm-direct"}, True, "truecolor"),
        ({"TERM": "xterm-256color"}, False, "none"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, True, "none"),
        ({"TERM": "vt220"}, True, "none"),
        ({}, True, "none"),
        ({"TERM": "xterm", "CLICOLOR": "0"}, True, "none"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, "none"),
        ({"TERM": "xterm", "NO_COLOR": "", "FORCE_COLOR": ""}, True, "16"),
        ({"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "3"}, True, "none"),
        ({"TERM": "xterm", "CLICOLOR_FORCE": "1"}, False, "16"),
        ({"TERM": "xterm", "CLICOLOR_FORCE": "0"}, False, "none"),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, "16"),
        ({"TERM": "xterm", "FORCE_COLOR": "2"}, False, "256"),
        ({"FORCE_COLOR": "3"}, False, "truecolor"),
    ],
)
def test_colours_are_as_the_conventions_of_the_environment_have_it(
    environment: dict[str, str], is_terminal: bool, depth: str
) -> None:
    assert colours(environment, is_terminal=is_terminal) == depth


@pytest.mark.parametrize(("said", "light"), [("0;15", True), ("0;default;7", True), ("15;0", False), ("", False)])
def test_a_light_background_is_known_where_the_terminal_tells(said: str, light: bool) -> None:
    assert light_background({"COLORFGBG": said}) is light


@pytest.mark.parametrize(
    ("environment", "measured", "known"),
    [
        ({}, (100, 30), (100, 30)),
        ({"COLUMNS": "60", "LINES": "20"}, (100, 30), (60, 20)),
        ({"COLUMNS": "0", "LINES": "many"}, (100, 30), (100, 30)),
        ({"COLUMNS": "-5"}, (0, 0), (80, 24)),
    ],
)
def test_the_size_is_what_the_environment_says_or_what_was_measured(
    environment: dict[str, str], measured: tuple[int, int], known: tuple[int, int]
) -> None:
    assert size(environment, measured) == known


class Screen:
    """The other end of a pseudo terminal: it answers the question for the cursor, and remembers all that came."""

    def __init__(self, answer: bytes) -> None:
        self.primary, self.secondary = pty.openpty()
        self.shown = b""
        self._answer = answer
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self.shown.endswith(b"\r\x1b[K"):
            self.shown += os.read(self.primary, 1024)
            if self.shown == QUESTION:
                os.write(self.primary, self._answer)

    def is_typed(self, keys: bytes) -> None:
        """As soon as this returns, a whole line of it can be read."""
        mode = termios.tcgetattr(self.secondary)
        echoing = mode[3]
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(self.secondary, termios.TCSANOW, mode)
        os.write(self.primary, keys)
        if b"\n" in keys:
            select.select([self.secondary], [], [])
        mode[3] = echoing
        termios.tcsetattr(self.secondary, termios.TCSANOW, mode)

    def closes(self) -> None:
        self._thread.join()
        os.close(self.primary)
        os.close(self.secondary)


@pytest.fixture
def in_foreground(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminals of these tests belong to no session, so none of their jobs is in the foreground."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "tcgetpgrp", lambda _fd: os.getpgrp())


@pytest.mark.usefixtures("in_foreground")
@pytest.mark.parametrize(
    ("answer", "probed"),
    [
        (b"\x1b[12;2R", Probed(1, b"")),
        (b"\x1b[12;3R", Probed(2, b"")),
        (b"\x1b[12;1R", Probed(None, b"")),
        (b"\x1b[12;99R", Probed(None, b"")),
        (b"p\x1b[12;3Rlay\n", Probed(2, b"play\n")),
        ("二\x1b[12;2R".encode(), Probed(1, "二".encode())),
        (b"\x1b[A\x1b[12;2R", Probed(1, b"\x1b[A")),
        (b"\x1b[?62;22c\x1b[0n\x1b[12;2R", Probed(1, b"")),
    ],
)
def test_a_terminal_says_how_wide_it_draws_and_what_was_typed_is_kept(answer: bytes, probed: Probed) -> None:
    screen = Screen(answer)
    before = termios.tcgetattr(screen.secondary)
    # No answer is waited for in vain here, and a loaded machine may take its time.
    assert ambiguous_width(screen.secondary, screen.secondary, within_s=60) == probed
    assert termios.tcgetattr(screen.secondary) == before
    screen.closes()
    assert screen.shown == QUESTION + b"\r\x1b[K", "the sign is gone again, and nothing was echoed"


@pytest.mark.usefixtures("in_foreground")
@pytest.mark.parametrize(
    ("typed", "kept"), [(b"", b""), (b"abc\n", b"abc\n"), (b"\x1b[12;\n", b"\x1b[12;\n"), (b"\x1b[0n\n", b"\n")]
)
def test_a_terminal_that_does_not_answer_or_talks_nonsense_is_not_waited_for(typed: bytes, kept: bytes) -> None:
    screen = Screen(b"")
    before = termios.tcgetattr(screen.secondary)
    screen.is_typed(typed)
    assert ambiguous_width(screen.secondary, screen.secondary, within_s=0.05) == Probed(None, kept)
    assert termios.tcgetattr(screen.secondary) == before
    screen.closes()


@pytest.mark.usefixtures("in_foreground")
def test_keys_that_were_typed_before_the_question_are_kept() -> None:
    screen = Screen(b"\x1b[12;2R")
    screen.is_typed(b"1\nqu")
    assert ambiguous_width(screen.secondary, screen.secondary, within_s=60) == Probed(1, b"1\nqu")
    screen.closes()


@pytest.mark.usefixtures("in_foreground")
def test_an_interrupted_question_leaves_the_terminal_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(b"")
    before = termios.tcgetattr(screen.secondary)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("client_cli.terminal.select.select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ambiguous_width(screen.secondary, screen.secondary)
    assert termios.tcgetattr(screen.secondary) == before
    screen.closes()


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
def test_nothing_is_asked_of_what_is_no_terminal_or_cannot_answer(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("TERM", kind)
    reading, writing = os.pipe()
    assert ambiguous_width(reading, writing) == Probed(None, b"")
    os.set_blocking(reading, False)
    with pytest.raises(BlockingIOError):
        os.read(reading, 1)
    os.close(reading)
    os.close(writing)


def test_a_job_in_the_background_leaves_the_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    primary, secondary = pty.openpty()
    monkeypatch.setattr(os, "tcgetpgrp", lambda _fd: os.getpgrp() + 1)
    assert ambiguous_width(secondary, secondary) == Probed(None, b"")
    os.close(primary)
    os.close(secondary)


def test_a_stream_is_described_as_it_is() -> None:
    primary, secondary = pty.openpty()
    with os.fdopen(secondary, "w", encoding="UTF-8") as stream:
        described = this_terminal(2, stream, {"TERM": "xterm", "COLUMNS": "99", "COLORFGBG": "0;15"})
    os.close(primary)
    assert described == Terminal("xterm", 99, 24, "16", utf8=True, ambiguous_cells=2, light=True)
