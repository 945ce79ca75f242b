"""`paizhuo resume`: back to a seat that was left unfinished."""

from client_cli import words
from client_cli.address import spaced_code, tidy_code
from client_cli.commands.choice import choose
from client_cli.commands.seating import Seating, run, sit_elsewhere
from client_cli.console import Console, standard_console
from client_cli.failure import CommandFailed
from client_cli.session import Session
from client_cli.tickets import SavedSeat, now_s, user_tickets
from protocol.errors import ExitCode


def resume(code: str | None = None, /, *, seating: Seating | None = None) -> ExitCode:
    """Go back to your seat in an unfinished game.

    Without CODE it takes the only one, or asks which. Without a terminal to ask at, it takes the newest.

    Parameters
    ----------
    code
        The room's code.
    """
    return run(_resume(standard_console(), None if code is None else tidy_code(code), seating or Seating()))


async def _resume(console: Console, code: str | None, seating: Seating) -> ExitCode:
    try:
        found = user_tickets().unfinished(now_s())
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, f"the saved seats cannot be read: {error}") from None
    for path in found.unreadable:
        console.note(words.unreadable_seat(str(path)))
    seats = [seat for seat in found.seats if code in (None, seat.code)]
    if not seats:
        raise CommandFailed(ExitCode.NO_SUCH_ROOM, words.no_unfinished_game(code))
    seat: SavedSeat | None = seats[0]
    if len(seats) > 1 and console.interactive:
        seat = await choose(console, words.WHICH_SEAT, [(seat, _shown(seat)) for seat in seats])
    if seat is None:
        return ExitCode.OK
    session = Session.resuming(seating.name or seat.name, seat.code, seat.seat, seat.ticket)
    return await sit_elsewhere(console, seat.url, session, seating)


def _shown(seat: SavedSeat) -> str:
    return words.saved_seat(spaced_code(seat.code), seat.url, seat.seat, seat.name)
