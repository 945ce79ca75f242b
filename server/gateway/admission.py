"""Whom a server lets in, and what it remembers of each address: counts, buckets and blocks.

It opens no sockets and reads no clock. What is remembered is bounded, accounts with connections by `max_connections`
and the others by `MOST_REMEMBERED`, so that whoever has many addresses cannot fill the memory.
"""

import logging
from collections import Counter, OrderedDict
from collections.abc import Sequence
from itertools import islice

from protocol.errors import TurnedAway
from server.gateway.addresses import NOWHERE, Address, Network, client_of, networks, parsed, subscriber, within
from server.gateway.bucket import Bucket
from server.limits import Limits

logger = logging.getLogger(__name__)

MOST_REMEMBERED = 20_000
"""Addresses without a connection that are remembered for what they did; the longest gone is forgotten first."""

FORGOTTEN_AT_ONCE = 2
"""Of those that are looked at whenever another one goes: more than come, so that few are remembered in vain."""

MOST_BLOCKS = 10_000

SPARE_CONNECTIONS = 16
"""Beyond each of the two bounds on connections: for the answer that it is reached, and for health checks."""

REFUSED_PER_S, REFUSED_AT_ONCE = 20, 300
"""Messages that the connections of one address may send in spite of being told to wait, and requests of it that are
refused; then those of its connections that go on so are closed."""

ANSWERED_PER_S, ANSWERED_AT_ONCE = 100, 300
"""Requests of all addresses together that are refused with an answer, which costs far more than to cut them off. A
server that is full goes on to say so, for its health is asked for in the same way."""

COOLING_MS, MOST_COOLING_MS = 5_000, 60_000
"""How long an address may open no connection after one of its was closed for being too fast: each time twice as long,
up to the second, or whoever floods would be back as soon as it may."""

FORGIVEN_MS = 10 * 60_000
"""How long it must have behaved since, for the next time to count as the first."""

FULL_RETRY_MS = 10_000
"""When a connection may have ended."""

_EXEMPT = Limits(
    address_connections=10**9,
    address_connects=10**9,
    address_messages=10**9,
    address_joins=10**9,
    address_guesses=10**9,
    address_rooms=10**9,
)


class Account:
    """What one address has done lately."""

    __slots__ = (
        "_cooling_ms",
        "connections",
        "connects",
        "cool_at_ms",
        "floods",
        "guesses",
        "joins",
        "messages",
        "most",
        "rooms",
    )

    def __init__(self, limits: Limits = _EXEMPT) -> None:
        self.connections = 0
        self.most = limits.address_connections
        self.cool_at_ms = -FORGIVEN_MS
        self._cooling_ms = COOLING_MS
        self.connects = _bucket(limits.address_connects, at_once=10 * limits.address_connects)
        self.messages = _bucket(limits.address_messages, at_once=5 * limits.address_messages)
        self.joins = _bucket(limits.address_joins, at_once=20 * limits.address_joins)
        self.guesses = _bucket(limits.address_guesses / 60, at_once=limits.address_guesses)
        self.rooms = _bucket(limits.address_rooms / 3600, at_once=limits.address_rooms)
        self.floods = Bucket(REFUSED_PER_S, REFUSED_AT_ONCE)

    def cool(self, now_ms: int) -> None:
        """A connection of it was closed for being too fast; those that are closed with it count as one."""
        if now_ms >= self.cool_at_ms:
            again = now_ms < self.cool_at_ms + FORGIVEN_MS
            self._cooling_ms = min(2 * self._cooling_ms, MOST_COOLING_MS) if again else COOLING_MS
        self.cool_at_ms = now_ms + self._cooling_ms

    def is_rested(self, now_ms: int) -> bool:
        """It stands as one that nothing is known of."""
        buckets = (self.connects, self.messages, self.joins, self.guesses, self.rooms, self.floods)
        return self.cool_at_ms + FORGIVEN_MS <= now_ms and all(bucket.is_full(now_ms) for bucket in buckets)


def _bucket(per_s: float, at_once: float) -> Bucket:
    return Bucket(per_s, max(1, round(at_once)))


class Visit:
    """One connection, as it is counted. `address`: of its client, as far as is known."""

    def __init__(self, address: Address, account: Account) -> None:
        self.address = address
        self.account = account
        self.counted_as: Network | None = None
        """Whose account it is; None for an account that is not kept."""


