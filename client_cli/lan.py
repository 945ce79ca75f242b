"""Servers in the local network: making one known there, and looking for others, by multicast DNS.

What is made known is an address, perhaps the fingerprint of a certificate, and the program's version, and only on
request: no name of a person or a machine, and no code of a room. Which rooms may be joined, a server says itself to
whoever asks. What others make known is believed only as far as it is an address in a private network.
"""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from client_cli import words_lan
from client_cli.address import url_at
from client_cli.fingerprint import tidy_fingerprint

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange
    from zeroconf.asyncio import AsyncZeroconf

SERVICE = "_paizhuo._tcp.local."
LOOK_S = 2.0
ANSWER_S = 1.5
MOST_SERVERS = 16
"""More are not looked at: anybody in the network can make up as many as they like."""


class NoLan(Exception):
    """One sentence for the person: why nothing can be announced or found."""


@asynccontextmanager
async def announced(address: str, port: int, pin: str = "") -> AsyncIterator[None]:
    """This server can be found while the block runs. `address`: the IPv4 address where others reach it. `pin`: the
    fingerprint of its certificate, if it has TLS.

    Raises `NoLan` before the block.
    """
    async with _multicast(address) as zeroconf:
        from zeroconf import Error, ServiceInfo  # noqa: PLC0415 - an extra, which `_multicast` has found

        name = f"paizhuo-{secrets.token_hex(4)}"  # nothing that tells who or where
        info = ServiceInfo(
            SERVICE,
            f"{name}.{SERVICE}",
            port=port,
            parsed_addresses=[address],
            properties={"version": version("paizhuo")} | ({"tls": pin} if pin else {}),
            server=f"{name}.local.",
        )
        try:
            await zeroconf.async_register_service(info)
        except (Error, OSError) as error:
            raise NoLan(_no_multicast(error)) from None
        try:
            yield
        finally:
            with suppress(Error, OSError):  # the network may be gone: then nobody has to be told
                await zeroconf.async_unregister_all_services()


async def usable(interface: str) -> None:
    """Raises `NoLan` where nothing can be announced or found from this address."""
    async with _multicast(interface):
        pass


async def servers_nearby(interface: str, within_s: float = LOOK_S) -> tuple[str, ...]:
    """URLs of the servers that are announced in the network of this machine's address `interface`. Raises `NoLan`."""
    found: dict[str, None] = {}
    async with _multicast(interface) as zeroconf, asyncio.TaskGroup() as group:
        from zeroconf import ServiceStateChange  # noqa: PLC0415 - as above
        from zeroconf.asyncio import AsyncServiceBrowser  # noqa: PLC0415 - as above

        asked: set[str] = set()

        async def ask(name: str) -> None:
            if url := await _url_of(zeroconf, name, interface):
                found[url] = None

        def heard(*, name: str, state_change: "ServiceStateChange", **_: object) -> None:
            if state_change is ServiceStateChange.Added and name not in asked and len(asked) < MOST_SERVERS:
                asked.add(name)
                group.create_task(ask(name))

        browser = AsyncServiceBrowser(zeroconf.zeroconf, SERVICE, handlers=[heard])
        try:
            await asyncio.sleep(within_s)
        finally:
            await browser.async_cancel()
    return tuple(found)


async def _url_of(zeroconf: "AsyncZeroconf", name: str, interface: str) -> str | None:
    """Where a service says that it is; None if it does not answer, or names a place that is none for us."""
    from zeroconf.asyncio import AsyncServiceInfo  # noqa: PLC0415 - as above

    try:
        info = AsyncServiceInfo(SERVICE, name)
        if not await info.async_request(zeroconf.zeroconf, ANSWER_S * 1000):
            return None
        pin = tidy_fingerprint(told.decode()) if (told := info.properties.get(b"tls")) else ""
        return private_url(info.parsed_addresses(), info.port, interface, pin)
    except Exception:  # noqa: BLE001 - whatever a stranger's packet does to the library, the others are still shown
        return None


def private_url(addresses: Sequence[str], port: int | None, interface: str, pin: str = "") -> str | None:
    """The WebSocket URL at the first of `addresses` that lies in a private IPv4 network. `pin`: its fingerprint.

    That of this machine alone counts only where `interface`, which the answer came in by, is that too.
    """
    alone = IPv4Address(interface).is_loopback
    if port is None or not 0 < port < 65536:
        return None
    for text in addresses:
        with suppress(ValueError):
            address = IPv4Address(text)
            if address.is_private and not address.is_unspecified and (alone or not address.is_loopback):
                return url_at(str(address), port, pin)
    return None


@asynccontextmanager
async def _multicast(interface: str) -> "AsyncIterator[AsyncZeroconf]":
    """Only on the one interface: others may be bridges and tunnels, where nobody looks or everybody does."""
    try:
        from zeroconf import IPVersion  # noqa: PLC0415 - an extra, and slow to load
        from zeroconf.asyncio import AsyncZeroconf  # noqa: PLC0415 - as above
    except ImportError:
        raise NoLan(words_lan.library_missing()) from None
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # the library leaks its own where this fails
            probe.bind((interface, 0))
        zeroconf = AsyncZeroconf(interfaces=[interface], ip_version=IPVersion.V4Only)
    except (OSError, RuntimeError) as error:
        raise NoLan(_no_multicast(error)) from None
    try:
        yield zeroconf
    finally:
        await zeroconf.async_close()


def _no_multicast(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return words_lan.unusable(reason)
