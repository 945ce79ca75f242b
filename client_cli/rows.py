"""A long line in rows of a terminal. Knows nothing of what the line says."""

import re
from collections.abc import Iterator

from wcwidth import wcswidth

INDENT = "  "

_WORDS = re.compile(r"(\s*)(\d+\) [a-z]+(?: \S+\+\S+)+|(?:\d+\) )?\S+)")
"""The blanks before a word, and the word; a choice is one, with its number and the groups after its verb."""

_WIDE = "\u2e80-\u9fff\uff01-\uff60"
"""Chinese characters and punctuation, which stand without blanks."""

_BEFORE_NONE = "，。、；：！？）」』》】,.;:!?)+*"
"""What no row begins with; nor is `s1一+s2二` broken before its `+`."""

_AFTER_NONE = "（「『《【(+0-9"
"""What no row ends with; nor is a number parted from what it counts, or a card from its character."""

_BREAK = re.compile(rf"(?:(?<=[{_WIDE}])(?=.)|(?<=.)(?=[{_WIDE}]))(?<![{_AFTER_NONE}])(?![{_BEFORE_NONE}])")


def wrapped(line: str, width: int) -> str:
    """A line in rows of at most `width` terminal cells, those after the first one indented: see `rows`."""
    return "\n".join(rows(line, width, INDENT))


def rows(line: str, width: int, indent: str = "") -> list[str]:
    """A line in rows of at most `width` terminal cells, broken at blanks and between Chinese characters only.

    What is longer keeps a row to itself. `indent`: what each row after the first begins with.
    """
    done, row = [], ""
    for blanks, word in _words(line):
        if row.strip() and wcswidth(row + blanks + word) > width:
            done.append(row)
            row = indent + word
        else:
            row += blanks + word
    return [*done, row]


def _words(line: str) -> Iterator[tuple[str, str]]:
    for blanks, word in _WORDS.findall(line):
        first, *others = [word] if " " in word else _BREAK.split(word)
        yield blanks, first
        for other in others:
            yield "", other
