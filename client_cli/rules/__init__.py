"""The rules of each game as a page for players, kept in this package under the game's name."""

from importlib.resources import files

from client_cli.names import GAMES


def rules_text(game: str) -> str:
    """The page; empty for a game that has none. Raises nothing for names from outside."""
    return (files(__name__) / f"{game}.md").read_text(encoding="utf-8") if game in GAMES else ""
