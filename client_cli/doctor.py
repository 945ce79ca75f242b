"""What a player's machine, terminal and server can do, looked at one by one. Every check ends in words, none raises."""

import asyncio
import os
import platform
import re
import shutil
import socket
import ssl
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.error import URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import urlopen

import msgspec

from client_cli import words_doctor, words_settings, words_trust
from client_cli.connection import Connection, Opened
from client_cli.failure import CommandFailed
from client_cli.lan import NoLan, usable
from client_cli.private_server import private_server
from client_cli.settings import SettingFault, Settings, from_environment, parsed
from client_cli.settings_file import read_text
from client_cli.terminal import Terminal
from client_cli.tickets import TicketStore, now_s
from client_cli.trust import Distrusted, check, complaint, tls_for
from protocol.codec import MSGPACK

PARTS = ("paizhuo", "cyclopts", "msgspec", "textual", "websockets", "redis", "uvloop", "zeroconf", "cryptography")
STORE_PROGRAMS = ("valkey-server", "redis-server")
LEAST_COLUMNS, LEAST_ROWS = 60, 20
"""Below that the full screen shows nothing of a table."""

ANSWER_S = 5.0
MOST_BYTES = 4096
"""Of a server's answer for its version."""

SAMPLE_CELLS = 30
SAMPLES: Mapping[str, tuple[str, int]] = {
    "ascii": ("+-+ |6| *o> 66+13", 17),
    "box": ("┌─┐ │6│ └─┘ ●○►…", 16),
    "tiles": ("🁣 🁫 🂓 🀱", 7),
    "hanzi": ("一二三十 壹贰叁拾 红黑", 22),
    "emoji": ("🎴 🀄 👍", 8),
}
"""Rows to look at, and the cells that each takes."""

State = Literal["ok", "warning", "failure"]


class Check(msgspec.Struct, frozen=True):
    """`check`: what was looked at, a key of `words_doctor.titles`. `remedy`: what to do; empty where nothing is."""

    check: str
    state: State
    found: str
    remedy: str = ""


class Version(msgspec.Struct):
    """What a server answers to a request for its version."""

    server: str
    protocols: tuple[str, ...]


class Place(NamedTuple):
    """A server's address in parts."""

    host: str
    port: int
    page: str


def python_check() -> Check:
    return Check("python", "ok", f"{platform.python_version()}, {platform.system()}")


def parts_check() -> Check:
    return Check("parts", "ok", words_doctor.parts([(part, _version_of(part)) for part in PARTS]))


def _version_of(part: str) -> str | None:
    try:
        return version(part)
    except PackageNotFoundError:
        return None


def terminal_checks(terminal: Terminal, encoding: str, *, is_terminal: bool) -> list[Check]:
    """What it is, what it writes, and how wide."""
    if not is_terminal:
        shown = Check("terminal", "ok", words_doctor.no_terminal())
    elif terminal.kind in ("", "dumb"):
        shown = Check("terminal", "ok", words_doctor.dumb_terminal())
    else:
        found = words_doctor.terminal(terminal.kind, terminal.columns, terminal.rows, terminal.colours)
        small = terminal.columns < LEAST_COLUMNS or terminal.rows < LEAST_ROWS
        remedy = words_doctor.small_terminal(LEAST_COLUMNS, LEAST_ROWS) if small else ""
        shown = Check("terminal", "warning" if small else "ok", found, remedy)
    checks = [shown]
    if terminal.utf8:
        checks.append(Check("encoding", "ok", words_doctor.encoding(encoding)))
    else:
        checks.append(Check("encoding", "warning", words_doctor.encoding(encoding), words_doctor.set_utf8()))
    if is_terminal and terminal.kind not in ("", "dumb"):
        cells = terminal.ambiguous_cells
        remedy = words_doctor.if_frames_break() if cells is None else ""
        checks.append(Check("width", "warning" if cells is None else "ok", words_doctor.cells(cells), remedy))
    return checks


