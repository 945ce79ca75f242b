"""The styles of what is drawn at the table, as Textual reads them. Colours are variables of the theme."""

CARD_COLOURS = {
    "card": "#f6f1e1",
    "card-black": "#1c1c1c",
    "card-red": "#c4161c",
    "card-frame": "#8c8468",
    "card-picked": "#0b5fb0",
}
"""What a theme that says nothing of cards has for them: paper, and ink in two colours."""

_ROLES = {
    "black": "bold $card-black on $card",
    "red": "bold $card-red on $card",
    "frame": "$card-frame on $card",
    "code": "$card-frame on $card",
    "label": "dim",
}


def style_of(role: str, *, dim: bool = False, picked: bool = False, cursor: bool = False) -> str:
    """Of a run of a card's picture. What is picked or under the cursor differs in more than colour, too."""
    style = _ROLES[role]
    if role in ("frame", "code"):
        style = "bold $card-picked on $card" if picked or cursor else style
        return f"{style} reverse" if cursor else f"{style} dim" if dim else style
    return f"{style} dim" if dim else style
