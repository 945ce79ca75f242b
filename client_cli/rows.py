"""A long line in rows of a terminal. Knows nothing of what the line says."""

import re

from wcwidth import wcswidth, wcwidth

INDENT = "  "
LONGEST_QUOTE = 40

_WORDS = re.compile(r"(\s*)(\d+\) [a-z]+(?: \S+\+\S+)+|(?:\d+\) )?\S+)")
"""The blanks before a word, and the word; a choice is one, with its number and the groups after its verb."""


def clipped(text: str) -> str:
    """What somebody typed, short enough to be quoted back: at most 40 terminal cells, and `…` for the rest."""
    cells = 0
    for position, sign in enumerate(text):
        cells += max(1, wcwidth(sign))
        if cells > LONGEST_QUOTE:
            return f"{text[:position]}…"
    return text


def wrapped(line: str, width: int) -> str:
    """A line in rows of at most `width` terminal cells, broken at blanks only; a longer word keeps a row to itself."""
    rows, row = [], ""
    for blanks, word in _WORDS.findall(line):
        if row.strip() and wcswidth(row + blanks + word) > width:
            rows.append(row)
            row = INDENT + word
        else:
            row += blanks + word
    return "\n".join([*rows, row])
