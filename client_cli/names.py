"""What players call the games and their cards, and the order in which a hand is laid out. No rule of any game."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from protocol.notation import CARDS, Card

GAMES: Mapping[str, str] = {"chuo-pai": "Chuo Pai"}
"""The games that have names here and a page of rules, as the wire calls them and as people do."""

FAMILIES: Mapping[str, Mapping[str, Mapping[Card, str]]] = {
    "chuo-pai": {
        "Long": {
            "66": "Heaven",
            "11": "Earth",
            "44": "Man",
            "13": "Harmony",
            "55": "Plum",
            "33": "Long Three",
            "22": "Bench",
        },
        "Yao": {"15": "Cat", "16": "High Foot", "46": "Four-Six", "56": "Axe"},
        "Black": {
            "36": "Black Nine",
            "26": "Straight Eight",
            "35": "Bent Eight",
            "25": "Black Seven",
            "23": "Black Five",
        },
        "Red": {"45": "Red Nine", "34": "Red Seven", "14": "Red Five", "12": "Nail", "24": "Two Red"},
    }
}
COMBINATIONS: Mapping[str, Mapping[Card, str]] = {
    "chuo-pai": {"66": "Heaven-Nine", "11": "Earth-Eight", "44": "Man-Seven", "13": "Harmony-Five"}
}
"""What mixed cards are called, by the card among them that gives the name."""


class Lexicon(NamedTuple):
    """The names of one game. For a game without names here, cards go by their codes."""

    game: str
    families: Mapping[str, Mapping[Card, str]]
    combinations: Mapping[Card, str]

    @classmethod
    def of(cls, game: str) -> "Lexicon":
        return cls(game, FAMILIES.get(game, {}), COMBINATIONS.get(game, {}))

    def title(self) -> str:
        return GAMES.get(self.game, self.game)

    def order(self) -> tuple[Card, ...]:
        """All cards in the order of their codes, in which actions are written."""
        return CARDS.get(self.game, ())

    def laid_out(self, cards: Iterable[Card]) -> Sequence[tuple[str, tuple[Card, ...]]]:
        """A hand family by family, highest card first; unknown cards come last, without a family."""
        left = Counter(cards)
        rows = [
            (family, tuple(card for card in members for _ in range(left.pop(card, 0))))
            for family, members in self.families.items()
        ]
        rows.append(("", tuple(sorted(left.elements()))))
        return [row for row in rows if row[1]]

    def called(self, cards: Sequence[Card]) -> str:
        """What these cards are called when played together: `Plum`, `2 Heaven`, `Earth-Eight`; empty if nothing."""
        kinds = set(cards)
        if len(kinds) > 1:
            return next((name for card, name in self.combinations.items() if card in kinds), "")
        name = next((members[card] for members in self.families.values() for card in kinds if card in members), "")
        return f"{len(cards)} {name}" if name and len(cards) > 1 else name
