"""Names and texts of people, made fit to be shown: pure functions over Unicode, no rule of any room.

Control, bidirectional and invisible characters go; a name takes at most `MAX_NAME_CELLS` terminal cells; two names
are told apart by their skeleton (Unicode Technical Standard 39), so that look-alikes count as the same.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from unicodedata import category, normalize

from confusable_homoglyphs.confusables import confusables_data
from wcwidth import iter_graphemes, wcswidth

MAX_NAME_CELLS = 16
MAX_MARKS = 2
"""Combining marks in a row: enough for Vietnamese and Thai, too few to climb over the lines above."""

RESERVED = ("You", "Bot", "Bot 1", "Bot 2", "Bot 3")
"""What clients call their own player, and what bots are called."""

_DROPPED = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))
_BLANK = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),  # joiner, fillers, empty braille
            *range(0x180B, 0x1810),  # Mongolian variation selectors
            *range(0xFE00, 0xFE10),  # variation selectors
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Shown as nothing although their category is that of a letter, mark or symbol."""


def clean_text(text: str) -> str | None:
    """One line of chat: readable characters and single spaces. None where nothing readable is left."""
    return _readable(text, "NFC") or None


def clean_name(text: str) -> str | None:
    """A name of at most `MAX_NAME_CELLS` cells. None where nothing readable is left."""
    name = _cut(_readable(text, "NFKC"), MAX_NAME_CELLS)
    return name if wcswidth(name) > 0 else None  # a lone Hangul vowel takes no cell


def distinct(name: str, others: Iterable[str]) -> str:
    """`name`, or where one of `others` or of `RESERVED` looks like it, `name` with the first number (from 2) that
    tells them apart.
    """
    taken = set(map(skeleton, (*others, *RESERVED)))
    if skeleton(name) not in taken:
        return name
    numbered = (_cut(name, MAX_NAME_CELLS - len(suffix)) + suffix for suffix in map(" {}".format, count(2)))
    return next(candidate for candidate in numbered if skeleton(candidate) not in taken)


@lru_cache(maxsize=4096)
def skeleton(name: str) -> str:
    """Equal for names that look alike, upper and lower case taken as the same. Never shown to anyone."""
    return normalize("NFD", normalize("NFD", name).translate(_PROTOTYPES).casefold())


def _readable(text: str, form: str) -> str:
    if text.isascii() and text.isprintable():  # what most is: there is nothing to take out
        return " ".join(text.split())
    spaced = normalize(form, "".join(map(_kept, text)))  # type: ignore[arg-type]  # both callers name a form
    kept: list[str] = []
    marks = MAX_MARKS  # a mark needs something to stand on
    for character in spaced:
        if category(character).startswith("M"):
            marks += 1
            if marks > MAX_MARKS:
                continue
        else:
            marks = MAX_MARKS if character.isspace() else 0
        kept.append(character)
    return " ".join("".join(kept).split())


def _kept(character: str) -> str:
    if character.isspace():
        return " "
    return "" if character in _BLANK or category(character) in _DROPPED else character


def _cut(text: str, cells: int) -> str:
    kept = ""
    for grapheme in iter_graphemes(text):
        if wcswidth(kept + grapheme) > cells:
            break
        kept += grapheme
    return kept.rstrip()


def _prototypes() -> dict[int, str]:
    """Each look-alike's prototype. The table lists every pair in both directions: a prototype names all its
    look-alikes, a look-alike only its prototype; of a lone pair the lower one is taken.
    """
    found = {}
    for character, alike in confusables_data.items():
        prototype = alike[0]["c"]
        if len(alike) > 1 or len(character) > 1:
            continue
        if len(prototype) == len(confusables_data.get(prototype, ())) == 1:
            prototype = min(character, prototype)
        found[ord(character)] = "".join(part for part in prototype if category(part) not in _DROPPED)
    return {character: prototype.translate(found) for character, prototype in found.items()}


_PROTOTYPES = _prototypes()
