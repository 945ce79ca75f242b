"""What every store promises to a node, asked of each of them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.clock import SystemClock
from server.store.base import EMPTY, Position, RolledBack, Store, TooEarly, VersionConflict, seal, unseal
from server.store.fitness import Demands
from server.store.urls import store_from_url
from tests.cluster import Cluster
from tests.sentinel import Replicated, Watched
from tests.simulated_store import SimulatedStore, World
from tests.stores import KEEP_MS, Ear, new_room, write
from tests.valkey import Valkey


class Stores(NamedTuple):
    """Two nodes' ways to the same rooms; one and the same where a store serves one node only."""

    one: Store
    other: Store
    ear: Ear
    other_ear: Ear


@pytest.fixture(scope="module")
def shared_replicated() -> Iterator[Replicated]:
    with TemporaryDirectory(prefix="paizhuo-") as name:
        servers = Replicated(Path(name))
        yield servers
        servers.stop()


@pytest.fixture(scope="module")
def shared_watched() -> Iterator[Watched]:
    with TemporaryDirectory(prefix="paizhuo-") as name:
        servers = Watched(Path(name), down_after_ms=60_000)  # on a busy machine, too, nobody is to fail over here
        yield servers
        servers.stop()


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="paizhuo-") as name:
        servers = Cluster(Path(name))
        yield servers
        servers.stop()


def makers(kind: str, request: pytest.FixtureRequest, directory: Path) -> tuple[Callable[[], Store], bool]:
    """Makes a way to an empty store of this kind; whether another node can have one of its own."""
    clock = SystemClock()
    match kind:
        case "sqlite":
            return lambda: store_from_url(f"sqlite:{directory / 'rooms.db'}", clock), False
        case "simulated":
            world = World(clock)
            return lambda: SimulatedStore(world), True
        case "valkey":
            valkey: Valkey = request.getfixturevalue("valkey")
            return lambda: store_from_url(valkey.url, clock), True
        case "replicated":
            replicated: Replicated = request.getfixturevalue("shared_replicated")
            replicated.servers[replicated.primary].run("FLUSHALL")
            url = f"redis://127.0.0.1:{replicated.primary}"
            return lambda: store_from_url(url, clock, Demands(replicas=1)), True
        case "sentinel":
            watched: Watched = request.getfixturevalue("shared_watched")
            watched.servers[watched.primary].run("FLUSHALL")
            return lambda: store_from_url(watched.url, clock), True
        case _:
            cluster: Cluster = request.getfixturevalue("shared_cluster")
            for port in cluster.primaries:
                cluster.run(port, "FLUSHALL")
            return lambda: store_from_url(cluster.url, clock), True


@pytest.fixture(
    params=[
        "sqlite",
        "valkey",
        "simulated",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("replicated", "sentinel", "cluster")),
    ]
)
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    make, shared = makers(request.param, request, tmp_path)
    one, ear = make(), Ear()
    other, other_ear = (make(), Ear()) if shared else (one, ear)
    await one.open(ear)
    if shared:
        await other.open(other_ear)
    yield Stores(one, other, ear, other_ear)
    await one.close()
    if shared:
        await other.close()


def payloads(entries: tuple[bytes, ...], after: Position = EMPTY) -> list[bytes]:
    """What the entries carry; raises if they are no chain."""
    found = []
    for entry in entries:
        payload, after = unseal(after, entry)
        found.append(payload)
    return found


async def test_a_room_that_was_never_made_is_empty(stores: Stores) -> None:
    assert await stores.one.read(new_room(), EMPTY) == ()


async def test_what_one_node_wrote_the_other_reads_in_order(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, b"first", b"second", b"third")
    assert payloads(await stores.other.read(room, EMPTY)) == [b"first", b"second", b"third"]


async def test_reading_on_gives_only_what_is_new(stores: Stores) -> None:
    room = new_room()
    at = await write(stores.one, room, b"first", b"second")
    assert await stores.other.read(room, at) == ()
    await write(stores.one, room, b"third", at=at)
    assert payloads(await stores.other.read(room, at), at) == [b"third"]


