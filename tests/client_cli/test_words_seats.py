"""The way back to a seat is told with the server that had it last."""

from msgspec.structs import replace

from client_cli import words_seats
from client_cli.tickets import SavedSeat

SEAT = SavedSeat("ws://10.0.0.1:8470/ws", "K7QF2MXR", 1, "Budi", "K7QF2MXR.secret", 1000.0)


def test_a_seat_is_named_by_the_server_that_served_it_last() -> None:
    moved = replace(SEAT, servers=("ws://10.0.0.2:8470/ws", SEAT.url))
    assert words_seats.saved_seat(SEAT) == "K7QF-2MXR at 10.0.0.1, seat 2 as Budi"
    assert words_seats.saved_seat(moved) == "K7QF-2MXR at 10.0.0.2, seat 2 as Budi"
    assert words_seats.saved_seat(SEAT, answers=False).endswith(
        "(no answer; to forget it: paizhuo resume K7QF-2MXR --forget)"
    )


def test_a_table_of_this_machine_is_served_again_before_it_is_forgotten() -> None:
    kept, *commands = words_seats.served_again("paizhuo-server serve", "K7QF2MXR")
    assert "are kept" in kept
    assert commands == ["paizhuo-server serve", "paizhuo resume K7QF-2MXR"]


def test_the_one_who_hosted_is_told_how_to_start_the_server_again() -> None:
    assert words_seats.hosted_way_back("paizhuo-server serve", "K7QF2MXR")[1:] == (
        "paizhuo-server serve",
        "paizhuo resume K7QF-2MXR",
    )
