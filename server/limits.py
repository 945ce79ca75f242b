"""What one connection, one address and all together may ask of a server."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from server.gateway.addresses import networks


def _between(least: float, most: float) -> Parameter:
    return Parameter(validator=Number(gte=least, lte=most))


def _judge_networks(_: object, texts: tuple[str, ...]) -> None:
    networks(texts)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Each field is a flag of `paizhuo-server serve`, and its docstring the help of that flag.

    An address is an IPv4 address or an IPv6 network of 64 bits. What flags and the environment give is checked here.
    """

    trusted_proxy: Annotated[tuple[str, ...], Parameter(negative="", validator=_judge_networks)] = ()
    """A proxy's address or network (10.0.0.0/8) whose X-Forwarded-For is believed; may be repeated."""

    exempt: Annotated[tuple[str, ...], Parameter(negative="", validator=_judge_networks)] = ()
    """An address or network for which no limit of --address-... holds, as for a load test; may be repeated."""

    max_connections: Annotated[int, _between(1, 1_000_000)] = 10_000
    """Connections at once, of all players together."""

    address_connections: Annotated[int, _between(1, 1_000_000)] = 200
    """Connections at once from one address."""

    address_connects: Annotated[float, _between(0.1, 100_000)] = 20
    """New connections a second from one address; ten times as many at once."""

    address_messages: Annotated[float, _between(1, 100_000)] = 400
    """Messages a second from one address; five times as many at once."""

    address_joins: Annotated[float, _between(0.1, 100_000)] = 10
    """Rooms created, joined, watched, come back to or listed, a second from one address; 20 times as many at once."""

    address_guesses: Annotated[float, _between(0.1, 100_000)] = 30
    """Codes and tickets that open nothing, a minute from one address; as many at once."""

    address_rooms: Annotated[float, _between(1, 1_000_000)] = 240
    """Rooms created in an hour from one address; as many at once."""

    lobby_messages: Annotated[float, _between(10, 1_000_000)] = 500
    """Requests and messages of those at no table a second, and refused ones at tables; more wait in turn."""

    connection_messages: Annotated[float, _between(1, 10_000)] = 20
    """Messages a second of one connection; twice as many at once."""

    outbox_kib: Annotated[int, _between(64, 65_536)] = 256
    """What may wait to be sent on one connection, in KiB; a client that does not read is dropped then."""

    open_s: Annotated[float, _between(0.05, 60)] = 5
    """How long a connection may take to be opened, in seconds."""

    hello_s: Annotated[float, _between(0.05, 60)] = 5
    """How long the first message may take, in seconds."""

    ping_s: Annotated[float, _between(0.05, 600)] = 20
    """How often a connection is asked whether it lives, and how long it may take to say so, in seconds."""

    stalled_s: Annotated[float, _between(0.05, 600)] = 20
    """How long what was sent may take to leave before a client counts as one that does not read, in seconds."""


DEFAULT_LIMITS = Limits()
