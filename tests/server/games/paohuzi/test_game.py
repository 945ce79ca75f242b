"""The course of a deal: opening, mandatory melds, the discard rule, dead hands, the end and the score."""

from collections import Counter
from copy import copy
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.view import Group, Result
from server.games.base import SEATS, BadDeck, BadOption, Deck, IllegalAction, settled
from server.games.paohuzi.cards import PACK, cards_of
from server.games.paohuzi.claims import CHI_NAMED
from server.games.paohuzi.groups import text
from server.games.paohuzi.state import State
from tests.server.games.paohuzi.positions import GAME, chunked, position


def deck(*hands: str, stock: str = "") -> Deck:
    """Each hand holds its cards, the dealer's first; what they lack comes from the cards that nobody names."""
    sizes = (21, 20, 20, 19)
    rest = Counter(PACK)
    for named in (*hands, stock):
        rest -= Counter(named.split())
    others = iter(Random(5).sample(sorted(rest.elements()), rest.total()))
    cards: list[str] = []
    for named, size in zip((*hands, *[""] * (3 - len(hands)), stock), sizes, strict=True):
        cards += [*named.split(), *[next(others) for _ in range(size - len(named.split()))]]
    return tuple(cards)


def four(card: str) -> str:
    return " ".join([card] * 4)


def three(card: str) -> str:
    return " ".join([card] * 3)


def test_three_dealt_ti_win_at_once() -> None:
    state = GAME.start(deck(f"{four('s1')} {four('s2')} {four('b9')}"), 0, {})
    result = GAME.result(state)
    assert result is not None
    assert (result.scores, result.winners, result.kind) == ((12, -6, -6), (0,), "heavenly-ti")
    assert (result.huxi, result.tun) == (30, 6)
    assert [text(group) for group in result.groups] == ["ti b9+b9+b9+b9", "ti s1+s1+s1+s1", "ti s2+s2+s2+s2"]
    assert GAME.asked(state) == {}
    assert not GAME.window(state)
    assert GAME.happened(None, state)[-1].kind == "won"


def test_five_dealt_kans_win_at_once() -> None:
    kans = " ".join(map(three, ("s1", "s3", "s5", "s8", "b4")))
    result = GAME.result(GAME.start(deck("", kans), 1, {}))
    assert result is not None
    assert (result.scores, result.winners, result.kind) == ((-2, -2, 4), (2,), "heavenly-kan")
    assert (result.huxi, result.tun) == (18, 2)


def test_the_first_heavenly_hand_in_turn_order_from_the_dealer_wins() -> None:
    kans = [
        " ".join(map(three, numbers)) for numbers in (("s1", "s3", "s5", "s8", "b4"), ("s2", "s4", "s6", "b5", "b6"))
    ]
    result = GAME.result(GAME.start(deck("", *kans), 2, {}))
    assert result is not None
    assert result.winners == (0,)


def test_a_ti_does_not_count_as_a_kan() -> None:
    hand = f"{four('s1')} {' '.join(map(three, ('s3', 's5', 's8', 'b4')))}"
    assert GAME.result(GAME.start(deck(hand), 0, {})) is None


def test_the_dealer_discards_first_and_only_loose_cards() -> None:
    state = GAME.start(deck(f"{three('s1')} {four('b9')} s5 s5"), 1, {})
    assert set(GAME.asked(state)) == {1}
    discards = GAME.asked(state)[1]
    assert "discard s5" in discards
    assert not {"discard s1", "discard b9", "win", "pass"} & {*discards}
    assert len(discards) == len(set(discards))


def test_a_dealer_with_two_ti_does_not_discard_and_its_card_stands_until_the_next_seat_reveals() -> None:
    state = GAME.start(deck(f"{four('s1')} {four('b9')}", stock="s7"), 1, {})
    assert GAME.asked(state) == {}
    assert GAME.window(state)
    after = GAME.go_on(state)
    assert (after.turn, len(after.stock), after.discards) == (2, 18, ())
    assert after.moment == state.moment + 1


OPENING_WIN = "b1 b2 b3 b1 b2 b3 s1 s2 s3 s1 s2 s3 s4 s5 s6 s7 s8 s9 b4 b5 b6"


