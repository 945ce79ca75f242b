"""The model of the server is held against a real one: same commands, same replies, same lists, same messages."""

from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from redis import Redis
from redis.exceptions import NoScriptError, ResponseError

from server.store.base import EMPTY, Position, seal
from server.store.redis import LOBBY, SCRIPT, SHA, log_of
from tests.simulation.valkey import Failure, Reply, Status, Valkey
from tests.valkey import Valkey as RealValkey

ROOMS = ("ROOMA", "ROOMB")
CHANNEL = b"{ROOM}:ev"
LONG_AGO_US = 1_700_000_000_000_000
NEVER_MS = 2**50

Command = tuple[bytes | str | int, ...]


class Append(NamedTuple):
    """At a position that is right, `behind` or ahead of the log's end, with the right chain or another."""

    room: str
    behind: int
    right_chain: bool
    payload: bytes
    keep_ms: int
    not_before_ms: int
    whole_script: bool
    channel: bytes


KEYS = st.sampled_from([log_of(room) for room in ROOMS] + [LOBBY, f"{LOBBY}:ROOMA", "none"])
MEMBERS = st.sampled_from(["ROOMA", "ROOMB", "ROOMC"])
BOUNDS = st.integers(-4, 4)

APPENDS = st.builds(
    Append,
    st.sampled_from(("ROOMA", *ROOMS)),
    st.sampled_from((0, 0, 0, 0, 1, 2, -1)),
    st.sampled_from((True, True, True, False)),
    st.binary(max_size=12),
    st.sampled_from((3_600_000,) * 9 + (0,)),
    st.sampled_from((0, 0, 0, 1, NEVER_MS)),
    st.sampled_from((True, True, False)),
    st.sampled_from((CHANNEL, CHANNEL, b"")),
)
OTHERS: st.SearchStrategy[Command] = st.one_of(
    st.tuples(st.just("LRANGE"), KEYS, BOUNDS, BOUNDS),
    st.tuples(st.just("LINDEX"), KEYS, BOUNDS),
    st.tuples(st.just("LLEN"), KEYS),
    st.tuples(st.just("DEL"), KEYS, KEYS),
    st.tuples(st.just("PEXPIRE"), KEYS, st.sampled_from([3_600_000, 0])),
    st.tuples(st.just("SET"), KEYS, st.binary(max_size=4)),
    st.tuples(st.just("SET"), KEYS, st.binary(max_size=4), st.just("PX"), st.just(3_600_000)),
    st.tuples(st.just("GET"), KEYS),
    st.tuples(st.just("MGET"), KEYS, KEYS),
    st.tuples(st.just("ZADD"), KEYS, st.integers(0, 3), MEMBERS),
    st.tuples(st.just("ZREM"), KEYS, MEMBERS),
    st.tuples(st.just("ZREMRANGEBYSCORE"), KEYS, st.just("-inf"), st.integers(0, 3)),
    st.tuples(st.just("ZREVRANGE"), KEYS, BOUNDS, BOUNDS),
    st.tuples(st.just("PUBLISH"), st.just(CHANNEL), st.binary(max_size=4)),
    st.tuples(st.just("SCRIPT"), st.just("FLUSH")),
    st.tuples(st.just("SCRIPT"), st.just("LOAD"), st.just(SCRIPT)),
    st.tuples(st.just("NONSENSE"), KEYS),
)
OPERATIONS: st.SearchStrategy[list[Append | Command]] = st.lists(
    st.tuples(APPENDS, APPENDS, APPENDS, OTHERS), max_size=8
).map(lambda fours: [operation for four in fours for operation in four])


def command_of(operation: Append | Command, model: Valkey) -> Command:
    """For an append: at a place that follows from how the log stands."""
    if not isinstance(operation, Append):
        return operation
    entries = model.log(log_of(operation.room).encode())
    version = max(0, len(entries) - operation.behind)
    chain = entries[version - 1][:8] if 0 < version <= len(entries) else EMPTY.chain
    entry, _ = seal(Position(version, chain), operation.payload)
    script: tuple[str | bytes, ...] = ("EVAL", SCRIPT) if operation.whole_script else ("EVALSHA", SHA)
    expected = chain if operation.right_chain else b"anything"
    place = (1, log_of(operation.room), operation.channel, version, expected)
    return (*script, *place, entry, operation.keep_ms, operation.not_before_ms)


