"""Text in terminal cells: made harmless, cut and padded by what it takes on the screen, never by its length."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, set_cell_size, split_graphemes

from client_cli.rows import rows
from client_cli.text import safe

MOST_MARKS = 2
"""Combining marks in a row: enough for Vietnamese and Thai, too few to climb over the lines above."""


@lru_cache(1 << 12)
def literal(text: str) -> str:
    """One line from anywhere, as it may be drawn: controls spelt out, and no pile of combining marks."""
    return "".join(_calm(safe(text)))


def _calm(text: str) -> Iterator[str]:
    marks = 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            yield sign


def clip(text: str, width: int, more: str = "~") -> str:
    """At most `width` cells of the text; one that is cut ends with `more` (one cell)."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + more if width > 0 else ""


def fit(text: str, width: int, more: str = "~") -> str:
    """Exactly `width` cells: cut or padded."""
    short = clip(text, width, more)
    return short + " " * (width - cell_len(short))


def fit_right(text: str, width: int) -> str:
    """Exactly `width` cells, the text at the right."""
    short = clip(text, width)
    return " " * (width - cell_len(short)) + short


def graphemes(text: str) -> Iterator[tuple[str, int]]:
    """What is drawn in one place each, with its cells."""
    for start, end, width in split_graphemes(text)[0]:
        yield text[start:end], width


def wrap(text: str, width: int, indent: str = "  ") -> list[str]:
    """Rows of at most `width` cells, broken at blanks and between Chinese characters; a word that is longer than a
    row is broken in the middle.
    """
    return [part for row in rows(text, width, indent) for part in _broken(row, width, indent)]


def _broken(row: str, width: int, indent: str) -> Iterator[str]:
    while cell_len(row) > width:
        head = _head(row, width)
        if len(head) <= len(indent):  # no room for anything: one row is all there is
            yield head
            return
        yield head
        row = indent + row[len(head) :]
    yield row


def _head(text: str, width: int) -> str:
    taken = cells = 0
    for sign, size in graphemes(text):
        if cells + size > width:
            break
        taken, cells = taken + len(sign), cells + size
    return text[:taken]
