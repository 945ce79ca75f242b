"""The rules of each game as a page for players, in each language: kept in this package as `LANGUAGE/GAME.md`."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from client_cli.language import LANGUAGES
from client_cli.names import GAMES, Lexicon
from client_cli.rules.page import Page, Place, parsed


@cache
def rules_page(game: str, language: str) -> Page | None:
    """None for a game that has no page. `language`: one of `LANGUAGES`."""
    if game not in GAMES:
        return None
    names = Lexicon.of(game)
    source = (files(__name__) / language / f"{game}.md").read_text(encoding="utf-8")
    return parsed(source, lambda code: re.sub(r"[sb]\d+", lambda card: names.faced(card[0]), code))


def places_of(topic: str, game: str, language: str) -> Sequence[Place]:
    """What of the page somebody asks for, by words of this language or of another; empty if nothing.

    All languages have the same places.
    """
    languages = sorted(LANGUAGES, key=lambda code: code != language)
    pages = [page for code in languages if (page := rules_page(game, code))]
    found = (places for look in (Page.exactly, Page.nearly) for page in pages if (places := look(page, topic)))
    return next(found, ())
