"""The teller says each thing once, and after a gap only what has changed."""

from msgspec.structs import replace

from client_cli import words_link
from client_cli.telling import Teller, Told
from protocol.view import Happening
from tests.client_cli.tables import ANNA, BOT, BUDI, FREE, leading, table, view

PLAYING = table(view(prompt=leading()))


def after_coming_in() -> Teller:
    teller = Teller()
    teller.opened(None)
    assert teller.table(PLAYING, 0, bot_plays=False).asks_anew
    return teller


def test_a_view_that_brings_nothing_new_is_told_in_no_lines() -> None:
    assert after_coming_in().table(PLAYING, 0, bot_plays=False) == Told([])


def test_a_return_to_the_same_table_at_another_server_names_it_and_asks_anew() -> None:
    teller = after_coming_in()
    teller.opened("ws://10.0.0.2:8470/ws")
    assert teller.table(PLAYING, 0, bot_plays=False) == Told(["Connected again, at 10.0.0.2."], asks_anew=True)
    teller.opened(None)
    assert teller.table(PLAYING, 0, bot_plays=False) == Told([words_link.connected_again()], asks_anew=True)


def test_seats_that_were_filled_meanwhile_are_shown() -> None:
    teller = Teller()
    for seats in ((ANNA, FREE, FREE), (ANNA, BUDI, BOT)):
        teller.opened(None)
        told = teller.table(table(view(phase="open", seats=seats)), 0, bot_plays=False)
    assert "Seat 2: Budi." in told.lines


def test_what_has_happened_meanwhile_is_told_in_place_of_the_table() -> None:
    teller = after_coming_in()
    teller.opened(None)
    told = teller.table(table(view(history=("3 1 pass",)), Happening("passed", 1)), 0, bot_plays=False)
    assert told.lines == [words_link.connected_again(), "Budi passes."]


def test_whoever_is_told_to_be_away_is_known_to_be_told() -> None:
    assert after_coming_in().table(table(view(), Happening("away", 0)), 0, bot_plays=False).away
    assert not after_coming_in().table(table(view(), Happening("away", 1)), 0, bot_plays=False).away


def test_players_who_move_to_another_server_as_well_are_not_told_to_come_and_go() -> None:
    gone = table(view(seats=(ANNA, replace(BUDI, connected=False), BOT)))
    teller = after_coming_in()
    teller.opened(None)
    assert teller.table(gone, 0, bot_plays=False).lines[0] == words_link.connected_again()
    assert teller.table(PLAYING, 0, bot_plays=False).lines == []
    teller.opened(None)
    teller.table(gone, 0, bot_plays=False)
    assert teller.table(gone, 0, bot_plays=False).lines == [
        "Budi is not connected. A bot plays soon if they stay away."
    ]
    assert teller.table(PLAYING, 0, bot_plays=False).lines == ["Budi is connected again."]
