import asyncio
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.clock import SystemClock
from server.store import sqlite_file
from server.store.base import EMPTY, Refused, Unfit, Unknown, seal
from server.store.sqlite import SqliteStore
from tests.stores import KEEP_MS, Ear, new_room, write


class SetClock(SystemClock):
    """A wall clock that can be set; the monotonic clock runs on."""

    def __init__(self, ahead_ms: int = 0) -> None:
        self._ahead_ms = ahead_ms

    def wall_ms(self) -> int:
        return super().wall_ms() + self._ahead_ms


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "rooms.db"


async def opened(path: Path, clock: SystemClock | None = None) -> SqliteStore:
    store = SqliteStore(path, clock or SystemClock())
    await store.open(Ear())
    return store


async def refusal(path: Path) -> str:
    """What opening the file says."""
    store = SqliteStore(path, SystemClock())
    with pytest.raises(Unfit) as unfit:
        await store.open(Ear())
    await store.close()
    return str(unfit.value)


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await opened(path)
    yield store
    await store.close()


async def test_rooms_outlive_the_server(path: Path) -> None:
    store = await opened(path)
    at = await write(store, "A", b"first", b"second")
    await store.close()
    store = await opened(path)
    assert len(await store.read("A", EMPTY)) == 2
    await write(store, "A", b"third", at=at)
    await store.close()


async def test_only_the_owner_may_look_at_the_cards(store: SqliteStore, path: Path) -> None:
    await write(store, "A", b"first")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


async def test_a_second_server_on_the_same_file_is_refused(store: SqliteStore, path: Path) -> None:
    assert await refusal(path) == (
        f"another server has the store {path} open: stop it, or name another file for this one"
    )
    await write(store, "A", b"first")


async def test_a_file_that_is_no_database_is_unfit(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 100)
    assert "is damaged (file is not a database): restore it from a copy, or move it away" in await refusal(path)
    assert path.read_bytes() == b"not a database at all" * 100


async def test_a_file_with_damaged_pages_is_unfit(path: Path) -> None:
    store = await opened(path)
    await write(store, "A", *(b"%d" % n * 100 for n in range(200)))
    await store.close()
    pages = bytearray(path.read_bytes())
    pages[4096 * 6 : 4096 * 8] = b"\x55" * 8192
    path.write_bytes(pages)
    assert "is damaged" in await refusal(path)


async def test_the_file_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE theirs (x)")
    theirs.close()
    assert f"{path} belongs to another program" in await refusal(path)
    with sqlite3.connect(path) as theirs:
        assert theirs.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    theirs.close()


async def test_the_layout_of_another_version_is_refused(path: Path) -> None:
    await (await opened(path)).close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    assert "has layout 99 and this server knows layout 1" in await refusal(path)


