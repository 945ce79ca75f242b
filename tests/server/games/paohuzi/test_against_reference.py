"""The engine against the rules written out a second time: slowly, with cards as text and one pass through the page."""

from collections import Counter
from collections.abc import Generator
from random import Random

import pytest

from server.games.base import Deck, settled
from server.games.paohuzi.groups import text
from server.games.record import outcome
from tests.server.games.paohuzi import slow
from tests.server.games.paohuzi.positions import GAME, chunked

Asked = dict[int, set[str]]
End = dict[str, object]


class Hand:
    def __init__(self, cards: Deck) -> None:
        copies = Counter(cards)
        self.loose = Counter({card: held for card, held in copies.items() if held <= 2})
        self.kans = [card for card, held in copies.items() if held == 3]
        self.melds: list[slow.SlowGroup] = [("ti", (card,) * 4) for card, held in copies.items() if held == 4]
        self.barred: set[str] = set()
        self.dead = False

    @property
    def fixed(self) -> list[slow.SlowGroup]:
        return [*self.melds, *[("kan", (card,) * 3) for card in self.kans]]

    def must_discard(self, extra: int = 0) -> bool:
        owned = self.loose.total() + sum(len(cards) for _, cards in self.fixed)
        fours = sum(len(cards) == 4 for _, cards in self.melds)
        return owned + extra > 20 + max(0, fours - 1)

    def discards(self) -> set[str]:
        return {f"discard {card}" for card in +self.loose}

    def complete(self, card: str | None) -> bool:
        return not self.dead and slow.best(self.fixed, self.loose, card)[0] >= 15

    def grow(self, card: str, kind: str) -> None:
        """A kan, wei or peng of the card becomes a four."""
        self.kans = [kan for kan in self.kans if kan != card]
        self.melds = [meld for meld in self.melds if meld[1] != (card,) * 3] + [(kind, (card,) * 4)]

    def may(self, card: str, place: int, revealed: bool, chi: bool) -> set[str]:
        found = {"win"} if revealed and self.complete(card) else set()
        if (place and card in self.kans) or ("wei", (card,) * 3) in self.melds:
            found.add("pao")
        if revealed and ("peng", (card,) * 3) in self.melds:
            found.add("pao")
        if self.dead or card in self.barred:
            return found
        enough = self.loose.total() if self.must_discard(1) else 100
        if place and self.loose[card] == 2 and enough > 2:
            found.add("peng")
        if chi and card not in self.kans:
            found |= {each for each in slow.chis(card, self.loose) if enough > each.count("s") + each.count("b") - 1}
        return found


def slow_deal(deck: Deck, dealer: int, rules: dict[str, bool]) -> Generator[Asked, tuple[int, str], End]:
    """Yields who must act and how, takes who did what, and returns the result."""
    order = [(dealer + step) % 3 for step in range(3)]
    hands = dict(zip(order, map(Hand, (deck[:21], deck[21:41], deck[41:61])), strict=True))
    stock = list(deck[61:])

    def won(seat: int, kind: str, huxi: int, groups: list[str]) -> End:
        tun = 1 + (huxi - 15) // 3
        scores = tuple(2 * tun if each == seat else -tun for each in range(3))
        return {"scores": scores, "winner": seat, "kind": kind, "huxi": huxi, "tun": tun, "groups": tuple(groups)}

    for seat in order:
        for kind, least in (("ti", 3), ("kan", 5)):
            groups = [group for group in hands[seat].fixed if group[0] == kind]
            if len(groups) >= least:
                return won(
                    seat, f"heavenly-{kind}", slow.worth(groups), sorted(f"{k} {'+'.join(c)}" for k, c in groups)
                )
    turn = dealer
    public: str | None = None
    may_win = rules.get("dealer_opening_win", False)
    opening = True
    while True:
        # `turn` has melded, or opens the deal: it wins, discards or is dead.
        hand = hands[turn]
        choices = {"win"} if may_win and hand.complete(None) else set()
        due = hand.must_discard()
        if due:
            choices |= hand.discards()
        public = None
        if choices:
            seat, action = yield {turn: choices}
            if action == "win":
                return won(turn, "win", *slow.best(hand.fixed, hand.loose, None))
            public = action.split()[1]
            hand.loose -= Counter([public])
            hand.barred.add(public)
        elif due and not opening:
            hand.dead = True
        opening = False
        owner, revealed = turn, False
        while True:
            if public is None:
                if not stock:
                    return {"scores": (0, 0, 0), "winner": None, "kind": "draw", "huxi": 0, "tun": 0, "groups": ()}
                owner = (owner + 1) % 3
                public, revealed = stock.pop(0), True
                hand = hands[owner]
                if public in hand.kans:
                    hand.grow(public, "ti")
                    turn, may_win = owner, True
                    break
                if hand.loose[public] == 2:
                    hand.loose -= Counter([public] * 2)
                    hand.melds.append(("wei", (public,) * 3))
                    turn, may_win = owner, True
                    break
            claim = yield from settled_claims(hands, public, owner, revealed, rules.get("chi_passed_reveal", False))
            if claim is None:
                public = None
                continue
            turn, action = claim
            may_win = False
            hand = hands[turn]
            if action == "win":
                return won(turn, "win", *slow.best(hand.fixed, hand.loose, public))
            if action == "pao":
                hand.grow(public, "pao")
            elif action == "peng":
                hand.loose -= Counter([public] * 2)
                hand.melds.append(("peng", (public,) * 3))
            else:
                hand.loose[public] += 1
                for group in action.split()[1:]:
                    hand.melds.append(("chi", tuple(group.split("+"))))
                    hand.loose -= Counter(group.split("+"))
            break


