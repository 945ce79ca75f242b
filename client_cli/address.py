"""How a room is named on the command line, and where its server listens.

Without a scheme, servers of the internet are reached with TLS (port 443), those of a private network without (port
8470). Behind a # stands the fingerprint of the server's certificate, which then counts alone.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urldefrag, urlsplit

from client_cli.failure import CommandFailed
from client_cli.fingerprint import short, tidy_fingerprint
from client_cli.language import tr
from client_cli.text import clipped
from protocol.errors import ExitCode

DEFAULT_PORT = 8470
CODE_LENGTH = 8
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
HOME_DOMAINS = frozenset(("local", "localhost", "localdomain", "lan", "home", "internal", "arpa", "test"))
"""Top-level domains of names that lead to no server of the internet (RFC 6761, 6762, 8375, and what routers use)."""


class RoomAddress(NamedTuple):
    """A server's URL, as `server_url` gives it, and the code of a room on it."""

    url: str
    code: str


def room_address(where: str, code: str | None = None, server: str = "") -> RoomAddress:
    """The room in what somebody typed or pasted: a server with the code beside it, or in `where` all of it.

    That is `CODE@HOST[:PORT][#FINGERPRINT]`, `http[s]://HOST/j/CODE`, a code with its server or a server's URL with its
    code behind it or before it, with any blanks and in any case, or a whole invitation with one of these in it.
    `server`: where a code alone is looked for; with an empty one it is not understood.
    Raises `CommandFailed` (usage) for anything else.
    """
    if code is not None:
        return RoomAddress(server_url(where), _whole_code(code))
    words = [word.strip("<>()\"',;.") for word in re.sub(r"@(?=\w+://)", " ", where).split()]
    words = [word for word in words if word and word.lower() not in ("paizhuo", "join", "watch")]
    if links := [word for word in words if "://" in word]:
        if (page := next((link for link in links if "/j/" in link), None)) is not None:
            return _room_of_page(page)
        if codes := [word for word in words if "://" not in word]:
            return RoomAddress(server_url(links[0]), _whole_code(_last_code(codes)))
        raise _misread(where, tr("a room is http://HOST:PORT/j/CODE, or ws://HOST:PORT/ws CODE"))
    if "@" in where:
        before, _, after = " ".join(words).partition("@")
        host, *_ = [*after.split(), ""]
        return RoomAddress(server_url(host), _whole_code(_last_code(before.split())))
    codes = [word for word in words if not _is_host(word)]
    host, *_ = [*(word for word in words if _is_host(word)), server]
    if not host:
        raise _misread(
            where, tr("a room is CODE@HOST or CODE@HOST:PORT; CODE alone is looked for at the setting server")
        )
    return RoomAddress(server_url(host), _whole_code("".join(codes)))


def _room_of_page(link: str) -> RoomAddress:
    page, pin = urldefrag(link)
    server, _, code = page.rpartition("/j/")
    return RoomAddress(server_url(f"{server}/ws{pin and f'#{pin}'}"), _whole_code(code))


def _whole_code(typed: str) -> str:
    code = tidy_code(typed)
    if len(code) != CODE_LENGTH:
        raise _misread(typed, tr("a room code has {length} letters and digits, such as ABCD-EFGH", length=CODE_LENGTH))
    return code


def _is_host(word: str) -> bool:
    return "." in word or ":" in word or word.lower() == "localhost"


def _last_code(words: Sequence[str]) -> str:
    """The code at the end of what was typed, which may be in parts."""
    code = ""
    for word in reversed(words):
        code = word + code
        if len(code.replace("-", "")) >= CODE_LENGTH:
            break
    return code if len(code.replace("-", "")) == CODE_LENGTH else "".join(words[-1:])


def server_url(where: str) -> str:
    """The WebSocket URL of `HOST[:PORT][#FINGERPRINT]` or of an http, https, ws or wss URL.

    The fingerprint stays behind its #. Raises `CommandFailed` (usage).
    """
    try:
        parts = urlsplit(where if "://" in where else f"//{where}")
        host, port = parts.hostname, parts.port
        scheme = SCHEMES[parts.scheme] if parts.scheme else _usual_scheme(host or "", pinned=bool(parts.fragment))
        (host or "").encode("idna")
    except (KeyError, ValueError):
        host = None
    if not host or any(sign.isspace() for sign in where) or parts.username is not None:
        raise _misread(where, tr("a server is HOST, HOST:PORT or ws://HOST:PORT/ws"))
    if parts.fragment and scheme != "wss":
        expected = tr("a server with a fingerprint is HOST:PORT#FINGERPRINT or wss://HOST:PORT/ws#FINGERPRINT")
        raise _misread(where, expected)
    if not parts.scheme and (scheme == "ws" or parts.fragment):
        port = port or DEFAULT_PORT
    name = f"[{host}]" if ":" in host else host
    pin = parts.fragment and f"#{tidy_fingerprint(parts.fragment)}"
    return f"{scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/') or '/ws'}{pin}"


def url_at(address: str, port: int, pin: str = "") -> str:
    """The URL of a server at an address in numbers; `pin`: its fingerprint, if it has TLS."""
    return f"{'wss' if pin else 'ws'}://{address}:{port}/ws{pin and f'#{pin}'}"


def _usual_scheme(host: str, *, pinned: bool) -> str:
    """Whoever writes no scheme does not ask for the risk of going through the internet without TLS."""
    try:
        internet = ip_address(host.partition("%")[0]).is_global
    except ValueError:
        _, dotted, top = host.rstrip(".").rpartition(".")
        internet = bool(dotted) and top.lower() not in HOME_DOMAINS
    return "wss" if internet or pinned else "ws"


def server_name(url: str) -> str:
    """A server's URL as people say it: `HOST` or `HOST:PORT`, or the whole URL where that would not lead there.

    Without its fingerprint, which is no part of a name.
    """
    place, pin = urldefrag(url)
    netloc = urlsplit(place).netloc
    for name in (netloc.removesuffix(f":{DEFAULT_PORT}"), netloc):
        with suppress(CommandFailed):  # a saved seat may hold anything
            if server_url(f"{name}{pin and f'#{pin}'}") == url:
                return name
    return place


def fingerprint_of(url: str) -> str:
    """What a server's certificate has to have; empty where those who sign certificates are trusted."""
    return urlsplit(url).fragment


def page_url(url: str, code: str) -> str:
    """The page of this server that tells how to join a room, with the whole fingerprint."""
    place, pin = urldefrag(url)
    return f"http{place.removeprefix('ws').removesuffix('/ws')}/j/{code}{pin and f'#{pin}'}"


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
    server, pin = server_name(url), fingerprint_of(url)
    if "://" in server:
        return f"{url} {spaced_code(code)}"
    return f"{spaced_code(code)}@{server}{pin and f'#{short(pin)}'}"


def _misread(typed: str, expected: str) -> CommandFailed:
    return CommandFailed(
        ExitCode.USAGE, tr("'{typed}' is not understood: {expected}", typed=clipped(typed), expected=expected)
    )
