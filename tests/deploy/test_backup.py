"""Backup and restore as deploy/README.md has them: whoever had a seat has it again."""

import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from protocol.messages import Create, Seated, Table
from server.store.child import find_binary
from tests.e2e.clients import client
from tests.e2e.processes import run, serving
from tests.silence import admin_port
from tests.valkey import FIT, Valkey

pytestmark = pytest.mark.slow


async def sat_down(url: str) -> str:
    """A room is open; its player's ticket."""
    async with client(url) as ann:
        await ann.send(Create("chuo-pai", fill="easy"))
        await ann.until(Table)
        return ann.seated.ticket


async def comes_back(url: str, ticket: str) -> None:
    async with client(url, ticket=ticket) as ann:
        assert (await ann.until(Seated)).ticket == ticket


async def test_a_file_is_copied_while_its_server_runs(tmp_path: Path) -> None:
    with serving(f"sqlite:{tmp_path / 'rooms.sqlite3'}", tmp_path, "--admin-port", "0") as server:
        ticket = await sat_down(server.url)
        port = str(admin_port(server))
        first = await run("paizhuo-server", "admin", "backup", "--admin-port", port, home=tmp_path)
        later = await sat_down(server.url)
        for_good = await run("paizhuo-server", "admin", "backup", "--admin-port", port, home=tmp_path)
    copy = tmp_path / "rooms.sqlite3.backup"
    assert first == for_good == (0, f"{copy}\n", "")
    assert stat.filemode(copy.stat().st_mode) == "-rw-------"
    with serving(f"sqlite:{copy}", tmp_path) as restored:
        await comes_back(restored.url, ticket)
        await comes_back(restored.url, later)


async def test_a_dump_of_valkey_becomes_a_store_again(
    own_valkey: Callable[..., Valkey], short_path: Path, tmp_path: Path
) -> None:
    valkey = own_valkey()
    with serving(valkey.url, tmp_path, "--admin-port", "0") as server:
        ticket = await sat_down(server.url)
        port = str(admin_port(server))
        refused = await run("paizhuo-server", "admin", "backup", "--admin-port", port, home=tmp_path)
        assert refused.code == 4
        assert "by its own means" in refused.err
        with Redis(unix_socket_path=str(valkey.socket)) as asked:
            asked.bgsave()
            done(asked, "rdb_bgsave_in_progress")
        dump = valkey.socket.with_name("dump.rdb")
        again = short_path / "again"
        again.mkdir()
        shutil.copy(dump, again)
    valkey.kill()

    socket = again / "socket"
    places = ("--port", "0", "--unixsocket", str(socket), "--dir", str(again))
    turning = subprocess.Popen([find_binary(), *places, "--appendonly", "no"], stdout=subprocess.PIPE, text=True)
    assert turning.stdout is not None
    for line in turning.stdout:
        if "ready to accept connections" in line.lower():
            break
    with Redis(unix_socket_path=str(socket)) as asked:
        asked.config_set("appendonly", "yes")
        done(asked, "aof_rewrite_in_progress", "aof_rewrite_scheduled")
    turning.terminate()
    turning.communicate(timeout=20)
    restored = Valkey(again)
    try:
        assert FIT[:4] == ("--appendonly", "yes", "--appendfsync", "always")
        with serving(restored.url, tmp_path) as server:
            await comes_back(server.url, ticket)
    finally:
        restored.kill()


def done(asked: Redis, *fields: str) -> None:
    while any(asked.info("persistence")[field] for field in fields):
        pass
