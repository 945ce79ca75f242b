"""What the viewer is asked, and what they can answer: numbered, and fewer with every card that is picked. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from client_cli import vocabulary
from client_cli.language import tr, tr_n
from client_cli.layouts import layout_of
from client_cli.render import cards_in, fact, zone
from client_cli.tui.cells import clip, literal
from client_cli.tui.table.canvas import Canvas
from client_cli.tui.table.look import Look
from client_cli.tui.table.picking import Offer, Picks
from client_cli.tui.table.sight import Sight
from protocol.notation import groups_of

MOST_BY_KEY = 9
"""Choices that one digit names."""

GAP = 2


class Choice(NamedTuple):
    """`number`: of the action in the whole prompt, as in line mode. `label`: what is shown of it."""

    number: int
    offer: Offer
    label: str


def choices(sight: Sight, now: Picks) -> tuple[Choice, ...]:
    """The offers that the picked cards still lead to; those that lay down the most cards come first when there are
    more than keys for them.
    """
    verbs = {offer.action.partition(" ")[0] for offer in sight.offered}
    numbered = [
        Choice(number, offer, _label(sight, offer, one_verb=len(verbs) == 1))
        for number, offer in enumerate(sight.offered, start=1)
        if offer in now.reached
    ]
    if len(numbered) > MOST_BY_KEY:
        numbered.sort(key=lambda choice: -sum(map(len, groups_of(choice.offer.text))))
    return tuple(numbered)


def _label(sight: Sight, offer: Offer, *, one_verb: bool) -> str:
    names = sight.speaker.names
    verb = offer.action.partition(" ")[0]
    groups = groups_of(offer.text)
    shown = " ".join("+".join(map(names.marked, group)) for group in groups)
    called = names.called(groups[0]) if len(groups) == 1 else ""
    cards = f"{shown} {called}".strip() if len(groups) == 1 and len(groups[0]) > 1 else shown
    word = tr("WIN") if verb == "win" else vocabulary.shown(verb)
    return literal(cards if one_verb and cards else f"{word} {cards}".strip())


def question(sight: Sight) -> str:
    """What is asked, in one line; empty while nothing is."""
    if sight.prompt is None:
        return ""
    speaker, view = sight.speaker, sight.view
    if any(offer.action == "win" for offer in sight.offered):
        return tr("YOU CAN WIN.")
    if (highest := sight.highest) is not None:
        cards, who = literal(speaker.cards(highest.cards)), literal(speaker.who(highest.seat))
        return tr("Your turn. Beat {cards} of {who}.", cards=cards, who=who)
    if fact(view, "round") is not None:
        return tr("Your turn. You lead: play any cards.")
    public = zone(view, "public")
    if public is not None and public.groups and public.groups[0].kind != "dealt":
        return tr("You can claim {card}.", card=literal(speaker.cards(cards_in(public))))
    if all(offer.action.startswith("discard ") for offer in sight.offered):
        return tr("Your turn. Discard a card.")
    return tr("Your turn.")


def standing(sight: Sight) -> str:
    """What goes on while the viewer is asked nothing."""
    return literal(layout_of(sight.view.room.game).standing_line(sight.speaker))


def choice_panel(labels: Mapping[int, str], look: Look, width: int, height: int) -> Canvas:
    """As many choices as there is room for, by their numbers; the last words say how many are left out. Each cell of a
    choice belongs to its number.
    """
    canvas = Canvas(width, height)
    texts = {number: clip(f"{number} {label}", width, look.glyphs.more) for number, label in labels.items()}
    rows = _packed(list(texts), texts, width)
    left_out = sum(map(len, rows[height:]))
    rows = rows[:height]
    if left_out and rows:
        while rows[-1] and cell_len(_more(left_out)) > width - _end(rows[-1], texts):
            left_out += 1
            rows[-1] = rows[-1][:-1]
        canvas.write(_end(rows[-1], texts), height - 1, _more(left_out), "dim")
    for y, row in enumerate(rows):
        x = 0
        for number in row:
            canvas.write(x, y, texts[number], "", number)
            canvas.write(x, y, str(number), "bold reverse", number)
            x += cell_len(texts[number]) + GAP
    return canvas


def _packed(numbers: Sequence[int], texts: Mapping[int, str], width: int) -> list[list[int]]:
    rows: list[list[int]] = []
    for number in numbers:
        if rows and _end(rows[-1], texts) + cell_len(texts[number]) <= width:
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def _end(row: Sequence[int], texts: Mapping[int, str]) -> int:
    """Where the next choice of the row begins."""
    return sum(cell_len(texts[number]) + GAP for number in row)


def _more(count: int) -> str:
    return tr_n("and {count} more", "and {count} more", count)
