"""What is said of seats that are kept, and of the way back to them. As in `words`: values in, one line out."""

from collections.abc import Sequence

from client_cli.address import spaced_code
from client_cli.language import tr
from client_cli.tickets import SavedSeat
from client_cli.words_link import server


def forget_which() -> str:
    return tr("which seat? For instance: paizhuo resume ABCD-EFGH --forget")


def which_seat() -> str:
    return tr("Which game do you go back to?")


def seat_gone() -> str:
    return tr("This seat is no longer yours: it was left or given up, or its room is closed.")


def way_back(code: str) -> tuple[str, ...]:
    return (tr("Your seat is kept. Come back with: {command}", command=_resume(code)),)


def hosted_way_back(command: str, code: str) -> tuple[str, ...]:
    """Each command has a line of its own, so that it can be copied."""
    return (
        tr("Your server stops now; the room is kept. Start the server again, and come back, with:"),
        command,
        _resume(code),
    )


def not_saved(reason: str) -> str:
    return tr(
        "Your seat could not be saved on this machine ({reason}): it can be played, but not resumed.", reason=reason
    )


def no_unfinished_game(code: str | None) -> str:
    if code is None:
        return tr("there is no unfinished game on this machine")
    return tr("there is no unfinished game in room {code} on this machine", code=spaced_code(code))


def unfinished(seats: Sequence[SavedSeat]) -> str:
    """`seats`: at least one."""
    if len(seats) == 1:
        return tr("You have left a game unfinished, {seat}. To go back: paizhuo resume", seat=saved_seat(seats[0]))
    return tr("You have left {count} games unfinished. To go back to one: paizhuo resume", count=len(seats))


def unreadable_seat(path: str) -> str:
    return tr("This is no saved seat and is passed over; delete it: {path}", path=path)


def undeletable(reason: str) -> str:
    return tr("the saved seat cannot be deleted: {reason}", reason=reason)


def unreadable(reason: str) -> str:
    return tr("the saved seats cannot be read: {reason}", reason=reason)


def json_of_a_list() -> str:
    return tr("--json is for --list: to go back to a seat there is nothing to print")


def saved_seat(seat: SavedSeat, *, answers: bool = True) -> str:
    where = server((*seat.servers, seat.url)[0])
    code, number = spaced_code(seat.code), seat.seat + 1
    named = tr("{code} at {server}, seat {number} as {name}", code=code, server=where, number=number, name=seat.name)
    if answers:
        return named
    return tr("{seat} (no answer; to forget it: {command})", seat=named, command=_forget(seat.code))


def forgotten(seat: str) -> str:
    return tr("Forgotten: {seat}", seat=seat)


def served_again(command: str, code: str) -> tuple[str, ...]:
    return (
        tr("The rooms of a table that was hosted on this machine are kept. Serve them again, and come back, with:"),
        command,
        _resume(code),
    )


def or_forget(failure: str, code: str) -> str:
    return tr("{failure}; if it is gone for good: {command}", failure=failure, command=_forget(code))


def _resume(code: str) -> str:
    return f"paizhuo resume {spaced_code(code)}"


def _forget(code: str) -> str:
    return f"{_resume(code)} --forget"
