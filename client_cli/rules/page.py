"""A page of rules: sections of paragraphs and lists, what of it somebody asks for, and its rows on a terminal.

Pure. A page is written in the Markdown that `parsed` reads, and shown as plain text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import NamedTuple

from wcwidth import wcswidth

from client_cli.rows import rows

Span = tuple[int, int]
"""From where to where in a text, in characters."""

MARGIN = 2
"""Blanks before all rows but those of headings."""

_SOURCE = re.compile(r"( *)(- |\d+\. )?(.*)")
_CODE = re.compile(r"(`{1,2})(.+?)\1")
_EXPLAINED = re.compile(r"([^:：]+)[:：]")
_BETWEEN_NAMES = re.compile(r"[()（）,、]")
_NO_BLANK = "_"
_NEAR = 0.7
"""How alike what was typed and what was meant must be, from 0 to 1."""


class Line(NamedTuple):
    """A heading, a paragraph or an item of a list, however long; or nothing, between two paragraphs.

    `codes`: where cards, actions and what is to be typed stand in the text. `margin`, `marker`: how an item begins.
    """

    text: str = ""
    codes: tuple[Span, ...] = ()
    margin: int = 0
    marker: str = ""
    heading: bool = False

    def explains(self) -> list[str]:
        """The names of what an item explains: two for `Tian Jiu (Heaven-Nine): ...`, none for a paragraph."""
        explained = _EXPLAINED.match(self.text) if self.marker else None
        return list(filter(None, map(_plain, _BETWEEN_NAMES.split(explained[1])))) if explained else []


class Section(NamedTuple):
    heading: str
    lines: tuple[Line, ...]


class Place(NamedTuple):
    """A section, or one line of it."""

    section: int
    line: int | None = None


class Page(NamedTuple):
    title: str
    sections: tuple[Section, ...]

    def headings(self) -> list[str]:
        """With their numbers."""
        return [f"{number}. {section.heading}" for number, section in enumerate(self.sections, start=1)]

    def lines(self) -> list[Line]:
        """The whole page."""
        return [Line(self.title, heading=True), *self.excerpt(map(Place, range(len(self.sections))), apart=True)]

    def excerpt(self, places: Iterable[Place], *, apart: bool = False) -> list[Line]:
        """These places, each under its heading. `apart`: with an empty line before each section."""
        shown: list[Line] = []
        before: int | None = None
        for place in places:
            section = self.sections[place.section]
            if place.section != before:
                before = place.section
                shown += [Line()] * (apart or bool(shown)) + [Line(self.headings()[before], heading=True)]
            shown += section.lines if place.line is None else _with_what_is_under(section.lines[place.line :])
        return shown

    def exactly(self, topic: str) -> list[Place]:
        """A section by its number, or what a word names: the items that explain it, and sections by their headings."""
        wanted = _plain(topic)
        if wanted.isdecimal():
            return [Place(int(wanted) - 1)] if 0 < int(wanted[:9]) <= len(self.sections) else []
        named = [*self._explained(), *self._headed()]
        return [place for place, name in named if wanted == name] or [
            place for place, name in named if wanted and _begins_words(wanted, name)
        ]

    def topics(self) -> tuple[str, ...]:
        """Single words that `exactly` finds something for."""
        return tuple(sorted({name for _, name in (*self._explained(), *self._headed()) if name and " " not in name}))

    def nearly(self, topic: str) -> list[Place]:
        """What a word with a slip may name; of headings also one word is enough."""
        named = [*self._headed(), *self._explained()]
        named += [(place, word) for place, heading in self._headed() for word in heading.split() if len(word) > 3]
        for near in get_close_matches(_plain(topic), [name for _, name in named], 1, _NEAR):
            return list(dict.fromkeys(place for place, name in named if name == near))
        return []

    def _headed(self) -> Iterator[tuple[Place, str]]:
        for number, section in enumerate(self.sections):
            yield Place(number), _plain(section.heading)

    def _explained(self) -> Iterator[tuple[Place, str]]:
        for number, section in enumerate(self.sections):
            for place, line in enumerate(section.lines):
                for name in line.explains():
                    yield Place(number, place), name


class Row(NamedTuple):
    """One row of the terminal: what of `line` (its place among the lines) begins at `start`, after `indent` signs."""

    text: str
    line: int
    start: int
    indent: int

    def within(self, span: Span) -> Span | None:
        """Where a part of the line's text stands in this row; None if it does not."""
        begin = max(span[0] - self.start, 0) + self.indent
        end = min(span[1] - self.start + self.indent, len(self.text))
        return (begin, end) if begin < end else None


