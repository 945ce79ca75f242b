"""What the person can do while no question of the game is open: words of the conversation, with labels. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from client_cli.language import tr
from client_cli.tui.cells import literal
from client_cli.tui.table.sight import Sight


class Deed(NamedTuple):
    """`line`: what is typed for it."""

    label: str
    line: str


def deeds(sight: Sight) -> tuple[Deed, ...]:
    """In the order in which they are offered; the first is what most people want."""
    return tuple(_deeds(sight))


def _deeds(sight: Sight) -> Iterator[Deed]:
    own, room = sight.own, sight.view.room
    if own is None:
        return
    if room.phase == "open" and room.host == own.seat:
        yield from _host_deeds(sight)
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


def _host_deeds(sight: Sight) -> Iterator[Deed]:
    if any(seat.kind == "empty" for seat in sight.view.seats):
        yield Deed(tr("bots on the free seats, and start"), "start easy")
        yield Deed(tr("bots on the free seats"), "fill")
    else:
        yield Deed(tr("start"), "start")
    for seat in sight.view.seats:
        if seat.kind != "empty" and seat.seat != sight.seat:
            yield Deed(tr("send {name} away", name=literal(seat.name)), f"remove {seat.seat + 1}")
