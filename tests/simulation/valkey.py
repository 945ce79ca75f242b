"""A model of the server that keeps the logs: the commands that a store sends, and what append.lua does.

`test_valkey.py` holds it against a real one. It knows no connections and no time of its own; see `database.py`.
"""

from bisect import insort
from collections.abc import Callable
from hashlib import sha1
from typing import NamedTuple, TypeVar

from server.store.base import CHAIN_BYTES
from server.store.redis import SCRIPT

SHA = sha1(SCRIPT, usedforsecurity=False).hexdigest().encode()

KEPT_FOR_EVER = 2**62

T = TypeVar("T")


class Status(str):
    """A reply of one word, such as OK."""

    __slots__ = ()


class Failure(Exception):
    """A reply that says what went wrong."""


Reply = int | bytes | Status | None | list["Reply"]
Value = bytes | list[bytes] | dict[bytes, float]


class Published(NamedTuple):
    channel: bytes
    message: bytes


class Valkey:
    """Its keys, and the scripts that it has cached. `published`: what went out since it was last emptied.

    `undo` holds how to take back each write, oldest first.
    """

    def __init__(self) -> None:
        self.scripts: set[bytes] = set()
        self.published: list[Published] = []
        self.undo: list[Callable[[], None]] = []
        self._values: dict[bytes, Value] = {}
        self._expires_ms: dict[bytes, int] = {}
        self._commands = {
            name.removeprefix("_do_").upper().encode(): getattr(self, name)
            for name in dir(self)
            if name.startswith("_do_")
        }

    def execute(self, command: list[bytes], now_us: int) -> Reply:
        """Carry out one command at a time in microseconds since 1970. Raises `Failure`, which it answers then."""
        known = self._commands.get(command[0].upper())
        if known is None:
            raise Failure(f"ERR unknown command '{command[0].decode()}'")
        return known(command[1:], now_us)  # type: ignore[no-any-return]

    def log(self, key: bytes) -> list[bytes]:
        """A list as it stands, whether or not its time has run out."""
        value = self._values.get(key)
        return value if isinstance(value, list) else []

    def logs(self) -> list[bytes]:
        """The keys of all logs."""
        return [key for key in self._values if key.endswith(b":log")]

    def restart(self) -> None:
        self.scripts.clear()
        self.published.clear()

    def take_back(self, writes: int) -> None:
        """The last so many writes that `undo` holds are lost."""
        for _ in range(min(writes, len(self.undo))):
            self.undo.pop()()

    # What every key has in common

    def _get(self, key: bytes, now_us: int) -> Value | None:
        if self._expires_ms.get(key, KEPT_FOR_EVER) * 1000 <= now_us:
            del self._values[key], self._expires_ms[key]
        return self._values.get(key)

    def _list(self, key: bytes, now_us: int) -> list[bytes]:
        value = self._get(key, now_us)
        if value is not None and not isinstance(value, list):
            raise _wrong_type()
        return [] if value is None else value

    def _note(self, key: bytes) -> None:
        """Before every write of a key: how it is taken back. Entries of lists are only ever added."""
        was, until_ms = self._values.get(key), self._expires_ms.get(key)
        length = len(was) if isinstance(was, list) else 0

        def take_back() -> None:
            if isinstance(was, list):
                del was[length:]
            _put(self._values, key, was)
            _put(self._expires_ms, key, until_ms)

        self.undo.append(take_back)

    def _set(self, key: bytes, value: Value | None, expires_ms: int | None = None) -> None:
        """Every write of a key; None removes it."""
        self._note(key)
        _put(self._values, key, value)
        _put(self._expires_ms, key, expires_ms)

    # Commands

    def _do_ping(self, words: list[bytes], now_us: int) -> Reply:
        return Status("PONG")

    def _do_time(self, words: list[bytes], now_us: int) -> Reply:
        return [b"%d" % (now_us // 1_000_000), b"%d" % (now_us % 1_000_000)]

    def _do_info(self, words: list[bytes], now_us: int) -> Reply:
        return b"redis_version:7.2.4\r\ncluster_enabled:0\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n"

    def _do_config(self, words: list[bytes], now_us: int) -> Reply:
        settings = {b"appendonly": b"yes", b"appendfsync": b"always", b"maxmemory-policy": b"noeviction"}
        settings[b"no-appendfsync-on-rewrite"] = b"no"
        return [words[1], settings[words[1]]] if words[1] in settings else []

    def _do_set(self, words: list[bytes], now_us: int) -> Reply:
        key, value, *px = words
        self._set(key, value, now_us // 1000 + int(px[1]) if px else None)
        return Status("OK")

    def _do_get(self, words: list[bytes], now_us: int) -> Reply:
        value = self._get(words[0], now_us)
        if value is not None and not isinstance(value, bytes):
            raise _wrong_type()
        return value

    def _do_mget(self, words: list[bytes], now_us: int) -> Reply:
        values = [self._get(key, now_us) for key in words]
        return [value if isinstance(value, bytes) else None for value in values]

    def _do_del(self, words: list[bytes], now_us: int) -> Reply:
        found = [key for key in dict.fromkeys(words) if self._get(key, now_us) is not None]
        for key in found:
            self._set(key, None)
        return len(found)

    def _do_pexpire(self, words: list[bytes], now_us: int) -> Reply:
        key, keep_ms = words[0], int(words[1])
        value = self._get(key, now_us)
        if value is None:
            return 0
        if keep_ms > 0:
            self._set(key, value, now_us // 1000 + keep_ms)
        else:
            self._set(key, None)
        return 1

    def _do_pttl(self, words: list[bytes], now_us: int) -> Reply:
        if self._get(words[0], now_us) is None:
            return -2
        return self._expires_ms[words[0]] - now_us // 1000 if words[0] in self._expires_ms else -1

    def _do_llen(self, words: list[bytes], now_us: int) -> Reply:
        return len(self._list(words[0], now_us))

    def _do_lrange(self, words: list[bytes], now_us: int) -> Reply:
        entries = self._list(words[0], now_us)
        return [*_sliced(entries, int(words[1]), int(words[2]))]

    def _do_lindex(self, words: list[bytes], now_us: int) -> Reply:
        entries = self._list(words[0], now_us)
        return next(iter(_sliced(entries, int(words[1]), int(words[1]))), None)

    def _do_zadd(self, words: list[bytes], now_us: int) -> Reply:
        key, score, member = words
        members = dict(self._zset(key, now_us))
        self._set(key, members | {member: float(score)})
        return int(member not in members)

    def _do_zrem(self, words: list[bytes], now_us: int) -> Reply:
        key, *gone = words
        members = self._zset(key, now_us)
        kept = {member: score for member, score in members.items() if member not in gone}
        if len(kept) < len(members):
            self._set(key, kept or None)
        return len(members) - len(kept)

    def _do_zremrangebyscore(self, words: list[bytes], now_us: int) -> Reply:
        key, least, most = words[0], float(words[1]), float(words[2])
        return self._do_zrem([key, *(m for m, s in self._zset(key, now_us).items() if least <= s <= most)], now_us)

    def _do_zrevrange(self, words: list[bytes], now_us: int) -> Reply:
        ranked: list[tuple[float, bytes]] = []
        for member, score in self._zset(words[0], now_us).items():
            insort(ranked, (score, member))
        return [member for _, member in _sliced(ranked[::-1], int(words[1]), int(words[2]))]

    def _do_publish(self, words: list[bytes], now_us: int) -> Reply:
        self.published.append(Published(words[0], words[1]))
        return 0  # how many heard it is nothing that a store goes by

    def _do_script(self, words: list[bytes], now_us: int) -> Reply:
        match words[0].upper():
            case b"FLUSH":
                self.scripts.clear()
                return Status("OK")
            case b"LOAD":
                self.scripts.add(sha1(words[1], usedforsecurity=False).hexdigest().encode())
                return sha1(words[1], usedforsecurity=False).hexdigest().encode()
        raise Failure("ERR unknown subcommand")

    def _do_eval(self, words: list[bytes], now_us: int) -> Reply:
        sha = sha1(words[0], usedforsecurity=False).hexdigest().encode()
        self.scripts.add(sha)
        return self._do_evalsha([sha, *words[1:]], now_us)

    def _do_evalsha(self, words: list[bytes], now_us: int) -> Reply:
        if words[0] not in self.scripts:
            raise Failure("NOSCRIPT No matching script. Please use EVAL.")
        assert words[0] == SHA, "the model knows one script"
        return self.append(words[2], words[3:], now_us)

    def append(self, key: bytes, arguments: list[bytes], now_us: int) -> Reply:
        """append.lua."""
        channel, version_text, chain, entry, keep_ms, not_before_ms = arguments
        version, now_ms = int(version_text), now_us // 1000
        entries = self._list(key, now_us)
        if version > 0 and (len(entries) < version or entries[version - 1][:CHAIN_BYTES] != chain):
            return [b"conflict", now_ms, []]
        if entries[version:]:
            return [b"conflict", now_ms, list(entries[version:])]
        if now_ms < int(not_before_ms):
            return [b"early", now_ms, []]
        self._note(key)
        entries.append(entry)
        _put(self._values, key, entries if int(keep_ms) > 0 else None)
        _put(self._expires_ms, key, now_ms + int(keep_ms) if int(keep_ms) > 0 else None)
        if channel:
            self.published.append(Published(channel, b"e%d:" % (version + 1) + entry))
        return [b"ok", now_ms, []]

    def _zset(self, key: bytes, now_us: int) -> dict[bytes, float]:
        value = self._get(key, now_us)
        if value is not None and not isinstance(value, dict):
            raise _wrong_type()
        return value or {}


def _wrong_type() -> Failure:
    return Failure("WRONGTYPE Operation against a key holding the wrong kind of value")


def _put(there: dict[bytes, T], key: bytes, value: T | None) -> None:
    if value is None:
        there.pop(key, None)
    else:
        there[key] = value


def _sliced(entries: list[T], first: int, last: int) -> list[T]:
    """As ranges of the server are: both ends included, negative from the end."""
    start = first if first >= 0 else max(0, len(entries) + first)
    end = last if last >= 0 else len(entries) + last
    return entries[start : max(0, end + 1)]


def encoded(reply: Reply | Failure) -> bytes:
    """As it crosses the wire, in RESP2."""
    match reply:
        case Failure():
            return b"-%s\r\n" % str(reply).encode()
        case Status():
            return b"+%s\r\n" % reply.encode()
        case int():
            return b":%d\r\n" % reply
        case None:
            return b"$-1\r\n"
        case bytes():
            return b"$%d\r\n%s\r\n" % (len(reply), reply)
    return b"*%d\r\n%s" % (len(reply), b"".join(map(encoded, reply)))
