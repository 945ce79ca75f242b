"""What players call the games and their cards, and the order in which a hand is laid out. No rule of any game."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from protocol.notation import CARDS, Card

GAMES: Mapping[str, str] = {"chuo-pai": "Chuo Pai", "paohuzi": "Paohuzi"}
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
    },
    "paohuzi": {
        "Small": {f"s{number}": sign for number, sign in enumerate("一二三四五六七八九十", start=1)},
        "Big": {f"b{number}": sign for number, sign in enumerate("壹贰叁肆伍陆柒捌玖拾", start=1)},
    },
}
FACES: Mapping[str, Mapping[Card, str]] = {
    "paohuzi": {card: sign for members in FAMILIES["paohuzi"].values() for card, sign in members.items()}
}
"""The characters that are printed on the cards, where players go by those."""

RED: Mapping[str, frozenset[Card]] = {"paohuzi": frozenset(("s2", "s7", "s10", "b2", "b7", "b10"))}
"""The cards that are printed in red."""

RED_MARK = "*"
COMBINATIONS: Mapping[str, Mapping[Card, str]] = {
    "chuo-pai": {"66": "Heaven-Nine", "11": "Earth-Eight", "44": "Man-Seven", "13": "Harmony-Five"}
}
"""What mixed cards are called, by the card among them that gives the name."""


class Lexicon(NamedTuple):
    """The names of one game. For a game without names here, cards go by their codes."""

    game: str
    families: Mapping[str, Mapping[Card, str]]
    combinations: Mapping[Card, str]
    faces: Mapping[Card, str]
    red: frozenset[Card]

    @classmethod
    def of(cls, game: str) -> "Lexicon":
        return cls(
            game, FAMILIES.get(game, {}), COMBINATIONS.get(game, {}), FACES.get(game, {}), RED.get(game, frozenset())
        )

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

    def faced(self, card: Card) -> str:
        """The code and what is printed on the card, as one word: `s3三`."""
        return card + self.faces.get(card, "")

    def marked(self, card: Card) -> str:
        """`s3三`, and `s2二*` for a red one."""
        return self.faced(card) + (RED_MARK if card in self.red else "")

    def unfaced(self, typed: str) -> str:
        """Cards that were typed, or copied, with what is printed on them, as codes: `三`, `s3三` and `s2二*`."""
        for card, face in self.faces.items():
            typed = typed.replace(self.faced(card) + RED_MARK, card).replace(self.faced(card), card).replace(face, card)
        return typed

    def called(self, cards: Sequence[Card]) -> str:
        """What these cards are called when played together: `Plum`, `2 Heaven`, `Earth-Eight`; empty if nothing.

        Cards with faces are called what these show.
        """
        if self.faces:
            return ""
        kinds = set(cards)
        if len(kinds) > 1:
            return next((name for card, name in self.combinations.items() if card in kinds), "")
        name = next((members[card] for members in self.families.values() for card in kinds if card in members), "")
        return f"{len(cards)} {name}" if name and len(cards) > 1 else name


_FACED = re.compile("|".join(f"(?<={card}){face}" for faces in FACES.values() for card, face in faces.items()))


def codes_alone(line: str) -> str:
    """A line without the characters that follow the codes of cards, for an output that has no such characters."""
    return _FACED.sub("", line)
