"""Who may claim what, which claim goes first, and who is barred: the worked examples of the rules, and all orders."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.notation import PAOHUZI_CARDS, Action
from server.games.base import SEATS, Seat
from server.games.paohuzi.cards import hand_of
from server.games.paohuzi.claims import options
from server.games.paohuzi.holding import dealt
from server.games.paohuzi.state import State
from tests.server.games.paohuzi import slow
from tests.server.games.paohuzi.positions import GAME, chunked, holding, position

NOTHING = "b1 b4 b9 s1 s4 s9; chi s8+s9+s10; chi s8+s9+s10; chi s6+s7+s8; chi b8+b9+b10"
"""With two more loose cards, a hand as large as it may be, which claims nothing but with those."""


def chis(loose: str, card: str) -> set[str]:
    found = options(holding(loose), card, 1, revealed=False, may_chi=True)
    return {action for action in found if action.startswith("chi")}


@pytest.mark.parametrize(
    ("loose", "expected"),
    [
        pytest.param("s1 s2 s4 s5 b3", "chi s1+s2+s3, chi s2+s3+s4, chi s3+s4+s5", id="three_runs_and_no_mixed_three"),
        pytest.param("s3 s1 s2 s4 s5 b9", "chi s1+s2+s3 s3+s4+s5", id="two_runs_that_share_no_card"),
        pytest.param("s3 s1 s2 b9", "", id="the_second_copy_fits_nowhere"),
        pytest.param("s3 b3 s9", "chi s3+s3+b3", id="a_mixed_three_holds_both_copies"),
        pytest.param("b3 b3 s9", "chi s3+b3+b3", id="a_mixed_three_of_two_big_ones"),
        pytest.param(
            "s3 s3 s1 s2 s4 s5 b3 b3 b9",
            "chi s1+s2+s3 s3+s4+s5 s3+b3+b3, chi s1+s2+s3 s3+s3+b3, chi s2+s3+s4 s3+s3+b3, chi s3+s3+b3 s3+s4+s5",
            id="all_three_copies_are_grouped",
        ),
        pytest.param("s4 s5 s9; barred s3", "", id="barred"),
        pytest.param("s4 s5 s9; dead", "", id="dead"),
    ],
)
def test_chi_and_bi_of_a_discarded_s3(loose: str, expected: str) -> None:
    assert chis(loose, "s3") == set(filter(None, expected.split(", ")))


def test_2_7_10_is_a_chi_of_one_size() -> None:
    assert chis("s2 s10 b2 b10 s5", "s7") == {"chi s2+s7+s10"}


EIGHTEEN = "peng b1; peng b2; peng b4; peng b5; peng b6; peng b7"


def test_a_chi_that_would_leave_no_loose_card_to_discard_is_not_offered() -> None:
    assert chis(f"s3 b3; {EIGHTEEN}", "s3") == set()


def test_one_chi_can_be_refused_for_want_of_a_discard_while_another_is_offered() -> None:
    pengs = "peng b4; peng b5; peng b6; peng b7; peng b10"
    assert chis(f"s3 s3 s2 s4 b3; {pengs}", "s3") == set()
    assert chis(f"s2 s4 s5 s3 b3; {pengs}", "s3") == {"chi s3+s3+b3"}


def test_a_peng_that_would_leave_no_loose_card_is_not_offered() -> None:
    held = holding(f"s3 s3; {EIGHTEEN}")
    assert options(held, "s3", 2, revealed=False, may_chi=False) == ()
    assert options(holding(f"s3 s3 s9; {EIGHTEEN}"), "s3", 2, revealed=False, may_chi=False) == ("peng", "pass")


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PAOHUZI_CARDS), min_size=4, max_size=18), st.sampled_from(PAOHUZI_CARDS))
def test_chi_and_bi_are_those_found_by_trial(cards: list[str], card: str) -> None:
    loose = [each for place, each in enumerate(cards) if cards[:place].count(each) < 2]
    offered = options(holding(" ".join(loose)), card, 1, revealed=False, may_chi=True)
    found = [action for action in offered if action.startswith("chi")]
    assert set(found) == slow.chis(card, Counter(loose))
    assert len(found) == len(set(found))


PAO = {
    ("kan", "another_discards"): True,
    ("kan", "another_reveals"): True,
    ("wei", "another_discards"): True,
    ("wei", "another_reveals"): True,
    ("wei", "the_seat_reveals"): True,
    ("peng", "another_discards"): False,
    ("peng", "another_reveals"): True,
    ("peng", "the_seat_reveals"): True,
}


@pytest.mark.parametrize(("kind", "how"), PAO)
def test_which_threes_grow_into_a_pao(kind: str, how: str) -> None:
    held = holding(f"b1 b4 b9; {kind} s5")
    found = options(
        held, "s5", 0 if how == "the_seat_reveals" else 2, revealed=how != "another_discards", may_chi=False
    )
    assert found == (("pao", "pass") if PAO[kind, how] else ())


def test_a_dead_seat_may_pao_and_nothing_else() -> None:
    held = holding("s5 s5; dead; kan s3; kan b1; kan b2; kan b4; chi s7+s8+s9; peng s10")
    assert options(held, "s3", 1, revealed=True, may_chi=True) == ("pao", "pass")
    assert options(held, "s5", 1, revealed=True, may_chi=True) == ()


def declared(state: State, *declarations: tuple[Seat, Action]) -> State:
    for seat, action in declarations:
        state = GAME.apply(state, seat, action)
    return state


def test_nobody_else_is_asked_when_the_revealing_seat_makes_a_wei() -> None:
    state = position(f"b7 b7 {NOTHING}", f"b5 b6 {NOTHING}", "b8 b9 s1", seat=0, reveals="b7 s1")
    assert state.holdings[0].melds[-1].kind == "wei"
    assert set(GAME.asked(state)) == {0}
    assert not GAME.window(state)


def test_a_peng_goes_before_the_revealing_seats_chi_and_who_passed_it_is_barred() -> None:
    state = position(NOTHING, f"b8 b9 {NOTHING}", f"b7 b7 {NOTHING}", seat=1, reveals="b7 s6")
    assert GAME.asked(state) == {1: ("chi b7+b8+b9", "pass"), 2: ("peng", "pass")}
    chied = GAME.go_on(declared(state, (1, "chi b7+b8+b9"), (2, "pass")))
    assert chied.holdings[1].melds[-1].cards == ("b7", "b8", "b9")
    assert [held.barred for held in chied.holdings] == [(), (), ("b7",)]


def test_who_passed_a_chi_is_not_barred_when_a_peng_took_the_card() -> None:
    state = position(NOTHING, f"b8 b9 {NOTHING}", f"b7 b7 {NOTHING}", seat=1, reveals="b7 s6")
    for declarations in (((1, "pass"), (2, "peng")), ((2, "peng"),)):
        after = GAME.go_on(declared(state, *declarations))
        assert [held.barred for held in after.holdings] == [(), (), ()]
        assert after.turn == 2


def test_a_peng_closes_the_window_on_a_chi_and_who_was_not_heard_is_not_barred() -> None:
    state = declared(position(NOTHING, f"b8 b9 {NOTHING}", f"b7 b7 {NOTHING}", seat=1, reveals="b7 s6"), (2, "peng"))
    assert GAME.asked(state) == {}
    assert GAME.window(state)


def test_a_chi_does_not_close_the_window_on_a_peng() -> None:
    state = declared(
        position(NOTHING, f"b8 b9 {NOTHING}", f"b7 b7 {NOTHING}", seat=1, reveals="b7 s6"), (1, "chi b7+b8+b9")
    )
    assert set(GAME.asked(state)) == {2}


def test_who_discards_a_card_is_barred_from_it() -> None:
    state = position(f"b7 {NOTHING}", NOTHING, NOTHING, seat=0, discards="b7")
    assert state.holdings[0].barred == ("b7",)


def test_the_next_seat_may_chi_a_passed_reveal_only_by_the_house_rule() -> None:
    hands = (f"b8 b9 {NOTHING}", f"b5 b6 {NOTHING}", NOTHING)
    assert set(GAME.asked(position(*hands, seat=0, reveals="b7 s1"))) == {0}
    state = position(*hands, seat=0, reveals="b7 s1", chi_passed_reveal=True)
    assert set(GAME.asked(state)) == {0, 1}
    first = GAME.go_on(declared(state, (1, "chi b5+b6+b7"), (0, "chi b7+b8+b9")))
    assert first.turn == 0
    second = GAME.go_on(declared(state, (1, "chi b5+b6+b7"), (0, "pass")))
    assert (second.turn, second.holdings[0].barred) == (1, ("b7",))
    alone = position(NOTHING, hands[1], NOTHING, seat=0, reveals="b7 s1", chi_passed_reveal=True)
    assert set(GAME.asked(alone)) == {1}


WINNING_BY_A_LOW_RUN = "s1 s2 b7 b8 b9 s7 s8 s9 s10 s10 b10; wei b1; wei b4; wei b5"
WINNING_BY_A_HIGH_RUN = "s4 s5 b7 b8 b9 s7 s8 s9 s9 b9 b9; wei b2; wei b3; wei b6"
WINNING_BY_A_PENG = "s3 s3 b4 b5 b6 b7 b8 b9; kan s1; wei s2; wei s6; chi b1+b2+b3"
"""All three are complete with s3."""


def windows_of_several_wins() -> Iterator[State]:
    """All seats may win, the one with two copies may peng, and the revealing one may chi."""
    for hands in permutations((WINNING_BY_A_LOW_RUN, WINNING_BY_A_HIGH_RUN, WINNING_BY_A_PENG)):
        for seat in SEATS:
            if hands[seat] != WINNING_BY_A_PENG:
                for chi_passed_reveal in (False, True):
                    yield position(*hands, seat=seat, reveals="s3 b2", chi_passed_reveal=chi_passed_reveal)


def expected(owner: Seat, declarations: dict[Seat, Action]) -> tuple[Seat, Action] | None:
    """The claim that goes first: by the words of the rules."""
    turn_order = [(owner + step) % 3 for step in range(3)]
    for verbs in (("win",), ("pao", "peng"), ("chi",)):
        for seat in turn_order:
            if declarations.get(seat, "").split(" ")[0] in verbs:
                return seat, declarations[seat]
    return None


def test_who_may_win_and_claims_lower_never_robs_another_of_its_win() -> None:
    count = 0
    for state in windows_of_several_wins():
        asked = GAME.asked(state)
        assert list(asked) == [0, 1, 2]
        assert all(actions[0] == "win" for actions in asked.values())
        for choice in product(*asked.values()):
            declarations = dict(enumerate(choice))
            outcomes = []
            for order in permutations(SEATS):
                after = state
                for seat in order:
                    if seat in GAME.asked(after):
                        after = GAME.apply(after, seat, declarations[seat])
                assert not GAME.asked(after)
                outcomes.append(GAME.go_on(after))
            assert all(outcome == outcomes[0] for outcome in outcomes)
            first = expected(state.turn, declarations)
            if first and first[1] == "win":
                assert outcomes[0].result is not None
                assert outcomes[0].result.winners == (first[0],)
            else:
                assert outcomes[0].result is None
                assert [line.split(" ", 1)[1] for line in outcomes[0].history] == (
                    [f"{first[0]} {first[1]}"] if first else []
                )
            count += 1
    assert count > 100


def test_a_win_is_waited_for_only_as_long_as_a_nearer_one_is_possible() -> None:
    state = next(windows_of_several_wins())
    near, middle, far = ((state.turn + step) % 3 for step in range(3))
    assert set(GAME.asked(declared(state, (far, "win")))) == {near, middle}
    assert set(GAME.asked(declared(state, (middle, "win")))) == {near, far}
    assert GAME.asked(declared(state, (near, "win"))) == {}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_any_order_of_declarations_gives_the_same_outcome_and_the_same_bars(seed: int) -> None:
    rng = Random(seed)
    state = GAME.start(chunked(rng), seed % 3, {"chi_passed_reveal": rng.random() < 0.5})
    while state.result is None:
        asked = GAME.asked(state)
        if not asked:
            state = GAME.go_on(state)
            continue
        choice = {seat: rng.choice(actions) for seat, actions in asked.items()}
        if not GAME.window(state):
            ((seat, action),) = choice.items()
            state = GAME.apply(state, seat, action)
            continue
        outcomes = []
        for order in permutations(choice):
            after = state
            for seat in order:
                if seat in GAME.asked(after):
                    after = GAME.apply(after, seat, choice[seat])
            outcomes.append(GAME.go_on(after))
        state = outcomes[0]
        assert all(outcome == state for outcome in outcomes)


def test_dealt_threes_and_fours_are_no_loose_cards() -> None:
    held = dealt(("s1", "s1", "s1", "b2", "b2", "b2", "b2", "s3", "s3", "b9"))
    assert (held.kans, held.loose) == (("s1",), hand_of(["s3", "s3", "b9"]))
    assert [meld.cards for meld in held.melds] == [("b2",) * 4]