def test_the_dealer_may_win_with_its_own_cards_only_by_the_house_rule() -> None:
    assert "win" not in GAME.asked(GAME.start(deck(OPENING_WIN), 0, {}))[0]
    state = GAME.start(deck(OPENING_WIN), 0, {"dealer_opening_win": True})
    assert GAME.asked(state)[0][0] == "win"
    over = GAME.apply(state, 0, "win")
    result = GAME.result(over)
    assert result is not None
    assert (result.kind, result.huxi, result.tun, result.scores) == ("win", 18, 2, (4, -2, -2))
    assert GAME.happened(state, over)[-1].cards == ()
    assert set(GAME.asked(GAME.apply(state, 0, "discard b4"))) <= {1, 2}


@pytest.mark.parametrize(
    ("hand", "kind", "turn"),
    [
        pytest.param("s1 s4 b1 b9 s9; kan b7; chi s8+s9+s10", "ti", 0, id="after_the_first_four_a_discard_is_due"),
        pytest.param("s1 s4 b1 b9; kan b7; ti b2", "ti", 1, id="not_after_the_second"),
        pytest.param("s1 s4 b1 b9 s9 s10 b7 b7; chi s8+s9+s10", "wei", 0, id="after_a_wei_it_is"),
    ],
)
def test_what_a_seat_must_make_of_its_own_reveal(hand: str, kind: str, turn: int) -> None:
    state = position(f"{hand}; chi s8+s9+s10; chi s6+s7+s8; chi s6+s7+s8", "b3 s2", "b3 s2", seat=0, reveals="b7 b10")
    assert state.holdings[0].owned == 21
    assert state.holdings[0].melds[-1].kind == kind
    assert (state.turn, bool(GAME.asked(state))) == (turn, turn == 0)
    assert ("revealed", kind) == (state.told[0].kind, state.told[1].kind)


def test_a_complete_hand_after_a_wei_wins_or_discards() -> None:
    state = position("b7 b7 s1 s2 s3 s7 s8 s9; kan b1; kan b2; kan b3; kan b4", "s5", "s5", seat=0, reveals="b7")
    assert GAME.asked(state) == {0: ("win", *[f"discard {card}" for card in ("s1", "s2", "s3", "s7", "s8", "s9")])}
    result = GAME.result(GAME.apply(state, 0, "win"))
    assert result is not None
    assert (result.huxi, result.tun) == (33, 7)


def test_with_nothing_loose_a_complete_hand_can_only_win_and_another_is_dead() -> None:
    rich = "b7 b7; kan b1; kan b2; kan b3; kan b4; peng s9; peng s8"
    assert GAME.asked(position(rich, "s5", "s5", seat=0, reveals="b7 s6")) == {0: ("win",)}
    poor = "b7 b7; chi b1+b2+b3; chi s4+s5+s6; chi s4+s5+s6; chi s4+s5+s6; peng s9; peng s8"
    state = position(poor, "s5", "s5", seat=0, reveals="b7 s6")
    assert state.holdings[0].dead
    assert [happening.kind for happening in state.told] == ["revealed", "wei", "dead", "revealed"]
    assert state.turn == 1


def test_the_deal_is_drawn_when_the_stock_is_empty() -> None:
    state = GAME.go_on(position("s1", "b1", "s9", seat=2, reveals="b7"))
    assert GAME.result(state) == Result((0, 0, 0), (), "draw")
    assert [happening.kind for happening in state.told] == ["unclaimed", "drawn_game"]
    assert state.discards == (Group(("b7",), seat=2),)


@pytest.mark.parametrize(("huxi", "tun"), [(15, 1), (17, 1), (18, 2), (20, 2), (21, 3)])
def test_every_three_huxi_above_fifteen_are_one_tun_more(huxi: int, tun: int) -> None:
    melds = {
        15: "kan b1; kan b2; kan s3; chi s4+s5+s6; chi s4+s5+s6",
        17: "kan b1; kan b2; kan s3; peng s1; peng s2",
        18: "kan b1; kan b2; kan b3; chi s4+s5+s6; chi s4+s5+s6",
        20: "kan b1; kan b2; kan b3; peng s1; peng s2",
        21: "kan b1; kan b2; kan b3; kan s3; chi s4+s5+s6",
    }[huxi]
    state = position(f"b5 b6 s8 s9 s10; {melds}", "s1", "s1", seat=0, reveals="b7")
    over = GAME.go_on(GAME.apply(state, 0, "win"))
    assert GAME.result(over) == Result((2 * tun, -tun, -tun), (0,), "win", huxi, tun, over.result.groups)  # type: ignore[union-attr]
    assert len(over.result.groups) == 7  # type: ignore[union-attr]


