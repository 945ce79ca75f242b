"""`paizhuo rules`: how the games are played, as text."""

import os
import sys
from typing import Annotated

from client_cli import words, words_rules
from client_cli.commands.completion import GAME, TOPIC
from client_cli.commands.preferences import Speaking
from client_cli.console import write_line
from client_cli.failure import CommandFailed
from client_cli.language import current_language
from client_cli.names import games
from client_cli.rules import places_of, rules_page
from client_cli.rules.page import Line, laid_out
from client_cli.terminal import measured, size
from protocol.errors import ExitCode

LONGEST_ROW = 100
"""Cells: longer rows are hard to read, however wide the terminal."""


def rules(
    game: Annotated[str | None, GAME] = None, /, *topic: Annotated[str, TOPIC], speaking: Speaking | None = None
) -> ExitCode:
    """Print the rules of a game, or a part of them; without GAME, the games that there are.

    Parameters
    ----------
    game
        For instance chuo-pai or paohuzi.
    topic
        A section by its heading or number, or a word that is explained: score, 5, wei.
    """
    _ = (speaking or Speaking()).reading  # what is wrong with a setting is said; the language is spoken already
    if game is None:
        for name, title in games().items():
            print(f"{name}: {title}")
        return ExitCode.OK
    page = rules_page(game, current_language())
    if page is None:
        raise CommandFailed(ExitCode.USAGE, words.unknown_game(game))
    if topic:
        lines = page.excerpt(places_of(" ".join(topic), game, current_language()))
        if not lines:
            raise CommandFailed(ExitCode.USAGE, words_rules.nothing_about(" ".join(topic)))
    else:
        top, *body = page.lines()
        beneath = (words_rules.sections(page), words_rules.one_of_them(f"paizhuo rules {game}"))
        lines = [top, Line(), *(Line(sentence) for sentence in beneath), *body]
    width = min(size(os.environ, measured(sys.stdout))[0], LONGEST_ROW)
    for row in laid_out(lines, width):
        write_line(row.text, sys.stdout)
    return ExitCode.OK
