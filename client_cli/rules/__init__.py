"""The rules of each game as a page for players, kept in this package under the game's name."""

from importlib.resources import files


def rules_text(game: str) -> str:
    """The page; empty for a game that has none. Raises nothing for names from outside."""
    page = files(__name__) / f"{game}.md" if game.replace("-", "").isalnum() else None
    return page.read_text(encoding="utf-8") if page is not None and page.is_file() else ""