def test_a_claim_without_a_discard_passes_the_turn_to_the_seat_after_the_claimant() -> None:
    state = position("s7", "kan b7; pao b2; s1 s4 s9 b10", "s1", seat=0, discards="s7")
    state = settled(GAME, state) if state.stock else state
    second = position(
        "s1", "s5", "s1 s4 s9 b9 b10; kan b7; pao b2; chi s6+s7+s8; chi s6+s7+s8", seat=1, reveals="b7 s3"
    )
    after = GAME.go_on(GAME.apply(second, 2, "pao"))
    assert after.turn == 0
    assert [happening.kind for happening in after.told] == ["pao", "revealed"]


@pytest.mark.parametrize(
    ("given_options", "reason"),
    [
        ({"dealer_opening_win": 1}, "dealer_opening_win is 1; it must be true or false"),
        ({"chi_passed_reveal": 0}, "must be true or false"),
        ({"jokers": True}, "no option 'jokers'; it has: dealer_opening_win, chi_passed_reveal"),
    ],
)
def test_a_bad_house_rule_is_refused(given_options: dict[str, bool | int], reason: str) -> None:
    with pytest.raises(BadOption, match=reason):
        GAME.options(given_options)


def test_house_rules_are_off_by_default() -> None:
    assert GAME.options({}) == {"dealer_opening_win": False, "chi_passed_reveal": False}


@pytest.mark.parametrize(
    ("cards", "reason"),
    [(PACK[:-1], "79 cards instead of 80"), ((*PACK[:-1], "s11"), "'s11'"), ((*PACK[:-1], "s1"), "5 copies of s1")],
)
def test_a_wrong_deck_is_refused(cards: Deck, reason: str) -> None:
    with pytest.raises(BadDeck, match=reason):
        GAME.start(cards, 0, {})


REFUSALS = [
    ("b1 b4 b9; kan s8", "discard s8", "s8 is locked in a kan"),
    ("b1 b4 b9; kan s8", "discard s9", "no loose s9"),
    ("b1 b4 b9; kan s8", "discard s11", "no action: discard"),
    ("b1 b4 b9; kan s8", "pass", "a discard is due"),
    ("b1 b4 b9; kan s8", "win", "not complete"),
]


@pytest.mark.parametrize(("hand", "action", "reason"), REFUSALS)
def test_a_refused_discard_says_why(hand: str, action: str, reason: str) -> None:
    filled = f"b7 b7 {hand}; chi s1+s2+s3; chi s1+s2+s3; chi s1+s2+s3; chi s4+s5+s6"
    state = position(filled, "s1", "s1", seat=0, reveals="b7")
    with pytest.raises(IllegalAction, match=reason):
        GAME.apply(state, 0, action)
    with pytest.raises(IllegalAction, match="the turn of seat 0"):
        GAME.apply(state, 1, action)


@pytest.mark.parametrize(
    ("hand", "action", "reason"),
    [
        ("s1 s2", "win", "nobody wins but with a card that is revealed"),
        ("s1 s2", "pao", "a pao takes"),
        ("s1 s2", "peng", "exactly two loose s3"),
        ("s1 s2 s3 s4 s5", "chi s1+s2+s3", "every loose s3"),
        ("s1 s2", "chi s3+s4+s5", "no loose s4\\+s5"),
        ("s1 s2", "chi s2+s1+s3", "as it is offered"),
        ("s1 s2", "dance", "no action: discard"),
        ("s1 s2; wei s3; barred s3", "chi s1+s2+s3", "barred from s3"),
        ("s1 s2; wei s3; dead", "chi s1+s2+s3", "dead hand"),
        ("s1 s2; kan s3", "chi s1+s2+s3", "locked in a kan"),
    ],
)
def test_a_refused_claim_says_why(hand: str, action: str, reason: str) -> None:
    state = position("s3 b1", hand, "b1", seat=0, discards="s3")
    with pytest.raises(IllegalAction, match=reason):
        GAME.apply(state, 1, action)
    with pytest.raises(IllegalAction, match="nothing to declare"):
        GAME.apply(state, 2, action)


def test_a_claim_that_only_another_seat_has_is_refused_with_its_reason() -> None:
    state = position("b9", "s1", "s1 s2; kan s3", seat=0, reveals="s3")
    with pytest.raises(IllegalAction, match="another seat's to chi"):
        GAME.apply(state, 2, "chi s1+s2+s3")
    with pytest.raises(IllegalAction, match="not complete"):
        GAME.apply(state, 2, "win")
    dead = position("b9", "s1", "s1 s2; kan s3; dead", seat=0, reveals="s3")
    with pytest.raises(IllegalAction, match="dead hand"):
        GAME.apply(dead, 2, "win")


