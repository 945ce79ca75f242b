"""Fixtures that many parts share."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.order import dealt
from tests.sentinel import Replicated, Watched
from tests.valkey import Valkey

# How long an example takes says how busy the machine is, and nothing of the rules.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

YOUNG_OBJECTS = 10_000
"""As in our programs."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items[:] = dealt(items, config.workerinput["workercount"])


def pytest_collection_finish() -> None:
    """What has been imported stays: looking through it for garbage again and again takes a fifth of the time."""
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory for a Unix socket, whose path may only be short."""
    with TemporaryDirectory(prefix="paizhuo-") as name:
        yield Path(name)


@pytest.fixture(scope="session")
def shared_valkey() -> Iterator[Valkey]:
    with TemporaryDirectory(prefix="paizhuo-") as name:
        valkey = Valkey(Path(name))
        yield valkey
        valkey.kill()


@pytest.fixture
def valkey(shared_valkey: Valkey) -> Valkey:
    """A Valkey that is fit to be a store, and empty."""
    shared_valkey.run("FLUSHALL")
    return shared_valkey


@pytest.fixture
def own_valkey(short_path: Path) -> Iterator[Callable[..., Valkey]]:
    """Starts a Valkey that the test may harm, with settings that come after the fit ones."""
    started: list[Valkey] = []

    def start(*settings: str) -> Valkey:
        started.append(Valkey(short_path, *settings))
        return started[-1]

    yield start
    for valkey in started:
        valkey.kill()


@pytest.fixture
def replicated(short_path: Path) -> Iterator[Callable[..., Replicated]]:
    """Starts a primary with `replicas` (1) and with settings that come after the fit ones."""
    with ExitStack() as started:

        def start(replicas: int = 1, *settings: str) -> Replicated:
            servers = Replicated(short_path, replicas, *settings)
            started.callback(servers.stop)
            return servers

        yield start


@pytest.fixture
def watched(short_path: Path) -> Iterator[Watched]:
    """A primary with one replica, watched by three Sentinels."""
    servers = Watched(short_path)
    yield servers
    servers.stop()
