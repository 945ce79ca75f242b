"""How one server is to run: a checked value, the same whether it came from flags, the environment or a test."""

import ipaddress
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number
from platformdirs import user_data_path

from server.addresses import is_address
from server.limits import Limits
from server.logs import Form

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?")


MOST_WORKERS_UNASKED = 4


def _judge_origins(_: object, origins: tuple[str, ...]) -> None:
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} is not as browsers send it: scheme://host[:port], lower case, no path.")


def _judge_host(_: object, host: str) -> None:
    if not host:
        raise ValueError("Name an address of this machine, or 0.0.0.0 for all of them.")


def _judge_address(_: object, url: str) -> None:
    if url and not is_address(url):
        raise ValueError(
            f"{url!r} is no address for players: ws://HOST:PORT/ws, or wss:// behind TLS, with a host that they can "
            "reach (never 0.0.0.0), a port up to 65535 and the path. Behind that of wss:// may stand the fingerprint "
            "of its certificate: #ABCD-EFGH-JKMN-PQRS."
        )


def _between(least: int, most: int) -> Parameter:
    return Parameter(validator=Number(gte=least, lte=most))


def default_store() -> str:
    """A file of this user, so that rooms outlive the server without any service beside it."""
    return f"sqlite:{user_data_path('paizhuo', appauthor=False) / 'rooms.sqlite3'}"


def _seen_from_home(store: str) -> str:
    """As the help shows it, and as it can be typed."""
    return store.replace(f"{Path.home()}{os.sep}", f"~{os.sep}", 1)


def default_bot_workers() -> int:
    """As many as leave a processor to the server, and not so many that their start is felt."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(usable - 1, MOST_WORKERS_UNASKED))


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Each field is a flag of `paizhuo-server serve`, and its docstring the help of that flag.

    What flags and the environment give is checked against the bounds here; `store` by `server.store.urls`.
    """

    host: Annotated[str, Parameter(validator=_judge_host)] = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for all of this machine."""

    port: Annotated[int, _between(0, 65535)] = 8470
    """Port to listen on; 0 takes any free one."""

    admin_host: Annotated[str, Parameter(validator=_judge_host)] = "127.0.0.1"
    """Address of the operator's own listener: metrics, health and what only the operator may do."""

    admin_token_file: str = ""
    """A file with the token that the operator's requests must bring; on other than loopback nothing is done without."""

    admin_port: Annotated[int | None, _between(0, 65535)] = None
    """Port of the operator's own listener; 0 takes any free one, which the log names. Without it there is none."""

    tls_cert: str = ""
    """The certificate chain to serve wss:// with, in PEM, its own certificate first; read anew on SIGHUP."""

    tls_key: str = ""
    """The key of --tls-cert, in PEM, and readable by the server alone."""

    insecure: Annotated[bool, Parameter(negative="")] = False
    """Listen without TLS on an address that strangers can reach, too."""

    store: Annotated[str, Parameter(show_default=_seen_from_home)] = field(default_factory=default_store)
    """Where rooms are kept: sqlite:PATH, redis://HOST:PORT/DB, valkey:DIR, sentinel://HOSTS/SERVICE, cluster://HOSTS."""

    wait_replicas: Annotated[int, _between(0, 5)] = 0
    """Replicas that must have got a move before players are told that it is saved. Redis and Valkey only."""

    allow_eviction: Annotated[bool, Parameter(negative="")] = False
    """Take a Redis or Valkey that evicts keys: when its memory runs short, running rooms are lost."""

    advertise: Annotated[str, Parameter(validator=_judge_address)] = ""
    """Where players reach this server (ws://HOST:PORT/ws or wss://...[#FINGERPRINT]), for the others of its store."""

    origin: Annotated[tuple[str, ...], Parameter(negative="", validator=_judge_origins)] = ()
    """A web page's origin (scheme://host[:port]) that may connect; may be repeated. Programs need none."""

    beat_ms: Annotated[int, _between(0, 5000)] = 700
    """How long a public card stands before the next event, in milliseconds."""

    grace_s: Annotated[int, _between(0, 3600)] = 30
    """How long a player may be disconnected before a bot plays the seat, in seconds."""

    drain_s: Annotated[int, _between(0, 3600)] = 5
    """How long clients are given when the server stops, in seconds; at most 5 s later it has ended, whatever hangs."""

    bot_workers: Annotated[int, _between(1, 64)] = field(default_factory=default_bot_workers)
    """Processes that think for bots; by default one less than there are processors, and 4 at most."""

    limits: Annotated[Limits, Parameter(name="*")] = field(default_factory=Limits)

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What is logged on stderr."""

    log_format: Form = "text"
    """How it is logged: text for people, or one JSON object a line."""

    tracing: Annotated[bool, Parameter(negative="")] = False
    """Send spans to an OpenTelemetry collector, which the variables OTEL_* name; with the extra "tracing"."""

    stop_with_stdin: Annotated[bool, Parameter(negative="")] = False
    """Stop when stdin ends, so that the server never outlives the program that started it."""

    def url(self, port: int) -> str:
        """Where clients connect, `port` being the one that was really bound."""
        return f"{'wss' if self.tls_cert else 'ws'}://{_bracketed(self.host)}:{port}/ws"


def http_url(host: str, port: int) -> str:
    """Where the operator asks."""
    return f"http://{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    """A host as URLs write it: IPv6 addresses in brackets."""
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host
