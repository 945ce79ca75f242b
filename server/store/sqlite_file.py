"""The SQLite file that holds rooms: its layout and every statement. Blocks, and belongs to one thread."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from server.store.base import (
    CHAIN_BYTES,
    EMPTY,
    Position,
    Refused,
    RolledBack,
    StoreError,
    TooEarly,
    Unfit,
    Unknown,
    VersionConflict,
)

APPLICATION_ID = 0x7061697A  # "paiz": tells our files from other programs'
LAYOUT = 1
SCHEMA = (
    "CREATE TABLE rooms (room TEXT PRIMARY KEY, expires_ms INTEGER, written_ms INTEGER) WITHOUT ROWID",
    "CREATE INDEX rooms_by_expiry ON rooms (expires_ms)",
    "CREATE TABLE entries (room TEXT, version INTEGER, entry BLOB, PRIMARY KEY (room, version)) WITHOUT ROWID",
    "CREATE TABLE lobby (room TEXT PRIMARY KEY, summary BLOB, expires_ms INTEGER) WITHOUT ROWID",
)

REMEDIES = {
    "SQLITE_FULL": "its disk is full",
    "SQLITE_READONLY": "it may only be read",
    "SQLITE_IOERR_WRITE": "its disk cannot be written",
    "SQLITE_CORRUPT": "it is damaged",
}

LISTED_AT_MOST = 100
TAILS = 10_000
BATCHES_TO_A_SWEEP = 1000
SWEPT_AT_MOST = 20
"""Rooms thrown out at once between appends: few, so that nobody waits for it."""


class Append(NamedTuple):
    room: str
    expected: Position
    entry: bytes
    keep_ms: int
    not_before_ms: int


class RoomFile:
    """The file at `path`, held for ourselves alone. Methods other than `open` and `close` raise `Refused`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._batches = 0
        self._identity = (0, 0)
        self._accepted: list[Append] = []
        self._tails: dict[str, tuple[Position, int]] = {}
        """Where logs end that were written lately, and when they expire: the file is ours alone, so that stays true."""

    def open(self, wall_ms: int) -> int:
        """Make the file if need be, check it, and throw out what has expired by its own latest time or by `wall_ms`.
        Returns the latest time that it has seen. Raises `Unfit`."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # made here, since SQLite would let others on the machine read the cards; its side files take over the mode
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise Unfit(f"the store {self._path} cannot be opened for writing: {error.strerror}") from error
        try:
            self._connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
            opened = self._path.stat()
            self._identity = (opened.st_dev, opened.st_ino)
            self._lock()
            self._lay_out()
            (latest_ms,) = self._sql.execute("SELECT coalesce(max(written_ms), 0) FROM rooms").fetchone()
            self._sweep(max(latest_ms, wall_ms), at_most=-1)
            self._sql.execute("COMMIT")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                remedy = "stop it, or name another file for this one"
                raise Unfit(f"another server has the store {self._path} open: {remedy}") from error
            if isinstance(error, sqlite3.OperationalError):
                raise Unfit(self._sentence(error)) from error
            raise Unfit(self._damaged(str(error))) from error
        return int(latest_ms)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def back_up(self) -> Path:
        """A copy of all that is in the file now, beside it, in place of the one before. Raises `Refused`."""
        copy = self._path.with_name(f"{self._path.name}.backup")
        fresh = copy.with_name(f"{copy.name}-new")
        with self._asking():
            try:
                fresh.unlink(missing_ok=True)
                os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))  # others would read the cards
                self._sql.execute("VACUUM INTO ?", (str(fresh),))
                fresh.replace(copy)
            except OSError as error:
                raise Refused(f"the copy {copy} cannot be written: {error.strerror}") from error
        return copy

    def read(self, room: str, after: Position, now_ms: int) -> tuple[bytes, ...]:
        """The entries after a position. Raises `RolledBack`."""
        with self._asking():
            entries = self._entries(room, after, now_ms)
        if entries is None:
            raise RolledBack(f"the log of room {room} no longer holds its entry {after.version}")
        return entries

    def write(self, batch: Sequence[Append], now_ms: int) -> list[StoreError | None]:
        """Write all in one transaction, durable on return; an append that is refused leaves no trace in it. The
        outcome of each: None if it was written. Raises `Refused` or `Unknown` for all of them."""
        try:
            with self._asking():
                self._must_be_there()
                self._sql.execute("BEGIN IMMEDIATE")
                outcomes = [self._accept(append, now_ms) for append in batch]
                self._insert_accepted(now_ms)
                self._batches += 1
                if self._batches % BATCHES_TO_A_SWEEP == 0:
                    self._sweep(now_ms, at_most=SWEPT_AT_MOST)
            self._commit()
        except StoreError:
            self._tails.clear()
            self._accepted.clear()
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        return outcomes

    def enlist(self, room: str, summary: bytes, expires_ms: int) -> None:
        with self._asking():
            self._sql.execute("REPLACE INTO lobby VALUES (?, ?, ?)", (room, summary, expires_ms))

    def delist(self, room: str) -> None:
        with self._asking():
            self._sql.execute("DELETE FROM lobby WHERE room = ?", (room,))

    def listed(self, now_ms: int) -> tuple[bytes, ...]:
        with self._asking():
            rows = self._sql.execute(
                "SELECT summary FROM lobby WHERE expires_ms > ? ORDER BY expires_ms DESC LIMIT ?",
                (now_ms, LISTED_AT_MOST),
            ).fetchall()
        return tuple(summary for (summary,) in rows)

    def check(self) -> None:
        """A write that goes to the disk and changes nothing."""
        with self._asking():
            self._must_be_there()
            self._sql.execute(f"PRAGMA user_version = {LAYOUT}")

    @property
    def _sql(self) -> sqlite3.Connection:
        if self._connection is None:
            raise Refused("the store is not open")
        return self._connection

    def _must_be_there(self) -> None:
        """A file that was deleted or replaced goes on taking writes, which would be lost with our process."""
        if self._connection is None:
            return  # which is refused in other words
        try:
            there = self._path.stat()
        except OSError as error:
            raise Refused(f"the store {self._path} is gone: {error.strerror}; start the server anew") from error
        if (there.st_dev, there.st_ino) != self._identity:
            raise Refused(f"the store {self._path} was replaced by another file; start the server anew")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Refused(self._sentence(error)) from error

    def _sentence(self, error: sqlite3.Error) -> str:
        # by its name: the text may quote what is stored
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        return f"the store {self._path} cannot be used: {REMEDIES.get(name, name)}"

    def _damaged(self, what: str) -> str:
        return f"the store {self._path} is damaged ({what}): restore it from a copy, or move it away to start afresh"

    def _lock(self) -> None:
        """Take the file for ourselves; on return a transaction is open."""
        for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL", "fullfsync = ON"):
            self._sql.execute(f"PRAGMA {setting}")
        self._sql.execute("BEGIN IMMEDIATE")

    def _lay_out(self) -> None:
        """Make the tables in a new file; check whose file it is, and that it is whole, in an old one."""
        (tables,) = self._sql.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0:
            for statement in (*SCHEMA, f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {LAYOUT}"):
                self._sql.execute(statement)
            return
        (application,) = self._sql.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise Unfit(f"{self._path} belongs to another program: name another file")
        (layout,) = self._sql.execute("PRAGMA user_version").fetchone()
        if layout != LAYOUT:
            remedy = "use the version of the server that made it, or name another file"
            raise Unfit(f"the store {self._path} has layout {layout} and this server knows layout {LAYOUT}: {remedy}")
        (verdict,) = self._sql.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise Unfit(self._damaged(verdict))

    def _entries(self, room: str, after: Position, now_ms: int) -> tuple[bytes, ...] | None:
        """The entries after a position; None if the log does not hold it."""
        rows = self._sql.execute(
            "SELECT entry FROM entries JOIN rooms USING (room)"
            " WHERE room = ? AND version >= ? AND expires_ms > ? ORDER BY version",
            (room, after.version, now_ms),
        ).fetchall()
        entries = tuple(entry for (entry,) in rows)
        if after.version == 0:
            return entries
        if not entries or entries[0][:CHAIN_BYTES] != after.chain:
            return None
        return entries[1:]

    def _accept(self, append: Append, now_ms: int) -> StoreError | None:
        """Take it for `_insert_accepted`, or say why not."""
        room, expected, entry, keep_ms, not_before_ms = append
        tail, expires_ms = self._tails.get(room, (EMPTY, 0))
        if tail != expected or expires_ms <= now_ms:
            self._insert_accepted(now_ms)
            missed = self._entries(room, expected, now_ms)
            if missed is None or missed:
                return VersionConflict(missed or ())
        if now_ms < not_before_ms:
            return TooEarly(f"it is {not_before_ms - now_ms} ms too early")
        if expected == EMPTY:  # a room that had this code before has expired
            self._sql.execute("DELETE FROM entries WHERE room = ?", (room,))
        self._accepted.append(append)
        if len(self._tails) >= TAILS:
            self._tails.clear()
        self._tails[room] = Position(expected.version + 1, entry[:CHAIN_BYTES]), now_ms + keep_ms
        return None

    def _insert_accepted(self, now_ms: int) -> None:
        """All in one statement: at each, the thread of the event loop may have to be waited for."""
        if not self._accepted:
            return
        accepted, self._accepted = self._accepted, []
        entries = [(each.room, each.expected.version + 1, each.entry) for each in accepted]
        rooms = [(each.room, now_ms + each.keep_ms, now_ms) for each in accepted]
        places = ", ".join(["(?, ?, ?)"] * len(accepted))
        self._sql.execute(f"INSERT INTO entries VALUES {places}", [*chain.from_iterable(entries)])  # noqa: S608 question marks
        self._sql.execute(f"REPLACE INTO rooms VALUES {places}", [*chain.from_iterable(rooms)])  # noqa: S608 as above

    def _commit(self) -> None:
        try:
            self._sql.execute("COMMIT")
        except sqlite3.Error as error:
            # a full disk is noticed before anything counts; a failed write or sync may have left all of it there
            kind = Refused if error.sqlite_errorcode == sqlite3.SQLITE_FULL else Unknown
            raise kind(self._sentence(error)) from error

    def _sweep(self, now_ms: int, *, at_most: int) -> None:
        expired = self._sql.execute(
            "SELECT room FROM rooms WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?", (now_ms, at_most)
        ).fetchall()
        self._sql.executemany("DELETE FROM entries WHERE room = ?", expired)
        self._sql.executemany("DELETE FROM rooms WHERE room = ?", expired)
        self._sql.execute("DELETE FROM lobby WHERE expires_ms <= ?", (now_ms,))
