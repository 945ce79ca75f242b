"""`paizhuo-server admin ...`: asks a running server's operator's listener, and prints what it says."""

import json as json_text
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from cyclopts import Parameter
from cyclopts.validators import Number

from protocol.errors import ExitCode
from server.commands import CommandFailed
from server.rooms.names import clean_text

PATIENCE_S = 10.0

_EXIT_CODES = {
    "no_such_room": ExitCode.NO_SUCH_ROOM,
    "store_unavailable": ExitCode.STORE_UNAVAILABLE,
    "malformed": ExitCode.USAGE,
}


@dataclass(frozen=True, kw_only=True)
class Listener:
    """Where the operator's listener is, and how to say what it says."""

    admin_host: str = "127.0.0.1"
    """Its address."""

    admin_port: Annotated[int, Parameter(validator=Number(gte=1, lte=65535))] = 8471
    """Its port, as --admin-port of serve."""

    admin_token_file: str = ""
    """The file with the operator's token, where the server was started with one."""

    json: Annotated[bool, Parameter(negative="")] = False
    """Print what the server says as it is."""


Asking = Annotated[Listener | None, Parameter(name="*")]


def rooms(*, listener: Asking = None) -> None:
    """List the rooms that are open at the server: no cards, only who sits there and how far it is."""
    found = _ask("GET", "/admin/rooms", listener)
    if (listener or Listener()).json:
        _print_json(found)
        return
    for room in found:
        seats = ", ".join(
            f"{seat['seat'] + 1} {seat['kind']} {clean_text(seat['name']) or ''}".rstrip()
            + ("" if seat["kind"] != "human" or seat["connected"] else " (gone)")
            for seat in room["seats"]
        )
        print(
            f"{room['code']}  {room['game']}  {room['phase']}  deal {room['deal']}/{room['deals']}  [{seats}]  "
            f"{room['connections']} connections  {room['age_s']} s old, idle for {room['idle_s']} s"
        )


def connections(*, listener: Asking = None) -> None:
    """List the connections of the server: id, address, name and place."""
    found = _ask("GET", "/admin/connections", listener)
    if (listener or Listener()).json:
        _print_json(found)
        return
    for one in found:
        place = one["room"] if one["seat"] is None else f"{one['room']} seat {one['seat'] + 1}"
        print(f"{one['id']}  {one['address']}  {clean_text(one['name']) or '-'}  {one['state']}  {place}".rstrip())


def kick(
    whom: str,
    seat: Annotated[int | None, Parameter(validator=Number(gte=1, lte=3))] = None,
    *,
    listener: Asking = None,
) -> None:
    """End a connection (its player may come back by hand), or take a seat away for good.

    Parameters
    ----------
    whom
        The id of a connection (c12), or with a seat the code of a room.
    seat
        The seat in that room: 1, 2 or 3, as its players count.
    """
    kind = f"connections/{quote(whom, '')}" if seat is None else f"rooms/{quote(whom, '')}/seats/{seat - 1}"
    _do(f"/admin/{kind}/kick", {}, listener)


def close(code: str, *, listener: Asking = None) -> None:
    """End a room, whatever is going on in it; its players are told that the operator did.

    Parameters
    ----------
    code
        Of the room.
    """
    _do(f"/admin/rooms/{quote(code, '')}/close", {}, listener)


def block(
    address: str,
    seconds: Annotated[int, Parameter(validator=Number(gte=0))] = 3600,
    *,
    listener: Asking = None,
) -> None:
    """End all connections of an address and let it open none for a time. IPv6 counts with its /64.

    Parameters
    ----------
    address
        As `admin connections` shows it.
    seconds
        For how long; 0 ends a block.
    """
    _do("/admin/block", {"address": address, "seconds": seconds}, listener)


def drain(*, listener: Asking = None) -> None:
    """Send all players to other servers and let nobody in, as before a stop; the server goes on until it is stopped."""
    _do("/admin/drain", {}, listener)


def backup(*, listener: Asking = None) -> None:
    """Copy the file of rooms beside itself, in place of the copy before, and print where that is."""
    found = _ask("POST", "/admin/backup", listener, b"{}")
    if (listener or Listener()).json:
        _print_json(found)
    else:
        print(found["copy"])


def _do(path: str, body: dict[str, object], listener: Listener | None) -> None:
    found = _ask("POST", path, listener, json_text.dumps(body).encode())
    if (listener or Listener()).json:
        _print_json(found)


def _print_json(found: object) -> None:
    print(json_text.dumps(found))  # ASCII: nothing of a name reaches the terminal as it is


def _ask(method: str, path: str, listener: Listener | None, body: bytes | None = None) -> Any:
    """What the server answers. Raises `CommandFailed`."""
    at = listener or Listener()
    host, port, token_file = at.admin_host, at.admin_port, at.admin_token_file
    headers = {"Content-Type": "application/json"}
    if token_file:
        try:
            headers["Authorization"] = f"Bearer {Path(token_file).read_text().strip()}"
        except (OSError, UnicodeError):
            raise CommandFailed(ExitCode.USAGE, f"the token file {token_file} cannot be read") from None
    asking = HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        asking.request(method, path, body, headers)
        response = asking.getresponse()
        text = response.read()
    except (OSError, HTTPException, UnicodeError):
        raise CommandFailed(
            ExitCode.UNREACHABLE,
            f"no operator's listener answers at {host}:{port}: start the server with --admin-port {port}",
        ) from None
    finally:
        asking.close()
    return _read(response, text)


def _read(response: HTTPResponse, text: bytes) -> Any:
    try:
        found = json_text.loads(text)
    except ValueError:
        found = None
    if response.status == 200 and found is not None:
        return found
    if isinstance(found, dict) and isinstance(found.get("text"), str):
        code = _EXIT_CODES.get(str(found.get("code")), ExitCode.REFUSED)
        raise CommandFailed(code, clean_text(found["text"]) or "refused")
    sentence = clean_text(text.decode(errors="replace")[:300]) or "no reason given"
    if response.status in (401, 403):
        raise CommandFailed(ExitCode.REFUSED, sentence)
    raise CommandFailed(ExitCode.FAILURE, f"HTTP {response.status}: {sentence}")
