"""How one server is to run: a checked value, the same whether it came from flags, the environment or a test."""

import ipaddress
import re
from typing import Literal

from msgspec import Struct
from platformdirs import user_data_path

LogLevel = Literal["debug", "info", "warning", "error"]

DEFAULT_PORT = 8470
MAX_PORT = 65535
MAX_BEAT_MS = 5000
MAX_GRACE_S = 3600
MAX_BOT_WORKERS = 64

_STORE = re.compile(r"(sqlite|rediss?|valkeys?|unix):.+")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?")


def default_store() -> str:
    """A file of this user, so that rooms outlive the server without any service beside it."""
    return f"sqlite:{user_data_path('paizhuo', appauthor=False) / 'rooms.sqlite3'}"


class ServerSettings(Struct, frozen=True, kw_only=True):
    """Raises `ValueError` with one sentence that says what is wrong and what is allowed."""

    store: str
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    origins: tuple[str, ...] = ()
    beat_ms: int = 700
    grace_s: int = 30
    bot_workers: int = 1
    log_level: LogLevel = "info"
    stop_with_stdin: bool = False

    def __post_init__(self) -> None:
        if not self.host:
            raise ValueError(
                "the host is empty; name an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all"
            )
        if not _STORE.fullmatch(self.store):
            raise ValueError(
                f"{self.store!r} is no store; write sqlite:PATH, redis://HOST:PORT/DB, rediss://... or unix:///PATH"
            )
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin; write it as a browser sends it: scheme://host or scheme://host:port,"
                    " in lower case and without a path"
                )
        for value, least, most, name in (
            (self.port, 0, MAX_PORT, "port"),
            (self.beat_ms, 0, MAX_BEAT_MS, "beat in milliseconds"),
            (self.grace_s, 0, MAX_GRACE_S, "grace in seconds"),
            (self.bot_workers, 1, MAX_BOT_WORKERS, "number of bot workers"),
        ):
            if not least <= value <= most:
                raise ValueError(f"{value} is no {name}; it must be from {least} to {most}")

    def url(self, port: int) -> str:
        """Where clients connect, `port` being the one that was really bound."""
        return f"ws://{bracketed(self.host)}:{port}/ws"


def bracketed(host: str) -> str:
    """A host as URLs write it: IPv6 addresses in brackets."""
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host