@pytest.mark.parametrize("payload", [b"", bytes(range(256)), b"\r\n$-1\r\n", b"\xff" * 100_000])
async def test_bytes_of_any_value_come_back_as_they_were(stores: Stores, payload: bytes) -> None:
    room = new_room()
    at = await write(stores.one, room, payload, payload)
    assert payloads(await stores.other.read(room, EMPTY)) == [payload, payload]
    assert at.version == 2


async def test_an_append_behind_the_log_is_refused_and_told_what_it_missed(stores: Stores) -> None:
    room = new_room()
    at = await write(stores.one, room, b"first")
    await write(stores.other, room, b"second", b"third", at=at)
    with pytest.raises(VersionConflict) as conflict:
        await write(stores.one, room, b"late", at=at)
    assert payloads(conflict.value.entries, at) == [b"second", b"third"]
    assert payloads(await stores.one.read(room, EMPTY)) == [b"first", b"second", b"third"]


async def test_a_code_that_is_in_use_makes_no_second_room(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, b"theirs")
    with pytest.raises(VersionConflict) as conflict:
        await write(stores.other, room, b"mine")
    assert payloads(conflict.value.entries) == [b"theirs"]


async def test_only_a_creation_writes_to_an_empty_log(stores: Stores) -> None:
    room = new_room()
    _, at = seal(EMPTY, b"lost")
    with pytest.raises(VersionConflict) as conflict:
        await write(stores.one, room, b"next", at=at)
    assert conflict.value.entries == ()
    assert await stores.one.read(room, EMPTY) == ()


async def test_a_log_of_the_same_length_with_other_entries_is_another_log(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, b"theirs")
    _, mine = seal(EMPTY, b"mine")
    with pytest.raises(VersionConflict) as conflict:
        await write(stores.one, room, b"next", at=mine)
    assert conflict.value.entries == ()
    assert payloads(await stores.one.read(room, EMPTY)) == [b"theirs"]


async def test_a_fork_further_back_shows_no_entries_of_the_other_branch(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, b"theirs", b"and more")
    _, mine = seal(EMPTY, b"mine")
    with pytest.raises(VersionConflict) as conflict:
        await write(stores.one, room, b"next", at=mine)
    assert conflict.value.entries == ()


@pytest.mark.parametrize("held", [(), (b"first",), (b"first", b"other"), (b"first", b"other", b"third")])
async def test_reading_on_notices_a_log_that_was_cut_or_replaced(stores: Stores, held: tuple[bytes, ...]) -> None:
    room = new_room()
    await write(stores.one, room, *held)
    _, first = seal(EMPTY, b"first")
    _, second = seal(first, b"second")
    with pytest.raises(RolledBack):
        await stores.one.read(room, second)


async def test_of_two_appends_at_one_place_exactly_one_is_written(stores: Stores) -> None:
    room = new_room()
    at = await write(stores.one, room, b"first")
    outcomes = await asyncio.gather(
        *(write(store, room, b"by %d" % n, at=at) for n, store in enumerate([stores.one, stores.other] * 10)),
        return_exceptions=True,
    )
    losers = [outcome for outcome in outcomes if isinstance(outcome, VersionConflict)]
    assert len(losers) == len(outcomes) - 1
    (won,) = await stores.one.read(room, at)
    assert all(loser.entries == (won,) for loser in losers)


async def test_many_rooms_written_at_once_keep_apart(stores: Stores) -> None:
    rooms = [new_room() for _ in range(50)]
    await asyncio.gather(*(write(stores.one, room, room.encode(), b"second") for room in rooms))
    assert [payloads(await stores.other.read(room, EMPTY))[0] for room in rooms] == [room.encode() for room in rooms]


