"""The sentences of a table are true for whoever reads them, player or spectator."""

import pytest

from client_cli.speaker import Speaker
from client_cli.words_happenings import happened
from protocol.view import Happening, Result, SeatView
from tests.client_cli.tables import ANNA, BOT, BUDI, view

SCORES = (3, 1, 2)
TABLE = view(deals=2, phase="between", result=Result(SCORES, (0,)))


def test_winners_are_named_however_many_there_are() -> None:
    speaker = Speaker(TABLE, 1)
    assert speaker.winners((), "deal") == "Nobody wins the deal."
    assert speaker.winners((1,), "deal") == "You win the deal."
    assert speaker.winners((0, 1, 2), "deal") == "Anna, you and Bot 3 share the deal."
    assert speaker.winners((1, 2), "deal") == "You and Bot 3 share the deal."


def test_a_nameless_seat_goes_by_its_number() -> None:
    assert Speaker(view(seats=(ANNA, BUDI, SeatView(2, "bot"))), 0).who(2) == "Seat 3"
    assert Speaker(TABLE, 0).who(None) == "Somebody"


def test_seats_that_there_are_not_are_told_by_their_number() -> None:
    speaker = Speaker(TABLE, 0)
    assert [speaker.who(seat) for seat in (7, -2)] == ["Seat 8", "Seat -1"]
    assert speaker.scores((3, 1, 2, 9)) == "3 for you, 1 for Budi, 2 for Bot 3, 9 for Seat 4"
    assert speaker.to_act(7) == "It is the turn of Seat 8."


@pytest.mark.parametrize("entry", ["", "1", "1 0", "1 x pass", "1 7 pass", "² ² pass", "1 -1 pass"])
def test_an_entry_of_the_history_that_is_none_is_shown_as_it_is(entry: str) -> None:
    assert Speaker(TABLE, 0).played_line(entry) == entry


def test_a_name_that_reads_like_the_players_own_seat_is_marked() -> None:
    seats = (ANNA, SeatView(1, "human", "You", connected=True), SeatView(2, "human", "YOU", connected=True))
    speaker = Speaker(view(seats=seats), 0)
    assert happened(speaker, Happening("passed", 0)) == "You pass."
    assert happened(speaker, Happening("passed", 1)) == '"You" (seat 2) passes.'
    assert happened(speaker, Happening("left", 2, name="YOU")) == '"YOU" (seat 3) has left.'
    assert speaker.said(1, "You", "hi") == '"You" (seat 2) says: hi'
    assert speaker.said(None, "you", "hi") == '"you" (watching) says: hi'
    assert speaker.winners((0, 1), "deal") == 'You and "You" (seat 2) share the deal.'
    assert happened(Speaker(view(seats=seats), 1), Happening("passed", 1)) == "You pass."


def test_what_is_said_tells_players_from_spectators() -> None:
    speaker = Speaker(TABLE, 0)
    assert speaker.said(0, "Anna", "hi") == "You say: hi"
    assert speaker.said(1, "Budi", "hi") == "Budi says: hi"
    assert speaker.said(None, "Citra", "hi") == "Citra (watching) says: hi"
    assert Speaker(TABLE, None).said(None, "Citra", "hi") == "Citra (watching) says: hi"


def test_the_lobby_says_who_has_to_do_what() -> None:
    host, guest = Speaker(view(phase="open"), 0), Speaker(view(phase="open"), 1)
    assert host.waiting(1) == "1 seat is free. Wait, or type fill for bots; start begins."
    assert host.waiting(0) == "All seats are taken. Type start to begin."
    assert guest.waiting(2) == "2 seats are free. Anna begins when all are taken."
    assert guest.waiting(0) == "No seat is free. Anna begins when all are taken."


def test_a_question_shows_the_clock_only_where_there_is_one() -> None:
    speaker = Speaker(TABLE, 0)
    assert speaker.your_turn("1) 66", 3, "", None, None) == "Round 3, you lead. Choose: 1) 66"
    assert speaker.your_turn("1) 66", 3, "55", 1, 80) == "Round 3, your turn (80 s). Beat 55 of Budi: 1) 66"


def test_a_seat_line_tells_all_that_matters_of_a_seat() -> None:
    seats = (ANNA, SeatView(1, "human", "Budi", away=True, score=4, ready=True), BOT)
    speaker = Speaker(view(seats=seats, phase="between", deals=2), 0)
    assert speaker.seat_line(seats[0], 3, 2) == "Seat 1: You, host, 3 cards, 2 points, 0 in the match."
    assert (
        speaker.seat_line(seats[1], None, None)
        == "Seat 2: Budi, not connected, played by a bot, 4 in the match, ready."
    )
    assert speaker.seat_line(SeatView(2, "empty"), None, None) == "Seat 3: free."
