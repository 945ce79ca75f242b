"""A primary with replicas, watched by Sentinels: real processes on free ports of the loopback."""

import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ResponseError

from server.store.child import find_binary
from tests.ports import free_ports
from tests.valkey import Valkey

SERVICE = "paizhuo"
PATIENCE_S = 60.0
SAID = 3000
"""Characters of what a Sentinel said: enough for the last failover."""
SYNC_MS = 30_000

SETTINGS = {"failover-timeout": 3000, "parallel-syncs": 1}
PERIODS_MS = {"info-period": 200, "ping-period": 300, "ask-period": 100, "publish-period": 200}
"""How often Sentinels look: the usual ones are made for years, not for tests.

When a primary is down they ask its replicas for news once a second whatever is set here, and promote none whose news
are older than five ping periods. With shorter ones it takes luck, and each try comes as late in the second as the last.
"""

OF_A_NODE = ("--repl-diskless-sync-delay", "0", "--repl-backlog-size", "1mb")


class Replicated:
    """A primary and its replicas; `settings` are those of all. Each is a `Valkey` with a port beside its socket."""

    def __init__(self, directory: Path, replicas: int = 1, *settings: str) -> None:
        self.servers: dict[int, Valkey] = {}
        self.primary, *self.replicas = free_ports(1 + replicas)
        with self._stopped_on_failure():
            for port in (self.primary, *self.replicas):
                self.servers[port] = Valkey(_made(directory / str(port)), "--port", str(port), *OF_A_NODE, *settings)
            for port in self.replicas:
                self.attach(port)
            self.in_sync()

    def attach(self, port: int, to: int | None = None) -> None:
        """Make the server at `port` a replica of the primary, or of a port where nobody is: cut off from it."""
        self.servers[port].run("REPLICAOF", "127.0.0.1", to or self.primary)

    def in_sync(self) -> None:
        """Return when every replica has all that was written."""
        with Redis(unix_socket_path=str(self.servers[self.primary].socket), single_connection_client=True) as primary:
            primary.set("{paizhuo:sync}", "", px=SYNC_MS)  # WAIT is for the writes of its own connection
            reached = primary.wait(len(self.replicas), SYNC_MS)
        assert reached == len(self.replicas), f"{reached} of {len(self.replicas)} replicas are in sync"

    def promote(self, port: int) -> None:
        """Make a replica the primary by hand, with what it has got."""
        self.servers[port].run("REPLICAOF", "NO", "ONE")
        self.replicas.remove(port)
        self.primary = port

    def stop(self) -> None:
        for server in self.servers.values():
            server.kill()

    @contextmanager
    def _stopped_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.stop()
            raise


