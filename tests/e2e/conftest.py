"""Servers that the tests of one module share: two on one Valkey, their rooms apart by their codes."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.processes import ServerProcess, serving
from tests.valkey import Valkey


class Servers(NamedTuple):
    """`first` and `second` serve the same rooms, which `store` keeps."""

    store: str
    first: ServerProcess
    second: ServerProcess


@pytest.fixture(scope="module")
def servers(shared_valkey: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    store, home = shared_valkey.url, Path(tmp_path_factory.mktemp("servers"))
    with serving(store, home, "--log-level", "debug") as first, serving(store, home, "--log-level", "debug") as second:
        yield Servers(store, first, second)
