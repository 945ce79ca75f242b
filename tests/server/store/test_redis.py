import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from server.clock import SystemClock
from server.store.base import EMPTY, Full, Refused, Unfit, Unknown, VersionConflict, seal, unseal
from server.store.fitness import fields
from server.store.redis import RedisStore, log_of
from server.store.urls import store_from_url
from tests.faults.proxy import Proxy
from tests.server.store.players import Players, lost
from tests.stores import Ear, new_room, write
from tests.valkey import Valkey
from tests.wires import Scripted


def redis_store(url: str) -> RedisStore:
    return cast(RedisStore, store_from_url(url, SystemClock()))


@pytest.fixture
async def store(valkey: Valkey) -> AsyncIterator[RedisStore]:
    store = redis_store(valkey.url)
    await store.open(Ear())
    yield store
    await store.close()


async def refusal(url: str, kind: type[Exception] = Refused) -> str:
    """What opening the store at `url` says."""
    store = redis_store(url)
    with pytest.raises(kind) as refused:
        await store.open(Ear())
    await store.close()
    return str(refused.value)


async def test_a_server_that_forgot_the_script_is_given_it_again(store: RedisStore, valkey: Valkey) -> None:
    room = new_room()
    at = await write(store, room, b"first")
    valkey.run("SCRIPT", "FLUSH")
    at = await write(store, room, b"second", b"third", at=at)
    assert len(await store.read(room, EMPTY)) == at.version == 3


async def test_scripts_forgotten_again_and_again_under_load_lose_and_double_nothing(
    store: RedisStore, valkey: Valkey
) -> None:
    rooms = [new_room() for _ in range(10)]
    writing = asyncio.gather(*(write(store, room, *[b"payload"] * 50) for room in rooms))
    while not writing.done():
        valkey.run("SCRIPT", "FLUSH")
        await asyncio.sleep(0)
    await writing
    assert [len(await store.read(room, EMPTY)) for room in rooms] == [50] * 10


async def test_a_log_of_any_length_is_told_to_who_missed_it(store: RedisStore, valkey: Valkey) -> None:
    room = new_room()
    entries = [seal(EMPTY, b"%d" % n)[0] for n in range(9000)]  # more than Lua can unpack
    valkey.run("RPUSH", log_of(room), *entries)
    with pytest.raises(VersionConflict) as conflict:
        await write(store, room, b"late")
    assert conflict.value.entries == tuple(entries)


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("appendonly", "no", "CONFIG SET appendonly yes"),
        ("appendfsync", "everysec", "CONFIG SET appendfsync always"),
        ("maxmemory-policy", "allkeys-lru", "CONFIG SET maxmemory-policy noeviction"),
    ],
)
async def test_a_server_that_could_lose_rooms_is_unfit(
    setting: str, value: str, remedy: str, own_valkey: Callable[..., Valkey]
) -> None:
    valkey = own_valkey(f"--{setting}", value)
    text = await refusal(valkey.url, Unfit)
    assert f"{valkey.url} has {setting} {value}" in text
    assert remedy in text


async def test_a_server_that_is_too_old_is_unfit(short_path: Path) -> None:
    about = b"# Server\r\nredis_version:6.0.16\r\n"
    async with Scripted(short_path / "socket", lambda *_: b"$%d\r\n%s\r\n" % (len(about), about)) as server:
        assert "is Redis 6.0.16: use Redis 6.2 or later" in await refusal(server.url, Unfit)


async def test_where_config_is_forbidden_the_store_opens_with_a_warning(
    valkey: Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    valkey.run("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-config")
    store = redis_store(f"unix://limited:secret@{valkey.socket}")
    with caplog.at_level(logging.WARNING):
        await store.open(Ear())
    await write(store, new_room(), b"first")
    await store.close()
    assert "does not show its setting appendfsync" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("account", "remedy"),
    [
        ("", "asks for a password: name it in the URL"),
        (":secret@", "does not accept the user name or password"),
        ("nobody:secret@", "does not accept the user name or password"),
    ],
)
async def test_who_gives_no_password_or_a_wrong_one_is_refused_and_it_is_not_repeated(
    account: str, remedy: str, own_valkey: Callable[..., Valkey]
) -> None:
    valkey = own_valkey("--requirepass", "right")
    text = await refusal(f"unix://{account}{valkey.socket}")
    assert remedy in text
    assert "secret" not in text


async def test_a_server_that_is_not_there_is_refused_with_its_address() -> None:
    text = await refusal("redis://:secret@127.0.0.1:1")
    assert text.startswith("redis://127.0.0.1:1 cannot be reached")
    assert "secret" not in text


