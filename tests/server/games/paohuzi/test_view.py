"""What seats and spectators see, and that what they may not see changes nothing of it."""

from collections import Counter
from random import Random
from typing import NamedTuple

import msgspec
import pytest

from protocol.notation import Action
from protocol.view import DealView, Fact, Group, Happening, Zone
from server.games.base import SEATS, Deck, IllegalAction, Seat, settled
from server.games.paohuzi.cards import cards_of
from server.games.paohuzi.groups import IDENTICAL
from server.games.paohuzi.state import State
from tests.server.games.paohuzi.positions import GAME, chunked, group, position

HANDS = ("s1 b9 b10; kan s2; peng s5; chi s1+s2+s3; barred s3 b7 s10", "b8 b9; wei b1", "b3; kan s4; pao s6; dead")


def revealed() -> State:
    return position(*HANDS, seat=1, reveals="b7 s9 s8")


def test_a_seat_sees_its_hand_with_its_kans_and_of_others_the_melds() -> None:
    assert GAME.view(revealed(), 0) == DealView(
        zones=(
            Zone("hand", 6, 0, (group("kan s2"), Group(("s1", "b9", "b10"), "hand"))),
            Zone("hand", 2, 1),
            Zone("hand", 4, 2),
            Zone("melds", 6, 0, (group("peng s5"), group("chi s1+s2+s3"))),
            Zone("melds", 3, 1, (group("wei b1"),)),
            Zone("melds", 4, 2, (group("pao s6"),)),
            Zone("discards", 0),
            Zone("public", 1, groups=(Group(("b7",), "revealed", 1),)),
            Zone("stock", 2),
        ),
        facts=(
            Fact("dealer", 0),
            Fact("dealer_card", "s1"),
            Fact("turn", 1),
            Fact("huxi", 4, 0),
            Fact("huxi", 6, 1),
            Fact("huxi", 6, 2),
            Fact("dead", 1, 2),
            Fact("own_huxi", 7, 0),
            Fact("barred", "s3+s10+b7", 0),
        ),
        history=(),
    )


def test_a_spectator_sees_no_hand_no_bars_and_no_kans() -> None:
    view = GAME.view(revealed(), None)
    assert view.zones[:3] == (Zone("hand", 6, 0), Zone("hand", 2, 1), Zone("hand", 4, 2))
    assert {fact.label for fact in view.facts} == {"dealer", "dealer_card", "turn", "huxi", "dead"}


def test_a_meld_shows_what_it_counts() -> None:
    assert [each.value for each in GAME.view(revealed(), None).zones[3].groups] == [1, 3]


def test_discards_lie_in_order_with_their_owners_and_claims_and_discards_are_the_history() -> None:
    state = GAME.go_on(GAME.apply(revealed(), 1, "chi b7+b8+b9"))
    assert state.history == ("8 1 chi b7+b8+b9",)
    state = position("b3 b4; peng s5", "b7 s1; wei b1", "b8 b9", seat=1, discards="b7")
    assert state.history == ("7 1 discard b7",)
    state = GAME.go_on(GAME.apply(state, 2, "pass"))
    assert state.history == ("7 1 discard b7",)
    assert GAME.view(state, None).zones[6] == Zone("discards", 1, groups=(Group(("b7",), seat=1),))


def test_the_dealers_card_is_public_from_the_deal_to_its_first_discard() -> None:
    deck = chunked(Random(1))
    state = GAME.start(deck, 2, {})
    assert GAME.view(state, None).zones[7] == Zone("public", 1, groups=(Group((deck[20],), "dealt", 2),))
    assert Fact("dealer_card", deck[20]) in GAME.view(state, None).facts
    action = GAME.asked(state)[2][0]
    after = GAME.apply(state, 2, action)
    card = action.removeprefix("discard ")
    assert GAME.view(after, None).zones[7] == Zone("public", 1, groups=(Group((card,), "discarded", 2),))
    assert Fact("dealer_card", deck[20]) in GAME.view(after, None).facts
    assert GAME.view(after, None).history == (f"0 2 {action}",)


