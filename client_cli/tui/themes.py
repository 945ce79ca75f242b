"""The colours of the full screen, and which ones fit the terminal.

No theme tells by colour alone what matters: red and black cards, and what is picked, differ in a second mark too.
"""

from textual.theme import Theme

from client_cli import settings
from client_cli.terminal import Terminal

_NONE = "ansi_default"
"""What the terminal itself has: no escape sequence names a colour."""

THEMES: tuple[Theme, ...] = (
    Theme(
        name="dark",
        primary="#4fa3a5",
        secondary="#8fb573",
        accent="#e3b23c",
        warning="#e3b23c",
        error="#ff7a6b",
        success="#7bc47f",
        foreground="#e8e4da",
        background="#15191d",
        surface="#1e242a",
        panel="#272f36",
        dark=True,
        variables={
            "card": "#f3ead7",
            "card-black": "#1a1a1a",
            "card-red": "#b3261e",
            "card-frame": "#5f5648",
            "card-picked": "#00596b",
        },
    ),
    Theme(
        name="light",
        primary="#1f6f72",
        secondary="#4c7031",
        accent="#8a5200",
        warning="#8a5200",
        error="#a8201a",
        success="#2e6f33",
        foreground="#22201c",
        background="#f6f3ec",
        surface="#ebe6da",
        panel="#e0d9c9",
        dark=False,
        variables={
            "card": "#fffdf7",
            "card-black": "#1a1a1a",
            "card-red": "#b3261e",
            "card-frame": "#6b6252",
            "card-picked": "#00596b",
        },
    ),
    Theme(
        name="high-contrast",
        primary="#ffff00",
        secondary="#00ffff",
        accent="#00ffff",
        warning="#ffff00",
        error="#ff8080",
        success="#80ff80",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#000000",
        dark=True,
        variables={
            "card": "#ffffff",
            "card-black": "#000000",
            "card-red": "#a00000",
            "card-frame": "#000000",
            "card-picked": "#0000c0",
            "block-cursor-foreground": "#000000",
            "block-cursor-background": "#ffff00",
            "border": "#ffffff",
        },
    ),
    Theme(
        name="mono",
        ansi=True,
        primary=_NONE,
        secondary=_NONE,
        warning=_NONE,
        error=_NONE,
        success=_NONE,
        accent=_NONE,
        foreground=_NONE,
        background=_NONE,
        surface=_NONE,
        panel=_NONE,
        boost=_NONE,
        variables={
            "card": _NONE,
            "card-black": _NONE,
            "card-red": _NONE,
            "card-frame": _NONE,
            "card-picked": _NONE,
            "ansi-background": _NONE,
            "ansi-foreground": _NONE,
            "border": _NONE,
            "border-blurred": _NONE,
            # Without colours, what is chosen or under the cursor is reversed.
            "block-cursor-foreground": _NONE,
            "block-cursor-background": _NONE,
            "block-cursor-text-style": "bold reverse",
            "block-cursor-blurred-text-style": "underline",
            "block-hover-background": _NONE,
            "button-focus-text-style": "bold reverse",
            "footer-key-foreground": _NONE,
            "input-cursor-foreground": _NONE,
            "input-cursor-background": _NONE,
            "input-cursor-text-style": "reverse",
            "input-selection-foreground": _NONE,
            "input-selection-background": _NONE,
            "link-background-hover": _NONE,
            "link-color": _NONE,
            "link-color-hover": _NONE,
            "screen-selection-foreground": _NONE,
            "screen-selection-background": _NONE,
            "scrollbar": _NONE,
            "scrollbar-hover": _NONE,
            "scrollbar-active": _NONE,
            "scrollbar-background": _NONE,
            "scrollbar-background-hover": _NONE,
            "scrollbar-background-active": _NONE,
            **{f"markdown-h{level}-color": _NONE for level in range(1, 7)},
        },
    ),
)


def theme_name(choice: settings.Theme, terminal: Terminal) -> str:
    """The name of one of `THEMES`; a terminal without colours has but one."""
    if terminal.colours == "none":
        return "mono"
    if choice == "auto":
        return "light" if terminal.light else "dark"
    return choice
