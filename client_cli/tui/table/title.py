"""The first row: which room and game, and how far it has come. Pure."""

from collections.abc import Iterator

from rich.cells import cell_len

from client_cli.address import spaced_code
from client_cli.fairness import Verdict
from client_cli.language import tr
from client_cli.session import Trouble
from client_cli.tui.cells import clip, fit, literal
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.look import Look
from client_cli.tui.table.sight import Sight
from client_cli.words import pace
from client_cli.words_fair import mark


def title(
    sight: Sight, look: Look, width: int, trouble: Trouble | None = None, verdict: Verdict | None = None
) -> Canvas:
    """One row. Behind the room stand the keys, or what keeps the game from going on.

    `verdict`: of how the cards came about; it stands behind the number of its deal, and for good where it was bad.
    """
    canvas = Canvas(width, 1)
    left = clip(" " + "  ".join(map(literal, _parts(sight, verdict))), width, look.glyphs.more)
    right = f" {_keys(width - cell_len(left) - 2) if trouble is None else _TROUBLES[trouble]()} "
    room = width - cell_len(right)
    canvas.write(0, 0, left if trouble is None and cell_len(left) > room else fit(left, room, look.glyphs.more))
    if trouble is not None or cell_len(left) <= room:
        canvas.write(room, 0, right, "" if trouble is None else "bold reverse")
    return canvas


def _keys(room: int) -> str:
    """All of them, or the most important ones where there is less room, or at least the one that tells the others."""
    every = tr("F1 keys  ? rules  F2 sort  F4 log  F5 bot  F6 hint  F7 chat  F8 unseen  F10 go")
    most = tr("F1 keys  ? rules  F6 hint  F7 chat  F10 go")
    return next((keys for keys in (every, most) if cell_len(keys) <= room), tr("F1 keys"))


_TROUBLES = {
    "lost": lambda: tr("NO CONNECTION. Enter: try now"),
    "stale": lambda: tr("THE SERVER CANNOT SAVE: your moves wait"),
    "newer": lambda: tr("THIS SERVER IS TOO OLD for the room"),
    "draining": lambda: tr("THE SERVER STOPS SOON"),
}


def _parts(sight: Sight, verdict: Verdict | None) -> Iterator[str]:
    room = sight.view.room
    yield sight.speaker.names.title()
    yield spaced_code(room.code)
    yield tr("deal {deal} of {deals}", deal=room.deal, deals=room.deals) if room.deal else tr("not started")
    if verdict is not None and (verdict.wrong or (sight.view.result is not None and verdict.deal == room.deal)):
        yield mark(verdict)
    if room.pace != "none":
        yield pace(room.pace)
    if sight.seat is None:
        yield tr("you watch")
