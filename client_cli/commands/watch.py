"""`paizhuo watch`: look on at a room. A spectator sees what all may see, and no hand."""

from client_cli.address import room_address
from client_cli.commands.seating import Visiting, run_seated, sit_elsewhere
from client_cli.session import Session
from protocol.errors import ExitCode
from protocol.messages import Watch


def watch(
    room: str,
    code: str | None = None,
    /,
    *,
    visiting: Visiting | None = None,
) -> ExitCode:
    """Look on at a room, without a seat.

    Parameters
    ----------
    room
        CODE@HOST, CODE@HOST:PORT, or the address that the host gave you. CODE alone: on the server of your settings.
    code
        The room's code, when ROOM is only the server's address.
    """
    visiting = visiting or Visiting()
    address = room_address(room, code, visiting.settings.server)
    session = Session(visiting.player(), Watch(address.code))
    return run_seated(lambda front: sit_elsewhere(front, address.url, session), visiting.settings)