def sample_rows() -> list[str]:
    """One row for each set of signs; where a terminal counts cells otherwise, their ends do not line up."""
    names = words_doctor.samples()
    return [f"{signs}{' ' * (SAMPLE_CELLS - cells)}| {names[name]}" for name, (signs, cells) in SAMPLES.items()]


def settings_checks(path: Path, environment: Mapping[str, str]) -> list[Check]:
    """All faults of the file and of the environment; one good word where there is none."""
    edit = words_doctor.edit_settings()
    faults = [Check("settings", "failure", fault, edit) for fault in _file_faults(path)]
    try:
        dict(from_environment(environment))
    except SettingFault as fault:
        faults.append(Check("settings", "failure", str(fault)))
    found = str(path) if path.exists() else words_doctor.no_settings(str(path))
    return faults or [Check("settings", "ok", found)]


def _file_faults(path: Path) -> Iterable[str]:
    try:
        for fault in parsed(read_text(path)).faults:
            yield words_settings.in_the_file(str(path), fault.line, str(fault))
    except SettingFault as fault:
        yield words_settings.in_the_file(str(path), fault.line, str(fault))
    except CommandFailed as failed:
        yield failed.sentence


def seats_check(directory: Path) -> Check:
    """Can seats be saved, and are those that are read as such?"""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, prefix=".", suffix=".part"):
            found = TicketStore(directory).unfinished(now_s())
    except OSError as error:
        reason = words_doctor.not_writable(str(directory), error.strerror or str(error))
        return Check("seats", "failure", reason, words_doctor.make_writable())
    if found.unreadable:
        bad = words_doctor.unreadable_seats(len(found.unreadable), str(directory))
        return Check("seats", "warning", bad, words_doctor.delete_them())
    return Check("seats", "ok", words_doctor.seats(len(found.seats), str(directory)))


async def server_check() -> Check:
    """Starts a server of our own as `play` does, and stops it."""
    with tempfile.TemporaryDirectory(prefix="paizhuo-") as directory:
        store = f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        try:
            async with private_server("--host", "127.0.0.1", "--port", "0", "--store", store):
                return Check("server", "ok", words_doctor.server_starts())
        except CommandFailed as failed:
            return Check("server", "warning", failed.sentence, words_doctor.only_for_hosts())


async def store_check() -> Check:
    """A Valkey or a Redis that a server could use."""
    for program in STORE_PROGRAMS:
        if (path := shutil.which(program)) and (said := await _said_by(path, "--version")):
            number = re.search(r"v=([0-9.]+)", said)
            return Check("store", "ok", words_doctor.store_found(program, number[1] if number else said))
    return Check("store", "ok", words_doctor.store_missing())


async def _said_by(*command: str) -> str:
    """What a program prints; nothing if it fails or hangs."""
    try:
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    except OSError:
        return ""
    try:
        async with asyncio.timeout(ANSWER_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return said.decode(errors="replace").strip()


async def lan_check(interface: str, settings: Settings) -> Check:
    """Could servers be found in the local network?"""
    try:
        await usable(interface)
    except NoLan as missing:
        return Check("lan", "warning", str(missing))
    found = words_doctor.lan_works(interface) if settings.lan else words_doctor.lan_off(interface)
    return Check("lan", "ok", found)


async def reach_checks(url: str) -> list[Check]:
    """The way to a server, step by step, up to the first that fails. `url`: its WebSocket URL."""
    place = _place_of(url)
    checks: list[Check] = []
    secured = [_tls_check(place, url)] if url.startswith("wss:") else []
    for step in (_dns_check(place), _tcp_check(place), *secured, _http_check(place, url), _websocket_check(url)):
        if checks and checks[-1].state == "failure":
            step.close()
        else:
            checks.append(await step)
    return checks


def _place_of(url: str) -> Place:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "wss" else 80)
    page = f"http{urldefrag(url).url.removeprefix('ws').removesuffix('/ws')}/version"
    return Place(parts.hostname or "", port, page)


