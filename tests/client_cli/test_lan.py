"""Servers are found in the local network: here that of the machine itself, and nothing leaves it."""

import sys

import pytest

from client_cli.lan import NoLan, announced, private_url, servers_nearby

LOOPBACK = "127.0.0.1"


@pytest.mark.slow
async def test_an_announced_server_is_found_until_it_goes() -> None:
    async with announced(LOOPBACK, 8471), announced(LOOPBACK, 8472):
        assert set(await servers_nearby(LOOPBACK)) == {"ws://127.0.0.1:8471/ws", "ws://127.0.0.1:8472/ws"}
    assert await servers_nearby(LOOPBACK, within_s=0.5) == ()


@pytest.mark.parametrize(
    ("addresses", "port", "url"),
    [
        (["192.168.1.5"], 8470, "ws://192.168.1.5:8470/ws"),
        (["fe80::1", "8.8.8.8", "10.0.0.7"], 9000, "ws://10.0.0.7:9000/ws"),
        (["169.254.3.4"], 9000, "ws://169.254.3.4:9000/ws"),
        (["127.0.0.1"], 8470, None),
        (["8.8.8.8"], 8470, None),
        (["0.0.0.0"], 8470, None),
        (["evil\x1b[2J"], 8470, None),
        ([], 8470, None),
        (["10.0.0.7"], 0, None),
        (["10.0.0.7"], None, None),
    ],
)
def test_only_addresses_of_private_networks_are_believed(addresses: list[str], port: int | None, url: str) -> None:
    assert private_url(addresses, port, "192.168.1.2") == url


async def test_without_the_library_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    with pytest.raises(NoLan, match=r"pip install '\.\[lan\]'"):
        await servers_nearby(LOOPBACK)


async def test_an_interface_that_is_none_is_one_sentence() -> None:
    with pytest.raises(NoLan, match="the local network cannot be searched"):
        async with announced("192.0.2.1", 8470):
            pytest.fail("nobody could have been told")