class Admission:
    """Of one server. Each connection is `accepted`, then `asks`, and `leaves`; `now_ms` never goes back.

    `turned_away` counts refusals by their code, and connections that are ended without an answer as `cut_off`.
    """

    def __init__(self, limits: Limits, turned_away: Counter[str] | None = None) -> None:
        self.connections = 0
        self._turned_away = Counter() if turned_away is None else turned_away
        self._limits = limits
        self._trusted = networks(limits.trusted_proxy)
        self._exempt = networks(limits.exempt)
        self._present: dict[Network, Account] = {}
        self._remembered: OrderedDict[Network, Account] = OrderedDict()
        self._blocked_until_ms: dict[Network, int] = {}
        self._answered = Bucket(ANSWERED_PER_S, ANSWERED_AT_ONCE)
        self._warned = False

    def accept(self, peer: str, now_ms: int) -> Visit | None:
        """Of a connection that has just been made. None: cut it off, since an answer would cost too much."""
        address = parsed(peer) or NOWHERE
        visit = Visit(address, Account())
        if not within(address, self._trusted):  # else only its request tells whose it is
            self._charge(visit, address)
        if self.connections >= self._limits.max_connections + SPARE_CONNECTIONS or self._is_hopeless(visit, now_ms):
            self._settle(visit, now_ms)
            self._turned_away["cut_off"] += 1
            return None
        self.connections += 1
        return visit

    def ask(self, visit: Visit, forwarded_for: Sequence[str], now_ms: int) -> tuple[TurnedAway, int] | None:
        """Why the request of a connection is refused, and in how many milliseconds it may be made again; or None."""
        self._see_through_proxies(visit, forwarded_for)
        refused = self._refused(visit, now_ms)
        if refused is not None:
            visit.account.floods.spend(now_ms)
            self._answered.spend(now_ms)
            self._turned_away[refused[0]] += 1
        return refused

    def leave(self, visit: Visit, now_ms: int) -> None:
        self.connections -= 1
        self._settle(visit, now_ms)

    def block(self, address: Address, until_ms: int) -> None:
        """Let it open no connection until then. Raises ValueError where too many are blocked already."""
        blocked = subscriber(address)
        if blocked not in self._blocked_until_ms and len(self._blocked_until_ms) >= MOST_BLOCKS:
            raise ValueError(f"More than {MOST_BLOCKS} addresses cannot be blocked.")
        self._blocked_until_ms[blocked] = until_ms

    def blocked(self, now_ms: int) -> dict[Network, int]:
        """What is blocked, and for how many milliseconds more."""
        for network, until_ms in tuple(self._blocked_until_ms.items()):
            if until_ms <= now_ms:
                del self._blocked_until_ms[network]
        return {network: until_ms - now_ms for network, until_ms in self._blocked_until_ms.items()}

    @property
    def remembered(self) -> int:
        """Addresses of which anything is known."""
        return len(self._present) + len(self._remembered)

    def _see_through_proxies(self, visit: Visit, forwarded_for: Sequence[str]) -> None:
        if within(visit.address, self._trusted):
            # A proxy that names nobody counts itself: else whoever comes through it would have no limit.
            self._charge(visit, client_of(str(visit.address), forwarded_for, self._trusted))
        elif forwarded_for and not self._warned:
            self._warned = True
            logger.warning(
                "X-Forwarded-For of %s is passed over, and so all who come through it count as one address: if it is"
                " a proxy of yours, name it with --trusted-proxy",
                visit.address,
            )

    def _charge(self, visit: Visit, address: Address) -> None:
        visit.address = address
        if within(address, self._exempt):
            return
        counted_as = subscriber(address)
        account = self._present.get(counted_as) or self._remembered.pop(counted_as, None) or Account(self._limits)
        self._present[counted_as] = account
        account.connections += 1
        visit.account, visit.counted_as = account, counted_as

    def _settle(self, visit: Visit, now_ms: int) -> None:
        """The connection counts no more."""
        account, counted_as = visit.account, visit.counted_as
        if counted_as is None:
            return
        account.connections -= 1
        if account.connections:
            return
        del self._present[counted_as]
        for longest_gone in tuple(islice(self._remembered, FORGOTTEN_AT_ONCE)):
            if self._remembered[longest_gone].is_rested(now_ms):
                del self._remembered[longest_gone]
        if not account.is_rested(now_ms):
            self._remembered[counted_as] = account
            if len(self._remembered) > MOST_REMEMBERED:
                self._remembered.popitem(last=False)

    def _is_hopeless(self, visit: Visit, now_ms: int) -> bool:
        """It would be refused, after many refusals; or its address holds more connections than are answered."""
        account = visit.account
        if account.connections > account.most + SPARE_CONNECTIONS:
            return True
        if not (account.floods.wait_ms(now_ms) or self._answered.wait_ms(now_ms)):
            return False
        return bool(
            self._blocked_ms(visit, now_ms)
            or account.cool_at_ms > now_ms
            or account.connects.wait_ms(now_ms)
            or account.connections > account.most
        )

    def _blocked_ms(self, visit: Visit, now_ms: int) -> int:
        if not self._blocked_until_ms:
            return 0
        return max(0, self._blocked_until_ms.get(subscriber(visit.address), 0) - now_ms)

    def _refused(self, visit: Visit, now_ms: int) -> tuple[TurnedAway, int] | None:
        account = visit.account
        if wait_ms := self._blocked_ms(visit, now_ms):
            return TurnedAway.BLOCKED, wait_ms
        if account.cool_at_ms > now_ms:
            return TurnedAway.RATE_LIMITED, account.cool_at_ms - now_ms
        if wait_ms := account.connects.spend(now_ms):
            return TurnedAway.RATE_LIMITED, wait_ms
        if account.connections > account.most:
            return TurnedAway.TOO_MANY_CONNECTIONS, FULL_RETRY_MS
        if self.connections > self._limits.max_connections:
            return TurnedAway.SERVER_FULL, FULL_RETRY_MS
        return None
