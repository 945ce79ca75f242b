"""What an error of Redis means for a write: one table, from the words of the error to a sentence and what it proves.

Redis 6.2 wraps what a script ran into: `ERR Error running script (call to f_...): @user_script:24: -READONLY ...`.
"""

import re
from typing import NamedTuple

from redis.exceptions import RedisError, ResponseError

from server.store.base import Refused, StoreError, Unknown


class Row(NamedTuple):
    """Errors that begin with the word or words `mark` prove that nothing was written. `elsewhere`: another server may
    be the right one by now, so the next command should look up the address and connect again."""

    mark: str
    sentence: str
    elsewhere: bool = False


TABLE = (
    Row("READONLY", "is a replica and takes no writes; a failover may be under way", elsewhere=True),
    Row("LOADING", "is still loading its log after a restart", elsewhere=True),
    Row("MASTERDOWN", "is a replica that has lost its primary", elsewhere=True),
    Row("CLUSTERDOWN", "is part of a cluster that is down", elsewhere=True),
    Row("TRYAGAIN", "is moving this room to another node of its cluster"),
    Row("MOVED", "does not have this room: it is one node of a cluster, which is named by cluster://HOST:PORT"),
    Row("ASK", "is moving this room to another node of its cluster"),
    Row("CROSSSLOT", "was asked for rooms that are on different nodes of its cluster"),
    Row("OOM", "is out of memory: raise its maxmemory"),
    Row("MISCONF", "cannot write to its disk: see its log, and free some space"),
    Row("NOREPLICAS", "has fewer replicas in reach than min-replicas-to-write asks for", elsewhere=True),
    Row("NOSCRIPT", "does not have the append script"),
    Row("BUSY", "is busy with a script"),
    Row("NOAUTH", "asks for a password: name it in the URL, as in redis://:PASSWORD@HOST"),
    Row("WRONGPASS", "does not accept the user name or password in the URL"),
    Row("NOPERM", "does not permit this user a command that the store needs"),
    Row("DENIED", "is in protected mode: give it a password, and name that in the URL"),
    Row("ERR unknown command", "does not know a command that the store needs"),  # it repeats what was to be written
    Row("ERR This instance has cluster support disabled", "is no node of a cluster: name it as redis://HOST:PORT"),
    Row("ERR max number of clients", "has no connection left: raise its maxclients"),
)

_WRAPPED = re.compile(r"\AERR Error running script \(call to [^)]*\): (?:@user_script: ?\d+: )*-?")

_QUOTED = re.compile(r"""['"`].*""", re.DOTALL)
"""Where an error begins to repeat what it was about, which may be cards."""


def answered(error: RedisError) -> bool:
    """Did a server say this, rather than the connection break?"""
    return isinstance(error, ResponseError) or error.status_code is not None


def row(error: RedisError) -> Row | None:
    """The row of the table for an error that a server answered."""
    # redis-py takes the code off the text of the errors that it knows; what follows the first words may be data
    words = _WRAPPED.sub("", f"{error.status_code or ''} {error}".strip(), count=1)
    return next((row for row in TABLE if words.startswith(row.mark) and not words[len(row.mark) :][:1].isalnum()), None)


def outcome(error: RedisError, place: str) -> StoreError:
    """What an error that the server at `place` answered means: `Refused` if the table proves it, else `Unknown`."""
    found = row(error)
    if found is None:
        return Unknown(f"{place} answered: {_QUOTED.sub('...', str(error))}")
    return Refused(f"{place} {found.sentence}")
