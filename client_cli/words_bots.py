"""What the levels of bots are called."""

from collections.abc import Mapping

from client_cli.language import tr, tr_later

LEVELS: Mapping[str, str] = {
    "random": tr_later("random"),
    "easy": tr_later("easy"),
    "normal": tr_later("normal"),
    "hard": tr_later("hard"),
}
"""As the wire calls them; of one that only newer servers know there is its own word."""


def level(level: str) -> str:
    """Of a bot."""
    return tr(LEVELS[level]) if level in LEVELS else level