async def test_a_place_that_cannot_be_written_is_unfit(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be opened for writing" in await refusal(tmp_path / "file" / "rooms.db")
    assert "cannot be opened for writing: Is a directory" in await refusal(tmp_path)


async def test_a_machine_whose_clock_was_set_back_does_not_live_through_a_time_twice(path: Path) -> None:
    store = await opened(path, SetClock(ahead_ms=3_600_000))
    await write(store, "A", b"first")
    before_ms = store.now_ms()
    await store.close()
    store = await opened(path)
    assert store.now_ms() >= before_ms - 1000
    assert await store.read("A", EMPTY)
    await store.close()


async def test_steps_of_the_system_clock_do_not_reach_the_rooms(path: Path) -> None:
    clock = SetClock()
    store = await opened(path, clock)
    before_ms = store.now_ms()
    clock._ahead_ms = -3_600_000
    assert store.now_ms() >= before_ms
    await store.close()


def rows(path: Path, table: str) -> list[tuple[str]]:
    with sqlite3.connect(path) as file:
        found: list[tuple[str]] = file.execute(f"SELECT room FROM {table} ORDER BY room").fetchall()
    file.close()
    return found


async def test_what_has_run_out_is_thrown_out_at_the_next_start(path: Path) -> None:
    store = await opened(path)
    await write(store, "A", b"first", b"second")
    await store.enlist("A", b"summary", KEEP_MS)
    await store.close()
    store = await opened(path, SetClock(ahead_ms=KEEP_MS // 2))
    await write(store, "B", b"first")
    await store.close()
    await (await opened(path, SetClock(ahead_ms=KEEP_MS + 5000))).close()
    assert [rows(path, table) for table in ("rooms", "entries", "lobby")] == [[("B",)], [("B",)], []]


async def test_what_has_run_out_is_thrown_out_now_and_then_between_appends(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BATCHES_TO_A_SWEEP", 3)
    store = await opened(path)
    entry, _ = seal(EMPTY, b"only")
    await store.append("A", EMPTY, entry, keep_ms=0)
    at = await write(store, "B", b"first")
    await write(store, "B", b"second", at=at)
    await store.close()
    assert rows(path, "rooms") == [("B",)]
    assert rows(path, "entries") == [("B",), ("B",)]


async def test_a_full_disk_refuses_and_loses_nothing(store: SqliteStore) -> None:
    at = await write(store, "A", b"first")

    def fill() -> None:
        store._file._sql.execute("PRAGMA max_page_count = 1")  # SQLite takes the size that the file has

    def clear() -> None:
        store._file._sql.execute("PRAGMA max_page_count = 100000")

    await store._run(fill)
    with pytest.raises(Refused, match="full"):
        await write(store, "A", b"x" * 1_000_000, at=at)
    await store._run(clear)
    assert await store.read("A", at) == ()
    await write(store, "A", b"second", at=at)


async def test_a_disk_that_fails_while_saving_leaves_the_append_unknown(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await write(store, "A", b"first")

    class Failing:
        """The real connection, on a disk that fails at the end."""

        def __init__(self, file: sqlite3.Connection) -> None:
            self._file = file
            self.in_transaction = True

        def execute(self, statement: str, *args: object) -> sqlite3.Cursor:
            if statement == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR, "SQLITE_IOERR"
                raise error
            return self._file.execute(statement, *args)  # type: ignore[arg-type]

    with monkeypatch.context() as failing:
        failing.setattr(store._file, "_connection", Failing(store._file._sql))
        with pytest.raises(Unknown, match="SQLITE_IOERR"):
            await write(store, "A", b"second", at=at)
    assert await store.read("A", at) == ()
    await write(store, "A", b"second", at=at)


async def test_a_store_that_is_not_open_refuses_and_closes(path: Path) -> None:
    store = SqliteStore(path, SystemClock())
    for attempt in (write(store, "A", b"first"), store.read("A", EMPTY), store.listed(), store.check()):
        with pytest.raises(Refused, match="not open"):
            await attempt
    await store.close()
    assert not path.exists()


async def test_a_closed_store_refuses_and_may_be_closed_again(store: SqliteStore) -> None:
    await store.close()
    await store.close()
    for attempt in (write(store, "A", b"first"), store.read("A", EMPTY), store.check()):
        with pytest.raises(Refused, match="closed"):
            await attempt


async def test_appends_that_arrive_together_share_a_transaction(store: SqliteStore) -> None:
    statements: list[str] = []
    await store._run(store._file._sql.set_trace_callback, statements.append)
    await asyncio.gather(*(write(store, new_room(), b"first") for _ in range(50)))
    assert statements.count("COMMIT") == 1
    await store._run(store._file._sql.set_trace_callback, None)


WRITER = """
import asyncio, sys
from pathlib import Path
from server.clock import SystemClock
from server.store.base import EMPTY, seal
from server.store.sqlite import SqliteStore
from tests.stores import Ear

async def play(store, room):
    at = EMPTY
    while True:
        entry, after = seal(at, b"payload")
        await store.append(room, at, entry, keep_ms=600_000)
        at = after
        print(room, at.version, flush=True)

async def main():
    store = SqliteStore(Path(sys.argv[1]), SystemClock())
    await store.open(Ear())
    await asyncio.gather(*(play(store, f"ROOM{n}") for n in range(10)))

asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_server_that_is_killed_loses_no_acknowledged_append(path: Path) -> None:
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        acknowledged: dict[str, int] = {}
        with writer.stdout as lines:
            for count, line in enumerate(lines):
                if not line.endswith("\n"):  # cut off by the kill
                    break
                room, version = line.split()
                acknowledged[room] = int(version)
                if count == 1000:
                    writer.kill()
        writer.wait()
        store = await opened(path)
        for room, length in acknowledged.items():
            assert length <= len(await store.read(room, EMPTY)) <= length + 1
        await store.close()
        path.unlink()


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_is_gone_or_another_takes_no_more_appends(
    store: SqliteStore, path: Path, replaced: bool
) -> None:
    at = await write(store, "A", b"first")
    path.unlink()
    if replaced:
        path.touch()
    with pytest.raises(Refused, match="replaced" if replaced else "gone"):
        await write(store, "A", b"second", at=at)
    with pytest.raises(Refused):
        await store.check()


async def test_what_is_stored_is_never_quoted(store: SqliteStore) -> None:
    await write(store, "A", b"first")

    def spoil() -> None:
        store._file._sql.execute("UPDATE entries SET entry = CAST(x'ff363641' AS TEXT)")

    await store._run(spoil)
    with pytest.raises(Refused) as refused:
        await store.read("A", EMPTY)
    assert "66A" not in str(refused.value)


async def test_a_listener_that_breaks_is_logged_without_what_it_says_and_the_next_is_told(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    text = "".join(("36 ", "66"))  # not as it stands in the lines of the trace

    class Breaking(Ear):
        def appended(self, room: str, version: int, entry: bytes) -> None:
            raise ValueError(text)

        def heard(self, room: str, words: bytes) -> None:
            super().heard(room, words)
            raise ValueError(text)

    store._listener = ear = Breaking()
    await store.follow("A")
    await write(store, "A", b"36 66")
    for _ in range(2):
        await store.tell("A", b"36 66")
        assert await ear.next() == ("A", b"36 66")
    assert caplog.text.count("was not taken in: ValueError") == 3
    assert text not in caplog.text


async def test_a_copy_is_whole_and_what_is_written_later_is_not_in_it(store: SqliteStore, path: Path) -> None:
    at = await write(store, "A", b"first", b"second")
    copy = await store.back_up()
    await store.append("A", at, seal(at, b"third")[0], keep_ms=KEEP_MS)
    assert copy.parent == path.parent
    other = await opened(copy)
    assert len(await other.read("A", EMPTY)) == 2
    await other.close()
    assert await store.back_up() == copy
    assert sorted(each.suffix for each in path.parent.glob("*backup*")) == [".backup"]


async def test_a_copy_that_cannot_be_written_is_refused_with_the_reason(store: SqliteStore, path: Path) -> None:
    path.with_name(f"{path.name}.backup-new").mkdir()
    with pytest.raises(Refused, match="cannot be written"):
        await store.back_up()
    await write(store, "A", b"first")
