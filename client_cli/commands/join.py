"""`paizhuo join`: take a seat in a room that somebody else has opened."""

from client_cli.address import room_address
from client_cli.commands.resume import resume
from client_cli.commands.seating import Seating, new_secret, run_seated, sit_elsewhere
from client_cli.session import Session
from protocol.errors import ExitCode
from protocol.messages import Join


def join(room: str | None = None, code: str | None = None, /, *, seating: Seating | None = None) -> ExitCode:
    """Take a seat in a room.

    Without ROOM it goes back to your unfinished game, as resume does.

    Parameters
    ----------
    room
        CODE@HOST, CODE@HOST:PORT, or the address that the host gave you. CODE alone: on the server of your settings.
    code
        The room's code, when ROOM is only the server's address.
    """
    seating = seating or Seating()
    if room is None:
        return resume(auto=seating.auto, showing=seating)
    address = room_address(room, code, seating.settings.server)
    session = Session(seating.player(), Join(address.code, new_secret()))
    return run_seated(lambda front: sit_elsewhere(front, address.url, session, auto=seating.auto), seating.settings)
