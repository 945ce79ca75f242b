"""The cards that a viewer has not seen, as lines."""

from client_cli.speaker import Speaker
from client_cli.words_remaining import remaining_lines
from protocol.view import Group, TableView, Zone
from tests.client_cli.conversations import look_on, sit_down
from tests.client_cli.paohuzi_tables import REVEALED, paohuzi
from tests.client_cli.tables import hand, table, view

PILES = (Zone("pile", 2, 1, (Group(("12", "24"), "bonus"),)), Zone("pile", 1, 2, (Group(("66",), "set"),)))
HISTORY = ("1 2 play 66", "1 0 pass", "1 1 pass", "2 2 play 26+35+11", "2 0 pass")


def playing() -> TableView:
    own = hand(0, "66", "66", "36", "13")
    return view(zones=(own, Zone("hand", 27, 1), Zone("hand", 27, 2), *PILES), history=HISTORY)


def test_each_family_is_a_line_and_what_is_gone_is_none() -> None:
    assert remaining_lines(Speaker(playing(), 0)) == [
        "You have not seen 74 cards. How many of each are still hidden from you:",
        "Long: 66 (1), 11 (3), 44 (4), 13 (3), 55 (4), 33 (4), 22 (4).",
        "Yao: 15 (4), 16 (4), 46 (4), 56 (4).",
        "Black: 36 (3), 26 (3), 35 (3), 25 (4), 23 (4).",
        "Red: 45 (4), 34 (4), 14 (4), 12 (3), 24 (3).",
    ]


def test_who_looks_on_has_seen_no_hand() -> None:
    zones = (Zone("hand", 28, 0), Zone("hand", 27, 1), Zone("hand", 27, 2), *PILES)
    heading, *_ = remaining_lines(Speaker(view(me=None, zones=zones, history=HISTORY), None))
    assert heading.startswith("You have not seen 78 cards.")


def test_cards_with_faces_are_called_by_them() -> None:
    _, small, big = remaining_lines(Speaker(paohuzi(public=REVEALED), 0))
    assert small.startswith("Small: s1\u4e00 (4), s2\u4e8c (3), s3\u4e09 (2), s4\u56db (1), s5\u4e94 (1), ")
    assert "b7\u67d2 (1)" in big  # two in the hand, and the one that is revealed
    assert "b2\u8d30 (2)" in big  # one in a meld; another was dealt face up, and the dealer still has it


def test_it_is_asked_for_with_a_word_by_players_and_by_who_looks_on() -> None:
    assert sit_down(table(playing())).typed("remaining").lines[1].startswith("Long: 66 (1)")
    assert look_on(table(view(me=None))).typed("remaining").lines[1].startswith("Long: ")


def test_before_the_first_deal_there_is_nothing_to_count() -> None:
    lobby = sit_down(table(view(phase="open")))
    assert lobby.typed("remaining").lines == ("There is no deal, so there are no cards to count.",)
