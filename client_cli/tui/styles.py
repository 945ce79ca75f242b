"""The styles of what is drawn at the table, as Textual reads them. Colours are variables of the theme."""

CARD_COLOURS = {
    "card": "$surface",
    "card-black": "$foreground",
    "card-red": "$error",
    "card-frame": "$foreground",
    "card-picked": "$accent",
}
"""What a theme that says nothing of cards has for them."""

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
