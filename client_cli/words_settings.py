"""What is said of settings and of the file that keeps them. As in `words`: values in, one line out."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from client_cli.rows import clipped


def descriptions() -> Mapping[str, str]:
    """What each setting means, by its key, in their usual order."""
    return {
        "name": "Your name at the table; empty: your login name.",
        "language": "The language of all sentences; auto: that of your system.",
        "plain": "Line mode: every event and every question is one line.",
        "theme": "The colours of the full screen; auto: what fits the terminal.",
        "ascii": "Draw with ASCII characters only; auto: where the terminal cannot show others well.",
        "dominoes": "How the cards of Chuo Pai are drawn: as pips, by their names, or as Unicode domino tiles.",
        "order": "How your hand is sorted: by families of cards, or by ranks.",
        "confirm": "Ask before every play.",
        "auto_pass": "Let the server pass for you where you may claim a card but not win with it.",
        "bell": "Ring the terminal's bell when it is your turn.",
        "notify": "Show a notice on the desktop when it is your turn.",
        "remaining": "Show which cards have not been seen yet.",
        "server": "The server for rooms, host and join where none is named; empty: none.",
        "beat_ms": "How long a bot seems to think in play, in milliseconds.",
        "lan": "Look for rooms in your local network.",
        "announce": "Make rooms that you host with --lan known in your local network, with your name.",
    }


def unknown(key: str, keys: Sequence[str]) -> str:
    near = get_close_matches(key.lower().replace("-", "_"), keys, n=1)
    if near:
        return f"there is no setting '{clipped(key)}': did you mean '{near[0]}'?"
    return f"there is no setting '{clipped(key)}'; there are: {', '.join(keys)}"


def none_of(key: str, value: str, allowed: Sequence[str]) -> str:
    return f"{key} cannot be '{clipped(value)}': it is one of {', '.join(allowed)}"


def no_text(key: str) -> str:
    return f"{key} has to be a text in quotation marks"


def no_number(key: str, value: str, least: int, most: int) -> str:
    return f"{key} cannot be '{clipped(value)}': it is a whole number from {least} to {most}"


def no_toml(error: str) -> str:
    return f"this is no TOML: {error}"


def in_the_environment(variable: str, fault: str) -> str:
    return f"the variable {variable}: {fault}"


def in_the_file(path: str, line: int | None, fault: str) -> str:
    return f"{path}, line {line}: {fault}" if line else f"{path}: {fault}"


def unreadable(path: str, error: str) -> str:
    return f"the settings in {path} cannot be read: {error}"


def unwritable(path: str, error: str) -> str:
    return f"the settings cannot be saved in {path}: {error}"


def overruled(key: str, variable: str, value: str) -> str:
    return f"Saved, but here the variable {variable} says {value}, and that counts more: {key} stays as it is."
