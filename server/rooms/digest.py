"""A short digest of a room's state. Every commit carries that of the state which it leads to, so whoever folds a log
otherwise than its writer did notices at once.
"""

from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from server.rooms.state import RoomState, rules

DIGEST_BYTES = 8

FOLD = 2
"""The version of the fold: raised when events that older logs hold lead to another state than before. The digests of an
older fold say nothing then, and an older server does not play on where this one has written.
"""

_encoder = msgspec.msgpack.Encoder()


def digest_of(state: RoomState) -> bytes:
    """Fields that have their default do not count, so a field that is added to the state leaves old digests true."""
    if state.table is not None:
        state = replace(state, table=rules(state).essence(state.table))
    return blake2b(_encoder.encode(state), digest_size=DIGEST_BYTES).digest()