async def _dns_check(place: Place) -> Check:
    try:
        async with asyncio.timeout(ANSWER_S):
            found = await asyncio.get_running_loop().getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = words_doctor.not_resolved(place.host, _reason(error))
        return Check("dns", "failure", reason, words_doctor.check_name())
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    return Check("dns", "ok", words_doctor.resolved(place.host, addresses))


async def _tcp_check(place: Place) -> Check:
    try:
        async with asyncio.timeout(ANSWER_S):
            _, writer = await asyncio.open_connection(place.host, place.port)
    except OSError as error:
        return Check(
            "tcp", "failure", words_doctor.not_connected(place.port, _reason(error)), words_doctor.check_server()
        )
    writer.close()
    return Check("tcp", "ok", words_doctor.connected(place.port))


async def _tls_check(place: Place, url: str) -> Check:
    """Is it the server that is meant?"""
    try:
        return Check("tls", "ok", await asyncio.to_thread(_secured, place, url))
    except Distrusted as distrusted:
        return Check("tls", "failure", str(distrusted))
    except OSError as error:
        reason = complaint(error, url) if isinstance(error, ssl.SSLError) else None
        return Check("tls", "failure", reason or words_trust.unreadable(encrypted=True))


def _secured(place: Place, url: str) -> str:
    """How the link is protected. Raises OSError and `Distrusted`."""
    context = tls_for(url)
    assert context is not None, "asked for wss alone"
    with (
        socket.create_connection((place.host, place.port), timeout=ANSWER_S) as plain,
        context.wrap_socket(plain, server_hostname=place.host) as link,
    ):
        check(url, link)
        until = (link.getpeercert() or {}).get("notAfter")
        return words_doctor.secured(link.version() or "TLS", until if isinstance(until, str) else None)


async def _http_check(place: Place, url: str) -> Check:
    try:
        answer = await asyncio.to_thread(_fetched, place.page, tls_for(url))
        found = msgspec.json.decode(answer, type=Version)
    except (OSError, ValueError, HTTPException, msgspec.MsgspecError) as error:
        # The page may be kept from players by a proxy: the game needs none of it.
        return Check("http", "warning", words_doctor.no_version(_reason(error)), words_doctor.other_program())
    return Check("http", "ok", words_doctor.serves(found.server, found.protocols))


def _fetched(page: str, tls: ssl.SSLContext | None) -> bytes:
    """`tls`: of a server with a fingerprint, which has been checked a moment ago; nothing is told it here."""
    with urlopen(page, timeout=ANSWER_S, context=tls) as answer:  # noqa: S310 - the scheme is http or https
        content: bytes = answer.read(MOST_BYTES)
        return content


async def _websocket_check(url: str) -> Check:
    try:
        async with asyncio.timeout(ANSWER_S), aclosing(Connection(url).events()) as events:
            async for event in events:
                if isinstance(event, Opened):
                    return Check("websocket", "ok", words_doctor.speaks(MSGPACK))
    except CommandFailed as failed:
        return Check("websocket", "failure", failed.sentence)
    except TimeoutError as error:
        return Check("websocket", "failure", _reason(error), words_doctor.check_proxy())
    raise AssertionError("a connection's events never end by themselves")


def _reason(error: Exception) -> str:
    if isinstance(error, URLError):
        return str(error.reason)
    if isinstance(error, TimeoutError):
        return words_doctor.no_answer(int(ANSWER_S))
    if isinstance(error, OSError) and not isinstance(error, socket.gaierror) and error.errno:
        return os.strerror(error.errno)  # asyncio puts addresses into its own
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def exit_is_clean(checks: Sequence[Check]) -> bool:
    """Is nothing broken? Warnings leave something out, and break nothing."""
    return all(check.state != "failure" for check in checks)
