"""The QR code of an address as text, for the camera of a phone that is held before the terminal. Pure."""

from collections.abc import Sequence
from functools import lru_cache

QUIET = 2
"""Modules around the code that are as light as its ground: readers find its edge by them."""

_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def qr_lines(text: str, *, ascii_only: bool = False, light: bool = False) -> list[str]:
    """Rows of equal width: half blocks, two modules in one cell, or with `ascii_only` two signs for each module.

    `light`: of the terminal's ground. What is written there is what differs from it, so that dark stays dark.
    """
    rows = [[dark == light for dark in row] for row in modules(text)]
    if ascii_only:
        return ["".join("##" if inked else "  " for inked in row) for row in rows]
    if len(rows) % 2:
        rows.append([not light] * len(rows[0]))  # as light as what is around it
    return ["".join(_HALVES[pair] for pair in zip(*pair_of_rows, strict=True)) for pair_of_rows in _in_pairs(rows)]


@lru_cache(4)  # an open table is drawn with every guest that comes, and with every change of the window
def modules(text: str) -> Sequence[Sequence[bool]]:
    """The code with its quiet zone, row by row; true where it is dark."""
    import segno  # noqa: PLC0415 - only who asks for a code pays for it

    code = segno.make_qr(text, error="l", boost_error=True)
    return [[bool(dark) for dark in row] for row in code.matrix_iter(border=QUIET)]


def _in_pairs(rows: Sequence[list[bool]]) -> Sequence[tuple[list[bool], list[bool]]]:
    return [(rows[place], rows[place + 1]) for place in range(0, len(rows), 2)]
