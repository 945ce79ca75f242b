"""What is said of seats that are kept, and of the way back to them. As in `words`: values in, one line out."""

from collections.abc import Sequence

from client_cli.address import spaced_code
from client_cli.tickets import SavedSeat
from client_cli.words_link import server

FORGET_WHICH = "which seat? For instance: paizhuo resume ABCD-EFGH --forget"
WHICH_SEAT = "Which game do you go back to?"
SEAT_GONE = "This seat is no longer yours: it was left or given up, or its room is closed."


def way_back(code: str) -> tuple[str, ...]:
    return (f"Your seat is kept. Come back with: paizhuo resume {spaced_code(code)}",)


def hosted_way_back(command: str, code: str) -> tuple[str, ...]:
    """Each command has a line of its own, so that it can be copied."""
    return (
        "Your server stops now; the room is kept. Start the server again, and come back, with:",
        command,
        f"paizhuo resume {spaced_code(code)}",
    )


def not_saved(reason: str) -> str:
    return f"Your seat could not be saved on this machine ({reason}): it can be played, but not resumed."


def no_unfinished_game(code: str | None) -> str:
    return f"there is no unfinished game{f' in room {spaced_code(code)}' if code else ''} on this machine"


def unfinished(seats: Sequence[SavedSeat]) -> str:
    if len(seats) == 1:
        return f"You have left a game unfinished, {saved_seat(seats[0])}. To go back: paizhuo resume"
    return f"You have left {len(seats)} games unfinished. To go back to one: paizhuo resume"


def unreadable_seat(path: str) -> str:
    return f"This is no saved seat and is passed over; delete it: {path}"


def saved_seat(seat: SavedSeat, *, answers: bool = True) -> str:
    silent = "" if answers else f" (no answer; to forget it: paizhuo resume {spaced_code(seat.code)} --forget)"
    where = server((*seat.servers, seat.url)[0])
    return f"{spaced_code(seat.code)} at {where}, seat {seat.seat + 1} as {seat.name}{silent}"


def forgotten(seat: str) -> str:
    return f"Forgotten: {seat}"


def served_again(command: str, code: str) -> tuple[str, ...]:
    return (
        "The rooms of a table that was hosted on this machine are kept. Serve them again, and come back, with:",
        command,
        f"paizhuo resume {spaced_code(code)}",
    )


def or_forget(failure: str, code: str) -> str:
    return f"{failure}; if it is gone for good: paizhuo resume {spaced_code(code)} --forget"
