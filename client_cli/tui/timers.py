"""Timers that ring, however late."""

from typing import Any

from textual import message_pump
from textual.timer import Timer


class LateTimer(Timer):
    """Textual's own leaves out rings whose time is over, and so the only one of a timer that is to ring once.

    That happens where the process is held up between two readings of the clock, and a lost ring is never made good:
    windows then keep the size that they had.
    """

    def __init__(self, *arguments: Any, repeat: int | None = None, skip: bool = True, **named: Any) -> None:
        super().__init__(*arguments, repeat=repeat, skip=skip and repeat != 0, **named)


def ring_late() -> None:
    """All timers that are set from now on are such."""
    message_pump.Timer = LateTimer  # type: ignore[attr-defined]  # a class, and a kind of it can stand there