def _with_what_is_under(lines: Sequence[Line]) -> list[Line]:
    """The first line, and the list that is part of it."""
    item = lines[0]
    return [item, *takewhile(lambda line: line.margin > item.margin, lines[1:])]


def laid_out(lines: Sequence[Line], width: int) -> list[Row]:
    """The rows of these lines, at most `width` terminal cells each."""
    return [row for place, line in enumerate(lines) for row in _rows(line, place, width)]


def _rows(line: Line, place: int, width: int) -> Iterator[Row]:
    margin = 0 if line.heading else MARGIN + line.margin
    first = " " * margin + line.marker
    hanging = " " * len(first)
    start = 0
    for number, row in enumerate(rows(first + _held_together(line, width // 2), width, hanging)):
        indent = min(len(first), len(row))
        start += len(line.text[start:]) - len(line.text[start:].lstrip()) if number else 0
        end = start + len(row) - indent
        yield Row(row[:indent] + line.text[start:end], place, start, indent)
        start = end


def _held_together(line: Line, longest: int) -> str:
    """The text with no blanks where no row should end: within `chi s1+s2+s3`."""
    text = line.text
    for start, end in line.codes:
        if wcswidth(text[start:end]) <= longest:
            text = text[:start] + text[start:end].replace(" ", _NO_BLANK) + text[end:]
    return text


def occurrences(lines: Sequence[Line], words: str) -> list[tuple[int, Span]]:
    """Where these words stand, in capitals or not: which line, and where in its text. Nothing is nowhere."""
    wanted = " ".join(words.split()).lower()
    return [
        (place, (found, found + len(wanted)))
        for place, line in enumerate(lines)
        for found in _positions(line.text.lower(), wanted)
    ]


def _positions(text: str, wanted: str) -> Iterator[int]:
    found = text.find(wanted) if wanted else -1
    while found >= 0:
        yield found
        found = text.find(wanted, found + len(wanted))


def parsed(source: str, faced: Callable[[str], str] = str) -> Page:
    """A page from its source: `#` title, `##` headings, and a line for each paragraph and each item of a list.

    `faced`: how cards are shown that stand between backticks; what stands between double ones is typed as it is.
    """
    title, *parts = source.split("\n## ")
    return Page(title.removeprefix("# ").strip(), tuple(_section(part, faced) for part in parts))


def _section(source: str, faced: Callable[[str], str]) -> Section:
    heading, _, body = source.partition("\n")
    lines: list[Line] = []
    for line in (_line(each, faced) for each in body.strip().split("\n")):
        if line.marker and len(lines) > 1 and lines[-1] == Line() and not lines[-2].marker:
            lines.pop()  # a list stands close to the sentence that it is of
        lines.append(line)
    return Section(heading.strip(), tuple(lines))


def _line(source: str, faced: Callable[[str], str]) -> Line:
    begin = _SOURCE.fullmatch(source.rstrip())
    assert begin is not None, "no line of a text is without these three parts"
    margin, marker, rest = begin.groups(default="")
    text, codes, done = "", [], 0
    for code in _CODE.finditer(rest):
        text += rest[done : code.start()]
        shown = faced(code[2]) if len(code[1]) == 1 else code[2]
        codes.append((len(text), len(text) + len(shown)))
        text, done = text + shown, code.end()
    return Line(text + rest[done:], tuple(codes), len(margin), marker)


def _plain(name: str) -> str:
    """Without capitals and hyphens, and with single blanks."""
    return " ".join(name.casefold().replace("-", " ").split())


def _begins_words(wanted: str, name: str) -> bool:
    """Whether each of the words begins one of the name; a Chinese name has no words, only parts."""
    return all(f" {word}" in f" {name}" or (not word.isascii() and word in name) for word in wanted.split())
