"""What an error of Redis means for a write: one table, from the words of the error to a sentence and what it proves.

Matched by substring, since Redis 6.2 wraps what a script ran into: `ERR Error running script ...: -READONLY ...`.
"""

from typing import NamedTuple

from redis.exceptions import RedisError, ResponseError

from server.store.base import Refused, StoreError, Unknown


class Row(NamedTuple):
    """Errors with `mark` in them prove that nothing was written. `elsewhere`: another server may be the right one by
    now, so the next command should look up the address and connect again."""

    mark: str
    sentence: str
    elsewhere: bool = False


TABLE = (
    Row("READONLY", "is a replica and takes no writes; a failover may be under way", elsewhere=True),
    Row("LOADING", "is still loading its log after a restart", elsewhere=True),
    Row("MASTERDOWN", "is a replica that has lost its primary", elsewhere=True),
    Row("CLUSTERDOWN", "is part of a cluster that is down", elsewhere=True),
    Row("TRYAGAIN", "is moving this room to another node of its cluster", elsewhere=True),
    Row("OOM", "is out of memory: raise its maxmemory"),
    Row("MISCONF", "cannot write to its disk: see its log, and free some space"),
    Row("NOREPLICAS", "has fewer replicas in reach than min-replicas-to-write asks for"),
    Row("NOSCRIPT", "does not have the append script"),
    Row("BUSY ", "is busy with a script"),  # the blank: BUSYKEY and BUSYGROUP are something else
    Row("NOAUTH", "asks for a password: name it in the URL, as in redis://:PASSWORD@HOST"),
    Row("WRONGPASS", "does not accept the user name or password in the URL"),
    Row("NOPERM", "does not permit this user a command that the store needs"),
    Row("unknown command", "does not know a command that the store needs"),  # the error repeats what was to be written
    Row("max number of clients", "has no connection left: raise its maxclients"),
)


def answered(error: RedisError) -> bool:
    """Did a server say this, rather than the connection break?"""
    return isinstance(error, ResponseError) or error.status_code is not None


def row(error: RedisError) -> Row | None:
    """The row of the table for an error that a server answered."""
    # redis-py takes the code off the text of the errors that it knows
    words = f"{error.status_code or ''} {error}"
    return next((row for row in TABLE if row.mark in words), None)


def outcome(error: RedisError, place: str) -> StoreError:
    """What an error that the server at `place` answered means: `Refused` if the table proves it, else `Unknown`."""
    found = row(error)
    if found is None:
        return Unknown(f"{place} answered: {error}")
    return Refused(f"{place} {found.sentence}")
