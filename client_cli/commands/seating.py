"""What the commands that sit down at a table share: their flags, the player's name, and running the loop."""

import asyncio
import getpass
import secrets
import signal
import sys
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, NoReturn

from cyclopts import Parameter

from client_cli import words, words_seats
from client_cli.connection import Connection
from client_cli.console import Console
from client_cli.failure import CommandFailed
from client_cli.input import as_utf8
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.sitting import Sitting
from client_cli.tickets import now_s, user_tickets
from protocol.errors import ExitCode
from protocol.messages import MAX_NAME_CHARACTERS

LONGEST_GAME = 32

Name = Annotated[
    str | None, Parameter(env_var="PAIZHUO_NAME", help="Your name at the table. Default: your login name.")
]
Auto = Annotated[bool, Parameter(negative="", help="A bot plays your seat.")]
Plain = Annotated[
    bool,
    Parameter(
        env_var="PAIZHUO_PLAIN",
        negative="",
        help="Line mode: every event and question is one line. Today the only mode.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True)
class Seating:
    """Flags of every command that takes a seat."""

    name: Name = None
    auto: Auto = False
    plain: Plain = False

    def player(self) -> str:
        return player_name(self.name)


def player_name(given: str | None = None) -> str:
    """The name to greet with; the server has the last word on it."""
    try:
        name = given or getpass.getuser()
    except (KeyError, OSError):  # no login name: a container with a bare user id
        name = "Player"
    return as_utf8(name)[:MAX_NAME_CHARACTERS]


def game_name(typed: str) -> str:
    """Raises `CommandFailed` (usage) for what the protocol cannot ask for; which games there are, the server knows."""
    if len(typed) > LONGEST_GAME:
        raise CommandFailed(ExitCode.USAGE, words.unknown_game(typed))
    return typed


def remind(console: Console) -> None:
    """Tell somebody at a terminal, in one line, that another game waits for them."""
    if console.interactive:
        with suppress(OSError):  # whoever goes back will be told
            seats = user_tickets().unfinished(now_s()).seats
            if seats:
                console.note(words_seats.unfinished(seats))


def new_secret() -> str:
    """For one request to sit down: with it, asking again after a lost connection leads to the same seat."""
    return secrets.token_urlsafe(16)


async def sit_elsewhere(
    console: Console, url: str, session: Session, *, known: Sequence[str] = (), auto: bool = False
) -> ExitCode:
    """Sit at a room of a server that is not ours; the seat is kept for `paizhuo resume`. `known`: as in `Servers`."""
    conversation = Conversation(session, auto=auto)
    return await Sitting(console, Connection(url, known), conversation, user_tickets()).run()


def run(program: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Run to the end. SIGTERM and SIGHUP end it in order, as Ctrl-C does, with the shell's code for the signal."""

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # no SIGHUP: Windows

    def stop(number: int, _frame: object) -> NoReturn:
        for each in numbers:  # a second one would break off the very end that the first has asked for
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for each in numbers:
        signal.signal(each, stop)
    return asyncio.run(program)
