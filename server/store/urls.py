"""Which store a URL means. No message repeats a URL, which may hold a password."""

from functools import partial
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from server.clock import Clock
from server.store.base import Store

KINDS = "sqlite:PATH, redis://HOST[:PORT][/DB], rediss://HOST[:PORT][/DB], unix:///PATH/TO/SOCKET or valkey:DIRECTORY"

OPTIONS = {
    "redis": (),
    "rediss": ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"),
    "unix": ("db", "password"),
}


class UnknownStore(ValueError):
    """The URL names no store. The text says what would."""


def store_from_url(url: str, clock: Clock) -> Store:
    """The store that `url` names, not yet open. Raises `UnknownStore`."""
    # each kind is imported when it is asked for: the Redis client takes longer to load than all else of a server
    scheme, colon, rest = url.partition(":")
    match scheme.lower():
        case "sqlite":
            from server.store.sqlite import SqliteStore  # noqa: PLC0415

            return SqliteStore(_path(rest, "sqlite:PATH"), clock)
        case "valkey" if rest.startswith("//"):
            raise UnknownStore("a Valkey server is named by redis://HOST; valkey:DIRECTORY starts a private one")
        case "valkey":
            from server.store.child import ChildStore  # noqa: PLC0415

            return ChildStore(_path(rest, "valkey:DIRECTORY"), clock)
        case "redis" | "rediss" | "unix":
            from server.store.pipeline import connection_to  # noqa: PLC0415
            from server.store.redis import RedisStore  # noqa: PLC0415

            return RedisStore(partial(connection_to, url), place_of(url), clock)
    named = f"{scheme}: is no kind of store; " if colon and rest.startswith("//") else ""
    raise UnknownStore(f"{named}a store is {KINDS}")


def place_of(url: str) -> str:
    """A Redis URL as messages show it: without user, password and options. Raises `UnknownStore`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # its text may be a piece of the password
        raise UnknownStore(
            "the address in the store's URL cannot be read: it is redis://USER:PASSWORD@HOST:PORT/DB, "
            "with / @ : # and % in the password written as %2F %40 %3A %23 and %25"
        ) from None
    _judge_options(parts)
    if parts.scheme == "unix":
        if parts.hostname or not parts.path.startswith("/"):
            raise UnknownStore("a socket is named by its whole path, with three slashes: unix:///PATH/TO/SOCKET")
        return f"unix://{unquote(parts.path)}"
    if not parts.hostname:
        raise UnknownStore(f"the store's URL names no host: write {parts.scheme}://HOST:PORT")
    if parts.path not in ("", "/") and not parts.path[1:].isdecimal():
        raise UnknownStore(f"what follows the host is the number of a database: {parts.scheme}://HOST:PORT/0")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port or 6379}"


def _judge_options(parts: SplitResult) -> None:
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in OPTIONS[parts.scheme] or (name == "db" and not value.isdecimal()):
            known = ", ".join(OPTIONS[parts.scheme]) or "none"
            raise UnknownStore(f"the store's URL has an option that is not known; {parts.scheme}:// takes: {known}")


def _path(text: str, form: str) -> Path:
    path = text.removeprefix("//")
    if not path:
        raise UnknownStore(f"the path is missing: {form}")
    return Path(path).expanduser().absolute()
