"""The servers that serve one player's room: which one to try next, and when.

It opens no sockets: it is told what came of each attempt, and answers with the next. All waits are random up to a bound
(full jitter), so that the players of a server that stopped do not come back in step.
"""

import random
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urldefrag, urlsplit

from client_cli.address import server_url
from client_cli.failure import CommandFailed

MOST_SERVERS = 8
LONGEST_URL = 255
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0

RESTARTING = 2
BUSY = 4
"""Where the waits begin, counted in doublings, after a server that restarts, and after one that asked for patience."""

OPENING_S = 10.0
OPENING_BESIDE_OTHERS_S = 2.0
"""How long a connection may take to stand; less at first where another server may answer sooner."""


class Attempt(NamedTuple):
    """Connect to `url` in `wait_s` seconds."""

    url: str
    wait_s: float


class _Record:
    """What is remembered of one server: failures since it last showed a table, and when it may be tried again."""

    def __init__(self) -> None:
        self.failures = 0
        self.not_before_s = 0.0


class Servers:
    """`first`: the server that the player named. `known`: all that are known of its room, the best first.

    `chance` (uniform in 0..1) and `clock_s` (that of the waits) are handed in by tests.
    """

    def __init__(
        self,
        first: str,
        known: Sequence[str] = (),
        *,
        chance: Callable[[], float] = random.random,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.first = first
        self._chance = chance
        self._clock_s = clock_s
        self._records = {url: _Record() for url in (*known, first)}
        self._proved = {first, *known[:1]}
        self.best = next(iter(self._records))

    @property
    def known(self) -> tuple[str, ...]:
        """All servers, the one that served last first."""
        return (self.best, *(url for url in self._records if url != self.best))

    def learn(self, url: str, told: Sequence[str]) -> None:
        """Take in what this server says of others; what leads nowhere, or is less protected, is passed over.

        In random order, so that not all of its players go to the same one.
        """
        others = sorted(filter(None, map(self._checked, told[:MOST_SERVERS])), key=lambda _: self._chance())
        ring = dict.fromkeys((self.first, url, self.best, *others, *self._records))
        self._records = {each: self._records.get(each) or _Record() for each in list(ring)[:MOST_SERVERS]}

    def proved(self, url: str) -> None:
        """This server knows the player's place: it serves the same rooms."""
        self._proved.add(url)
        self.best = url

    def shown(self, url: str) -> None:
        """This server has shown a table: the next failure counts as the first."""
        self._records[url].failures = 0

    def is_proved(self, url: str) -> bool:
        return url in self._proved

    def opening_s(self, url: str) -> float:
        """How long to wait for a connection to stand."""
        if len(self._records) == 1:
            return OPENING_S
        return float(min(OPENING_S, OPENING_BESIDE_OTHERS_S * 2 ** min(self._records[url].failures, 4)))

    def lost(self, url: str, *, patience: int = 0) -> Attempt:
        """A link that stood has broken: the same server once more, before others.

        `patience`: where its waits begin at least, in doublings.
        """
        record, wait_s = self._put_off(url, patience)
        return Attempt(url, wait_s) if patience or record.failures == 1 else self._soonest(url)

    def silent(self, url: str) -> Attempt:
        """It did not answer: the next in turn."""
        self._put_off(url)
        return self._soonest(url)

    def sent_away(
        self, url: str, *, patience: int = RESTARTING, within_s: float | None = None, from_s: float = 0.0
    ) -> Attempt:
        """It asked to be left: to another server almost at once, or back after a random time.

        That time is between `from_s` and `within_s`; without one, as after a failure.
        """
        record, chance = self._records[url], self._chance()
        record.failures = max(record.failures, patience)
        bound_s = _bound_s(record.failures) if within_s is None else max(within_s, FIRST_WAIT_S)
        record.failures += 1
        record.not_before_s = self._clock_s() + from_s + chance * (bound_s - from_s)
        following, wait_s = self._soonest(url)
        return Attempt(following, max(wait_s, chance * FIRST_WAIT_S))

    def drop(self, url: str) -> Attempt | None:
        """It is of no use for this player's place. None where there is no other."""
        if len(self._records) == 1:
            return None
        following = self._soonest(url, but=url)
        del self._records[url]
        self.best = following.url if self.best == url else self.best
        return following

    def slept(self, url: str) -> Attempt:
        """The machine slept: what the servers said or failed to say is long ago, and nobody else wakes just now."""
        for record in self._records.values():
            record.failures, record.not_before_s = 0, 0.0
        return Attempt(url, 0.0)

    def _put_off(self, url: str, patience: int = 0) -> tuple[_Record, float]:
        record = self._records[url]
        failures = max(record.failures, patience)
        wait_s = backoff_s(failures, self._chance())
        record.failures, record.not_before_s = failures + 1, self._clock_s() + wait_s
        return record, wait_s

    def _soonest(self, url: str, *, but: str | None = None) -> Attempt:
        """The server that may be tried soonest; of several, the next after `url`, which comes last."""
        now_s, order = self._clock_s(), list(self._records)
        here = order.index(url) + 1
        ring = [other for other in order[here:] + order[:here] if other != but]
        soonest = min(ring, key=lambda other: max(now_s, self._records[other].not_before_s))
        return Attempt(soonest, max(0.0, self._records[soonest].not_before_s - now_s))

    def _checked(self, told: str) -> str | None:
        if len(told) > LONGEST_URL or not told.startswith(("ws://", "wss://")):
            return None
        try:
            url = server_url(told)
        except CommandFailed:
            return None
        if self.first.startswith("wss:") and not url.startswith("wss:"):
            return None
        if is_loopback(url) and not is_loopback(self.first):
            return None  # it means its own machine, not ours
        known = (each for each in self._records if urldefrag(each).url == urldefrag(url).url)
        return next(known, url)  # whose certificate is trusted is not for another server to say


def backoff_s(failures: int, chance: float) -> float:
    """Full jitter: anything up to a bound that doubles from 0.5 s to 30 s."""
    return chance * _bound_s(failures)


def _bound_s(failures: int) -> float:
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(failures, 16))


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
