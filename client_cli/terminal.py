"""What the terminal of this person is and can show. Decisions are pure; only `this_terminal` and `ambiguous_width` ask.

Box-drawing signs are one cell wide in most terminals and two in some that are set up for Chinese or Japanese, where
frames then break: no table of widths knows which, so the terminal itself is asked where its cursor went.
"""

import os
import re
import select
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, NamedTuple, TextIO

from client_cli.settings import AsciiChoice

Colours = Literal["none", "16", "256", "truecolor"]

USUAL_COLUMNS, USUAL_ROWS = 80, 24
"""Of a terminal that does not know its size."""

ANSWER_S = 0.5
"""Long enough for a terminal at the other end of the world; all others answer at once."""

AMBIGUOUS = "\u2500"
"""A sign whose width depends on the terminal."""

_POSITION = re.compile(rb"\x1b\[([0-9]{1,5});([0-9]{1,5})R")
_REPORT = re.compile(rb"\x1b\[\??[0-9;]*[Rnc]")
"""What terminals answer to questions, and no key sends but some with modifiers."""


class Terminal(NamedTuple):
    """`ambiguous_cells`: how wide it draws signs of ambiguous width, 1 or 2; None: it did not say. `light`: its
    background, as far as it tells."""

    kind: str
    columns: int
    rows: int
    colours: Colours
    utf8: bool
    ambiguous_cells: int | None
    light: bool


USUAL = Terminal("xterm-256color", USUAL_COLUMNS, USUAL_ROWS, "256", utf8=True, ambiguous_cells=1, light=False)
"""What to expect where there is nothing to ask."""


class Probed(NamedTuple):
    """What a terminal answered, as `Terminal.ambiguous_cells`, and what the person typed meanwhile."""

    cells: int | None
    typed: bytes


def ascii_only(choice: AsciiChoice, terminal: Terminal) -> bool:
    """Whether to draw without box characters and other signs beyond ASCII."""
    if choice == "auto":
        return terminal.kind in ("", "dumb") or not terminal.utf8 or terminal.ambiguous_cells == 2
    return choice == "on"


def colours(environment: Mapping[str, str], *, is_terminal: bool) -> Colours:
    """NO_COLOR goes before FORCE_COLOR and CLICOLOR_FORCE, and those before what the terminal is."""
    if environment.get("NO_COLOR"):
        return "none"
    forced = next(filter(None, (environment.get(name) for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))), "0")
    kind = environment.get("TERM", "")
    if forced in ("0", "false"):
        plain = kind in ("", "dumb") or re.match(r"vt[0-9]", kind)
        if plain or not is_terminal or environment.get("CLICOLOR") == "0":
            return "none"
    if forced == "3" or environment.get("COLORTERM") in ("truecolor", "24bit") or kind.endswith("-direct"):
        return "truecolor"
    return "256" if forced == "2" or "256" in kind else "16"


def light_background(environment: Mapping[str, str]) -> bool:
    """As far as the terminal says so: COLORFGBG ends with the number of its background colour."""
    return environment.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")


def size(environment: Mapping[str, str], measured: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows: COLUMNS and LINES go before what was measured (0: not known)."""

    def said(name: str) -> int:
        text = environment.get(name, "")
        return int(text) if re.fullmatch(r"[1-9][0-9]{0,3}", text, re.ASCII) else 0

    columns, rows = measured
    return said("COLUMNS") or columns or USUAL_COLUMNS, said("LINES") or rows or USUAL_ROWS


def measured(stream: TextIO) -> tuple[int, int]:
    """Columns and rows of the terminal that this writes to; zeros where it is none."""
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return 0, 0


def this_terminal(cells: int | None, stream: TextIO, environment: Mapping[str, str] = os.environ) -> Terminal:
    """The terminal that `stream` writes to. `cells`: what it answered, see `ambiguous_width`."""
    columns, rows = size(environment, measured(stream))
    return Terminal(
        environment.get("TERM", ""),
        columns,
        rows,
        colours(environment, is_terminal=stream.isatty()),
        (stream.encoding or "").lower().replace("-", "") == "utf8",
        cells,
        light_background(environment),
    )


def answer_in(read: bytes) -> tuple[int | None, bytes] | None:
    """The cells that an ambiguous sign took, and what else was read; None while there is no answer.

    A position that the sign cannot have led to says nothing of its width.
    """
    found = _POSITION.search(read)
    if found is None:
        return None
    cells = int(found[2]) - 1
    return cells if cells in (1, 2) else None, typed_in(read)


def typed_in(read: bytes) -> bytes:
    """What the person typed: all but answers of the terminal, which nobody should find in a line of text."""
    return _REPORT.sub(b"", read)


def ambiguous_width(source: int, sink: int, *, within_s: float = ANSWER_S) -> Probed:
    """Asks the terminal that is read from `source` and written to `sink`; nothing is asked of what is no terminal.

    Blocks for at most `within_s`. Leaves the terminal as it was, on whatever way it ends.
    """
    if sys.platform == "win32" or os.environ.get("TERM", "dumb") == "dumb":
        return Probed(None, b"")
    try:
        # A job in the background that changes a terminal is stopped by the system.
        ours = os.isatty(sink) and os.tcgetpgrp(source) == os.getpgrp()
    except OSError:
        ours = False
    if not ours:
        return Probed(None, b"")
    with _unechoed(source):
        os.write(sink, f"\r{AMBIGUOUS}\x1b[6n".encode())
        try:
            return _answer(source, time.monotonic() + within_s)
        finally:
            os.write(sink, b"\r\x1b[K")


def _answer(source: int, until_s: float) -> Probed:
    read = b""
    while (answer := answer_in(read)) is None:
        ready, _, _ = select.select([source], [], [], max(0.0, until_s - time.monotonic()))
        chunk = os.read(source, 1024) if ready else b""
        if not chunk:
            return Probed(None, typed_in(read))
        read += chunk
    return Probed(*answer)


@contextmanager
def _unechoed(source: int) -> Iterator[None]:
    """Every byte can be read as it comes, and is not shown; Ctrl-C still works. What was typed before is kept."""
    if sys.platform != "win32":
        import termios  # noqa: PLC0415 - not there on Windows

        before = termios.tcgetattr(source)
        mode = list(before)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        try:
            termios.tcsetattr(source, termios.TCSADRAIN, mode)
            yield
        finally:
            termios.tcsetattr(source, termios.TCSADRAIN, before)
