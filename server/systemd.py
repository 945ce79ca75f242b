"""What systemd, or whatever speaks as it does, hands to a service and wants to hear of it; all of it by environment
variables, so elsewhere nothing happens. See sd_notify(3) and sd_listen_fds(3).
"""

import os
import socket
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from server.clock import Clock

FIRST_FD = 3

PLAYERS, OPERATOR = "players", "operator"
"""`FileDescriptorName=` of the sockets. One that has no such name is the players'."""


class Unexpected(Exception):
    """The sockets that were handed over cannot be served. The text is one sentence that says what to do."""


class Passed(NamedTuple):
    """Sockets that listen already; None where a port is to be opened instead."""

    players: socket.socket | None = None
    operator: socket.socket | None = None


def passed_sockets(environ: MutableMapping[str, str] = os.environ) -> Passed:
    """The sockets that were handed to this process, once: its own children get none. Raises `Unexpected`."""
    pid, count, names = (environ.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"))
    if pid != str(os.getpid()) or not count.isdecimal():
        return Passed()
    named = dict(enumerate(names.split(":")))
    found: dict[str, socket.socket] = {}
    for number in range(int(count)):
        os.set_inheritable(FIRST_FD + number, False)
        passed = socket.socket(fileno=FIRST_FD + number)
        name = OPERATOR if named.get(number) == OPERATOR else PLAYERS
        if name in found:
            raise Unexpected(f"one socket for the {name} can be served, and more were passed: keep one ListenStream")
        if passed.family not in {socket.AF_INET, socket.AF_INET6} or passed.type != socket.SOCK_STREAM:
            raise Unexpected(f"the socket passed for the {name} is not TCP: name a port in ListenStream")
        passed.setblocking(False)
        found[name] = passed
    return Passed(found.get(PLAYERS), found.get(OPERATOR))


class Manager:
    """Who started this service and is told how it fares. `watchdog_ms`: how often it wants to hear, 0 for never."""

    def __init__(self, clock: Clock, environ: MutableMapping[str, str] = os.environ) -> None:
        self._clock = clock
        self._address = environ.pop("NOTIFY_SOCKET", "")
        every_us, pid = environ.pop("WATCHDOG_USEC", ""), environ.pop("WATCHDOG_PID", "")
        own = self._address and every_us.isdecimal() and pid in {"", str(os.getpid())}
        self.watchdog_ms = int(every_us) // 1000 if own else 0

    @property
    def there(self) -> bool:
        return bool(self._address)

    def ready(self, status: str) -> None:
        self._tell("READY=1", f"STATUS={status}")

    def stopping(self, within_s: int) -> None:
        """It ends, and may take so long."""
        self._tell("STOPPING=1", f"EXTEND_TIMEOUT_USEC={within_s * 1_000_000}", "STATUS=stopping")

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """Settings are read anew in this block."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={self._clock.monotonic_ms() * 1000}")
        try:
            yield
        finally:
            self._tell("READY=1")

    async def reassure(self) -> None:
        """Tell that the loop goes round, until cancelled."""
        while self.watchdog_ms:
            self._tell("WATCHDOG=1")
            await self._clock.sleep_ms(self.watchdog_ms // 2)

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        place = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.setblocking(False)
            told.sendto("\n".join(lines).encode(), place)
