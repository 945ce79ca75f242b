"""`paizhuo completion`: scripts with which shells complete commands, flags and what they take."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from cyclopts import Parameter
from cyclopts.completion import CompletionContext

from client_cli import words_seats
from client_cli.address import spaced_code
from client_cli.language import current_language
from client_cli.names import games
from client_cli.rules import rules_page
from client_cli.tickets import now_s, user_tickets
from protocol.errors import ExitCode

Shell = Literal["bash", "zsh", "fish"]


def _games(_context: CompletionContext) -> Mapping[str, str]:
    return games()


def _saved_rooms(_context: CompletionContext) -> Mapping[str, str]:
    with suppress(OSError):
        return {
            spaced_code(seat.code): words_seats.saved_seat(seat) for seat in user_tickets().unfinished(now_s()).seats
        }
    return {}


def _topics(context: CompletionContext) -> tuple[str, ...]:
    page = rules_page(context["game"].raw or "", current_language())
    return page.topics() if page else ()


GAME = Parameter(completer=_games)
TOPIC = Parameter(completer=_topics)
SAVED_ROOM = Parameter(completer=_saved_rooms)


def completion(shell: Shell, /) -> ExitCode:
    """Print the script.

    Parameters
    ----------
    shell
        bash, zsh or fish.
    """
    from client_cli.__main__ import program  # noqa: PLC0415 - it is what this completes, and it loads this

    sys.stdout.write(program().generate_completion(shell=shell))
    return ExitCode.OK
