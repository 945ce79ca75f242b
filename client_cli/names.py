"""What players call the games and their cards, and the order in which a hand is laid out. No rule of any game."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from client_cli.language import current_language, tr, tr_later
from protocol.notation import CARDS, Card

GAMES: Mapping[str, str] = {"chuo-pai": tr_later("Chuo Pai"), "paohuzi": tr_later("Paohuzi")}
"""The games that have names here and a page of rules, as the wire calls them and as people do, in English."""

FAMILIES: Mapping[str, Mapping[str, Mapping[Card, str]]] = {
    "chuo-pai": {
        tr_later("Long"): {
            "66": tr_later("Heaven"),
            "11": tr_later("Earth"),
            "44": tr_later("Man"),
            "13": tr_later("Harmony"),
            "55": tr_later("Plum"),
            "33": tr_later("Long Three"),
            "22": tr_later("Bench"),
        },
        tr_later("Yao"): {
            "15": tr_later("Cat"),
            "16": tr_later("High Foot"),
            "46": tr_later("Four-Six"),
            "56": tr_later("Axe"),
        },
        tr_later("Black"): {
            "36": tr_later("Black Nine"),
            "26": tr_later("Straight Eight"),
            "35": tr_later("Bent Eight"),
            "25": tr_later("Black Seven"),
            "23": tr_later("Black Five"),
        },
        tr_later("Red"): {
            "45": tr_later("Red Nine"),
            "34": tr_later("Red Seven"),
            "14": tr_later("Red Five"),
            "12": tr_later("Nail"),
            "24": tr_later("Two Red"),
        },
    },
    "paohuzi": {
        tr_later("Small"): {f"s{number}": sign for number, sign in enumerate("一二三四五六七八九十", start=1)},
        tr_later("Big"): {f"b{number}": sign for number, sign in enumerate("壹贰叁肆伍陆柒捌玖拾", start=1)},
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
    "chuo-pai": {
        "66": tr_later("Heaven-Nine"),
        "11": tr_later("Earth-Eight"),
        "44": tr_later("Man-Seven"),
        "13": tr_later("Harmony-Five"),
    }
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
        """The names in the language that is spoken now."""
        return _lexicon(game, current_language())

    def title(self) -> str:
        return games().get(self.game, self.game)

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
        """Cards that were typed, or copied, with what is printed on them, as codes: `三`, `s3三` and `s2二*`.

        Cards that stand together, as in `一二三`, are one group.
        """
        for card, face in self.faces.items():
            typed = typed.replace(self.faced(card) + RED_MARK, card).replace(self.faced(card), card).replace(face, card)
        return re.sub(r"(?<=[0-9])(?=[sb][0-9])", "+", typed) if self.faces else typed

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
        return tr("{count} {name}", count=len(cards), name=name) if name and len(cards) > 1 else name


def games() -> Mapping[str, str]:
    """The games of `GAMES`, as the wire calls them and as people do in the language that is spoken now."""
    return {name: tr(title) for name, title in GAMES.items()}


@cache
def _lexicon(game: str, _language: str) -> Lexicon:
    def said(names: Mapping[Card, str]) -> Mapping[Card, str]:
        return {card: name if card in FACES.get(game, {}) else tr(name) for card, name in names.items()}

    return Lexicon(
        game,
        {tr(family): said(members) for family, members in FAMILIES.get(game, {}).items()},
        said(COMBINATIONS.get(game, {})),
        FACES.get(game, {}),
        RED.get(game, frozenset()),
    )


_FACED = re.compile("|".join(f"(?<={card}){face}" for faces in FACES.values() for card, face in faces.items()))


def codes_alone(line: str) -> str:
    """A line without the characters that follow the codes of cards, for an output that has no such characters."""
    return _FACED.sub("", line)