def words_of(command: Command) -> list[bytes]:
    return [word if isinstance(word, bytes) else str(word).encode() for word in command]


def of_model(model: Valkey, command: Command) -> object:
    try:
        return comparable(model.execute(words_of(command), LONG_AGO_US))
    except Failure as failure:
        return str(failure).split(" ")[0]


def of_real(real: Redis, command: Command) -> object:
    try:
        return comparable(real.execute_command(*command))  # type: ignore[no-untyped-call]  # redis-py's own gap
    except NoScriptError:
        return "NOSCRIPT"
    except ResponseError as error:
        return "ERR" if "unknown command" in str(error) else str(error).split(" ")[0]


def comparable(reply: Reply | str) -> object:
    """Without the time that an append answers, and with words of every kind as bytes."""
    if isinstance(reply, list) and len(reply) == 3 and isinstance(reply[1], int):
        return [reply[0], reply[2]]
    return reply.encode() if isinstance(reply, str | Status) else reply


@pytest.fixture
def real(valkey: RealValkey) -> Redis:
    client = Redis(unix_socket_path=str(valkey.socket), protocol=2)
    client.response_callbacks.clear()
    return client


@settings(max_examples=100, deadline=None, phases=(Phase.reuse, Phase.generate))  # shrinking takes minutes
@given(operations=OPERATIONS)
def check_replies(real: Redis, operations: list[Append | Command]) -> None:
    real.flushall()
    real.script_flush()
    model = Valkey()
    with real.pubsub(ignore_subscribe_messages=True) as hearing:  # type: ignore[no-untyped-call]
        hearing.subscribe(CHANNEL)
        hearing.get_message(timeout=1)
        for operation in operations:
            command = command_of(operation, model)
            if command[0] == "PUBLISH":  # how many heard it is no matter
                model.execute(words_of(command), LONG_AGO_US)
                real.execute_command(*command)  # type: ignore[no-untyped-call]
                continue
            assert of_model(model, command) == of_real(real, command), command
        for key in (log_of(room) for room in ROOMS):
            assert of_model(model, ("LRANGE", key, 0, -1)) == of_real(real, ("LRANGE", key, 0, -1))
            assert (of_model(model, ("PTTL", key)) == -1) == (of_real(real, ("PTTL", key)) == -1)
        heard = [hearing.get_message(timeout=1) for _ in model.published]
        assert [message and message["data"] for message in heard] == [each.message for each in model.published]
        assert hearing.get_message(timeout=0) is None


def test_the_model_answers_as_a_real_server_does(real: Redis) -> None:
    check_replies(real)


def test_time_that_has_run_out_takes_a_log_away() -> None:
    model = Valkey()
    entry, _ = seal(EMPTY, b"payload")
    command = ("EVAL", SCRIPT, 1, "log", "channel", 0, EMPTY.chain, entry, 1000, 0)
    assert model.execute(words_of(command), LONG_AGO_US) == [b"ok", LONG_AGO_US // 1000, []]
    assert model.execute([b"LLEN", b"log"], LONG_AGO_US + 999_999) == 1
    assert model.execute([b"LLEN", b"log"], LONG_AGO_US + 1_000_000) == 0


@given(operations=OPERATIONS, kept=st.integers(0, 30))
def test_writes_that_are_taken_back_were_never_made(operations: list[Append | Command], kept: int) -> None:
    """What a server holds that has died is what it held after some earlier command."""
    model = Valkey()

    def held() -> tuple[object, ...]:
        keys = [*(log_of(room) for room in ROOMS), LOBBY, f"{LOBBY}:ROOMA", "none"]
        asking = ("GET", "PTTL"), ("LRANGE", "ZREVRANGE")
        return tuple(
            of_model(model, (ask, key, *bounds))
            for key in keys
            for asks, bounds in zip(asking, ((), (0, -1)), strict=True)
            for ask in asks
        )

    then = [(0, held())]
    for operation in operations:
        of_model(model, command_of(operation, model))
        then.append((len(model.undo), held()))
    writes, was = then[min(kept, len(operations))]
    model.take_back(len(model.undo) - writes)
    assert held() == was
