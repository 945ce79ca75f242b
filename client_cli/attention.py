"""How the program calls a person back who looks elsewhere: the bell, and a notice on the desktop."""

from collections.abc import Mapping

_OSC_9 = ("iterm.app", "wezterm", "ghostty")
"""Terminals that are known to show `ESC ] 9 ; TEXT` as a notice; others may take it for something else."""


def notice_sequence(text: str, environment: Mapping[str, str]) -> str:
    """What makes this terminal show `text`, one of our own sentences, on the desktop; empty where that is not known.

    Inside a multiplexer the terminal is another one than the environment says.
    """
    if "TMUX" in environment or environment.get("TERM", "").startswith(("screen", "tmux")):
        return ""
    if environment.get("TERM_PROGRAM", "").lower() in _OSC_9 or "KITTY_WINDOW_ID" in environment:
        return f"\x1b]9;{text}\x07"
    if environment.get("TERM", "").startswith(("rxvt-unicode", "foot")):
        return f"\x1b]777;notify;Paizhuo;{text}\x07"
    return ""