class Watched(Replicated):
    """The same, watched by `sentinels` Sentinels, of which a majority decides that a primary is gone when it has been
    silent for `down_after_ms`. `url` names it as a store.

    `kill_primary`, `await_failover` and `revive`, again and again, make one failover each; all of them block.
    """

    def __init__(
        self, directory: Path, replicas: int = 1, *settings: str, sentinels: int = 3, down_after_ms: int = 1000
    ) -> None:
        self._directory = directory
        self._settings = SETTINGS | {"down-after-milliseconds": down_after_ms}
        super().__init__(directory, replicas, *settings)
        self.sentinels: dict[int, subprocess.Popen[bytes]] = {}
        with self._stopped_on_failure():
            for port in free_ports(sentinels):
                self._start_sentinel(directory, port, quorum=sentinels // 2 + 1)
            self.ready()
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        self.url = f"sentinel://{hosts}/{SERVICE}"

    def ready(self) -> None:
        """Return when each Sentinel knows the others, and every replica as one that may be promoted."""
        self._await_each(self._knows_all)
        self._follow()

    def _follow(self) -> None:
        """On a busy machine Sentinels may have found the primary silent by themselves, and taken another."""
        self.primary = self._named(self._sentinel(next(iter(self.sentinels))))
        self.replicas = [port for port in self.servers if port != self.primary]

    def kill_primary(self) -> int:
        """SIGKILL; returns the port of what was the primary."""
        self._follow()
        self.servers[self.primary].kill()
        return self.primary

    def await_failover(self) -> int:
        """Return the port of the new primary when each Sentinel names it, and it takes writes."""
        was = self.primary
        self._await_each(lambda sentinel: self._named(sentinel) != was)
        self._follow()
        self._await_true(self._takes_writes)
        return self.primary

    def switch(self) -> int:
        """Have a replica take the place of a primary that is well; return when all agree on it, and are in sync."""
        self._sentinel(next(iter(self.sentinels))).execute_command("SENTINEL", "FAILOVER", SERVICE)
        self.await_failover()
        self.ready()
        self.in_sync()
        return self.primary

    def revive(self, port: int) -> None:
        """Start a killed server again, as a replica; return when it is in sync and may be promoted."""
        self.servers[port].start("--replicaof", f"127.0.0.1 {self.primary}")
        self.ready()
        self.in_sync()

    def stop(self) -> None:
        for process in self.sentinels.values():
            process.kill()
            process.wait()
        super().stop()

    def _start_sentinel(self, directory: Path, port: int, quorum: int) -> None:
        configuration = directory / f"sentinel-{port}.conf"
        lines = [f"sentinel monitor {SERVICE} 127.0.0.1 {self.primary} {quorum}"]
        lines += [f"sentinel {name} {SERVICE} {value}" for name, value in self._settings.items()]
        configuration.write_text("\n".join((f"port {port}", "bind 127.0.0.1", *lines, "")))
        with (directory / f"sentinel-{port}.log").open("wb") as log:
            self.sentinels[port] = subprocess.Popen(
                [find_binary(), configuration, "--sentinel"], cwd=directory, stdout=log, stderr=log
            )
        self._await_true(lambda: self._sentinel(port).ping())
        with suppress(ResponseError):  # an old one cannot be hurried
            self._sentinel(port).execute_command("SENTINEL", "DEBUG", *_flat(PERIODS_MS.items()))

    def _sentinel(self, port: int) -> Any:
        return Redis(port=port, protocol=2, decode_responses=True, socket_timeout=5)

    def _knows_all(self, sentinel: Any) -> bool:
        master = sentinel.sentinel_masters()[SERVICE]
        replicas = sentinel.sentinel_slaves(SERVICE)
        fit = {one["port"] for one in replicas if one["flags"] == "slave" and one["master-link-status"] == "ok"}
        others = master["num-other-sentinels"] == len(self.sentinels) - 1
        return others and master["flags"] == "master" and fit == set(self.servers) - {master["port"]}

    def _named(self, sentinel: Any) -> int:
        _, port = sentinel.sentinel_get_master_addr_by_name(SERVICE)
        return int(port)

    def _takes_writes(self) -> object:
        with suppress(ResponseError):
            return self.servers[self.primary].run("SET", "{paizhuo:sync}", "", "PX", SYNC_MS)
        return False

    def _await_each(self, true: Callable[[Any], object]) -> None:
        """Return when `true` holds at each Sentinel: looked at again whenever one of them says that anything happened,
        and now and then, since not all that changes is said."""
        for port in self.sentinels:
            ends_s = time.monotonic() + PATIENCE_S
            with self._sentinel(port) as sentinel, sentinel.pubsub() as events:
                events.psubscribe("*")
                while not true(sentinel):
                    assert time.monotonic() < ends_s, f"not what Sentinel {port} should know:\n{self._said()}"
                    events.get_message(timeout=0.05)

    def _said(self) -> str:
        """The last words of each Sentinel."""
        logs = [self._directory / f"sentinel-{port}.log" for port in self.sentinels]
        return "\n\n".join(log.read_text(errors="replace")[-SAID:] for log in logs)

    def _await_true(self, true: Callable[[], object]) -> None:
        ends_s = time.monotonic() + PATIENCE_S
        while True:
            with suppress(Unreachable):
                if true():
                    return
            assert time.monotonic() < ends_s


def _made(directory: Path) -> Path:
    directory.mkdir(mode=0o700)
    return directory


def _flat(pairs: Iterable[tuple[str, int]]) -> list[str | int]:
    return [word for pair in pairs for word in pair]