async def test_an_append_whose_reply_was_lost_is_unknown_and_found_by_reading_on(
    valkey: Valkey, short_path: Path
) -> None:
    async with Proxy(valkey.socket, short_path / "wire") as wire:
        store = redis_store(wire.url)
        await store.open(Ear())
        room = new_room()
        at = await write(store, room, b"first")
        wire.cut_at_next_reply()
        with pytest.raises(Unknown):
            await write(store, room, b"second", at=at)
        (found,) = await store.read(room, at)
        assert unseal(at, found)[0] == b"second"
        await store.close()


async def test_a_read_whose_reply_was_lost_is_refused(valkey: Valkey, short_path: Path) -> None:
    async with Proxy(valkey.socket, short_path / "wire") as wire:
        store = redis_store(wire.url)
        await store.open(Ear())
        wire.cut_at_next_reply()
        with pytest.raises(Refused):
            await store.read(new_room(), EMPTY)
        await store.close()


async def test_while_the_server_is_gone_appends_are_refused_and_afterwards_go_on(
    own_valkey: Callable[..., Valkey],
) -> None:
    valkey = own_valkey()
    store = redis_store(valkey.url)
    await store.open(Ear())
    room = new_room()
    at = await write(store, room, b"first")
    valkey.kill()
    with pytest.raises(Refused):
        await store.check()  # finds the connection broken; what comes after it finds nobody to connect to
    for attempt in (write(store, room, b"second", at=at), store.read(room, at), store.check(), store.tell(room, b"")):
        with pytest.raises(Refused):
            await attempt
    valkey.start()
    at = await write(store, room, b"second", at=at)
    assert len(await store.read(room, EMPTY)) == 2
    await store.close()


