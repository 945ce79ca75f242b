"""What the end of a link means, by its close code or by the answer in its place: go on somewhere, or give up."""

from typing import Literal

from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI

from client_cli.address import server_name
from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.servers import BUSY, Attempt, Servers
from client_cli.text import clipped
from protocol.errors import CloseCode, ExitCode

TRY_AGAIN_LATER = 1013  # RFC 6455 registry; our own codes are in protocol.errors
PROTOCOL_FAULTS = {1002, 1003, 1007, 1008, CloseCode.TOO_BIG}

Why = Literal["broken", "stopped", "newer", "busy", "stale", "slept", "stranger", "unanswered"]


class Replaced(Exception):
    """A newer connection has the seat. Connecting again would only fight with it."""


class TicketRefused(Exception):
    """The server knows no seat for the ticket."""


def refuse(closed: ConnectionClosed) -> None:
    """Raises what a close code says for good."""
    code = closed.rcvd.code if closed.rcvd else None
    reason = closed.rcvd.reason if closed.rcvd else ""
    if code == CloseCode.REPLACED:
        raise Replaced from None
    if code == CloseCode.BAD_TICKET:
        raise TicketRefused from None
    if code in PROTOCOL_FAULTS:
        raise CommandFailed(
            ExitCode.REFUSED,
            tr("the server ended the connection ({code} {reason})", code=code, reason=reason)
            if reason
            else tr("the server ended the connection ({code} without a reason)", code=code),
        ) from None


def give_up_on(error: InvalidURI | InvalidStatus, url: str, *, reached: bool) -> None:
    """Raises `CommandFailed` for failures that no further attempt mends."""
    if isinstance(error, InvalidURI):
        raise CommandFailed(ExitCode.USAGE, tr("'{typed}' is no address of a server", typed=clipped(url))) from None
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        if status == 400:
            body = error.response.body.decode(errors="replace").strip()
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH,
                tr(
                    "{server} refused this version: {reason}",
                    server=server_name(url),
                    reason=body or tr("no reason given"),
                ),
            ) from None
        # A proxy in front of a server that restarts may say anything; before the first contact it is a wrong address.
        if status < 500 and not reached:
            raise CommandFailed(
                ExitCode.UNREACHABLE,
                tr("there is no Paizhuo server at {url} (HTTP {status}): check the address", url=url, status=status),
            ) from None


def following(
    closed: ConnectionClosed, url: str, servers: Servers, *, stale: bool, back_within_s: float | None
) -> tuple[Why, Attempt]:
    """Why the link to `url` is gone, and where to go. `stale`, `back_within_s`: what the server said before."""
    code = closed.rcvd.code if closed.rcvd else None
    if code == CloseCode.RESTART:
        return "stale" if stale else "stopped", servers.sent_away(url, within_s=back_within_s)
    if code == TRY_AGAIN_LATER:
        return "busy", servers.sent_away(url, patience=BUSY)
    if code == CloseCode.RATE_LIMITED:
        return "busy", servers.lost(url, patience=BUSY)
    return "broken", servers.lost(url)
