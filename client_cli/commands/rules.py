"""`paizhuo rules`: how the games are played, as text."""

import sys
from typing import Annotated

from client_cli import words
from client_cli.commands.completion import GAME
from client_cli.failure import CommandFailed
from client_cli.names import GAMES, games
from client_cli.rules import rules_text
from protocol.errors import ExitCode


def rules(game: Annotated[str | None, GAME] = None, /) -> ExitCode:
    """Print the rules of a game; without GAME, the games that there are.

    Parameters
    ----------
    game
        For instance chuo-pai or paohuzi.
    """
    if game is None:
        for name, title in games().items():
            print(f"{name}: {title}")
        return ExitCode.OK
    if game not in GAMES:
        raise CommandFailed(ExitCode.USAGE, words.unknown_game(game))
    sys.stdout.write(rules_text(game))
    return ExitCode.OK