def test_after_the_end_all_hands_are_open_and_the_groups_of_the_win_are_told() -> None:
    hands = ("b5 b6 s8 s9 s10; kan b1; kan b2; kan s3; chi s4+s5+s6; chi s4+s5+s6", "s1; kan s2", "s7")
    before = GAME.apply(position(*hands, seat=0, reveals="b7 s4"), 0, "win")
    over = GAME.go_on(before)
    assert GAME.happened(before, over) == (Happening("won", 0, ("b7",), name="win"),)
    view = GAME.view(over, None)
    assert view.zones[1] == Zone("hand", 4, 1, (group("kan s2"), Group(("s1",), "hand")))
    assert view.zones[7].groups == (Group(("b7",), "revealed", 0),)
    assert "turn" not in {fact.label for fact in view.facts}
    assert view.history == ("8 0 win",)
    result = GAME.result(over)
    assert result is not None
    assert (IDENTICAL["kan", "b1"] in result.groups, group("chi b5+b6+b7") in result.groups) == (True, True)
    assert sum(each.value or 0 for each in result.groups) == result.huxi == 15


def test_each_public_step_is_told_once_and_in_order() -> None:
    hand = "b9 b10 s10 b7 b7 s1 s5 s6; chi s8+s9+s10; chi s8+s9+s10; chi s6+s7+s8; chi s6+s7+s8"
    before = position("b2", "s1", hand, seat=1, reveals="s3 b7 s9")
    after = GAME.go_on(before)
    assert GAME.happened(before, after) == (
        Happening("unclaimed", 1, ("s3",)),
        Happening("revealed", 2, ("b7",)),
        Happening("wei", 2, ("b7", "b7", "b7")),
    )
    discarded = GAME.apply(after, 2, "discard b9")
    assert GAME.happened(after, discarded) == (Happening("discarded", 2, ("b9",)),)


def test_a_chi_tells_of_each_group_and_a_declaration_of_nothing() -> None:
    hand = "s3 s1 s2 s4 s5 b9 b9 b5; chi s8+s9+s10; chi s8+s9+s10; chi s6+s7+s8; chi s6+s7+s8"
    before = position("s3", hand, "b9", seat=0, discards="s3")
    declared = GAME.apply(before, 1, "chi s1+s2+s3 s3+s4+s5")
    assert GAME.happened(before, declared) == ()
    assert GAME.happened(declared, GAME.go_on(declared)) == (
        Happening("chi", 1, ("s1", "s2", "s3")),
        Happening("chi", 1, ("s3", "s4", "s5")),
    )


def test_a_deal_begins_with_its_public_card_and_the_ti_from_the_dealer_on() -> None:
    ti = {0: ["b2"] * 4, 2: ["s9"] * 4}
    rest = Counter(chunked(Random(3)))
    rest.subtract([*ti[0], *ti[2]])
    others = iter(sorted(rest.elements(), key=lambda card: Random(card).random()))
    hands = {seat: ti.get(seat, []) for seat in (1, 2, 0)}
    cards = [
        [*held, *[next(others) for _ in range(size - len(held))]]
        for held, size in zip((*hands.values(), []), (21, 20, 20, 19), strict=True)
    ]
    deck = tuple(card for part in cards for card in part)
    told = GAME.happened(None, GAME.start(deck, 1, {}))
    assert told[0] == Happening("dealt_public", 1, (deck[20],))
    assert Happening("ti", 2, ("s9",) * 4) in told
    assert [each.seat for each in told if each.kind == "ti"] == sorted(
        (each.seat for each in told if each.kind == "ti"), key=(1, 2, 0).index
    )


def test_no_hidden_card_is_in_the_view_of_another() -> None:
    state = position("s1 s2; kan s3", "b4 b5; kan b6", "s7 s8; kan s9", seat=1, reveals="b10 b2 b3")
    for viewer in (*SEATS, None):
        shown = msgspec.json.encode(GAME.view(state, viewer)).decode().replace('"dealer_card","value":"s1"', "")
        hidden = [*state.stock]
        for seat in SEATS:
            if seat != viewer:
                hidden += [*cards_of(state.holdings[seat].loose), *state.holdings[seat].kans]
        assert not [card for card in hidden if f'"{card}"' in shown]


class Twins(NamedTuple):
    """Two deals that the viewer cannot tell apart."""

    one: State
    other: State


def disguised(deck: Deck, first: Seat, viewer: Seat | None, rng: Random) -> Deck:
    """Other seats have swapped some cards that are public in neither deal, and so have the last cards of the stock."""
    bounds = {first: (0, 20), (first + 1) % 3: (21, 41), (first + 2) % 3: (41, 61)}
    cards = list(deck)
    seats = [seat for seat in SEATS if seat != viewer]
    for _ in range(rng.randint(1, 3)):
        one, other = (rng.randrange(*bounds[seat]) for seat in rng.sample(seats, 2))
        cards[one], cards[other] = cards[other], cards[one]
    cards[70:] = rng.sample(cards[70:], 10)
    return tuple(cards)


