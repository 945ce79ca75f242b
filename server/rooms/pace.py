"""How long players may think. All of it in milliseconds."""

from typing import NamedTuple

from protocol.view import Pace


class Clockwork(NamedTuple):
    """For each decision `decision_ms`, then what is left of the seat's `bank_ms`, which a deal starts with."""

    decision_ms: int
    bank_ms: int


PACES: dict[Pace, Clockwork | None] = {
    "none": None,
    "slow": Clockwork(60_000, 180_000),
    "normal": Clockwork(20_000, 60_000),
    "fast": Clockwork(8_000, 20_000),
}

READY_MS = 60_000
"""In a room with a clock, how long the next deal waits for a player who has not said that they are ready."""

HOST_IDLE_MS = 300_000
"""How long the host of a lobby in which others wait may do nothing before being asked whether they are there."""

HOST_ANSWER_MS = 60_000
"""How long the host then has to do anything."""

WAKE_MS = 10_000
"""The least time that a player has when the room wakes, since clocks do not run while nobody is connected; and when
players could not answer, for want of a store or of a server.
"""

MOST_GRANTS = 5
"""How often that may be granted between two moves: trouble without end must not stop a game."""