async def test_a_long_match_is_read_whole(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, *(b"%d" % n for n in range(2000)))
    assert payloads(await stores.other.read(room, EMPTY)) == [b"%d" % n for n in range(2000)]


async def test_what_is_not_due_yet_is_not_written(stores: Stores) -> None:
    room = new_room()
    entry, _ = seal(EMPTY, b"time is up")
    with pytest.raises(TooEarly):
        await stores.one.append(room, EMPTY, entry, keep_ms=KEEP_MS, not_before_ms=stores.one.now_ms() + KEEP_MS)
    assert await stores.one.read(room, EMPTY) == ()
    await stores.one.append(room, EMPTY, entry, keep_ms=KEEP_MS, not_before_ms=stores.one.now_ms())
    assert await stores.one.read(room, EMPTY) == (entry,)


async def test_an_append_that_is_both_late_and_early_learns_what_it_missed(stores: Stores) -> None:
    room = new_room()
    await write(stores.one, room, b"first")
    entry, _ = seal(EMPTY, b"time is up")
    with pytest.raises(VersionConflict):
        await stores.one.append(room, EMPTY, entry, keep_ms=KEEP_MS, not_before_ms=stores.one.now_ms() + KEEP_MS)


async def test_the_clock_never_goes_back_and_nodes_agree_on_it(stores: Stores) -> None:
    before = stores.one.now_ms()
    await write(stores.one, new_room(), b"first", b"second")
    await stores.other.check()
    assert before <= stores.one.now_ms() <= stores.one.now_ms()
    assert abs(stores.one.now_ms() - stores.other.now_ms()) < 5000


async def test_a_room_that_was_kept_long_enough_is_gone_and_its_code_is_free(stores: Stores) -> None:
    room = new_room()
    entry, at = seal(EMPTY, b"old")
    await stores.one.append(room, EMPTY, entry, keep_ms=20)
    while await stores.one.read(room, EMPTY):
        pass
    with pytest.raises(RolledBack):
        await stores.one.read(room, at)
    with pytest.raises(VersionConflict):
        await write(stores.one, room, b"too late", at=at)
    await write(stores.one, room, b"new")
    assert payloads(await stores.one.read(room, EMPTY)) == [b"new"]


async def test_each_append_keeps_the_whole_room_for_longer(stores: Stores) -> None:
    room = new_room()
    entry, at = seal(EMPTY, b"first")
    await stores.one.append(room, EMPTY, entry, keep_ms=200)
    would_end_ms = stores.one.now_ms() + 200
    await write(stores.one, room, b"second", at=at)
    while stores.one.now_ms() <= would_end_ms:
        await stores.one.check()
    assert payloads(await stores.one.read(room, EMPTY)) == [b"first", b"second"]


async def test_who_follows_a_room_hears_every_append_in_order(stores: Stores) -> None:
    room = new_room()
    await stores.one.follow(room)
    await stores.other.follow(room)
    at = await write(stores.one, room, b"by one")
    await write(stores.other, room, b"by the other", at=at)
    entries = await stores.one.read(room, EMPTY)
    for ear in {stores.ear, stores.other_ear}:
        assert [await ear.next(), await ear.next()] == [(room, 1, entries[0]), (room, 2, entries[1])]


async def test_words_reach_who_follows_the_room_and_nobody_else(stores: Stores) -> None:
    room, elsewhere = new_room(), new_room()
    await stores.other.follow(room)
    await stores.one.tell(elsewhere, b"not for you")
    await stores.one.tell(room, b"e1:\x00\xff")
    assert await stores.other_ear.next() == (room, b"e1:\x00\xff")
    assert stores.other_ear.silent()


async def test_appends_that_are_refused_are_not_told(stores: Stores) -> None:
    room = new_room()
    await stores.other.follow(room)
    await write(stores.one, room, b"first")
    assert await stores.other_ear.next() == (room, 1, seal(EMPTY, b"first")[0])
    with pytest.raises(VersionConflict):
        await write(stores.one, room, b"again")
    await stores.one.tell(room, b"end")
    assert await stores.other_ear.next() == (room, b"end")


