import pytest
from redis.asyncio.connection import DefaultParser
from redis.exceptions import RedisError

from server.store.base import Refused, Unknown
from server.store.outcomes import answered, outcome, row

NOT_WRITTEN = [
    "READONLY You can't write against a read only replica.",
    "LOADING Redis is loading the dataset in memory",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "CLUSTERDOWN The cluster is down",
    "TRYAGAIN Multiple keys request during rehashing of slot",
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "NOREPLICAS Not enough good replicas to write.",
    "NOSCRIPT No matching script. Please use EVAL.",
    "NOAUTH Authentication required.",
    "WRONGPASS invalid username-password pair or user is disabled.",
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "ERR unknown command 'EVALSHA', with args beginning with: 'the' 'cards'",
    "ERR max number of clients reached",
]


def parsed(text: str) -> RedisError:
    """The error as the client library makes it of a server's words."""
    error = DefaultParser.parse_error(text)  # type: ignore[no-untyped-call]  # redis-py's own gap
    assert isinstance(error, RedisError)
    return error


@pytest.mark.parametrize("text", NOT_WRITTEN)
def test_an_error_that_proves_nothing_was_written_is_a_refusal(text: str) -> None:
    assert isinstance(outcome(parsed(text), "redis://host:6379"), Refused)


@pytest.mark.parametrize("text", [text for text in NOT_WRITTEN if not text.startswith("ERR")])
def test_the_same_error_counts_when_a_script_ran_into_it(text: str) -> None:
    wrapped = f"ERR Error running script (call to f_c0ffee): @user_script:24: -{text}"
    assert isinstance(outcome(parsed(wrapped), "redis://host:6379"), Refused)


@pytest.mark.parametrize("text", ["ERR something new", "BUSYKEY Target key name already exists.", "WRONGTYPE wrong"])
def test_an_error_that_proves_nothing_leaves_the_write_unknown(text: str) -> None:
    assert isinstance(outcome(parsed(text), "redis://host:6379"), Unknown)


def test_a_refusal_names_the_server_and_the_remedy() -> None:
    text = str(outcome(parsed(NOT_WRITTEN[6]), "redis://host:6379"))
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
