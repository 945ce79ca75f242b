"""The groups of Paohuzi written out a second time: slowly, with cards as text, and arrangements found by trial."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

CARDS = [f"{size}{number}" for size in ("s", "b") for number in range(1, 11)]
HUXI = {"ti": "9/12", "pao": "6/9", "wei": "3/6", "kan": "3/6", "peng": "1/3", "pair": "0/0"}

Cards = tuple[str, ...]
SlowGroup = tuple[str, Cards]


def huxi(kind: str, cards: Cards) -> int:
    big = cards[0].startswith("b")
    if kind == "chi":
        scoring = {card[1:] for card in cards} in ({"1", "2", "3"}, {"2", "7", "10"})
        return (6 if big else 3) if scoring else 0
    return int(HUXI[kind].split("/")[big])


def is_chi(cards: Cards) -> bool:
    numbers = sorted(int(card[1:]) for card in cards)
    if len({card[0] for card in cards}) == 2:
        return numbers[0] == numbers[2]
    return numbers == [2, 7, 10] or numbers == [numbers[0] + step for step in range(3)]


CHIS: list[Cards] = [cards for cards in combinations_with_replacement(CARDS, 3) if is_chi(cards)]


def groupings(cards: Counter[str], pairs: int) -> Iterator[list[SlowGroup]]:
    """Every way to make chi groups and so many pairs of all these cards."""
    if not cards:
        if not pairs:
            yield []
        return
    lowest = min(cards, key=CARDS.index)
    choices = [("chi", chi) for chi in CHIS if lowest in chi] + [("pair", (lowest,) * 2)] * pairs
    for kind, group in choices:
        if Counter(group) <= cards:
            for rest in groupings(cards - Counter(group), pairs - (kind == "pair")):
                yield [(kind, group), *rest]


def arrangements(fixed: list[SlowGroup], loose: Counter[str], card: str | None) -> Iterator[list[SlowGroup]]:
    """Every complete hand, whatever it is worth."""
    ways = [(fixed, loose)]
    if card:
        ways = [(fixed, loose + Counter([card]))]
        if loose[card] == 2:
            ways.append(([*fixed, ("peng", (card,) * 3)], loose - Counter([card] * 2)))
        ways += [
            ([("pao", (card,) * 4) if each == group else each for each in fixed], loose)
            for group in fixed
            if group[1] == (card,) * 3
        ]
    for groups, rest in ways:
        pairs = 1 if any(len(cards) == 4 for _, cards in groups) else 0
        for found in groupings(rest, pairs):
            if len(groups) + len(found) == 7:
                yield [*groups, *found]


def worth(groups: list[SlowGroup]) -> int:
    return sum(huxi(kind, cards) for kind, cards in groups)


def best(fixed: list[SlowGroup], loose: Counter[str], card: str | None) -> tuple[int, list[str]]:
    """The most huxi and, of all arrangements worth that, the smallest list of texts; 0 and nothing below 15 huxi."""
    complete = list(arrangements(fixed, loose, card))
    most = max(map(worth, complete), default=0)
    if most < 15:
        return 0, []
    texts = [
        sorted(f"{kind} {'+'.join(cards)}" for kind, cards in groups) for groups in complete if worth(groups) == most
    ]
    return most, min(texts)


def chis(card: str, loose: Counter[str]) -> set[str]:
    """Every chi that lays down all copies of the card, each in a group that holds it."""
    copies = loose[card] + 1
    holding = [chi for chi in CHIS if card in chi]
    found = set()
    for size in range(1, copies + 1):
        for groups in combinations_with_replacement(holding, size):
            cards = Counter(each for group in groups for each in group)
            if cards[card] == copies and cards <= loose + Counter([card]):
                texts = ["+".join(sorted(group, key=CARDS.index)) for group in groups]
                texts.sort(key=lambda text: [CARDS.index(each) for each in text.split("+")])
                found.add("chi " + " ".join(texts))
    return found
