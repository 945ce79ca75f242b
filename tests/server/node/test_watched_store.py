import pytest

from server.clock import SystemClock
from server.node.counters import Counters
from server.node.watched_store import WatchedStore
from server.store.base import Full, Refused, StoreError, Unknown
from tests.simulated_store import SimulatedStore, World
from tests.stores import new_room, write


@pytest.mark.parametrize(("error", "trouble"), [(Refused, True), (Unknown, True), (Full, False)])
async def test_a_store_that_takes_no_new_rooms_is_no_trouble_to_the_others(
    error: type[StoreError], trouble: bool
) -> None:
    simulated = SimulatedStore(World(SystemClock()))

    async def fail() -> None:
        raise error("as told")

    simulated.before.append(fail)
    store = WatchedStore(simulated, Counters())
    with pytest.raises(error, match="as told"):
        await write(store, new_room(), b"first")
    assert store.trouble.is_set() is trouble
