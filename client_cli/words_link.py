"""What is said of servers and of the connection to them. As in `words`: values in, one line out."""

from collections.abc import Mapping

from client_cli.address import DEFAULT_PORT, server_name
from client_cli.language import sentences, tr, tr_later, tr_n
from client_cli.text import clipped

NOTICES: Mapping[str, str] = {
    "stale": tr_later("The server cannot save anything just now: your moves wait until it can."),
    "live": tr_later("The server can save again: play goes on."),
    "reset": tr_later("The server lost the newest moves. This is the table now:"),
    "newer": tr_later(
        "This server is too old by now for this room, where a newer one has played: it only shows how the table was. "
        "It is asked again about once a minute."
    ),
    "draining": tr_later("The server is about to stop. The game goes on when it is back."),
}
LOST: Mapping[str, str] = {
    "broken": tr_later("The connection to {server} is lost."),
    "stale": tr_later("{server} cannot reach its store."),
    "slept": tr_later("This machine slept, or the program stood still."),
    "stopped": tr_later("{server} stops or restarts."),
    "newer": tr_later("{server} is too old by now for this room, where a newer server has played."),
    "busy": tr_later("{server} asks for patience."),
    "stranger": tr_later("{server} cannot serve this game."),
    "unanswered": tr_later("{server} does not answer."),
    "untrusted": tr_later("{server} shows a certificate that cannot be trusted, so nothing is sent to it."),
}


def sought(url: str) -> str:
    return tr("{server} does not answer yet. It is tried for a few seconds.", server=server(url))


def connected_again() -> str:
    return tr("Connected again.")


def replaced() -> str:
    return tr("Your seat has been taken over by a newer window of yours.")


def replaced_here() -> str:
    return sentences(replaced(), tr("This window keeps the server, for everybody at the table: Ctrl-C stops it."))


def server_missing() -> str:
    return tr("this needs the server too. In the project's folder type: pip install '.[server]'")


def not_saved_yet() -> str:
    return tr("That is not saved yet. It is sent again until it is.")


def no_place_yet() -> str:
    return tr("The server cannot save anything just now. Your place is asked for again.")


def seat_lost() -> str:
    return tr("Your ticket opens no seat any more. A seat is asked for as at first.")


def not_sent_yet() -> str:
    return tr("There is no connection: that is sent as soon as there is.")


def not_sent() -> str:
    return tr("There is no connection: that was not sent.")


def trying_now() -> str:
    return tr("Trying again now.")


def stop_trying() -> str:
    return tr("Press Ctrl-C, or type quit, to stop trying.")


def notice(kind: str) -> str | None:
    """None for a kind that only newer clients know."""
    return tr(NOTICES[kind]) if kind in NOTICES else None


def lost(url: str, following: str, wait_s: float, why: str, *, alone: bool = True) -> str:
    """`why`: as in `connection.Lost`. `alone`: no other server is known to be silent."""
    soon = wait_s < 0.5
    what = tr(LOST[why], server=server(url))
    if why == "unanswered":
        again = (
            tr("Trying again now, then at least every 30 s.")
            if soon
            else tr("Trying again in {seconds} s, then at least every 30 s.", seconds=round(wait_s))
        )
        return sentences(what if alone else tr("No server answers."), again, stop_trying())
    if url != following:
        return sentences(what, tr("Going on at {server}.", server=server(following)))
    again = trying_now() if soon else tr("Trying again in {seconds} s.", seconds=round(wait_s))
    return sentences(what, again, "" if why in ("broken", "slept") else stop_trying())


def back(moved_to: str | None) -> str:
    """`moved_to`: the server, where it is another one than before."""
    return connected_again() if moved_to is None else tr("Connected again, at {server}.", server=server(moved_to))


def server(url: str) -> str:
    """Other servers' addresses are what a server says: short enough for a line, whatever they are."""
    return clipped(server_name(url))


def server_stops(others: int) -> str:
    return tr_n(
        "Your server stops when you go, and {count} other player sits here.",
        "Your server stops when you go, and {count} other players sit here.",
        others,
    )


def host_there_instead(refusal: str, game: str) -> str:
    command = f"paizhuo host {game} --server 127.0.0.1:{DEFAULT_PORT}"
    return tr(
        "{refusal}. Or open a room on the server that runs already, with its port (usually {port}): {command}",
        refusal=refusal,
        port=DEFAULT_PORT,
        command=command,
    )