ATTEMPTS = (
    *(
        "win",
        "pao",
        "peng",
        "pass",
        "dance",
        "discard s3",
        "discard b9",
        "chi s1+s2+s3",
        "chi b2+b7+b10",
        "chi s5+s5+b5",
    ),
)


def shown(state: State, viewer: Seat | None, attempt: Action) -> tuple[bytes, int, bool, str]:
    """All that reaches the viewer: its view, the moment, whether a public card stands, and a refusal."""
    refusal = ""
    if viewer is not None and attempt not in GAME.asked(state).get(viewer, ()):
        with pytest.raises(IllegalAction) as refused:
            GAME.apply(state, viewer, attempt)
        refusal = str(refused.value)
    return msgspec.msgpack.encode(GAME.view(state, viewer)), GAME.moment(state), GAME.window(state), refusal


def others_declared(state: State, viewer: Seat | None, attempt: Action, choose: Random) -> State:
    """Every other seat that is asked declares that it passes, and nothing of it reaches the viewer."""
    seen = shown(state, viewer, attempt)
    while others := [seat for seat in GAME.asked(state) if seat != viewer]:
        before, state = state, GAME.apply(state, choose.choice(others), "pass")
        assert shown(state, viewer, attempt) == seen
        assert GAME.happened(before, state) == ()
    return state


def window_settled(twins: Twins, viewer: Seat | None, attempt: Action, rng: Random) -> Twins:
    """All declare, the viewer before the others or after them; it is shown the same all along."""
    after = twins
    mine = None
    if viewer is not None and viewer in GAME.asked(twins.one):
        mine = rng.choice(GAME.asked(twins.one)[viewer])
        if rng.random() < 0.5:
            after = Twins(*(GAME.apply(state, viewer, mine) for state in after))
            assert shown(after.one, viewer, attempt) == shown(after.other, viewer, attempt)
    after = Twins(*(others_declared(state, viewer, attempt, rng) for state in after))
    if viewer is not None and mine and viewer in GAME.asked(after.one):
        after = Twins(*(GAME.apply(state, viewer, mine) for state in after))
    assert shown(after.one, viewer, attempt) == shown(after.other, viewer, attempt)
    return Twins(*map(GAME.go_on, after))


@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_neither_hidden_cards_nor_who_is_asked_change_what_a_viewer_is_shown(viewer: Seat | None) -> None:
    rng = Random(f"{viewer}")
    moments = differently_asked = 0
    for _ in range(150):
        deck, first = chunked(rng), rng.randrange(3)
        befores, twins = (
            None,
            Twins(*(GAME.start(each, first, {}) for each in (deck, disguised(deck, first, viewer, rng)))),
        )
        while told_alike(befores, twins) and twins.one.result is None:
            moments += 1
            attempt = rng.choice(ATTEMPTS)
            assert shown(twins.one, viewer, attempt) == shown(twins.other, viewer, attempt)
            asked, otherwise = map(GAME.asked, twins)
            assert viewer is None or asked.get(viewer) == otherwise.get(viewer)
            befores = twins
            if GAME.window(twins.one):
                differently_asked += asked.keys() != otherwise.keys()
                twins = window_settled(twins, viewer, attempt, rng)
            else:
                common = [action for action in asked[twins.one.turn] if action in otherwise[twins.one.turn]]
                if not common:
                    break
                action = rng.choice(common)
                twins = Twins(*(GAME.apply(state, state.turn, action) for state in twins))
    assert moments > 500
    assert differently_asked > 20


def told_alike(befores: Twins | None, twins: Twins) -> bool:
    one, other = befores or (None, None)
    return GAME.happened(one, twins.one) == GAME.happened(other, twins.other)


def test_the_secret_of_a_window_is_not_in_its_length() -> None:
    """A card that nobody can claim stands as long as one that somebody passes: until `go_on`."""
    nobody = position("s1", "s2", "s4", seat=0, reveals="b7 b2")
    somebody = position("s1", "b7 b7; chi s1+s2+s3", "s4", seat=0, reveals="b7 b2")
    assert GAME.window(nobody)
    assert GAME.window(somebody)
    assert GAME.window(GAME.apply(somebody, 1, "pass"))
    assert settled(GAME, nobody).result is not None
