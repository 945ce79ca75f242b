"""Which store a URL means. No message repeats a URL, which may hold a password."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from server.clock import Clock
from server.store.base import Store
from server.store.fitness import STANDARD, Demands

KINDS = (
    "sqlite:PATH, redis://HOST[:PORT][/DB], rediss://HOST[:PORT][/DB], unix:///PATH/TO/SOCKET, "
    "sentinel://HOST[:PORT][,HOST[:PORT]...]/SERVICE[/DB], cluster://HOST[:PORT][,HOST[:PORT]...] or valkey:DIRECTORY"
)

OPTIONS = {
    "redis": (),
    "rediss": ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"),
    "unix": ("db", "password"),
    "sentinel": ("sentinel_username", "sentinel_password"),
    "cluster": (),
}

PORTS = {"redis": 6379, "rediss": 6379, "sentinel": 26379, "cluster": 6379}
SEVERAL = ("sentinel", "cluster")


class Address(NamedTuple):
    host: str
    port: int


class UnknownStore(ValueError):
    """The URL names no store. The text says what would."""


def store_from_url(url: str, clock: Clock, demands: Demands = STANDARD) -> Store:
    """The store that `url` names, not yet open. Raises `UnknownStore`."""
    # each kind is imported when it is asked for: the Redis client takes longer to load than all else of a server
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    match scheme:
        case "sqlite" | "valkey" if demands != STANDARD and not rest.startswith("//"):
            raise UnknownStore(
                f"{scheme}: has neither replicas nor eviction: --wait-replicas and --allow-eviction are for servers "
                "named by redis://, rediss://, unix://, sentinel:// or cluster://"
            )
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

            return RedisStore(partial(connection_to, url), place_of(url), clock, demands)
        case "sentinel":
            from server.store.redis import RedisStore  # noqa: PLC0415
            from server.store.roaming import Primary  # noqa: PLC0415

            parts, place = urlsplit(url), place_of(url)
            service, _, database = parts.path[1:].partition("/")
            account = _account(parts) | {"db": int(database or 0)}
            options = {name.removeprefix("sentinel_"): value for name, value in parse_qsl(parts.query)}
            primary = Primary(_hosts(parts), unquote(service), account, options)
            return RedisStore(primary.dial, place, clock, demands._replace(by_sentinel=True))
        case "cluster":
            from server.store.cluster import ClusterStore  # noqa: PLC0415

            parts, place = urlsplit(url), place_of(url)
            return ClusterStore(_hosts(parts), _account(parts), place, clock, demands._replace(in_cluster=True))
    named = f"{scheme}: is no kind of store; " if colon and rest.startswith("//") else ""
    raise UnknownStore(f"{named}a store is {KINDS}")


def place_of(url: str) -> str:
    """A Redis URL as messages show it: without user, password and options. Raises `UnknownStore`."""
    try:
        parts = urlsplit(url)
        hosts = _hosts(parts)
    except ValueError:  # its text may be a piece of the password
        raise UnknownStore(
            "the address in the store's URL cannot be read: it is redis://USER:PASSWORD@HOST:PORT/DB, "
            "with / @ : # and % in the password written as %2F %40 %3A %23 and %25"
        ) from None
    _judge_options(parts)
    if parts.scheme == "unix":
        if hosts[0].host or not parts.path.startswith("/"):
            raise UnknownStore("a socket is named by its whole path, with three slashes: unix:///PATH/TO/SOCKET")
        return f"unix://{unquote(parts.path)}"
    if not all(host for host, _ in hosts):
        raise UnknownStore(f"the store's URL names no host: write {parts.scheme}://HOST:PORT")
    if parts.scheme not in SEVERAL and "," in hosts[0].host:
        raise UnknownStore(f"{parts.scheme}:// names one server; several are named by sentinel:// or cluster://")
    service, _, database = parts.path[1:].partition("/")
    if parts.scheme == "sentinel":
        if not service or (database and not database.isdecimal()):
            raise UnknownStore(
                "after the Sentinels come the name of the service that they watch and, if need be, the number of a "
                "database: sentinel://HOST:PORT,HOST:PORT/SERVICE/0"
            )
    elif parts.scheme == "cluster":
        if service or database:
            raise UnknownStore("a cluster has no databases: nothing follows the hosts in cluster://HOST:PORT,HOST:PORT")
    elif database or (service and not service.isdecimal()):
        raise UnknownStore(f"what follows the host is the number of a database: {parts.scheme}://HOST:PORT/0")
    shown = ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in hosts)
    return f"{parts.scheme}://{shown}" + (f"/{unquote(service)}" if parts.scheme == "sentinel" else "")


def _hosts(parts: SplitResult) -> tuple[Address, ...]:
    """Raises `ValueError`, whose text may be a piece of a password."""
    _, _, listed = parts.netloc.rpartition("@")
    each = [urlsplit(f"//{host}") for host in (listed.split(",") if parts.scheme in SEVERAL else [listed])]
    if any(host.path or host.query or host.fragment for host in each):
        raise ValueError("not a host")
    return tuple(Address(host.hostname or "", host.port or PORTS.get(parts.scheme, 0)) for host in each)


def _account(parts: SplitResult) -> dict[str, Any]:
    named = {"username": parts.username, "password": parts.password}
    return {name: unquote(value) for name, value in named.items() if value}


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
