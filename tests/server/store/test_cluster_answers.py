"""What the nodes of a cluster may answer instead of doing a command, from nodes that answer as they are told."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from server.clock import SystemClock
from server.store import cluster as clusters
from server.store import pipeline as pipelines
from server.store.base import EMPTY, Refused, Store, Unknown, seal
from server.store.cluster import Cluster
from server.store.fitness import Demands
from server.store.urls import Address, store_from_url
from tests.ports import free_ports
from tests.stores import KEEP_MS
from tests.wires import ScriptedPort

DONE = b"*3\r\n$2\r\nok\r\n:1796000000000\r\n*0\r\n"

FIT = {
    b"appendonly": b"yes",
    b"appendfsync": b"always",
    b"no-appendfsync-on-rewrite": b"no",
    b"maxmemory-policy": b"noeviction",
}


def slots(*owners: tuple[int, int, str, int]) -> bytes:
    """An answer to CLUSTER SLOTS: first slot, last slot, host and port of the primary."""
    ranges = b"".join(
        b"*3\r\n:%d\r\n:%d\r\n*3\r\n$%d\r\n%s\r\n:%d\r\n$2\r\nid\r\n" % (first, last, len(host), host.encode(), port)
        for first, last, host, port in owners
    )
    return b"*%d\r\n" % len(owners) + ranges


class Node:
    """Answers appends with what is next in `answers`, the last of them for good."""

    def __init__(self) -> None:
        self.answers: list[bytes] = [DONE]
        self.appends = 0
        self.asking = 0
        self.frozen = False
        self.inspected = 0
        self.settings = dict(FIT)
        self.owner: Callable[[], int] = lambda: self.port
        self.host = "127.0.0.1"
        self._server = ScriptedPort(self._answer)

    async def __aenter__(self) -> "Node":
        await self._server.__aenter__()
        self.port = self._server.port
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.__aexit__()

    def _answer(self, _: int, command: list[bytes]) -> bytes:
        if self.frozen:
            return b""
        match command[0]:
            case b"CLUSTER":
                return slots((0, 16383, self.host, self.owner()))
            case b"ASKING":
                self.asking += 1
                return b"+OK\r\n"
            case b"INFO":
                self.inspected += len(command) == 1
                about = b"redis_version:7.2.4\r\ncluster_enabled:1\r\n"
                return b"$%d\r\n%s\r\n" % (len(about), about)
            case b"CONFIG":
                value = self.settings[command[2]]
                return b"*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(command[2]), command[2], len(value), value)
            case b"EVALSHA" | b"EVAL":
                self.appends += 1
                return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            case _:
                return b"$0\r\n\r\n"


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with Node() as node:
        yield node


@pytest.fixture
async def other() -> AsyncIterator[Node]:
    async with Node() as node:
        yield node


@pytest.fixture
async def store(node: Node) -> AsyncIterator[Store]:
    store = store_from_url(f"cluster://127.0.0.1:{node.port}", SystemClock())
    yield store
    await store.close()


async def append(store: Store) -> None:
    await store.append("ROOM", EMPTY, seal(EMPTY, b"first")[0], keep_ms=KEEP_MS)


def moved(to: Node, host: str = "127.0.0.1") -> bytes:
    return b"-MOVED 9000 %s:%d\r\n" % (host.encode(), to.port)


@pytest.mark.parametrize(
    "error",
    [
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down",
        "CLUSTERDOWN Hash slot not served",
        "MASTERDOWN Link with MASTER is down",
        "LOADING Redis is loading the dataset in memory",
        "READONLY You can't write against a read only replica.",
    ],
)
async def test_what_passes_is_tried_again_and_then_done_once(node: Node, store: Store, error: str) -> None:
    node.answers = [f"-{error}\r\n".encode()] * 2 + [DONE]
    await append(store)
    assert node.appends == 3


async def test_what_does_not_pass_is_refused_in_the_end(
    node: Node, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "PATIENCE_MS", 100)
    monkeypatch.setattr(clusters, "PAUSE_MS", 20)
    node.answers = [b"-CLUSTERDOWN The cluster is down\r\n"]
    with pytest.raises(Refused, match="is part of a cluster that is down"):
        await append(store)
    assert 1 < node.appends < 100


async def test_an_error_of_another_kind_is_not_tried_again(node: Node, store: Store) -> None:
    node.answers = [b"-OOM command not allowed\r\n"]
    with pytest.raises(Refused, match="raise its maxmemory"):
        await append(store)
    assert node.appends == 1


async def test_an_answer_that_was_lost_is_unknown_and_never_sent_again(node: Node, store: Store) -> None:
    node.answers = [b"?not resp\r\n", DONE]
    with pytest.raises(Unknown):
        await append(store)
    assert node.appends == 1


@pytest.mark.parametrize("host", ["127.0.0.1", ""])
async def test_a_room_that_has_moved_is_followed_and_found_there_from_then_on(
    node: Node, other: Node, store: Store, host: str
) -> None:
    node.answers = [moved(other, host)]
    before = iter([node.port])
    node.owner = lambda: next(before, other.port)
    await append(store)
    await append(store)
    assert (node.appends, other.appends) == (1, 2)


async def test_a_room_on_its_way_is_asked_for_at_its_target_each_time(node: Node, other: Node, store: Store) -> None:
    node.answers = [b"-ASK 9000 127.0.0.1:%d\r\n" % other.port]
    await append(store)
    await append(store)
    assert (node.appends, other.appends, other.asking) == (2, 2, 2)


async def test_nodes_that_send_each_other_a_room_are_asked_with_pauses_and_then_refused(
    node: Node, other: Node, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "PATIENCE_MS", 200)
    node.answers, other.answers = [moved(other)], [moved(node)]
    with pytest.raises(Refused, match="does not have this room"):
        await append(store)
    assert other.appends
    assert node.appends + other.appends < 50


async def test_while_a_primary_is_gone_the_others_are_asked_who_is_in_its_place(node: Node, other: Node) -> None:
    (nobody,) = free_ports(1)
    owners = iter([nobody, nobody])
    node.owner = lambda: next(owners, other.port)
    store = store_from_url(f"cluster://127.0.0.1:{nobody},127.0.0.1:{node.port}", SystemClock())
    await append(store)
    assert (node.appends, other.appends) == (0, 1)
    await store.close()


async def test_a_node_that_does_not_know_its_host_is_where_it_was_found(node: Node, store: Store) -> None:
    node.host = ""
    await append(store)
    assert node.appends == 1


async def test_a_cluster_in_which_nobody_answers_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE_MS", 50)
    (nobody,) = free_ports(1)
    store = store_from_url(f"cluster://127.0.0.1:{nobody}", SystemClock(), Demands())
    with pytest.raises(Refused, match=f"cluster://127.0.0.1:{nobody}.* cannot be reached"):
        await append(store)
    await store.close()
    with pytest.raises(Refused, match="closed"):
        await append(store)


async def test_each_time_the_channel_goes_to_another_node() -> None:
    cluster = Cluster([Address("one", 1), Address("two", 2)], {}, "place", SystemClock())
    assert len({await cluster._any_node() for _ in range(2)}) == 2


async def test_what_is_posted_after_the_end_is_forgotten(node: Node) -> None:
    cluster = Cluster([Address("127.0.0.1", node.port)], {}, "place", SystemClock())
    await cluster.ask("GET", "{A}", tag="A")
    await cluster.close()
    cluster.post("PUBLISH", "{A}:ev", "words", tag="A")


async def test_a_frozen_primary_keeps_nobody_from_hearing_who_is_in_its_place(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "REPLY_S", 0.1)
    monkeypatch.setattr(clusters, "LOOK_S", 0.05)
    owner = node.port
    node.owner = other.owner = lambda: owner
    store = store_from_url(f"cluster://127.0.0.1:{node.port},127.0.0.1:{other.port}", SystemClock())
    await append(store)
    node.frozen, owner = True, other.port
    await append(store)  # what is asked before a room is made finds out, and may be lost
    assert (node.appends, other.appends) == (1, 1)
    await store.close()


async def test_an_answer_about_slots_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE_MS", 50)
    for answer in (
        b":1\r\n",
        b"*1\r\n:1\r\n",
        b"*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n:5\r\n",
        b"*1\r\n*2\r\n:0\r\n:16383\r\n",
    ):
        async with ScriptedPort(lambda _, __, answer=answer: answer) as server:  # type: ignore[misc]
            store = store_from_url(f"cluster://127.0.0.1:{server.port}", SystemClock())
            with pytest.raises(Refused, match="makes no sense"):
                await append(store)
            await store.close()


async def test_a_primary_that_is_met_later_is_inspected_once_before_it_has_rooms(
    node: Node, other: Node, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "PATIENCE_MS", 50)
    await append(store)
    node.answers = [moved(other)]
    node.owner = lambda: other.port
    other.settings[b"appendfsync"] = b"everysec"
    with pytest.raises(Refused, match="has appendfsync everysec, and must have always"):
        await append(store)
    assert other.appends == 0
    other.settings[b"appendfsync"] = b"always"
    await append(store)
    seen = other.inspected
    await asyncio.gather(*(append(store) for _ in range(5)))
    assert (node.inspected, other.inspected, other.appends) == (1, seen, 6)
