"""The text form of cards and actions: on the wire, in logs and records, and as a player types them.

A card is a short code (`13`, `66`, `s10`, `b2`). Cards of one group are joined by `+` in ascending order; an action
is a verb and, for some verbs, its groups: `play 36+66+66`, `chi s1+s1+b1 s1+s2+s3`, `pass`.
"""

from collections.abc import Iterable, Mapping

Card = str
Action = str

CHUO_PAI_CARDS: tuple[Card, ...] = tuple(f"{low}{high}" for low in range(1, 7) for high in range(low, 7))
"""The 21 domino identities in ascending order: `11 12 … 66`."""

PAOHUZI_CARDS: tuple[Card, ...] = tuple(f"{size}{number}" for size in "sb" for number in range(1, 11))
"""The 20 number identities in ascending order: `s1 … s10 b1 … b10`."""

CARDS: Mapping[str, tuple[Card, ...]] = {"chuo-pai": CHUO_PAI_CARDS, "paohuzi": PAOHUZI_CARDS}


def join(cards: Iterable[Card]) -> str:
    """One group as text. The cards must already be in ascending order."""
    return "+".join(cards)


def groups_of(action: Action) -> tuple[tuple[Card, ...], ...]:
    """The groups of cards that an action names; empty for a bare verb."""
    return tuple(tuple(group.split("+")) for group in action.split(" ")[1:])


def tidy(typed: str, order: tuple[Card, ...]) -> Action:
    """What a player typed, brought to the one text form: lower case, single spaces, cards and groups in order.

    A text with cards that `order` does not know comes back with those parts unchanged; it is then simply no action.
    """
    rank = {card: position for position, card in enumerate(order)}
    verb, *groups = typed.lower().split()
    ordered = []
    for group in groups:
        cards = group.split("+")
        ordered.append(sorted(cards, key=rank.__getitem__) if all(card in rank for card in cards) else cards)
    ordered.sort(key=lambda cards: [rank.get(card, -1) for card in cards])
    return " ".join([verb, *map(join, ordered)])
