"""What the person can do while no question of the game is open: words of the conversation, with labels. Pure."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from client_cli import words_bots
from client_cli.language import tr
from client_cli.settings import DEFAULTS
from client_cli.tui.cells import literal
from client_cli.tui.table.sight import Sight
from protocol.view import BotLevel


class Deed(NamedTuple):
    """`line`: what is typed for it. `also`: what the screen does besides, or instead where nothing is typed."""

    label: str
    line: str = ""
    also: Literal["copy", "level"] | None = None


def deeds(sight: Sight, level: BotLevel = DEFAULTS.bots, *, reached: bool = False) -> tuple[Deed, ...]:
    """In the order in which they are offered; the first is what most people want. `level`: of new bots. `reached`: can
    others join?
    """
    return tuple(_deeds(sight, level, reached=reached))


def _deeds(sight: Sight, level: BotLevel, *, reached: bool) -> Iterator[Deed]:
    own, room = sight.own, sight.view.room
    if room.phase == "open":
        if own is not None and room.host == own.seat:
            yield from _host_deeds(sight, level)
        if reached:
            yield Deed(tr("copy the invitation"), "invite", "copy")
            yield Deed(tr("QR code"), "qr")
    elif own is None:
        return
    elif room.phase == "between":
        if not own.ready:
            yield Deed(tr("next deal"), "ready")
        yield from _over_deeds()
    elif room.phase == "over":
        yield Deed(tr("go"), "quit")
        yield from _over_deeds()
    elif own.away:
        yield Deed(tr("take your seat back"), "")
    elif own.autopilot:
        yield Deed(tr("play yourself"), "auto off")


def _over_deeds() -> Iterator[Deed]:
    yield Deed(tr("replay this deal with all hands"), "replay")
    yield Deed(tr("keep a record of this deal"), "save")


def _host_deeds(sight: Sight, level: BotLevel) -> Iterator[Deed]:
    free = [seat.seat for seat in sight.view.seats if seat.kind == "empty"]
    if free:
        yield Deed(tr("bots on the free seats, and start"), f"start {level}")
        yield from (Deed(tr("bot on seat {number}", number=seat + 1), f"fill {seat + 1} {level}") for seat in free)
        yield Deed(tr("bots: {level}", level=words_bots.level(level)), also="level")
    else:
        yield Deed(tr("start"), "start")
    for seat in sight.view.seats:
        if seat.kind != "empty" and seat.seat != sight.seat:
            yield Deed(tr("send {name} away", name=literal(seat.name)), f"remove {seat.seat + 1}")
