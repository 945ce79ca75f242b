import logging

import pytest

from server.store.base import Refused, Unfit
from server.store.fitness import Demands, inspect, is_nearly_full

PLACE = "redis://host:6379"
FIT = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "maxmemory-policy": "noeviction",
}


class Server:
    """Answers INFO and CONFIG GET. Without settings CONFIG is forbidden."""

    def __init__(self, settings: dict[str, str] | None, **about: str) -> None:
        self._settings = settings
        self._about = {"redis_version": "7.2.4"} | about

    async def __call__(self, *command: str) -> object:
        match command:
            case ("INFO",):
                return "".join(f"{name}:{value}\r\n" for name, value in self._about.items()).encode()
            case ("CONFIG", "GET", setting) if self._settings is not None:
                found = self._settings.get(setting)
                return [] if found is None else [setting.encode(), found.encode()]
        raise Refused(f"{PLACE} does not permit this user a command that the store needs")


@pytest.mark.parametrize("version", ["6.2.0", "6.2.14", "7.2.4", "8.2.3", "10.0.1"])
async def test_a_server_that_is_new_enough_and_safe_is_fit(version: str, caplog: pytest.LogCaptureFixture) -> None:
    await inspect(Server(FIT, redis_version=version), PLACE)
    assert not caplog.records


@pytest.mark.parametrize("version", ["6.0.16", "5.0.7", "2.8", ""])
async def test_a_server_that_is_too_old_is_unfit(version: str) -> None:
    with pytest.raises(Unfit, match=r"use Redis 6\.2 or later, or Valkey"):
        await inspect(Server(FIT, redis_version=version), PLACE)


async def test_a_cluster_is_unfit() -> None:
    with pytest.raises(Unfit, match="name the cluster as the store, cluster://HOST:PORT"):
        await inspect(Server(FIT, cluster_enabled="1"), PLACE)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("appendonly", "no"),
        ("appendfsync", "everysec"),
        ("appendfsync", "no"),
        ("no-appendfsync-on-rewrite", "yes"),
        ("maxmemory-policy", "allkeys-lru"),
        ("maxmemory-policy", "volatile-ttl"),
    ],
)
async def test_a_setting_that_could_lose_rooms_is_unfit_and_the_remedy_named(setting: str, value: str) -> None:
    with pytest.raises(Unfit) as unfit:
        await inspect(Server(FIT | {setting: value}), PLACE)
    assert f"has {setting} {value}" in str(unfit.value)
    assert f"CONFIG SET {setting} {FIT[setting]}" in str(unfit.value)


@pytest.mark.parametrize("settings", [None, {}])
async def test_where_settings_may_not_be_asked_the_operator_is_warned(
    settings: dict[str, str] | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        await inspect(Server(settings), PLACE)
    assert [setting for setting in FIT for text in caplog.messages if f"setting {setting}:" in text] == list(FIT)


async def test_what_info_tells_without_config_counts(caplog: pytest.LogCaptureFixture) -> None:
    await inspect(Server(None, aof_enabled="1", maxmemory_policy="noeviction"), PLACE)
    assert [text.split("setting ")[1].split(":")[0] for text in caplog.messages] == [
        "appendfsync",
        "no-appendfsync-on-rewrite",
    ]


@pytest.mark.parametrize("about", [{"aof_enabled": "0"}, {"maxmemory_policy": "volatile-lru"}])
async def test_what_info_shows_to_be_wrong_is_unfit(about: dict[str, str]) -> None:
    with pytest.raises(Unfit):
        await inspect(Server(None, **about), PLACE)


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
async def test_eviction_and_nothing_else_may_be_allowed(policy: str, caplog: pytest.LogCaptureFixture) -> None:
    await inspect(Server(FIT | {"maxmemory-policy": policy}), PLACE, Demands(allow_eviction=True))
    assert "may throw out running rooms" in caplog.text
    with pytest.raises(Unfit, match="has appendfsync everysec"):
        await inspect(Server(FIT | {"appendfsync": "everysec"}), PLACE, Demands(allow_eviction=True))


async def test_a_server_that_evicts_nothing_needs_no_leave(caplog: pytest.LogCaptureFixture) -> None:
    await inspect(Server(FIT), PLACE, Demands(allow_eviction=True))
    assert not caplog.records


async def test_a_server_on_its_own_is_no_cluster() -> None:
    with pytest.raises(Unfit, match="name it as redis://HOST:PORT"):
        await inspect(Server(FIT, cluster_enabled="0"), PLACE, Demands(in_cluster=True))
    await inspect(Server(FIT, cluster_enabled="1"), PLACE, Demands(in_cluster=True))


REPLICAS = {"slave0": "ip=10.0.0.2,port=6379,state=online,offset=9,lag=0", "slave1": "ip=10.0.0.3,state=wait_bgsave"}


@pytest.mark.parametrize(("wanted", "about"), [(1, {}), (2, REPLICAS), (3, REPLICAS)])
async def test_too_few_replicas_are_counted(wanted: int, about: dict[str, str]) -> None:
    with pytest.raises(Unfit, match=f"has {min(1, len(about))} of the {wanted} replicas"):
        await inspect(Server(FIT, **about), PLACE, Demands(replicas=wanted))


async def test_replicas_that_are_in_sync_are_enough() -> None:
    await inspect(Server(FIT, **REPLICAS), PLACE, Demands(replicas=1))


@pytest.mark.parametrize("kind", [Demands(in_cluster=True), Demands(by_sentinel=True)])
@pytest.mark.parametrize(("replicas", "there", "warned"), [(0, REPLICAS, True), (1, REPLICAS, False), (0, {}, False)])
async def test_a_failover_that_may_lose_moves_is_warned_of(
    kind: Demands, replicas: int, there: dict[str, str], warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    about = {"cluster_enabled": str(int(kind.in_cluster))} | there
    await inspect(Server(FIT, **about), PLACE, kind._replace(replicas=replicas))
    assert ("--wait-replicas 1 prevents it" in caplog.text) is warned


@pytest.mark.parametrize(("found", "warned"), [("0", True), ("1", False), (None, False)])
async def test_under_sentinels_a_primary_should_not_write_alone(
    found: str | None, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    settings = FIT | ({} if found is None else {"min-replicas-to-write": found})
    await inspect(Server(settings), PLACE, Demands(by_sentinel=True))
    assert ("min-replicas-to-write" in caplog.text) is warned


@pytest.mark.parametrize(
    ("used", "limit", "full"), [(800, 1000, False), (801, 1000, True), (2000, 1000, True), (10**9, 0, False)]
)
def test_a_server_is_nearly_full_from_four_fifths_on(used: int, limit: int, full: bool) -> None:
    assert is_nearly_full({"used_memory": str(used), "maxmemory": str(limit)}) is full


def test_what_says_nothing_of_its_memory_is_not_full() -> None:
    assert not is_nearly_full({})
