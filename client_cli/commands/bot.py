"""`paizhuo bot`: any program takes a seat."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from client_cli import words_program
from client_cli.address import RoomAddress, room_address
from client_cli.asked_program import AskedProgram
from client_cli.commands.preferences import Speaking, preference
from client_cli.commands.seating import new_secret, player_name, run
from client_cli.connection import Connection
from client_cli.failure import CommandFailed
from client_cli.plain import Conversation
from client_cli.program_seat import ProgramSeat
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.sitting import Sitting
from client_cli.tickets import user_tickets
from protocol.errors import ExitCode
from protocol.messages import Join

LIMIT_S = 30.0


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Lending(Speaking):
    """Flags of the command that lends its seat to a program."""

    name: Annotated[str | None, preference("name")] = None
    limit: float = LIMIT_S
    json: Annotated[bool, Parameter(negative="")] = False


def bot(room: str, /, *command: str, lending: Lending | None = None) -> ExitCode:
    """Let a program play a seat.

    Parameters
    ----------
    room
        CODE@HOST, CODE@HOST:PORT, or the address that the host gave you. CODE alone: on the server of your settings.
    command
        The program and its arguments, after --. For each question it gets one line of JSON, the view, and answers
        with one line, the action.
    lending.limit
        Seconds for an answer. In a room with a clock it may have less.
    lending.json
        One JSON object for the end of each deal instead of a transcript: room, deal, seat, result.
    """
    lending = lending or Lending()
    settings = lending.settings
    address, command = _room_and_command(room, command, settings)
    if not command or not command[0]:
        raise CommandFailed(ExitCode.USAGE, words_program.no_command())
    if not lending.limit > 0:
        raise CommandFailed(ExitCode.USAGE, words_program.no_limit())
    session = Session(player_name(settings.name), Join(address.code, new_secret()))
    seen = replace(settings, confirm=False, auto_pass=False, remaining=False)  # it is asked, and nobody else
    return run(_lend(command, address.url, session, seen, limit_s=lending.limit, as_json=lending.json))


def _room_and_command(room: str, words: tuple[str, ...], settings: Settings) -> tuple[RoomAddress, tuple[str, ...]]:
    """Behind a server's URL without a room stands the room's code."""
    if "://" in room and "/j/" not in room and len(room.split()) == 1 and words:
        return room_address(room, words[0]), words[1:]
    return room_address(room, server=settings.server), words


async def _lend(
    command: Sequence[str], url: str, session: Session, settings: Settings, *, limit_s: float, as_json: bool
) -> ExitCode:
    seat: ProgramSeat | None = None
    try:
        async with AskedProgram(command) as program, asyncio.timeout(None) as patience:
            seat = ProgramSeat(program, settings, patience, limit_s=limit_s, as_json=as_json)
            conversation = Conversation(session, asks_all=True, settings=lambda: settings)
            seat.answers_when(lambda: conversation.listening)
            session.reached_at = url
            code = await Sitting(seat, Connection(url), conversation, user_tickets()).run()
    except TimeoutError:
        if seat is None or not seat.failed:
            raise
        seat.note(words_program.not_left())
    return ExitCode.FAILURE if seat.failed else code
