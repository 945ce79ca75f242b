"""Text from outside: read, made harmless, and short enough to be quoted. All that starts the program may load this."""

import re
from unicodedata import category, east_asian_width

LONGEST_QUOTE = 40

_NO_BYTES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Surrogates that stand for no byte."""

_NOT_ASCII = re.compile(r"[^\n -~]")

# Ignorable by default yet not of category C: they take no room, or look like a space that is none.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | frozenset(
    map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)


def safe(text: str) -> str:
    """One line that a terminal shows as it is: controls, direction marks and invisible characters are spelt out.

    Everything that reaches a terminal goes through here, wherever it came from.
    """
    return "".join(_escaped(sign) if _is_unsafe(sign) else sign for sign in text)


def _is_unsafe(sign: str) -> bool:
    return sign in _INVISIBLE or category(sign) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _escaped(sign: str) -> str:
    point = ord(sign)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def ascii_json(text: str) -> str:
    """The same JSON in ASCII: whatever its strings hold, it stays JSON and does a terminal no harm."""
    return _NOT_ASCII.sub(lambda sign: re.sub("(....)", r"\\u\1", sign[0].encode("utf-16-be").hex()), text)


def as_utf8(argument: str) -> str:
    """What came with the command or its environment, read as UTF-8 in every locale, as lines from the input are."""
    text = _NO_BYTES.sub("\ufffd", argument)
    return text.encode(errors="surrogateescape").decode(errors="replace")


def clipped(text: str) -> str:
    """What somebody typed, short enough to be quoted back: at most 40 terminal cells, and `…` for the rest."""
    cells = 0
    for position, sign in enumerate(text):
        cells += 2 if east_asian_width(sign) in ("W", "F") else 1
        if cells > LONGEST_QUOTE:
            return f"{text[:position]}…"
    return text
