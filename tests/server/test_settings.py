from pathlib import Path

import pytest

from server.settings import ServerSettings


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "ws://127.0.0.1:8471/ws"),
        ("0.0.0.0", "ws://0.0.0.0:8471/ws"),
        ("::1", "ws://[::1]:8471/ws"),
        ("cards.example", "ws://cards.example:8471/ws"),
    ],
)
def test_a_url_names_the_host_and_the_port_that_was_bound(host: str, url: str) -> None:
    assert ServerSettings(host=host, port=0).url(8471) == url


def test_rooms_are_kept_in_one_file_of_the_user_wherever_the_server_is_started() -> None:
    kind, _, path = ServerSettings().store.partition(":")
    assert kind == "sqlite"
    assert Path(path).is_absolute()
