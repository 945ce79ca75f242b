"""What a player types, read against what is offered. Both front ends use it; it asks and sends nothing."""

import re
from collections.abc import Sequence

from client_cli import words
from protocol.notation import Action, Card, groups_of, join, tidy


class NotOffered(ValueError):
    """What was typed is none of the offered actions. The text says what to type instead."""


class NoChoice(NotOffered):
    """It is nothing that is offered, rather than more than one of those."""


def action_of(
    typed: str, offered: Sequence[Action], order: tuple[Card, ...], shown: Sequence[Action] | None = None
) -> Action:
    """The offered action that was meant: by its number, by its text, by its cards alone, or by a verb that fits one.

    `shown`: the actions at their places in `offered`, where they are shown with more than they say.

    A number that also is a card stands for neither when the two differ: a slip must not cost a move. `#11` is always
    a number, `play 11` always a card. Raises `NotOffered`.
    """
    text = re.sub(r" ?\+ ?", "+", " ".join(typed.split()))
    of_text = _by_text(text, offered, order, shown or offered)
    of_number = by_number(text, offered)
    if of_text is None:
        if of_number is None:
            raise NoChoice(words.not_offered(text, len(offered)))
        return of_number
    if of_number is not None and of_number != of_text:
        raise NotOffered(words.number_or_card(text, of_number, of_text))
    return of_text


def by_number(text: str, offered: Sequence[Action]) -> Action | None:
    """The action that has this number, typed as `7` or `#7`; None if none has."""
    digits = text.removeprefix("#").strip()
    if digits.isascii() and digits.isdecimal() and 1 <= int(digits[:9]) <= len(offered):
        return offered[int(digits[:9]) - 1]
    return None


def _by_text(text: str, offered: Sequence[Action], order: tuple[Card, ...], shown: Sequence[Action]) -> Action | None:
    """Raises `NotOffered` where the cards, or the verb, fit more than one action."""
    verb, _, cards = text.partition(" ")
    for action in (tidy(text, order), tidy(f"{verb} {cards.replace(' ', '+')}", order)):
        for texts in (offered, shown):
            if action in texts:
                return offered[texts.index(action)]
    cards_of = [groups_of(each) for each in shown]
    for cards in (text, text.replace(" ", "+")):
        wanted = groups_of(tidy(f"any {cards}", order))
        if matching := [place for place, groups in enumerate(cards_of) if groups == wanted and wanted]:
            return _only(text, [shown[place] for place in matching], offered[matching[0]])
    if matching := [place for place, each in enumerate(shown) if each.partition(" ")[0] == text.lower()]:
        return _only(text, [shown[place] for place in matching], offered[matching[0]])
    return None


def _only(text: str, fitting: Sequence[Action], action: Action) -> Action:
    if len(fitting) > 1:
        raise NotOffered(words.several_actions(text, fitting))
    return action


def cards_text(action: Action) -> str:
    """An action without its verb: what is enough to type when all offered actions share the verb."""
    return " ".join(join(group) for group in groups_of(action)) or action
