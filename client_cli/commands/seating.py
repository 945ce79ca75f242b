"""What the commands that sit down at a table share: their flags, the player's name, and running the loop."""

import asyncio
import getpass
import os
import secrets
import signal
import sys
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, NoReturn

from cyclopts import Parameter

from client_cli import words, words_seats
from client_cli.commands.preferences import Showing, preference
from client_cli.connection import Connection
from client_cli.console import standard_console
from client_cli.failure import CommandFailed
from client_cli.frontend import FrontEnd, Program
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.sitting import Sitting
from client_cli.text import as_utf8
from client_cli.tickets import now_s, user_tickets
from protocol.errors import ExitCode
from protocol.messages import MAX_NAME_CHARACTERS
from protocol.view import BotLevel

LONGEST_GAME = 32


Auto = Annotated[bool, Parameter(negative="", help="A bot plays your seat.")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Visiting(Showing):
    """Flags of every command that goes to a table: under which name."""

    name: Annotated[str | None, preference("name")] = None

    def player(self) -> str:
        return player_name(self.settings.name)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Seating(Visiting):
    """Flags of every command that takes a seat."""

    auto: Auto = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Opening(Seating):
    """Flags of every command that opens a table: who else sits there."""

    bots: Annotated[BotLevel | None, preference("bots")] = None


def player_name(given: str | None = None) -> str:
    """The name to greet with; the server has the last word on it."""
    try:
        name = given or getpass.getuser()
    except (ImportError, KeyError, OSError):  # no login name: a container with a bare user id, a service on Windows
        name = "Player"
    return as_utf8(name)[:MAX_NAME_CHARACTERS]


def game_name(typed: str) -> str:
    """Raises `CommandFailed` (usage) for what the protocol cannot ask for; which games there are, the server knows."""
    if len(typed) > LONGEST_GAME:
        raise CommandFailed(ExitCode.USAGE, words.unknown_game(typed))
    return typed


def remind(front: FrontEnd) -> None:
    """Tell somebody at a terminal, in one line, that another game waits for them."""
    if front.interactive:
        with suppress(OSError):  # whoever goes back will be told
            seats = user_tickets().unfinished(now_s()).seats
            if seats:
                front.note(words_seats.unfinished(seats))


def new_secret() -> str:
    """For one request to sit down: with it, asking again after a lost connection leads to the same seat."""
    return secrets.token_urlsafe(16)


async def sit_elsewhere(
    front: FrontEnd, url: str, session: Session, *, known: Sequence[str] = (), auto: bool = False
) -> ExitCode:
    """Sit at a room of a server that is not ours; the seat is kept for `paizhuo resume`. `known`: as in `Servers`."""
    session.reached_at = url
    conversation = Conversation(session, auto=auto, lingers=front.lingers, settings=lambda: front.settings)
    return await Sitting(front, Connection(url, known), conversation, user_tickets()).run()


def has_full_screen() -> bool:
    """Can a full screen be drawn, and a person answer it? Not through a pipe, and not where lines are all there is."""
    dumb = os.environ.get("TERM", "dumb" if os.name == "posix" else "") == "dumb"
    return not dumb and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def run_seated(program: Program, settings: Settings) -> ExitCode:
    """Run a program where the person sees it: on the full screen, or in lines. Raises `CommandFailed`."""
    if settings.plain or not has_full_screen():
        return run(program(standard_console(settings)))
    from client_cli.tui.app import run_full_screen  # noqa: PLC0415 - half a second that line mode does without

    return run(run_full_screen(program, settings))


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
