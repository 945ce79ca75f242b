from pathlib import Path
from typing import Annotated

import pytest
from cyclopts import App, Parameter, ValidationError

from server.limits import Limits
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


def test_a_url_says_whether_there_is_tls() -> None:
    assert ServerSettings(tls_cert="chain.pem", tls_key="key.pem").url(8471) == "wss://127.0.0.1:8471/ws"


def test_rooms_are_kept_in_one_file_of_the_user_wherever_the_server_is_started() -> None:
    kind, _, path = ServerSettings().store.partition(":")
    assert kind == "sqlite"
    assert Path(path).is_absolute()


@pytest.mark.parametrize(("processors", "workers"), [(1, 1), (2, 1), (3, 2), (64, 4)])
def test_bots_leave_a_processor_to_the_server(monkeypatch: pytest.MonkeyPatch, processors: int, workers: int) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(processors)), raising=False)
    assert ServerSettings().bot_workers == workers
    assert served(["--bot-workers", "7"]).bot_workers == 7


@pytest.mark.parametrize(
    "url", ["ws://h:99999/ws", "ws://0.0.0.0:8470/ws", "wss://cards.example", "cards.example:8470"]
)
def test_an_address_that_leads_no_player_anywhere_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(ValidationError, match="is no address for players: ws://HOST:PORT/ws") as refused:
        served(["--advertise", url])
    assert repr(url) in str(refused.value)


@pytest.mark.parametrize("url", ["ws://10.0.0.1:8470/ws", "wss://cards.example/ws", "wss://cards.example/table/ws", ""])
def test_an_address_for_players_is_taken(url: str) -> None:
    assert served(["--advertise", url]).advertise == url


def served(flags: list[str]) -> ServerSettings:
    app = App(result_action="return_value")

    @app.default
    def serve(*, settings: Annotated[ServerSettings | None, Parameter(name="*")] = None) -> ServerSettings | None:
        return settings

    given: ServerSettings = app(flags, exit_on_error=False, print_error=False)
    return given


def test_limits_are_flags_of_their_own() -> None:
    settings = served(["--address-guesses", "0.5", "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"])
    assert settings.limits == Limits(address_guesses=0.5, trusted_proxy=("10.0.0.0/8", "::1"))
    assert served(["--port", "0"]).limits == Limits()


@pytest.mark.parametrize("flags", [["--address-messages", "0"], ["--hello-s", "61"], ["--outbox-kib", "1"]])
def test_a_limit_out_of_its_bounds_is_refused(flags: list[str]) -> None:
    with pytest.raises(ValidationError, match="Must be"):
        served(flags)
