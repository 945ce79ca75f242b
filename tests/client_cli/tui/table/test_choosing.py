"""From keys and clicks to one typed action."""

from client_cli.names import Lexicon
from client_cli.tui.faces import BOXES
from client_cli.tui.table.choosing import Choosing
from client_cli.tui.table.hand import Order, Spread, sections, spread
from client_cli.tui.table.sight import Sight
from protocol.view import Prompt
from tests.client_cli.tui.table.sights import chuo_pai


def laid(sight: Sight) -> Spread:
    names = sight.speaker.names
    return spread(sections(sight.held, names, Order.FAMILIES), names, BOXES, 80, 8)


def looking(sight: Sight, *, confirm: bool = False) -> Choosing:
    choosing = Choosing(confirm=confirm)
    choosing.look(sight)
    return choosing


def card_under(choosing: Choosing, sight: Sight) -> str | None:
    place = choosing.cursor(laid(sight))
    return None if place is None else laid(sight).cards[place]


def test_the_cursor_goes_from_card_to_card_that_can_be_picked() -> None:
    sight = chuo_pai("play 44+44", "play 66+66", "play 13+13")
    choosing, hand = looking(sight), laid(sight)
    assert card_under(choosing, sight) == "66"
    choosing.move(hand, 1, 0)
    assert card_under(choosing, sight) == "44"
    choosing.move(hand, 1, 0)
    choosing.move(hand, 1, 0)
    assert card_under(choosing, sight) == "13"
    choosing.move(hand, -1, 0)
    assert card_under(choosing, sight) == "44"


def test_up_and_down_go_to_the_nearest_card_of_the_other_line() -> None:
    sight = chuo_pai("play 66", "play 34", "play 24")
    names = sight.speaker.names
    hand = spread(sections(sight.held, names, Order.FAMILIES), names, BOXES, 60, 12)
    choosing = looking(sight)
    assert hand.lines == 2
    choosing.move(hand, 0, 1)
    assert hand.cards[choosing.cursor(hand) or 0] == "34"
    choosing.move(hand, 0, -1)
    assert hand.cards[choosing.cursor(hand) or 0] == "66"


def test_space_picks_one_copy_after_another_and_then_none() -> None:
    sight = chuo_pai("play 66", "play 66+66", "play 66+66+66")
    choosing, hand = looking(sight), laid(sight)
    counts = []
    for _ in range(4):
        choosing.pick_under_cursor(hand)
        counts.append(choosing.now.picked["66"])
    assert counts == [1, 2, 3, 0]


def test_enter_plays_what_the_picked_cards_mean() -> None:
    sight = chuo_pai("play 66", "play 66+66", "play 44")
    choosing, hand = looking(sight), laid(sight)
    assert choosing.enter() is None
    choosing.pick_under_cursor(hand)
    assert choosing.enter() == "play 66"
    choosing.pick_under_cursor(hand)
    assert choosing.enter() == "play 66+66"


def test_with_confirmation_an_answer_is_given_twice() -> None:
    choosing = looking(chuo_pai("play 66", "play 44"), confirm=True)
    assert choosing.by_number(2) is None
    assert choosing.armed == "play 44"
    assert choosing.by_number(1) is None
    assert choosing.by_number(1) == "play 66"


def test_another_question_forgets_what_was_picked() -> None:
    sight = chuo_pai("play 66", "play 44")
    choosing = looking(sight)
    choosing.pick_under_cursor(laid(sight))
    choosing.look(sight._replace(prompt=Prompt(99, ("play 66", "play 44"))))
    assert not choosing.now.picked


def test_the_same_question_again_keeps_it() -> None:
    sight = chuo_pai("play 66", "play 44")
    choosing = looking(sight)
    choosing.pick_under_cursor(laid(sight))
    choosing.look(chuo_pai("play 66", "play 44"))
    assert choosing.now.picked["66"] == 1


def test_nothing_can_be_picked_while_an_answer_is_on_its_way() -> None:
    sight = chuo_pai("play 66", "play 44")._replace(sent=True)
    choosing = looking(sight)
    choosing.pick_under_cursor(laid(sight))
    choosing.click(laid(sight), 0, is_picked=False)
    assert not choosing.now.picked
    assert choosing.by_number(1) is None
    assert choosing.cursor(laid(sight)) is None


def test_a_click_picks_and_puts_back() -> None:
    sight = chuo_pai("play 66", "play 44")
    choosing, hand = looking(sight), laid(sight)
    place = hand.cards.index("44")
    choosing.click(hand, place, is_picked=False)
    assert choosing.now.picked["44"] == 1
    choosing.click(hand, place, is_picked=True)
    assert not choosing.now.picked


def test_digits_are_keys_only_where_each_choice_has_one() -> None:
    assert looking(chuo_pai("play 66", "play 44")).numbers_are_keys
    cards = Lexicon.of("chuo-pai").order()[:10]
    assert not looking(chuo_pai(*(f"play {card}" for card in cards))).numbers_are_keys
