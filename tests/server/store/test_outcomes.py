from pathlib import Path

import pytest
from redis.asyncio.connection import DefaultParser
from redis.exceptions import RedisError

from server.clock import SystemClock
from server.store.base import Refused, Unknown
from server.store.outcomes import TABLE, answered, outcome, row
from server.store.urls import store_from_url
from tests.stores import write
from tests.wires import Scripted

NOT_WRITTEN = [
    "READONLY You can't write against a read only replica.",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "CLUSTERDOWN The cluster is down",
    "NOREPLICAS Not enough good replicas to write.",
    "TRYAGAIN Multiple keys request during rehashing of slot",
    "MOVED 3999 127.0.0.1:6381",
    "ASK 3999 127.0.0.1:6381",
    "CROSSSLOT Keys in request don't hash to the same slot",
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "MISCONF Errors writing to the AOF file: No space left on device",
    "NOSCRIPT No matching script. Please use EVAL.",
    "NOAUTH Authentication required.",
    "WRONGPASS invalid username-password pair or user is disabled.",
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "DENIED Redis is running in protected mode because protected mode is enabled",
    "ERR unknown command 'EVALSHA', with args beginning with: 'the' 'cards'",
    "ERR This instance has cluster support disabled",
    "ERR max number of clients reached",
    "ERR max number of clients + cluster connections reached",
]
NOTHING_PROVEN = [
    "ERR something new",
    "BUSYKEY Target key name already exists.",
    "BUSYGROUP Consumer Group name already exists",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
    "ERR wrong number of arguments: 'READONLY'",
    "ERR invalid: -OOM command not allowed",
    "ERR Error running script (call to f_c0ffee): @user_script:24: 'OOM' is no card",
    "ERR Error running script (call to f_c0ffee): @user_script:24: BUSYKEY Target key name already exists.",
]
WRAPS = [
    "{}",
    "ERR Error running script (call to f_c0ffee): @user_script:1: -{}",
    "ERR Error running script (call to f_c0ffee): @user_script:24: @user_script: 24: -{}",
]


def parsed(text: str) -> RedisError:
    """The error as the client library makes it of a server's words."""
    error = DefaultParser.parse_error(text)  # type: ignore[no-untyped-call]  # redis-py's own gap
    assert isinstance(error, RedisError)
    return error


def test_every_row_of_the_table_is_met() -> None:
    assert {found for text in NOT_WRITTEN if (found := row(parsed(text)))} == set(TABLE)


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("text", NOT_WRITTEN)
def test_an_error_that_proves_nothing_was_written_is_a_refusal(text: str, wrap: str) -> None:
    assert isinstance(outcome(parsed(wrap.format(text)), "redis://host:6379"), Refused)


@pytest.mark.parametrize("text", NOTHING_PROVEN)
def test_an_error_that_proves_nothing_leaves_the_write_unknown(text: str) -> None:
    assert isinstance(outcome(parsed(text), "redis://host:6379"), Unknown)


async def test_each_error_of_a_server_ends_an_append_in_its_class(short_path: Path) -> None:
    said = ""

    def answer(_: int, command: list[bytes]) -> bytes:
        if command[0] in (b"EVALSHA", b"EVAL"):
            return f"-{said}\r\n".encode()
        return b"$0\r\n\r\n"

    async with Scripted(short_path / "socket", answer) as server:
        store = store_from_url(server.url, SystemClock())
        for kind, texts in ((Refused, NOT_WRITTEN), (Unknown, NOTHING_PROVEN)):
            for wrap in WRAPS:
                for text in texts:
                    said = wrap.format(text)
                    with pytest.raises(kind):
                        await write(store, "A", b"b5 r5")
        await store.close()


def test_what_an_error_repeats_is_not_repeated() -> None:
    assert "b5" not in str(outcome(parsed("ERR something new: 'b5 r5'"), "redis://host:6379"))


def test_a_refusal_names_the_server_and_the_remedy() -> None:
    text = str(outcome(parsed(NOT_WRITTEN[10]), "redis://host:6379"))
    assert text == "redis://host:6379 is out of memory: raise its maxmemory"


@pytest.mark.parametrize("text", NOT_WRITTEN[:5])
def test_after_a_failover_the_address_is_looked_up_again(text: str) -> None:
    found = row(parsed(text))
    assert found is not None
    assert found.elsewhere


@pytest.mark.parametrize("text", NOT_WRITTEN)
def test_what_a_server_says_is_told_from_a_broken_connection(text: str) -> None:
    assert answered(parsed(text))
    assert not answered(RedisError("Connection closed by server."))
