from pathlib import Path

import pytest

from server.clock import SystemClock
from server.store.child import ChildStore
from server.store.cluster import ClusterStore
from server.store.fitness import Demands
from server.store.redis import RedisStore
from server.store.roaming import RoamingConnection
from server.store.sqlite import SqliteStore
from server.store.urls import UnknownStore, place_of, store_from_url


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("sqlite:rooms.db", SqliteStore),
        ("sqlite:///var/lib/rooms.db", SqliteStore),
        ("valkey:rooms", ChildStore),
        ("redis://localhost", RedisStore),
        ("redis://user:secret@[::1]:7000/3", RedisStore),
        ("rediss://host:6380?ssl_ca_certs=/etc/ca.pem", RedisStore),
        ("unix:///run/redis.sock?db=2&password=secret", RedisStore),
        ("sentinel://host/rooms", RedisStore),
        ("sentinel://user:secret@one:26380,[::1]:26381/rooms/2?sentinel_password=secret", RedisStore),
        ("cluster://host", ClusterStore),
        ("CLUSTER://user:secret@one:7000,[::1]:7001,two", ClusterStore),
    ],
)
def test_each_kind_of_url_names_its_store(url: str, kind: type) -> None:
    assert isinstance(store_from_url(url, SystemClock()), kind)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://localhost", "redis://localhost:6379"),
        ("redis://:secret@host:7000/3", "redis://host:7000"),
        ("redis://user:sec%2Fret@[::1]/", "redis://[::1]:6379"),
        ("rediss://user:secret@host?ssl_keyfile=secret", "rediss://host:6379"),
        ("unix:///run/redis%20one.sock?password=secret", "unix:///run/redis one.sock"),
        ("unix://user:secret@/run/redis.sock", "unix:///run/redis.sock"),
        ("sentinel://host/rooms", "sentinel://host:26379/rooms"),
        ("sentinel://:secret@one,[::1]:7/a%20b/3?sentinel_password=secret", "sentinel://one:26379,[::1]:7/a b"),
        ("cluster://user:secret@one,two:7000", "cluster://one:6379,two:7000"),
    ],
)
def test_messages_name_the_server_and_no_secret(url: str, place: str) -> None:
    assert place_of(url) == place


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "a store is sqlite:PATH"),
        ("secret", "a store is sqlite:PATH"),
        ("user:secret@host", "a store is sqlite:PATH"),
        ("mysql://user:secret@host", "mysql: is no kind of store"),
        ("sqlite:", "the path is missing: sqlite:PATH"),
        ("sqlite://", "the path is missing: sqlite:PATH"),
        ("valkey:", "the path is missing: valkey:DIRECTORY"),
        ("valkey://user:secret@host", "is named by redis://HOST"),
        ("redis://", "names no host"),
        ("redis://:secret@", "names no host"),
        ("redis://:secret/more@host", "cannot be read"),
        ("redis://host:99999999", "cannot be read"),
        ("redis://[secret@host", "cannot be read"),
        ("redis://:secret@host/zero", "the number of a database"),
        ("redis://:secret@host/0/1", "the number of a database"),
        ("redis://host?decode_responses=secret", "redis:// takes: none"),
        ("rediss://host?ssl_secret=1", "rediss:// takes: ssl_ca_certs"),
        ("unix:///run/redis.sock?db=secret", "unix:// takes: db, password"),
        ("unix://secret/redis.sock", "three slashes"),
        ("unix:", "three slashes"),
        ("sentinel://:secret@host", "the name of the service"),
        ("sentinel://:secret@host/", "the name of the service"),
        ("sentinel://host/rooms/secret", "the number of a database"),
        ("sentinel://host/rooms/0/secret", "the number of a database"),
        ("sentinel:///rooms", "names no host"),
        ("sentinel://one,,two/rooms", "names no host"),
        ("sentinel://one,two:secret/rooms", "cannot be read"),
        ("sentinel://host/rooms?db=secret", "sentinel:// takes: sentinel_username, sentinel_password"),
        ("cluster://", "names no host"),
        ("cluster://:secret@one,two/0", "a cluster has no databases"),
        ("cluster://:sec,ret@one:70000", "cannot be read"),
        ("redis://one,two", "several are named by sentinel:// or cluster://"),
    ],
)
def test_what_names_no_store_is_refused_with_what_would_and_without_the_secret(url: str, says: str) -> None:
    with pytest.raises(UnknownStore) as refused:
        store_from_url(url, SystemClock())
    assert says in str(refused.value)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_path_may_start_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store = store_from_url("sqlite:~/rooms.db", SystemClock())
    assert isinstance(store, SqliteStore)
    assert store._file._path == tmp_path / "rooms.db"


@pytest.mark.parametrize("demands", [Demands(replicas=1), Demands(allow_eviction=True)])
@pytest.mark.parametrize("url", ["sqlite:rooms.db", "valkey:rooms"])
def test_what_only_a_redis_can_do_is_asked_of_no_other(url: str, demands: Demands) -> None:
    with pytest.raises(UnknownStore, match="--wait-replicas and --allow-eviction are for servers named by redis://"):
        store_from_url(url, SystemClock(), demands)


def test_the_account_of_a_primary_and_that_of_its_sentinels_are_kept_apart() -> None:
    store = store_from_url("sentinel://user:p%40ss@host/rooms/2?sentinel_password=s%26t", SystemClock())
    assert isinstance(store, RedisStore)
    connection = store._dial()
    assert isinstance(connection, RoamingConnection)
    assert (connection.username, connection.password, connection.db) == ("user", "p@ss", 2)
    primary = connection._where.__self__  # type: ignore[attr-defined]
    assert primary._sentinel_account == {"password": "s&t"}
