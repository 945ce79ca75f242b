"""Who asks, as far as limits are concerned: an address of the network, seen through proxies that are trusted. Pure."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SUBSCRIBER_BITS = 64
"""Of an IPv6 address: what providers give to one household at least, which may pick any of the rest."""

MOST_HOPS = 32
"""Of `X-Forwarded-For`, read from its end: no chain of proxies is longer."""

NOWHERE: Address = ip_address("0.0.0.0")  # noqa: S104 - counted, never bound
"""Stands for a peer that has no address of its own, such as one that is gone already."""


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Raises ValueError, in a sentence, for what is neither an address nor a network (`10.0.0.0/8`)."""
    found: list[Network] = []
    for text in texts:
        try:
            found.append(ip_network(text))
        except ValueError:
            raise ValueError(
                f"{text!r} is neither an address nor a network as 10.0.0.0/8, with nothing set behind its prefix."
            ) from None
    return tuple(found)


def within(address: Address, of: Sequence[Network]) -> bool:
    return any(address in network for network in of)


def client_of(peer: str, forwarded_for: Sequence[str], trusted: Sequence[Network]) -> Address:
    """The address behind a connection from `peer`. `forwarded_for`: its headers `X-Forwarded-For`, in their order.

    They are believed only of a trusted peer, and from the end: each proxy adds whom it heard, and what stands before
    the first that is not trusted was written by nobody knows whom. The header `Forwarded` is never believed: a proxy
    that writes the other one passes it on as the client made it up.
    """
    here = parsed(peer) or NOWHERE
    hops = [hop for line in forwarded_for for hop in line.split(",")]
    for hop in reversed(hops[-MOST_HOPS:]):
        if not within(here, trusted):
            break
        before = parsed(hop)
        if before is None:
            break
        here = before
    return here


def parsed(text: str) -> Address | None:
    """An address as peers and proxies write it: perhaps with a port, IPv6 perhaps in brackets, or standing for IPv4."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def subscriber(address: Address) -> Network:
    """What is counted as one: an IPv4 address, or the network of an IPv6 one. A link-local address is one machine's."""
    if isinstance(address, IPv4Address):
        return IPv4Network(address)
    if address.is_link_local:
        return IPv6Network(int(address))
    return IPv6Network((int(address), SUBSCRIBER_BITS), strict=False)
