"""How the screen is shared out among the parts of the table. Pure."""

from collections.abc import Mapping
from typing import Literal

from textual.geometry import Region

LEAST_WIDTH = 60
LEAST_HEIGHT = 20
"""Below that the screen only asks for more room."""

ROOMY_WIDTH = 100
"""From here on the log has a column of its own."""

ROOMY_HEIGHT = 28
"""From here on the near seat has room for pictures."""

TITLE = QUESTION = TYPING = 1
CLOCK_CELLS = 7
LEAST_SEATS = 4
LEAST_CHOICES = 2
LEAST_LOG = 2
LEAST_HAND = 8
"""Two lines of the smallest pictures."""

Plan = Mapping[str, Region]
"""Where each part lies, in cells; parts do not overlap. One without room is not there."""

Over = Literal["ending", "log"] | None
"""What takes the place of the seats, the middle and the hand."""

OPEN_CHOICES = 3
"""Rows for what there is to do before the start."""


def own_rows(height: int) -> int:
    """For the near seat: its name, and what lies open before it."""
    return 5 if height >= ROOMY_HEIGHT else 2


def hand_budget(height: int, middle: int) -> int:
    """The most rows that the hand may take, that the table is seen, too. `middle`: what the middle needs at least."""
    fixed = TITLE + LEAST_SEATS + QUESTION + LEAST_CHOICES + TYPING
    return max(2, min(height - fixed - middle - own_rows(height), max(LEAST_HAND, height * 2 // 5)))


def log_width(width: int) -> int:
    """Of the log: the right half, or a column where there is room for one."""
    return max(36, min(60, width * 2 // 5)) if width >= ROOMY_WIDTH else width // 2


def _shared(log: Region, remaining: int) -> Plan:
    rows = max(1, min(remaining, log.height - LEAST_LOG))
    return {
        "log": Region(log.x, log.y, log.width, log.height - rows),
        "remaining": Region(log.x, log.bottom - rows, log.width, rows),
    }


def open_rows(height: int) -> int:
    """For what is shown of a table before the start."""
    return height - (TITLE + QUESTION + OPEN_CHOICES + TYPING)


def open_plan(width: int, height: int, hosting: int, code: tuple[int, int]) -> Plan:
    """Before the start. `hosting`: rows that it needs. `code`: cells and rows of the QR code; (0, 0) for none."""
    rows = open_rows(height)
    across, down = code
    words = width - across if across else width // 2
    parts = {"title": Region(0, 0, width, TITLE), "hosting": Region(0, TITLE, words, min(hosting, rows))}
    if across:
        parts["code"] = Region(words, TITLE, across, down)
        if rows > hosting:
            parts["log"] = Region(0, TITLE + hosting, words, rows - hosting)
    else:
        parts["log"] = Region(words, TITLE, width - words, rows)
    return {**parts, **_answers(width, TITLE + rows, OPEN_CHOICES)}


def _answers(width: int, below: int, choices: int) -> Plan:
    """The rows at the lower edge, from `below` on."""
    return {
        "question": Region(0, below, width - CLOCK_CELLS, QUESTION),
        "clock": Region(width - CLOCK_CELLS, below, CLOCK_CELLS, QUESTION),  # alone: it changes every second
        "choices": Region(0, below + QUESTION, width, choices),
        "typing": Region(0, below + QUESTION + choices, width, TYPING),
    }


def plan(width: int, height: int, hand: int, middle: int, *, over: Over = None, remaining: int = 0) -> Plan:
    """`hand`, `middle`: the rows that they need at least; choices, seats and middle share what is left.

    `remaining`: the rows that the cards not seen yet need; they take them from the log.
    """
    own = own_rows(height)
    hand = min(hand, hand_budget(height, middle))
    spare = height - (TITLE + LEAST_SEATS + middle + own + hand + QUESTION + LEAST_CHOICES + TYPING)
    more_choices = max(0, min(2, spare // 4))
    more_seats = max(0, min(6, (spare - more_choices) // 3))
    seats, choices = LEAST_SEATS + more_seats, LEAST_CHOICES + more_choices
    middle += spare - more_choices - more_seats
    beside, log = width >= ROOMY_WIDTH, log_width(width)
    table = width - log if beside else width
    below = TITLE + seats + middle
    parts = {"title": Region(0, 0, width, TITLE)}
    if over == "log":
        parts["log"] = Region(0, TITLE, width, seats + middle + own + hand)
    elif over == "ending":
        parts["ending"] = Region(0, TITLE, table, seats + middle + own + hand)
        if beside:
            parts["log"] = Region(table, TITLE, log, seats + middle + own + hand)
    else:
        parts |= {
            "left": Region(0, TITLE, table // 2, seats),
            "right": Region(table // 2, TITLE, table - table // 2, seats),
            "middle": Region(0, TITLE + seats, width - log, middle),
            "log": Region(width - log, TITLE + (0 if beside else seats), log, middle + (seats if beside else 0)),
            "own": Region(0, below, width, own),
            "hand": Region(0, below + own, width, hand),
        }
        if remaining:
            parts |= _shared(parts["log"], remaining)
    return {**parts, **_answers(width, below + own + hand, choices)}
