import pytest

from server.addresses import is_address


@pytest.mark.parametrize(
    "address",
    [
        "ws://127.0.0.1:8470/ws",
        "wss://cards.example/ws",
        "ws://[::1]:8470/ws",
        "wss://a.b-c.example/ws",
        "ws://h:65535/ws",
        "ws://h:1/a/b_c~d",
        "wss://10.0.0.2:8470/ws#ABCD-EFGH-JKMN-PQRS",
        f"wss://cards.example/ws#{'abcdefghjkmnp0123456789qrs' * 2}",
    ],
)
def test_addresses_of_servers(address: str) -> None:
    assert is_address(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ws://",
        "http://cards.example/ws",
        "cards.example:8470",
        "ws://user@cards.example/ws",
        "ws://user:secret@cards.example/ws",
        "ws://cards.example/ws?ticket=1",
        "ws://cards.example/ws#1",
        "ws://cards.example/ws#ABCD-EFGH-JKMN-PQRS",
        "wss://cards.example/ws#ABCD-EFGH-JKMN-PQR",
        "wss://cards.example/ws#ABCD-EFGH-JKMN-PQRU",
        f"wss://cards.example/ws#{'A' * 53}",
        "ws://cards.example/ws\n",
        " ws://cards.example/ws",
        "ws://cards.example:8470:1/ws",
        "ws://карты.example/ws",
        "ws://-cards.example/ws",
        "ws://h:0/ws",
        "ws://h:65536/ws",
        "ws://h:99999/ws",
        "ws://0.0.0.0:8470/ws",
        "ws://[::]:8470/ws",
        "ws://[::1::2]:8470/ws",
        "wss://cards.example",
        "wss://cards.example/",
        "ws://cards.example/\x1b[2J",
        f"ws://cards.example/{'a' * 200}",
    ],
)
def test_what_is_none(text: str) -> None:
    assert not is_address(text)
