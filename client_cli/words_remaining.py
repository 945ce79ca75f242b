"""What is said of the cards that a viewer has not seen. As in `words`: values in, lines out."""

from collections.abc import Sequence

from client_cli.language import listed, tr, tr_n
from client_cli.remaining import remaining
from client_cli.speaker import Speaker


def help_line() -> str:
    return tr("remaining: the cards that you have not seen yet, counted.")


def remaining_lines(speaker: Speaker) -> Sequence[str]:
    """A line for each family, card by card: `Long: 66 (2), 11 (0), 44 (4).`"""
    left = remaining(speaker.view)
    if not left:
        return [tr("There is no deal, so there are no cards to count.")]
    named = [
        tr(
            "{family}: {cards}.",
            family=family,
            cards=listed(f"{speaker.names.faced(it)} ({left[it]})" for it in row),
        )
        for family, row in speaker.names.families.items()
    ]
    return [
        tr_n(
            "You have not seen {count} card. How many of each are still hidden from you:",
            "You have not seen {count} cards. How many of each are still hidden from you:",
            sum(left.values()),
        ),
        *named,
    ]
