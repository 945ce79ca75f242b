"""Picking cards leads to the offered actions, and to nothing else."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from client_cli.tui.table.picking import Offer, offers, picks, top_places
from protocol.notation import CHUO_PAI_CARDS, join

CARDS = CHUO_PAI_CARDS[:6]
HANDS = st.lists(st.sampled_from(CARDS), min_size=1, max_size=12).map(sorted)


@st.composite
def offered_hands(draw: st.DrawFn) -> tuple[list[str], tuple[Offer, ...]]:
    """A hand, and some plays of its cards."""
    hand = draw(HANDS)
    plays = draw(st.lists(st.lists(st.sampled_from(range(len(hand))), min_size=1, unique=True), min_size=1, max_size=8))
    actions = sorted({f"play {join(sorted(hand[place] for place in play))}" for play in plays})
    return hand, offers(actions, actions, hand)


@given(offered_hands(), st.data())
def test_bright_cards_alone_lead_to_an_offered_action(
    table: tuple[list[str], tuple[Offer, ...]], data: st.DataObject
) -> None:
    """Whatever bright cards somebody picks, something is always in reach; and in the end it is exact."""
    hand, offered = table
    now = picks(offered, Counter())
    while left := [card for card in CARDS if now.picked[card] < now.bright[card]]:
        before = now.picked
        now = picks(offered, now.toggled(data.draw(st.sampled_from(left)), is_picked=False))
        assert now.picked.total() == before.total() + 1
        assert now.reached
        assert now.picked <= Counter(hand)
    assert now.exact


@given(offered_hands(), st.data())
def test_every_action_can_be_picked_card_by_card(
    table: tuple[list[str], tuple[Offer, ...]], data: st.DataObject
) -> None:
    _, offered = table
    wanted = data.draw(st.sampled_from(offered))
    now = picks(offered, Counter())
    for card in data.draw(st.permutations(list(wanted.needs.elements()))):
        assert now.picked[card] < now.bright[card]
        now = picks(offered, now.toggled(card, is_picked=False))
    assert wanted in now.exact
    assert now.meant == wanted


@given(offered_hands(), st.sampled_from(CARDS))
def test_a_card_that_leads_to_nothing_is_not_picked(table: tuple[list[str], tuple[Offer, ...]], card: str) -> None:
    _, offered = table
    now = picks(offered, Counter())
    after = now.toggled(card, is_picked=False)
    assert (after == now.picked) == (not now.bright[card])


def test_a_picked_card_can_be_put_back() -> None:
    now = picks(_offers("66 66", "play 66", "play 66+66"), Counter({"66": 2}))
    assert now.toggled("66", is_picked=True) == Counter({"66": 1})


def test_the_public_card_of_a_claim_is_not_asked_of_the_hand() -> None:
    """Of `s1+s2+s3` the hand gives two, of a peng two, and of the fourth card for a meld on the table none."""
    (chi,) = offers(["chi s1+s2+s3"], ["chi s1+s2+s3"], ["s1", "s2", "s2"])
    assert chi.needs == Counter(["s1", "s2"])
    (peng,) = offers(["peng"], ["peng b7+b7+b7"], ["b7", "b7", "b9"])
    assert peng.needs == Counter(["b7", "b7"])
    (pao,) = offers(["pao"], ["pao b7+b7+b7+b7"], ["b9"])
    assert not pao.needs


def test_cards_that_fit_two_actions_mean_neither() -> None:
    offered = offers(["peng", "chi b7+b7+s7 b7+b8+b9"], ["peng b7+b7+b7", "chi b7+b7+s7 b7+b8+b9"], ["b7", "b7"])
    now = picks(offered, Counter({"b7": 2}))
    assert len(now.exact) == 2
    assert now.meant is None


def test_enter_without_picks_means_the_only_offer() -> None:
    assert picks(_offers("66", "play 66"), Counter()).meant is not None
    assert picks(_offers("66 11", "play 66", "play 11"), Counter()).meant is None


def test_picks_of_a_question_that_is_gone_are_forgotten() -> None:
    assert not picks(_offers("66 11", "play 66"), Counter({"11": 1})).picked


def test_the_last_copies_lie_on_top() -> None:
    assert top_places(["66", "66", "11", "66"], Counter({"66": 2})) == {1, 3}


def _offers(hand: str, *actions: str) -> Sequence[Offer]:
    return offers(actions, actions, hand.split())
