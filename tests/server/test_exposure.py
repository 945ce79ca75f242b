"""Without TLS a server listens where only those can hear it who are near."""

import socket
import sys

import pytest

from server import exposure
from server.exposure import Exposed, is_private, refuse_strangers

INTERNET = "198.41.0.4"


@pytest.mark.parametrize(
    ("address", "private"),
    [
        *((here, True) for here in ("127.0.0.1", "127.8.9.1", "::1")),
        *((near, True) for near in ("10.1.2.3", "172.31.255.1", "192.168.0.9", "169.254.7.7", "100.64.0.1")),
        *((near, True) for near in ("fd12::1", "fe80::1", "fe80::1%eth0", "::ffff:192.168.0.9")),
        *((far, False) for far in ("8.8.8.8", "172.32.0.1", "11.0.0.1", "2a00:1450::1", "::ffff:8.8.8.8")),
    ],
)
def test_an_address_is_private_where_no_router_of_the_internet_leads(address: str, private: bool) -> None:
    assert is_private(address) is private


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "192.168.0.9", "no-such-host.invalid", "a..b"])
async def test_nothing_is_said_where_no_stranger_comes(host: str) -> None:
    await refuse_strangers(host)


@pytest.mark.parametrize("host", [INTERNET, "2a00:1450::1"])
async def test_an_address_of_the_internet_is_refused_with_three_ways_out(host: str) -> None:
    with pytest.raises(Exposed, match=f"on {host} strangers could connect") as refused:
        await refuse_strangers(host)
    assert all(way in str(refused.value) for way in ("--tls-cert", "127.0.0.1 behind a proxy", "--insecure"))


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_all_addresses_are_as_private_as_those_that_the_machine_has(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(exposure, "_own_addresses", lambda family: iter(["127.0.0.1", "192.168.0.9", "fe80::1"]))
    await refuse_strangers(host)
    monkeypatch.setattr(exposure, "_own_addresses", lambda family: iter(["192.168.0.9", INTERNET]))
    with pytest.raises(Exposed, match=f"on {host} strangers could connect \\(at {INTERNET}\\)"):
        await refuse_strangers(host)


async def test_a_name_is_what_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (INTERNET, 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)
    with pytest.raises(Exposed, match=f"on cards.example strangers could connect \\(at {INTERNET}\\)"):
        await refuse_strangers("cards.example")


def test_the_addresses_of_this_machine_are_addresses() -> None:
    found = [address for family in (socket.AF_INET, socket.AF_INET6) for address in exposure._own_addresses(family)]
    assert all(isinstance(is_private(address), bool) for address in found)
    if sys.platform == "linux":
        assert "127.0.0.1" in found
