"""How a room is named on the command line, and where its server listens."""

from typing import NamedTuple
from urllib.parse import urlsplit

from client_cli.failure import CommandFailed
from client_cli.language import tr
from client_cli.text import clipped
from protocol.errors import ExitCode

DEFAULT_PORT = 8470
CODE_LENGTH = 8
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}


class RoomAddress(NamedTuple):
    """A server's WebSocket URL and the code of a room on it."""

    url: str
    code: str


def room_address(where: str, code: str | None = None, server: str = "") -> RoomAddress:
    """Reads `CODE@HOST[:PORT]`, `http[s]://HOST/j/CODE`, or a server's URL with the code beside it.

    `server`: where a code alone is looked for; with an empty one it is not understood.
    Raises `CommandFailed` (usage) for anything else.
    """
    if code is not None:
        return RoomAddress(server_url(where), tidy_code(code))
    if "://" in where:
        server, found, last = where.rpartition("/j/")
        if not found:
            raise _misread(where, tr("a room is http://HOST:PORT/j/CODE, or ws://HOST:PORT/ws CODE"))
        return RoomAddress(server_url(f"{server}/ws"), tidy_code(last))
    first, found, host = where.rpartition("@") if "@" in where or not server else (where, "@", server)
    if not found:
        raise _misread(where, tr("a room is CODE@HOST or CODE@HOST:PORT"))
    return RoomAddress(server_url(host), tidy_code(first))


def pasted_room(text: str, server: str = "") -> RoomAddress:
    """The room in what somebody typed or pasted: all that `room_address` reads, with any blanks and in any case, a code
    with its server behind it, or a whole invitation with one of these in it.

    Raises `CommandFailed` (usage).
    """
    words = [word.strip("<>()\"',;.") for word in text.split()]
    words = [word for word in words if word and word.lower() not in ("paizhuo", "join", "watch")]
    if (link := next((word for word in words if "://" in word), None)) is not None:
        rest = "".join(word for word in words if word != link)
        return room_address(link, None if "/j/" in link else rest)
    if "@" in text:
        before, _, after = " ".join(words).partition("@")
        host, *_ = [*after.split(), ""]
        return room_address(f"{_last_code(before)}@{host}")
    codes = [word for word in words if not _is_host(word)]
    hosts = [word for word in words if _is_host(word)]
    return room_address("".join(codes), None, hosts[0] if hosts else server)


def _is_host(word: str) -> bool:
    return "." in word or ":" in word or word.lower() == "localhost"


def _last_code(before: str) -> str:
    """The code at the end of what stands before an @: one word, or two halves."""
    *_, half, last = ["", "", *before.split()]
    joined = half + last
    return joined if len(last) < CODE_LENGTH and len(joined.replace("-", "")) == CODE_LENGTH else last


def server_url(where: str) -> str:
    """The WebSocket URL of `HOST[:PORT]` or of an http, https, ws or wss URL. Raises `CommandFailed` (usage)."""
    try:
        parts = urlsplit(where if "://" in where else f"ws://{where}")
        scheme, host, port = SCHEMES[parts.scheme], parts.hostname, parts.port
        (host or "").encode("idna")
    except (KeyError, ValueError):
        host = None
    if not host or any(sign.isspace() for sign in where) or parts.username is not None:
        raise _misread(where, tr("a server is HOST, HOST:PORT or ws://HOST:PORT/ws"))
    if "://" not in where:
        port = port or DEFAULT_PORT
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/') or '/ws'}"


def server_name(url: str) -> str:
    """A server's URL as people say it: `HOST:PORT`, or the whole URL where that would not lead there."""
    parts = urlsplit(url)
    if parts.scheme != "ws" or parts.port is None or parts.path != "/ws":
        return url
    return parts.netloc.removesuffix(f":{DEFAULT_PORT}")


def page_url(url: str, code: str) -> str:
    """The page of this server that tells how to join a room."""
    return f"http{url.removeprefix('ws').removesuffix('/ws')}/j/{code}"


def tidy_code(typed: str) -> str:
    """A room code as the server writes it. Raises `CommandFailed` (usage)."""
    code = "".join(typed.split()).replace("-", "").upper()
    if not (code.isascii() and code.isalnum() and len(code) <= 16):
        raise _misread(typed, tr("a room code has letters and digits only, such as ABCD-EFGH"))
    return code


def spaced_code(code: str) -> str:
    """A room code as people read it aloud: `ABCD-EFGH`."""
    return f"{code[:4]}-{code[4:]}" if len(code) == 8 else code


def how_to_join(url: str, code: str) -> str:
    """The arguments of `paizhuo join` that lead to this room."""
    server = server_name(url)
    return f"{url} {spaced_code(code)}" if "://" in server else f"{spaced_code(code)}@{server}"


def _misread(typed: str, expected: str) -> CommandFailed:
    return CommandFailed(
        ExitCode.USAGE, tr("'{typed}' is not understood: {expected}", typed=clipped(typed), expected=expected)
    )
