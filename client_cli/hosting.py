"""The words of a host before the first deal: bots, the start, and the way in for others. No I/O."""

from collections.abc import Callable
from typing import get_args

from client_cli import words
from client_cli.commanding import Commanding
from client_cli.invitation import Invitation
from protocol.messages import Fill, Remove, SeatCommand, Start
from protocol.view import BotLevel

BOT_LEVELS: dict[str, BotLevel] = {level: level for level in get_args(BotLevel)}


def fill(seat: Commanding, rest: str, usual: BotLevel) -> None:
    """A bot for all free seats, or for the one that is named first, of a level or of the `usual` one."""
    first, _, others = rest.partition(" ")
    number, level = (int(first) - 1, others.strip()) if first in ("1", "2", "3") else (None, rest)
    _with_level(seat, "fill", level or usual, lambda n, level: Fill(n, level, number))


def start(seat: Commanding, level: str) -> None:
    """Begin, where a level is named with bots of it on the free seats."""
    if level:
        _with_level(seat, "start", level, Start)
    else:
        seat.command(Start)


def remove(seat: Commanding, number: str) -> None:
    """Send away whoever sits there."""
    if number in ("1", "2", "3"):
        seat.command(lambda n: Remove(n, int(number) - 1))
    else:
        seat.answer(words.remove_usage())


def show_way_in(seat: Commanding, shown: Callable[[Invitation], str]) -> None:
    """How others come into this room, as far as they can."""
    reached_at = seat.session.reached_at
    seat.answer(shown(Invitation(reached_at)) if reached_at else words.no_invitation())


def _with_level(seat: Commanding, word: str, typed: str, command: Callable[[int, BotLevel], SeatCommand]) -> None:
    level = BOT_LEVELS.get(typed.lower())
    if level is None:
        seat.answer(words.level_usage(word, BOT_LEVELS))
    else:
        seat.command(lambda n: command(n, level))