async def test_who_follows_no_longer_hears_no_more(stores: Stores) -> None:
    room, sign = new_room(), new_room()
    await stores.other.follow(room)
    await stores.other.follow(sign)
    await stores.other.unfollow(room)
    await stores.other.unfollow(room)
    await write(stores.one, room, b"first")
    await stores.one.tell(room, b"words")
    await stores.one.tell(sign, b"end")
    assert await stores.other_ear.next() == (sign, b"end")


async def test_who_follows_again_hears_again(stores: Stores) -> None:
    room = new_room()
    for _ in range(3):
        await stores.other.follow(room)
        await stores.one.tell(room, b"words")
        assert await stores.other_ear.next() == (room, b"words")
        await stores.other.unfollow(room)


async def test_open_rooms_are_listed_newest_first_and_renewed(stores: Stores) -> None:
    first, second = new_room(), new_room()
    await stores.one.enlist(first, b"first", 50_000)
    await stores.other.enlist(second, b"second", 60_000)
    assert await stores.one.listed() == (b"second", b"first")
    await stores.one.enlist(first, b"first again", 70_000)
    assert await stores.other.listed() == (b"first again", b"second")


async def test_a_room_taken_off_the_list_or_run_out_is_not_listed(stores: Stores) -> None:
    first, second = new_room(), new_room()
    await stores.one.enlist(first, b"first", KEEP_MS)
    await stores.one.delist(first)
    await stores.one.delist(first)
    await stores.one.enlist(second, b"second", 20)
    while await stores.one.listed():
        pass
    await stores.one.enlist(first, b"back", KEEP_MS)
    assert await stores.one.listed() == (b"back",)


async def test_the_list_shows_a_hundred_rooms_at_most(stores: Stores) -> None:
    for n in range(103):
        await stores.one.enlist(new_room(), b"%d" % n, KEEP_MS + n * 1000)
    assert await stores.one.listed() == tuple(b"%d" % n for n in range(102, 2, -1))


async def test_a_store_that_can_write_says_so(stores: Stores) -> None:
    await stores.one.check()


class Writer:
    """A node as far as one room goes: it believes in a place, and moves on by what it learns."""

    def __init__(self, name: bytes, store: Store, room: str) -> None:
        self._name, self._store, self._room = name, store, room
        self.at = EMPTY
        self.acknowledged: list[bytes] = []

    async def write(self) -> None:
        payload = b"%s%d" % (self._name, self.at.version)
        entry, after = seal(self.at, payload)
        try:
            await self._store.append(self._room, self.at, entry, keep_ms=KEEP_MS)
        except VersionConflict as conflict:
            self._fold(conflict.entries)
        else:
            self.at = after
            self.acknowledged.append(payload)

    async def catch_up(self) -> None:
        self._fold(await self._store.read(self._room, self.at))

    def _fold(self, entries: tuple[bytes, ...]) -> None:
        for entry in entries:
            _, self.at = unseal(self.at, entry)


@given(turns=st.lists(st.sampled_from(["one", "other", "both", "one reads", "other reads"]), max_size=12))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
async def test_however_two_writers_interleave_there_is_one_chain(stores: Stores, turns: list[str]) -> None:
    room = new_room()
    one, other = Writer(b"one", stores.one, room), Writer(b"other", stores.other, room)
    for turn in turns:
        match turn:
            case "one":
                await one.write()
            case "other":
                await other.write()
            case "both":
                await asyncio.gather(one.write(), other.write())
            case "one reads":
                await one.catch_up()
            case _:
                await other.catch_up()
    await asyncio.gather(one.catch_up(), other.catch_up())
    log = payloads(await stores.one.read(room, EMPTY))
    assert one.at == other.at
    assert len(log) == one.at.version
    assert sorted(log) == sorted(one.acknowledged + other.acknowledged)
