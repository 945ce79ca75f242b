"""Stores that take no writes, forget their scripts, drop their subscribers or come back with a damaged file, while
people play.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import cast
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Create, Refused
from tests.e2e.clients import client
from tests.faults.fleet import Fleet, fleet
from tests.faults.matches import playing
from tests.faults.people import Meter
from tests.faults.test_partitions import trouble_shows
from tests.valkey import DoesNotStart, Valkey

pytestmark = pytest.mark.slow

BLOCKED = "blocked"
"""A directory where a snapshot should be written."""

Commands = tuple[tuple[str, ...], ...]

TROUBLES: tuple[tuple[Commands, Commands], ...] = (
    ((("REPLICAOF", "127.0.0.1", "1"),), (("REPLICAOF", "NO", "ONE"),)),
    ((("CONFIG", "SET", "maxmemory", "1"),), (("CONFIG", "SET", "maxmemory", "0"),)),
    ((("CONFIG", "SET", "save", "3600 1"), ("BGSAVE",)), (("CONFIG", "SET", "save", ""),)),
)
"""What makes a Valkey refuse writes, and what mends that: it is a replica, out of memory, cannot write to its disk."""


@asynccontextmanager
async def at_play(valkey: Valkey, home: Path, meter: Meter, *, lossy: bool = False) -> AsyncIterator[Fleet]:
    rng = Random(4)
    async with fleet(valkey, home, 2, meter, rng) as servers, playing(servers, rng, tables=3, lossy=lossy):
        await meter.moved(10)
        yield servers


async def test_while_a_store_takes_no_writes_moves_are_refused_and_afterwards_play_goes_on_without_a_restart(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    (short_path / BLOCKED).mkdir()
    valkey, meter = own_valkey("--dbfilename", BLOCKED), Meter()
    async with at_play(valkey, short_path, meter) as servers:
        for harm, mend in TROUBLES:
            told = asyncio.create_task(trouble_shows(meter))
            for command in harm:
                valkey.run(*command)
            await told
            for url in servers.urls():
                while await asyncio.to_thread(readiness, url) != HTTPStatus.SERVICE_UNAVAILABLE:
                    pass  # an answer is kept for a second, and only one of the servers need have noticed
                async with client(url) as newcomer:
                    await newcomer.send(Create("chuo-pai"))
                    assert (await newcomer.until(Refused)).code == ErrorCode.STORE_UNAVAILABLE
            for command in mend:
                valkey.run(*command)
            await meter.moved(10)
            while HTTPStatus.OK not in {await asyncio.to_thread(readiness, url) for url in servers.urls()}:
                await meter.moved(1)  # an answer is kept for a second
    assert meter.notices["live"] > 0
    assert meter.notices["reset"] == 0
    assert meter.done["node kills"] == 0


def readiness(url: str) -> int:
    try:
        with urlopen(url.replace("ws://", "http://").replace("/ws", "/readyz"), timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


async def test_scripts_and_subscribers_that_are_thrown_out_again_and_again_cost_nothing(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    valkey, meter = own_valkey(), Meter()
    async with at_play(valkey, short_path, meter):
        for _ in range(20):
            valkey.run("SCRIPT", "FLUSH")
            valkey.run("CLIENT", "KILL", "TYPE", "pubsub")
            await meter.moved(3)


async def test_a_file_with_a_damaged_tail_is_a_reset_or_a_wait_and_no_divergence(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    valkey, meter = own_valkey(), Meter()
    async with at_play(valkey, short_path, meter, lossy=True):
        for cut in (1, 700, 2000):
            valkey.kill()
            file = append_only_file(short_path)
            os.truncate(file, file.stat().st_size - cut)
            valkey.start()
            await meter.moved(10)
        assert meter.notices["reset"] > 0
        told = asyncio.create_task(trouble_shows(meter))
        written = lengths(valkey)
        valkey.kill()
        size = file.stat().st_size
        with file.open("ab") as tail:
            tail.write(bytes(4096))
        with suppress(DoesNotStart):  # it does not start on zeros, and waits for somebody to mend its file
            valkey.start()
        await told
        valkey.kill()
        os.truncate(file, size)
        valkey.start()
        mended = lengths(valkey)
        assert all(mended[log] >= length for log, length in written.items())  # nobody's table went back again
        await meter.moved(10)


def lengths(valkey: Valkey) -> dict[bytes, int]:
    """How many entries each room's log has."""
    logs = cast("list[bytes]", valkey.run("KEYS", "*:log"))
    return {log: cast("int", valkey.run("LLEN", log)) for log in logs}


def append_only_file(directory: Path) -> Path:
    (file,) = directory.glob("appendonlydir/*.incr.aof")
    return file
