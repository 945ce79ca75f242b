"""`paizhuo resume`: back to a seat that was left unfinished."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from cyclopts import Parameter

from client_cli import words_seats
from client_cli.address import tidy_code
from client_cli.commands.completion import SAVED_ROOM
from client_cli.commands.host import server_again, tls_flags
from client_cli.commands.preferences import Showing
from client_cli.commands.seating import Auto, run_seated, sit_elsewhere
from client_cli.console import Console, standard_console, write_json
from client_cli.failure import CommandFailed
from client_cli.fairness import Fairness
from client_cli.frontend import FrontEnd
from client_cli.own_certificate import own_file
from client_cli.servers import is_loopback
from client_cli.session import Session
from client_cli.tickets import SavedSeat, now_s, user_tickets
from protocol.errors import ExitCode

ANSWER_S = 2.0


def resume(
    code: Annotated[str | None, SAVED_ROOM] = None,
    /,
    *,
    forget: Annotated[bool, Parameter(negative="")] = False,
    list_: Annotated[bool, Parameter(name="--list", negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
    auto: Auto = False,
    showing: Showing | None = None,
) -> ExitCode:
    """Go back to your seat in an unfinished game.

    Without CODE it takes the only one, or asks which. Without a terminal to ask at, it takes the newest.

    Parameters
    ----------
    code
        The room's code.
    forget
        Give up the way back to the seat in room CODE instead, for instance where its server is gone for good.
    list_
        Only list the seats.
    json
        With --list: one JSON array with an object for each seat, the newest first: code, seat (from 1), name, servers,
        saved_s (seconds since 1970).
    """
    settings = (showing or Showing()).settings  # what is wrong with one is said before anything is asked
    code = None if code is None else tidy_code(code)
    if json and not list_:
        raise CommandFailed(ExitCode.USAGE, words_seats.json_of_a_list())
    if list_:
        return _list(standard_console(), code, as_json=json)
    if forget:
        return _forget(standard_console(), code)
    return run_seated(lambda front: go_back(front, code, auto=auto), settings)


class ListedSeat(msgspec.Struct, frozen=True):
    """A saved seat, as programs get it: all but its ticket."""

    code: str
    seat: int
    name: str
    servers: tuple[str, ...]
    saved_s: float


def _list(console: Console, code: str | None, *, as_json: bool) -> ExitCode:
    seats = _saved(console, code)
    if as_json:
        each = [ListedSeat(it.code, it.seat + 1, it.name, it.servers or (it.url,), it.saved_s) for it in seats]
        write_json(each, sys.stdout)
    else:
        for seat in seats:
            console.show(words_seats.saved_seat(seat))
    return ExitCode.OK


def _forget(console: Console, code: str | None) -> ExitCode:
    if code is None:
        raise CommandFailed(ExitCode.USAGE, words_seats.forget_which())
    seats = _saved(console, code)
    try:
        for seat in seats:
            user_tickets().drop(seat.url, seat.code, seat.seat)
            console.show(words_seats.forgotten(words_seats.saved_seat(seat)))
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, words_seats.undeletable(str(error))) from None
    return ExitCode.OK


def _saved(front: FrontEnd, code: str | None) -> Sequence[SavedSeat]:
    """At least one seat, newest first. Raises `CommandFailed`."""
    try:
        found = user_tickets().unfinished(now_s())
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, words_seats.unreadable(str(error))) from None
    for path in found.unreadable:
        front.note(words_seats.unreadable_seat(str(path)))
    seats = [seat for seat in found.seats if code in (None, seat.code)]
    if not seats:
        raise CommandFailed(ExitCode.NO_SUCH_ROOM, words_seats.no_unfinished_game(code))
    return seats


async def go_back(front: FrontEnd, code: str | None, *, auto: bool) -> ExitCode:
    """Sit down again at an unfinished game; the person is asked which, if there are several. Raises `CommandFailed`."""
    seats = _saved(front, code)
    seat: SavedSeat | None = seats[0]
    if len(seats) > 1 and front.interactive:
        there = await asyncio.gather(*(any_answers(seat) for seat in seats))
        choices = [
            (seat, words_seats.saved_seat(seat, answers=answers)) for seat, answers in zip(seats, there, strict=True)
        ]
        seat = await front.choose(words_seats.which_seat(), choices)
    if seat is None:
        return ExitCode.OK
    session = Session.resuming(seat.name, seat.code, seat.seat, seat.ticket, Fairness(seat.rounds))
    try:
        return await sit_elsewhere(front, seat.url, session, known=seat.servers, auto=auto)
    except CommandFailed as failed:
        if failed.exit_code == ExitCode.UNREACHABLE:
            if all(map(is_loopback, (seat.url, *seat.servers))):
                parts = urlsplit(seat.url)
                flags = tls_flags(own_file()) if parts.scheme == "wss" else ()
                again = server_again(parts.hostname or "", parts.port or 80, flags)
                for line in words_seats.served_again(again, seat.code):
                    front.farewell(line)
            raise CommandFailed(failed.exit_code, words_seats.or_forget(failed.sentence, seat.code)) from None
        raise


async def any_answers(seat: SavedSeat) -> bool:
    """Does anything listen at one of its servers? Asked of all at once, before a list is shown."""
    return any(await asyncio.gather(*map(_answers, {seat.url, *seat.servers})))


async def _answers(url: str) -> bool:
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(ANSWER_S):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if parts.scheme == "wss" else 80)
            )
    except OSError:  # a timeout too
        return False
    writer.close()
    return True