def rank(place: int, action: str) -> int:
    return {"win": place, "pao": 10, "peng": 10, "pass": 100}.get(action.split(maxsplit=1)[0], 20 + place)


def settled_claims(
    hands: dict[int, Hand], card: str, owner: int, revealed: bool, next_may_chi: bool
) -> Generator[Asked, tuple[int, str], tuple[int, str] | None]:
    place = {seat: (seat - owner) % 3 for seat in hands}
    chi = {0: revealed, 1: not revealed or next_may_chi, 2: False}
    offered = {
        seat: hands[seat].may(card, place[seat], revealed, chi[place[seat]])
        for seat in sorted(hands)
        if revealed or seat != owner
    }
    offered = {seat: claims | {"pass"} for seat, claims in offered.items() if claims}
    made: dict[int, str] = {}
    while True:
        open_ = {seat: claims for seat, claims in offered.items() if seat not in made}
        best = min((rank(place[seat], action) for seat, action in made.items()), default=100)
        if all(best < rank(place[seat], action) for seat, claims in open_.items() for action in claims):
            break
        seat, action = yield open_
        made[seat] = action
    claim = min(made.items(), key=lambda each: rank(place[each[0]], each[1]), default=None)
    if claim is not None and claim[1] == "pass":
        claim = None
    for seat, action in made.items():
        melds = [each for each in offered[seat] if each.split()[0] in {"chi", "peng"}]
        best_meld = min((rank(place[seat], each) for each in melds), default=None)
        taken = claim is not None and best_meld is not None and rank(place[claim[0]], claim[1]) < best_meld
        if melds and action not in melds and not taken:
            hands[seat].barred.add(card)
    return claim


def sent(deal: Generator[Asked, tuple[int, str], End], act: tuple[int, str] | None) -> Asked | End:
    try:
        return deal.send(act) if act else next(deal)
    except StopIteration as end:
        result: End = end.value
        return result


@pytest.mark.parametrize("seed", range(100))
def test_whole_deals_agree_step_by_step(seed: int) -> None:
    rng = Random(seed)
    deck = chunked(rng)
    rules = {rule: rng.random() < 0.5 for rule in ("dealer_opening_win", "chi_passed_reveal")}
    dealer = rng.randrange(3)
    state = settled(GAME, GAME.start(deck, dealer, rules))
    reference = slow_deal(deck, dealer, rules)
    expected = sent(reference, None)
    while asked := GAME.asked(state):
        assert {seat: set(actions) for seat, actions in asked.items()} == expected
        assert all(len(actions) == len(set(actions)) for actions in asked.values())
        seat = rng.choice(sorted(asked))
        action = asked[seat][0] if rng.random() < 0.7 else rng.choice(asked[seat])
        state = settled(GAME, GAME.apply(state, seat, action))
        expected = sent(reference, (seat, action))
    result = GAME.result(state)
    assert result is not None
    found = outcome(result)
    assert {field: getattr(found, field) for field in found.__struct_fields__} == expected
    assert tuple(map(text, result.groups)) == found.groups
