"""What is said of servers and of the connection to them. As in `words`: values in, one line out."""

from client_cli.address import DEFAULT_PORT, server_name
from client_cli.rows import clipped

BACK = "Connected again."
REPLACED = "Your seat has been taken over by a newer window of yours."
REPLACED_HERE = f"{REPLACED} This window keeps the server, for everybody at the table: Ctrl-C stops it."
SERVER_MISSING = "this needs the server too. In the project's folder type: pip install '.[server]'"

NOT_SAVED_YET = "That is not saved yet. It is sent again until it is."
NO_PLACE_YET = "The server cannot save anything just now. Your place is asked for again."
SEAT_LOST = "Your ticket opens no seat any more. A seat is asked for as at first."
NOT_SENT_YET = "There is no connection: that is sent as soon as there is."
NOT_SENT = "There is no connection: that was not sent."
TRYING_NOW = "Trying again now."

NOTICES = {
    "stale": "The server cannot save anything just now: your moves wait until it can.",
    "live": "The server can save again: play goes on.",
    "reset": "The server lost the newest moves. This is the table now:",
    "newer": (
        "This server is too old by now for this room, where a newer one has played: it only shows how the table was. "
        "It is asked again about once a minute."
    ),
    "draining": "The server is about to stop. The game goes on when it is back.",
}

LOST = {
    "broken": "The connection to {server} is lost.",
    "stale": "{server} cannot reach its store.",
    "slept": "This machine slept, or the program stood still.",
    "stopped": "{server} stops or restarts.",
    "newer": "{server} is too old by now for this room, where a newer server has played.",
    "busy": "{server} asks for patience.",
    "stranger": "{server} cannot serve this game.",
    "unanswered": "{server} does not answer.",
}
STOP_TRYING = "Press Ctrl-C, or type quit, to stop trying."


def lost(url: str, following: str, wait_s: float, why: str, *, alone: bool = True) -> str:
    """`why`: as in `connection.Lost`. `alone`: no other server is known to be silent."""
    when = f"in {wait_s:.0f} s" if wait_s >= 0.5 else "now"
    what = LOST[why].format(server=server(url))
    if why == "unanswered":
        return f"{what if alone else 'No server answers.'} Trying again {when}, then at least every 30 s. {STOP_TRYING}"
    if url != following:
        return f"{what} Going on at {server(following)}."
    return f"{what} Trying again {when}.{'' if why in ('broken', 'slept') else f' {STOP_TRYING}'}"


def back(moved_to: str | None) -> str:
    """`moved_to`: the server, where it is another one than before."""
    return BACK if moved_to is None else f"Connected again, at {server(moved_to)}."


def server(url: str) -> str:
    """Other servers' addresses are what a server says: short enough for a line, whatever they are."""
    return clipped(server_name(url))


def server_stops(others: int) -> str:
    sits = "1 other player sits" if others == 1 else f"{others} other players sit"
    return f"Your server stops when you go, and {sits} here."


def host_there_instead(refusal: str, game: str) -> str:
    return (
        f"{refusal}. Or open a room on the server that runs already, with its port (usually {DEFAULT_PORT}): "
        f"paizhuo host {game} --server 127.0.0.1:{DEFAULT_PORT}"
    )
