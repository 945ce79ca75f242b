"""Whether strangers could reach what a server listens on. Without TLS anybody on their way reads the cards."""

import asyncio
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation (RFC 5737, RFC 3849): no such machines."""

_SIOCGIFADDR = 0x8915


class Exposed(Exception):
    """The server would listen to strangers without TLS. The text is one sentence that says what to do."""


async def refuse_strangers(host: str) -> None:
    """Raises `Exposed` if an address that is listened on for `host` is one of the internet.

    All of a machine's addresses count where it listens on all, as far as it tells: those of every interface on Linux,
    else that which its default route leaves from. What a router lets in from elsewhere, no machine can know.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        return  # nobody can listen there, which is said by whoever tries
    for family, *_, place in found:
        for address in _listened_on(family, str(place[0])):
            if not is_private(address):
                raise Exposed(
                    f"on {host} strangers could connect (at {address}), and without TLS whoever is on their way reads"
                    " all cards and tickets: give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with"
                    " TLS, or take the risk with --insecure"
                )


def is_private(address: str) -> bool:
    """Is it this machine's own, or a private network's, or a link's: none that packets from everywhere are led to?"""
    found = ip_address(address.partition("%")[0])
    return not (getattr(found, "ipv4_mapped", None) or found).is_global


def _listened_on(family: int, address: str) -> set[str]:
    return set(_own_addresses(family)) if ip_address(address.partition("%")[0]).is_unspecified else {address}


def _own_addresses(family: int) -> Iterator[str]:
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((_ELSEWHERE[socket.AddressFamily(family)], 9))  # sends nothing
        yield str(probe.getsockname()[0])
    if sys.platform == "linux":
        yield from _of_interfaces_6() if family == socket.AF_INET6 else _of_interfaces_4()


def _of_interfaces_4() -> Iterator[str]:
    import fcntl  # noqa: PLC0415 - not on Windows

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has none
                request = struct.pack("256s", name.encode()[:15])
                yield socket.inet_ntoa(fcntl.ioctl(probe, _SIOCGIFADDR, request)[20:24])


def _of_interfaces_6() -> Iterator[str]:
    with suppress(OSError):  # a kernel without IPv6
        for line in Path("/proc/net/if_inet6").read_text().splitlines():
            yield socket.inet_ntop(socket.AF_INET6, bytes.fromhex(line.split()[0]))