def test_a_claim_that_leaves_no_discard_and_an_only_win_say_so() -> None:
    melds = "peng b1; peng b2; peng b4; peng b5; peng b6; wei s3"
    state = position("s3", f"s3 b3; {melds}", "b9", seat=0, discards="s3")
    with pytest.raises(IllegalAction, match="no loose card would be left"):
        GAME.apply(state, 1, "chi s3+s3+b3")
    only = position("b7 b7; kan b1; kan b2; kan b3; kan b4; peng s9; peng s8", "s5", "s5", seat=0, reveals="b7 s6")
    with pytest.raises(IllegalAction, match="only win is left"):
        GAME.apply(only, 0, "discard b1")


ATTEMPTS = (
    *dict.fromkeys(action for _, action in CHI_NAMED),
    *[f"discard {card}" for card in dict.fromkeys(PACK)],
    *("win", "pao", "peng", "pass", "", "chi", "WIN", "pass ", "discard", "chi s2+s1+s3", "ti s1"),
)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_apply_accepts_exactly_what_is_asked_and_a_refusal_changes_nothing(seed: int) -> None:
    rng = Random(seed)
    state = settled(GAME, GAME.start(chunked(rng), seed % 3, {"dealer_opening_win": True}))
    while asked := GAME.asked(state):
        before = copy(state)
        for seat in SEATS:
            for action in rng.sample(ATTEMPTS, 40):
                if action in asked.get(seat, ()):
                    GAME.apply(state, seat, action)
                else:
                    with pytest.raises(IllegalAction):
                        GAME.apply(state, seat, action)
        with pytest.raises(ValueError, match="by itself"):
            GAME.go_on(state)
        assert state == before
        seat = rng.choice(sorted(asked))
        state = settled(GAME, GAME.apply(state, seat, rng.choice(asked[seat])))
    with pytest.raises(ValueError, match="by itself"):
        GAME.go_on(state)
    for seat in SEATS:
        with pytest.raises(IllegalAction, match="over"):
            GAME.apply(state, seat, "pass")


def everywhere(state: State) -> Counter[str]:
    cards = Counter(state.stock)
    for held in state.holdings:
        cards.update(cards_of(held.loose))
        cards.update(kan for kan in held.kans for _ in range(3))
        cards.update(card for meld in held.melds for card in meld.cards)
    cards.update(card for group in state.discards for card in group.cards)
    if state.public is not None and state.public.kind != "dealt":
        cards.update(state.public.cards)
    return cards


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_the_80_cards_are_conserved_and_every_seat_owns_as_many_as_it_may(seed: int) -> None:
    rng = Random(seed)
    options = {"dealer_opening_win": rng.random() < 0.5, "chi_passed_reveal": rng.random() < 0.5}
    state = GAME.start(chunked(rng), seed % 3, options)
    short = {seat for seat in SEATS if seat != state.dealer and len(state.holdings[seat].melds) == 2}
    moment = -1
    while True:
        assert everywhere(state) == Counter(PACK)
        assert state.moment >= moment
        if state.result is not None:
            break
        for seat, held in enumerate(state.holdings):
            fours = sum(len(meld.cards) == 4 for meld in held.melds)
            due = not GAME.window(state) and seat == state.turn
            short -= {seat} if any(meld.kind in {"chi", "peng", "wei"} for meld in held.melds) else set()
            if not held.dead:
                assert held.owned == 20 + max(0, fours - 1) + due - (seat in short)
        asked = GAME.asked(state)
        before, moment = state, state.moment
        if asked:
            seat = rng.choice(sorted(asked))
            actions = asked[seat]
            state = GAME.apply(state, seat, actions[0] if rng.random() < 0.5 else rng.choice(actions))
            declaration = GAME.window(before)
        else:
            state, declaration = GAME.go_on(state), False
        assert (state.moment == moment) == declaration
        assert bool(GAME.happened(before, state)) != declaration


def test_swapping_identical_cards_or_permuting_hands_changes_nothing() -> None:
    rng = Random(3)
    cards = chunked(rng)
    shuffled = (
        *rng.sample(cards[:20], 20),
        cards[20],
        *rng.sample(cards[21:41], 20),
        *rng.sample(cards[41:61], 20),
        *cards[61:],
    )
    one, other = GAME.start(cards, 1, {}), GAME.start(shuffled, 1, {})
    assert one == other
