"""Whose address a connection counts as."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.addresses import MOST_HOPS, NOWHERE, Address, client_of, networks, parsed, subscriber

PROXIES = networks(("10.0.0.0/8", "2001:db8:1::/48"))
CLIENT = ip_address("203.0.113.7")


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["203.0.113.7, 10.0.0.2"], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1, 203.0.113.7, 10.3.0.2, 10.0.0.2"], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["203.0.113.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["unknown, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("::ffff:10.0.0.1", ["203.0.113.7:50123"], "203.0.113.7"),
        ("2001:db8:1::9", ["[2001:db8:7::1]:443"], "2001:db8:7::1"),
        ("10.0.0.1", ["::ffff:203.0.113.7"], "203.0.113.7"),
    ],
)
def test_proxies_are_believed_from_the_end_and_only_as_far_as_they_are_trusted(
    peer: str, forwarded_for: list[str], client: str
) -> None:
    assert client_of(peer, forwarded_for, PROXIES) == ip_address(client)


@given(st.lists(st.text(max_size=40), max_size=4))
def test_whatever_a_client_makes_up_it_counts_as_who_it_is(made_up: list[str]) -> None:
    assert client_of(str(CLIENT), made_up, PROXIES) == CLIENT
    assert client_of("10.0.0.1", [*made_up, str(CLIENT)], PROXIES) == CLIENT


def test_a_chain_of_proxies_without_end_is_not_followed() -> None:
    endless = ", ".join(["203.0.113.7", *["10.0.0.9"] * (MOST_HOPS + 1)])
    assert client_of("10.0.0.1", [endless], PROXIES) == ip_address("10.0.0.9")


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        ("2001:db8:7:1::1", "2001:db8:7:1::/64"),
        ("2001:db8:7:1:ffff:ffff:ffff:ffff", "2001:db8:7:1::/64"),
        ("2001:db8:7:2::1", "2001:db8:7:2::/64"),
        ("::1", "::/64"),
        ("fe80::1", "fe80::1/128"),
        ("fe80::2%eth0", "fe80::2/128"),
    ],
)
def test_an_ipv6_address_counts_as_its_household_and_a_link_local_one_as_itself(address: str, counted_as: str) -> None:
    assert subscriber(ip_address(address)) == ip_network(counted_as)


@given(st.ip_addresses())
def test_every_address_is_read_back_and_counts_as_one_that_holds_it(address: Address) -> None:
    read = parsed(str(address))
    assert read is not None
    assert read in subscriber(read)


@pytest.mark.parametrize(
    "text", ["", " ", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "[", "[]", ":", "::::", "300.1.1.1"]
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert parsed(text) is None
    assert client_of(text, [], PROXIES) == NOWHERE


@pytest.mark.parametrize("text", ["10.0.0.1/8", "ten", "", "10.0.0.0/33", "::1/200"])
def test_what_is_no_network_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="is neither an address nor a network") as refused:
        networks(("10.0.0.0/8", text))
    assert repr(text) in str(refused.value)
