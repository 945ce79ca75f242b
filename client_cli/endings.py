"""What the end of a link means, by its close code or by the answer in its place: go on somewhere, or give up."""

from typing import Literal

from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI

from client_cli.address import server_name
from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.servers import BUSY, LONGEST_WAIT_S, Attempt, Servers
from client_cli.text import clipped
from protocol.errors import CloseCode, ExitCode

TOO_MANY_REQUESTS = 429
LONGEST_ANSWER = 300
TURNED_AWAY = "Paizhuo-Code"
"""The header by which a server says why it opens no WebSocket."""

TRY_AGAIN_LATER = 1013  # RFC 6455 registry; our own codes are in protocol.errors
PROTOCOL_FAULTS = {1002, 1003, 1007, 1008, CloseCode.TOO_BIG}

Why = Literal["broken", "stopped", "newer", "busy", "stale", "slept", "stranger", "unanswered", "untrusted"]


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
    if code == CloseCode.KICKED:
        raise CommandFailed(ExitCode.REFUSED, tr("the server's operator ended the connection")) from None
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
        body = said_by(error)
        if status == 400:
            raise CommandFailed(
                ExitCode.VERSION_MISMATCH,
                tr(
                    "{server} refused this version: {reason}",
                    server=server_name(url),
                    reason=body or tr("no reason given"),
                ),
            ) from None
        if status < 500 and status != TOO_MANY_REQUESTS and TURNED_AWAY in error.response.headers:
            raise CommandFailed(
                ExitCode.REFUSED, tr("{server} turned you away: {reason}", server=server_name(url), reason=body)
            ) from None
        # A proxy in front of a server that restarts may say anything; before the first contact it is a wrong address.
        if status < 500 and status != TOO_MANY_REQUESTS and not reached:
            raise CommandFailed(
                ExitCode.UNREACHABLE,
                tr("there is no Paizhuo server at {url} (HTTP {status}): check the address", url=url, status=status),
            ) from None


def said_by(error: InvalidStatus) -> str:
    """What the server has to say to people, in place of opening a WebSocket: one line, perhaps empty."""
    lines = error.response.body.decode(errors="replace").strip().splitlines()
    return lines[0][:LONGEST_ANSWER] if lines else ""


def refused_to_open(error: Exception, url: str, servers: Servers) -> tuple[Why, Attempt]:
    """Why no link to `url` came about, and where to go: to another server, or back when it said so."""
    if isinstance(error, InvalidStatus) and TURNED_AWAY in error.response.headers:
        after = error.response.headers.get("Retry-After", "")
        if after.isascii() and after.isdecimal() and len(after) < 6:
            from_s = min(float(after), LONGEST_WAIT_S)
            return "busy", servers.sent_away(url, from_s=from_s, within_s=2 * from_s)
    return "unanswered", servers.silent(url)


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