async def test_a_demoted_server_refuses_and_is_used_again_once_it_is_primary(own_valkey: Callable[..., Valkey]) -> None:
    valkey = own_valkey()
    store = redis_store(valkey.url)
    await store.open(Ear())
    room = new_room()
    at = await write(store, room, b"first")
    valkey.run("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(Refused, match="takes no writes"):
        await write(store, room, b"second", at=at)
    with pytest.raises(Refused, match="takes no writes"):
        await store.check()
    valkey.run("REPLICAOF", "NO", "ONE")
    await write(store, room, b"second", at=at)
    await store.close()


async def test_a_server_that_comes_back_unfit_is_no_longer_ready(own_valkey: Callable[..., Valkey]) -> None:
    valkey = own_valkey()
    store = redis_store(valkey.url)
    await store.open(Ear())
    valkey.kill()
    valkey.start("--appendfsync", "everysec")
    with suppress(Refused):  # the end of the old connection
        await store.check()
    for _ in range(2):
        with pytest.raises(Refused, match="has appendfsync everysec, and must have always"):
            await store.check()
    valkey.run("CONFIG", "SET", "appendfsync", "always")
    await store.check()
    await store.close()


async def test_a_full_server_refuses_and_writes_nothing(store: RedisStore, valkey: Valkey) -> None:
    room = new_room()
    at = await write(store, room, b"first")
    valkey.run("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(Refused, match="raise its maxmemory"):
            await write(store, room, b"second", at=at)
        with pytest.raises(Refused, match="raise its maxmemory"):
            await store.check()
    finally:
        valkey.run("CONFIG", "SET", "maxmemory", "0")
    assert await store.read(room, at) == ()
    await write(store, room, b"second", at=at)


async def test_from_four_fifths_of_its_memory_on_a_server_takes_no_new_rooms_and_keeps_the_running(
    store: RedisStore, valkey: Valkey
) -> None:
    room = new_room()
    at = await write(store, room, b"first")
    used = int(fields(await store._ask("INFO", "memory", tag=""))["used_memory"])
    valkey.run("CONFIG", "SET", "maxmemory", used * 110 // 100)
    try:
        with pytest.raises(Full, match="is nearly full, and takes no new rooms: raise its maxmemory"):
            await write(store, new_room(), b"first")
        at = await write(store, room, b"second", at=at)
        valkey.run("CONFIG", "SET", "maxmemory", used * 2)
        await write(store, new_room(), b"first")
    finally:
        valkey.run("CONFIG", "SET", "maxmemory", "0")
    assert len(await store.read(room, EMPTY)) == at.version


async def test_who_may_not_ask_about_memory_makes_rooms_all_the_same(valkey: Valkey) -> None:
    valkey.run("ACL", "SETUSER", "blind", "on", ">secret", "~*", "&*", "+@all")
    store = redis_store(f"unix://blind:secret@{valkey.socket}")
    await store.open(Ear())
    valkey.run("ACL", "SETUSER", "blind", "-info")
    await write(store, new_room(), b"first")
    await store.close()


async def test_a_server_that_cannot_save_refuses_and_goes_on_when_it_can(
    own_valkey: Callable[..., Valkey], short_path: Path
) -> None:
    valkey = own_valkey("--save", "3600 1", "--dbfilename", "dump.rdb")
    store = redis_store(valkey.url)
    await store.open(Ear())
    room = new_room()
    at = await write(store, room, b"first")
    (short_path / "dump.rdb").mkdir()  # what cannot be replaced by a file
    valkey.run("BGSAVE")
    while fields(await store._ask("INFO", "persistence", tag=""))["rdb_last_bgsave_status"] == "ok":
        pass
    for attempt in (write(store, room, b"second", at=at), store.check()):
        with pytest.raises(Refused, match="cannot write to its disk"):
            await attempt
    assert await store.read(room, at) == ()
    (short_path / "dump.rdb").rmdir()
    valkey.run("SAVE")
    await write(store, room, b"second", at=at)
    await store.check()
    await store.close()


@pytest.mark.slow
async def test_a_disk_that_fills_up_loses_nothing_acknowledged(own_valkey: Callable[..., Valkey]) -> None:
    valkey = own_valkey()
    store = redis_store(valkey.url)
    await store.open(Ear())
    async with Players(store, 10) as players:
        await players.all_play(10)
        valkey.limit_files(100_000)
        await players.all_meet_trouble(3)
        valkey.kill()
        valkey.start()
        await players.all_play(10)
    assert await lost(players, store) == 0
    await store.close()


@pytest.mark.slow
async def test_the_memory_of_finished_rooms_is_given_back(store: RedisStore, valkey: Valkey) -> None:
    async def used() -> int:
        return int(fields(await store._ask("INFO", "memory", tag=""))["used_memory"])

    await write(store, new_room(), b"first")
    before = await used()
    entry, at = seal(EMPTY, b"x" * 100)
    last, _ = seal(at, b"x" * 100)
    rooms = [new_room() for _ in range(10_000)]
    for some in (rooms[n : n + 500] for n in range(0, len(rooms), 500)):
        await asyncio.gather(*(store.append(room, EMPTY, entry, keep_ms=60_000) for room in some))
    await asyncio.gather(*(store.enlist(room, b"x" * 100, 1) for room in rooms[:500]))
    full = await used()
    assert full - before > 10_000 * 100
    for some in (rooms[n : n + 500] for n in range(0, len(rooms), 500)):
        await asyncio.gather(*(store.append(room, at, last, keep_ms=1) for room in some))
    while cast(int, valkey.run("DBSIZE")) > 10:
        pass
    assert await store.listed() == ()
    assert await used() - before < (full - before) * 0.1


@pytest.mark.slow
async def test_after_a_restart_of_the_server_words_are_heard_again_within_five_seconds(
    own_valkey: Callable[..., Valkey],
) -> None:
    valkey = own_valkey()
    store, ear, room = redis_store(valkey.url), Ear(), new_room()
    await store.open(ear)
    await store.follow(room)
    for _ in range(3):
        valkey.kill()
        assert await ear.next() == "lost"
        valkey.start()
        async with asyncio.timeout(5):
            assert await ear.next() == "interrupted"
            await store.tell(room, b"words")
            assert await ear.next() == (room, b"words")
    await store.close()


async def test_an_old_list_of_open_rooms_does_not_grow(store: RedisStore, valkey: Valkey) -> None:
    for _ in range(3):
        await store.enlist(new_room(), b"gone soon", 1)
        ends_ms = store.now_ms() + 1
        while store.now_ms() <= ends_ms:
            await store.check()
    await store.enlist(new_room(), b"open", 60_000)
    assert valkey.run("ZCARD", "{paizhuo:lobby}") == 1


async def test_nothing_is_left_of_a_room_that_has_run_out(store: RedisStore, valkey: Valkey) -> None:
    entry, _ = seal(EMPTY, b"only")
    room = new_room()
    await store.append(room, EMPTY, entry, keep_ms=1)
    while await store.read(room, EMPTY):
        pass
    assert [key for key in cast(list[bytes], valkey.run("KEYS", "*")) if b"check" not in key] == []


async def test_a_store_that_was_not_opened_says_so_and_closes(valkey: Valkey) -> None:
    store = redis_store(valkey.url)
    with pytest.raises(Refused, match="not open"):
        await store.follow("A")
    await store.unfollow("A")
    await store.close()


async def test_a_closed_store_refuses_and_may_be_closed_again(store: RedisStore) -> None:
    await store.close()
    await store.close()
    for attempt in (write(store, "A", b"first"), store.read("A", EMPTY), store.check()):
        with pytest.raises(Refused, match="closed"):
            await attempt


async def test_a_server_that_lacks_a_command_is_refused_and_no_card_is_repeated(
    own_valkey: Callable[..., Valkey],
) -> None:
    valkey = own_valkey("--rename-command", "EVALSHA", "")
    store = redis_store(valkey.url)
    await store.open(Ear())
    with pytest.raises(Refused) as refused:
        await write(store, "A", b"b5 r5")
    assert str(refused.value) == f"{valkey.url} does not know a command that the store needs"
    await store.close()


@pytest.mark.slow
async def test_no_acknowledged_append_is_lost_when_the_server_is_killed(own_valkey: Callable[..., Valkey]) -> None:
    valkey = own_valkey()
    store = redis_store(valkey.url)
    await store.open(Ear())
    acknowledged: dict[str, list[bytes]] = {new_room(): [] for _ in range(20)}

    async def play(room: str) -> None:
        at = EMPTY
        for n in range(10_000):
            entry, at_next = seal(at, b"%d" % n)
            try:
                await store.append(room, at, entry, keep_ms=60_000)
            except (Refused, Unknown):
                return
            at = at_next
            acknowledged[room].append(entry)

    for _ in range(5):
        playing = asyncio.gather(*(play(room) for room in acknowledged))
        while sum(map(len, acknowledged.values())) < 500:
            await store.check()
        valkey.kill()
        await playing
        valkey.start()
        for room, entries in acknowledged.items():
            kept = await store.read(room, EMPTY)
            # one more may be there: written, and killed before the answer
            assert list(kept[: len(entries)]) == entries
            assert len(kept) <= len(entries) + 1
        acknowledged = {new_room(): [] for _ in range(20)}
    await store.close()


def of_append(*words: bytes) -> Callable[[int, list[bytes]], bytes]:
    """A server that answers an append with these raw words, and all else with an empty text."""
    return lambda _, command: b"".join(words) if command[0] == b"EVALSHA" else b"$0\r\n\r\n"


@pytest.mark.parametrize(
    "reply",
    [
        b"*3\r\n$8\r\ncNnflict\r\n:1796000000000\r\n*0\r\n",
        b"*3\r\n$2\r\nOK\r\n:1796000000000\r\n*0\r\n",
        b"*3\r\n:1\r\n:1796000000000\r\n*0\r\n",
        b"*3\r\n$2\r\nok\r\n$1\r\n1\r\n*0\r\n",
        b"*3\r\n$8\r\nconflict\r\n:1796000000000\r\n*1\r\n:1\r\n",
        b"*3\r\n$8\r\nconflict\r\n:1796000000000\r\n$0\r\n\r\n",
        b"*2\r\n$2\r\nok\r\n:1796000000000\r\n",
        b"$2\r\nok\r\n",
        b"$-1\r\n",
        b":1\r\n",
    ],
)
async def test_an_answer_that_is_no_outcome_of_an_append_leaves_it_unknown(short_path: Path, reply: bytes) -> None:
    async with Scripted(short_path / "socket", of_append(reply)) as server:
        store = redis_store(server.url)
        before_ms = store.now_ms()
        with pytest.raises(Unknown, match="something else than its outcome"):
            await write(store, new_room(), b"first")
        assert store.now_ms() < before_ms + 1_000_000
        await store.close()


@pytest.mark.parametrize(
    "reply", [b"$0\r\n\r\n", b"*1\r\n:1\r\n", b"*2\r\n$1\r\nx\r\n$1\r\n1\r\n", b":1\r\n", b"$-1\r\n"]
)
async def test_answers_that_make_no_sense_are_refused(short_path: Path, reply: bytes) -> None:
    async with Scripted(
        short_path / "socket", lambda _, command: b"+OK\r\n" if command[0] == b"SET" else reply
    ) as server:
        store = redis_store(server.url)
        with pytest.raises(Refused, match="makes no sense"):
            await store.check()
        if reply != b"*2\r\n$1\r\nx\r\n$1\r\n1\r\n":
            for attempt in (store.read("A", EMPTY), store.listed()):
                with pytest.raises(Refused, match="makes no sense"):
                    await attempt
        await store.close()
