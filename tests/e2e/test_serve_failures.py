"""What keeps a server from starting is one sentence on stderr and an exit code, and nothing else."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from tests.e2e.processes import run
from tests.valkey import Valkey

pytestmark = pytest.mark.slow


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as held:
        yield held.getsockname()[1]


async def assert_ends(home: Path, code: ExitCode, word: str, *flags: str) -> None:
    ended = await run("paizhuo-server", "serve", *flags, home=home)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("paizhuo-server: ")
    assert word in ended.err
    assert ended.err.count("\n") == 1


async def test_a_taken_port_is_a_failure(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.sqlite3'}"
    with taken_port() as port:
        await assert_ends(tmp_path, ExitCode.FAILURE, f"{port}", "--store", store, "--port", f"{port}")


async def test_a_redis_that_nobody_runs_is_an_unavailable_store(tmp_path: Path) -> None:
    with taken_port() as port:
        pass
    store = f"redis://127.0.0.1:{port}"
    await assert_ends(tmp_path, ExitCode.STORE_UNAVAILABLE, f"127.0.0.1:{port}", "--store", store, "--port", "0")


@pytest.mark.parametrize(
    ("name", "value"), [("appendonly", "no"), ("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru")]
)
async def test_a_valkey_that_may_forget_is_an_unfit_store(
    short_path: Path, tmp_path: Path, name: str, value: str
) -> None:
    valkey = Valkey(short_path, f"--{name}", value)
    try:
        await assert_ends(tmp_path, ExitCode.STORE_UNAVAILABLE, name, "--store", valkey.url, "--port", "0")
    finally:
        valkey.kill()
