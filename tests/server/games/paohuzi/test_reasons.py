"""Why cards form none of the choices: every reason in an example, and each true of any position."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.notation import PAOHUZI_CARDS, Action
from protocol.reasons import WhyCode
from protocol.view import Prompt, Reason
from server.games.base import SEATS, Options, Seat, settled
from server.games.paohuzi.cards import cards_of
from server.games.paohuzi.claims import CHI_NAMED
from server.games.paohuzi.reasons import known_to, seen_in
from server.games.paohuzi.state import State
from tests.deals import seen
from tests.server.games.paohuzi.positions import GAME, chunked, position
from tests.server.games.paohuzi.slow import CHIS, arrangements, huxi

OPTIONS = {"dealer_opening_win": False, "chi_passed_reveal": False}


def why(state: State, seat: Seat, text: str, options: Options = OPTIONS, *, auto_pass: bool = False) -> Reason:
    view = seen(GAME, state, seat, options)
    assert view.you is not None
    actions = put(state, seat)
    if auto_pass:
        view = replace(view, prompt=None, you=replace(view.you, auto_pass=True))
    elif actions:
        view = replace(view, prompt=Prompt(1, actions))
    return GAME.why(view, text)


def put(state: State, seat: Seat) -> tuple[Action, ...]:
    """The question as the seat sees it: it stands when others have made the outcome certain, too."""
    if state.claims is None:
        return state.asked.get(seat, ())
    return () if state.claims.declared[seat] else state.claims.offered[seat]


def discarding(hand: str) -> State:
    """Seat 0 has revealed a card that makes a wei of its two b7, and must discard one of this hand."""
    return position(f"b7 b7 {hand}; chi s1+s2+s3; chi s1+s2+s3; chi s1+s2+s3; chi s4+s5+s6", "s1", "s1", reveals="b7")


DISCARDS = [
    ("b1 b4 b9; kan s8", "discard b1", Reason("offered", number=1)),
    ("b1 b4 b9; kan s8", "b4", Reason("offered", number=2)),
    ("b1 b4 b9; kan s8", "s8", Reason("locked_in_kan", ("s8",))),
    ("b1 b4 b9; kan s8", "discard s9", Reason("not_in_hand", ("s9",))),
    ("b1 b4 b9; kan s8", "b1 b4", Reason("one_card")),
    ("b1 b4 b9; kan s8", "discard", Reason("no_cards")),
    ("b1 b4 b9; kan s8", "pass", Reason("discard_due")),
    ("b1 b4 b9; kan s8", "chi b1+b2+b3", Reason("discard_due")),
    ("b1 b4 b9; kan s8", "dance", Reason("no_such_action")),
    ("b1 b4 b9; kan s8", "discard s11", Reason("no_such_action")),
    ("b1 b4 b9; kan s8", "win", Reason("not_complete")),
    ("b1 b2 b3; kan s8", "win", Reason("offered", number=1)),
    ("b4 b5 b6; kan s8", "win", Reason("offered", number=1)),
]


@pytest.mark.parametrize(("hand", "text", "reason"), DISCARDS)
def test_the_plainest_reason_against_a_discard_is_given(hand: str, text: str, reason: Reason) -> None:
    state = discarding(hand)
    assert why(state, 0, text) == reason
    assert why(state, 1, text) == Reason("not_your_turn", seat=0)


MELDS = "peng b1; peng b2; peng b4; peng b5; peng b6; wei s3"

CLAIMS = [
    ("s1 s2", "discarded", "chi s1+s2+s3", Reason("offered", number=1)),
    ("s1 s2", "discarded", "s1+s2", Reason("offered", number=1)),
    ("s1 s2", "discarded", "s2 s3 s1", Reason("offered", number=1)),
    ("s1 s2", "discarded", "pass", Reason("offered", number=2)),
    ("s3 s3 b1", "discarded", "s3 s3", Reason("offered", number=1)),
    ("s3 s3 b1", "discarded", "peng s3+s3+s3", Reason("offered", number=1)),
    ("s1; kan s3", "discarded", "s3 s3 s3", Reason("offered", number=1)),
    ("s1 s2", "discarded", "dance", Reason("no_such_action")),
    ("s1 s2", "discarded", "chi", Reason("no_cards")),
    ("s1 s2", "discarded", "discard s1", Reason("card_in_question", ("s3",), seat=0)),
    ("s1 s2", "discarded", "s1", Reason("card_in_question", ("s3",), seat=0)),
    ("s1 b9", "discarded", "pass", Reason("nothing_to_claim", ("s3",))),
    ("s1 s2", "discarded", "win", Reason("needs_reveal", ("s3",))),
    ("s1 s2", "revealed", "win", Reason("not_complete")),
    ("s1 s2; wei s3; dead", "revealed", "win", Reason("dead")),
    ("s1 s2", "discarded", "pao", Reason("no_three", ("s3",))),
    ("s1 s2; peng s3", "discarded", "pao", Reason("pao_needs_reveal", ("s3",))),
    ("s1 s2; peng s3", "revealed", "pao", Reason("offered", number=1)),
    ("s1 s2 s3", "discarded", "peng", Reason("no_pair", ("s3",), 1)),
    ("s1 s2", "discarded", "peng s4", Reason("other_card", ("s3",))),
    ("s1 s2; kan s3", "discarded", "peng", Reason("locked_in_kan", ("s3",))),
    ("s1 s2 s3 s4 s5", "discarded", "chi s1+s2+s3", Reason("copies_left", ("s3",), 2)),
    ("s1 s2", "discarded", "chi s3+s4+s5", Reason("not_in_hand", ("s4", "s5"))),
    ("s1 s2; kan s4", "discarded", "chi s3+s4+s5", Reason("locked_in_kan", ("s4",))),
    ("s1 s4 b4", "discarded", "s1+s4", Reason("no_group", ("s1", "s4"))),
    ("s1 s4 s4 b4", "discarded", "chi s1+s3+s4", Reason("no_group", ("s1", "s3", "s4"))),
    ("s1 s4 s4 b4", "discarded", "chi s4+s4+b4", Reason("without_card", ("s4", "s4", "b4"))),
    ("s1 s2; wei s3; barred s3", "discarded", "chi s1+s2+s3", Reason("barred_by_pass", ("s3",))),
    ("s1 s2; wei s3; dead", "discarded", "chi s1+s2+s3", Reason("dead")),
    ("s1 s2; kan s3", "discarded", "chi s1+s2+s3", Reason("locked_in_kan", ("s3",))),
    ("s1 s2", "revealed", "chi s1+s2+s3", Reason("not_your_chi", ("s3",), seat=0)),
    (f"s3 b3; {MELDS}", "discarded", "chi s3+s3+b3", Reason("no_discard_left")),
]


@pytest.mark.parametrize(("hand", "how", "text", "reason"), CLAIMS)
def test_the_plainest_reason_against_a_claim_is_given(hand: str, how: str, text: str, reason: Reason) -> None:
    if how == "discarded":
        state = position("s3 b1", hand, "b1", seat=0, discards="s3")
    else:
        state = position("b1", hand, "b1", seat=0, reveals="s3")
    assert why(state, 1, text) == reason


def test_who_has_discarded_a_card_neither_claims_it_nor_a_like_one_later() -> None:
    state = position("s3 b1; wei s3", "s1 s2", "b1", seat=0, discards="s3")
    assert why(state, 0, "pao") == Reason("own_discard", ("s3",))
    assert why(state, 2, "chi s1+s2+s3") == Reason("not_your_chi", ("s3",), seat=1)
    later = replace(
        position("b1", "s3 b1", "s1 s2; barred s3", seat=1, discards="s3"), history=("3 2 discard s3",), moment=9
    )
    assert why(later, 2, "s1 s2") == Reason("barred_by_discard", ("s3",))


def test_a_claim_that_was_made_is_final_and_the_switch_passes() -> None:
    state = position("s3 b1", "s1 s2", "s3 s3 b1", seat=0, discards="s3")
    assert why(GAME.apply(state, 1, "pass"), 1, "s1 s2") == Reason("declared", ("s3",))
    assert why(state, 1, "s1 s2", auto_pass=True) == Reason("auto_pass")


def test_a_complete_hand_needs_fifteen_huxi_and_the_right_moment() -> None:
    poor = "chi s1+s2+s3; chi s4+s5+s6; chi s4+s5+s6; chi s4+s5+s6; chi b4+b5+b6"
    state = position(f"b7 b7 b8 b9 b10; {poor}", "s1", "s1", reveals="b7")
    assert why(state, 0, "win") == Reason("too_few_huxi", number=9)
    only = position("b7 b7; kan b1; kan b2; kan b3; kan b4; peng s9; peng s8", "s5", "s5", seat=0, reveals="b7 s6")
    assert why(only, 0, "discard b1") == Reason("only_win")
    claimed = position("s3", "s1 s2 b7 b8 b9; peng b1; peng b2; peng b4; peng b5; peng b6", "b9", seat=0, discards="s3")
    claimed = settled(GAME, GAME.apply(claimed, 1, "chi s1+s2+s3"))
    assert why(claimed, 1, "win") == Reason("needs_reveal")


def test_the_dealer_wins_at_the_opening_only_by_that_house_rule() -> None:
    hand = [*["s1", "s2", "s3"] * 2, *["b1", "b2", "b3"] * 2, *["s4", "s5", "s6"] * 2, "b7", "b8", "b9"]
    rest = list((Counter(GAME.pack) - Counter(hand)).elements())
    Random(3).shuffle(rest)
    deck = (*hand, *rest)
    assert why(GAME.start(deck, 0, {}), 0, "win") == Reason("no_opening_win")
    opened = GAME.start(deck, 0, {"dealer_opening_win": True})
    assert why(opened, 0, "win", {"dealer_opening_win": True}) == Reason("offered", number=1)


# Whatever is picked


class Case:
    """A text in a position, seen with all cards open. `cards`: what it names."""

    def __init__(self, state: State, seat: Seat, text: str, reason: Reason) -> None:
        self.state, self.seat, self.text, self.reason = state, seat, text, reason
        self.held = state.holdings[seat]
        self.loose = Counter(cards_of(self.held.loose))
        self.asked = put(state, seat)
        self.window = state.public is not None and state.public.kind != "dealt"
        self.card = state.public.cards[0] if self.window and state.public else ""
        self.revealed = state.public is not None and state.public.kind == "revealed"
        verb = text.split(" ", maxsplit=1)[0] if text else ""
        self.verb = verb if verb.isalpha() else ""
        named = text.removeprefix(self.verb).replace("+", " ").split()
        self.cards = Counter(named)

    @property
    def could(self) -> tuple[str, ...]:
        """What the seat was asked on this card, whether it has declared or not."""
        assert self.state.claims is not None
        return self.state.claims.offered[self.seat]

    @property
    def taken(self) -> int:
        """How many loose cards the claim takes."""
        if self.verb == "peng" or set(self.cards) == {self.card}:
            return 2
        return sum((self.cards - Counter([self.card])).values())

    @property
    def declared(self) -> bool:
        return self.state.claims is not None and self.state.claims.declared[self.seat] != ""

    @property
    def whole(self) -> list[int]:
        """The huxi of every way in which all cards form a hand."""
        fixed = [(group.kind, group.cards) for group in self.held.fixed.groups]
        card = self.card if self.window else None
        return [sum(huxi(*group) for group in found) for found in arrangements(fixed, self.loose, card)]

    def fits(self, cards: Counter[str]) -> bool:
        """Do these cards, with the public card or without it, fall into chi groups that each hold it?"""
        if not cards:
            return True
        return any(
            self.card in group and Counter(group) <= cards and self.fits(cards - Counter(group)) for group in CHIS
        )

    def about_card(self) -> bool:
        return self.window and self.reason.cards == (self.card,)


HOLDS: Mapping[str, Callable[[Case], bool]] = {
    WhyCode.OFFERED: lambda case: 1 <= (case.reason.number or 0) <= len(case.asked),
    WhyCode.NOT_YOUR_TURN: lambda case: not case.window and case.reason.seat == case.state.turn != case.seat,
    WhyCode.NO_CARDS: lambda case: not case.cards and case.verb in ("", "chi", "discard"),
    WhyCode.NOT_IN_HAND: lambda case: (
        bool(case.reason.cards) and all(case.cards[card] > case.loose[card] for card in case.reason.cards)
    ),
    WhyCode.LOCKED_IN_KAN: lambda case: set(case.reason.cards) <= set(case.held.kans),
    WhyCode.ONE_CARD: lambda case: sum(case.cards.values()) > 1 and case.cards <= case.loose and not case.window,
    WhyCode.ONLY_WIN: lambda case: case.asked == ("win",),
    WhyCode.DISCARD_DUE: lambda case: not case.window and bool(case.asked) and case.verb not in ("", "discard", "win"),
    WhyCode.NO_DISCARD_DUE: lambda case: not case.window and not case.asked and case.seat == case.state.turn,
    WhyCode.CARD_IN_QUESTION: lambda case: case.about_card() and not any("discard" in it for it in case.asked),
    WhyCode.NOTHING_TO_CLAIM: lambda case: case.about_card() and case.could == (),
    WhyCode.DECLARED: lambda case: case.about_card() and case.declared,
    WhyCode.OWN_DISCARD: lambda case: case.about_card() and case.seat == case.state.turn and not case.revealed,
    WhyCode.OTHER_CARD: lambda case: case.about_card() and set(case.cards) != {case.card},
    WhyCode.DEAD: lambda case: case.held.dead,
    WhyCode.NOT_COMPLETE: lambda case: not case.whole,
    WhyCode.TOO_FEW_HUXI: lambda case: max(case.whole) == case.reason.number and max(case.whole) < 15,
    WhyCode.NEEDS_REVEAL: lambda case: not case.revealed,
    WhyCode.NO_OPENING_WIN: lambda case: not case.state.history and max(case.whole) >= 15,
    WhyCode.NO_THREE: lambda case: (
        case.about_card() and not any(group.cards == (case.card,) * 3 for group in case.held.fixed.groups)
    ),
    WhyCode.PAO_NEEDS_REVEAL: lambda case: (
        not case.revealed and any(group.kind == "peng" and group.cards[0] == case.card for group in case.held.melds)
    ),
    WhyCode.NO_PAIR: lambda case: case.about_card() and case.loose[case.card] == case.reason.number != 2,
    WhyCode.BARRED_BY_DISCARD: lambda case: (
        case.about_card()
        and case.card in case.held.barred
        and any(entry.endswith(f" {case.seat} discard {case.card}") for entry in case.state.history)
    ),
    WhyCode.BARRED_BY_PASS: lambda case: (
        case.about_card()
        and case.card in case.held.barred
        and not any(entry.endswith(f" {case.seat} discard {case.card}") for entry in case.state.history)
    ),
    WhyCode.NOT_YOUR_CHI: lambda case: (
        case.reason.seat == (case.state.turn if case.revealed else (case.state.turn + 1) % 3) != case.seat
    ),
    WhyCode.NO_GROUP: lambda case: (
        not any(Counter(case.reason.cards) == Counter(group) and case.card in group for group in CHIS)
        and (case.verb == "chi" or not (case.fits(case.cards) or case.fits(case.cards + Counter([case.card]))))
    ),
    WhyCode.WITHOUT_CARD: lambda case: Counter(case.reason.cards) <= case.cards and case.card not in case.reason.cards,
    WhyCode.COPIES_LEFT: lambda case: case.cards[case.card] < case.loose[case.card] + 1 == case.reason.number,
    WhyCode.NO_DISCARD_LEFT: lambda case: sum(case.loose.values()) == case.taken,
}


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_is_picked_there_is_a_reason_and_it_is_true(seed: int) -> None:
    rng = Random(seed)
    options = {"dealer_opening_win": rng.random() < 0.5, "chi_passed_reveal": rng.random() < 0.5}
    state = GAME.start(chunked(rng), seed % 3, options)
    while state.result is None:
        for seat in SEATS:
            for text in picks(state, seat, rng):
                reason = why(state, seat, text, options)
                assert HOLDS[reason.code](Case(state, seat, text, reason)), (text, reason)
            for action in state.asked.get(seat, ()):
                assert why(state, seat, action, options).code == "offered"
        if state.asked:
            seat = rng.choice(sorted(state.asked))
            state = GAME.apply(state, seat, rng.choice(state.asked[seat]))
        else:
            state = GAME.go_on(state)
    assert why(state, 0, "s1") == Reason("deal_over")


def picks(state: State, seat: Seat, rng: Random) -> list[str]:
    """What a player could type: of the own cards, of those near the public one, and anything."""
    hand = cards_of(state.holdings[seat].loose)
    card = state.public.cards[0] if state.public else "s5"
    near = [action for named, action in CHI_NAMED if named == card]
    chi = rng.choice(near)
    return [
        rng.choice(("", "discard ")) + "+".join(rng.sample(hand, min(len(hand), rng.randint(0, 3)))),
        " ".join(rng.choices(PAOHUZI_CARDS, k=rng.randint(1, 3))),
        "chi " + "+".join(sorted(rng.choices(PAOHUZI_CARDS, k=3), key=PAOHUZI_CARDS.index)),
        f"chi {rng.choice(near).removeprefix('chi ')}",
        chi,
        chi.removeprefix("chi ").replace(" ", "+"),
        f"{card} {card}",
        rng.choice(("win", "peng", "pao", "pass", f"peng {card}", f"pao {rng.choice(PAOHUZI_CARDS)}", "chi", "")),
        f"discard {rng.choice(PAOHUZI_CARDS)}",
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.text(max_size=20))
def test_there_is_a_reason_for_any_text(seed: int, text: str) -> None:
    state = settled(GAME, GAME.start(chunked(Random(seed)), 0, {}))
    if state.result is None:
        assert why(state, 0, text).code in set(WhyCode)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_a_reason_knows_no_more_of_the_deal_than_the_view_shows(seed: int) -> None:
    rng = Random(seed)
    state = settled(GAME, GAME.start(chunked(rng), seed % 3, {}))
    while state.asked:
        for seat in SEATS:
            shown = seen_in(seen(GAME, state, seat), chi_passed_reveal=False)
            known = known_to(state, seat)
            assert set(shown.held.barred) == set(known.held.barred)
            assert set(shown.held.fixed.threes) == set(known.held.fixed.threes)
            alike = replace(known.held, fixed=shown.held.fixed, barred=shown.held.barred, kans=shown.held.kans)
            assert shown == known._replace(held=alike)
            assert shown.held.fixed._replace(groups=(), threes=()) == known.held.fixed._replace(groups=(), threes=())
        seat = rng.choice(sorted(state.asked))
        state = settled(GAME, GAME.apply(state, seat, rng.choice(state.asked[seat])))
