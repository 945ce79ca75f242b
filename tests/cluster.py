"""A cluster of Valkeys: real processes on free ports of the loopback, put together without any tool."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from redis.crc import key_slot

from server.store.fitness import fields
from tests.ports import free_ports
from tests.sentinel import PATIENCE_S
from tests.valkey import Valkey

SLOTS = 16384


class Cluster:
    """`shards` primaries, each with so many `replicas`. `url` names it as a store, by one of its nodes."""

    def __init__(self, directory: Path, shards: int = 3, replicas: int = 0) -> None:
        ports, buses = free_ports(shards * (1 + replicas)), free_ports(shards * (1 + replicas))
        self.servers: dict[int, Valkey] = {}
        self._killed: dict[int, Valkey] = {}
        self.primaries = ports[:shards]
        self.url = f"cluster://127.0.0.1:{ports[0]}"
        try:
            for port, bus in zip(ports, buses, strict=True):
                self.servers[port] = _node(directory / str(port), port, bus)
            for number, port in enumerate(self.primaries):
                first, after = SLOTS * number // shards, SLOTS * (number + 1) // shards
                self.run(port, "CLUSTER", "ADDSLOTSRANGE", first, after - 1)
            for port, bus in zip(ports[1:], buses[1:], strict=True):
                self.run(ports[0], "CLUSTER", "MEET", "127.0.0.1", port, bus)
            self._await_all(self._knows_all)
            for number, port in enumerate(ports[shards:]):
                self.run(port, "CLUSTER", "REPLICATE", self._id(ports[number % shards]))
            self._await_all(self._is_whole)
        except BaseException:
            self.stop()
            raise

    def run(self, port: int, *command: str | bytes | int) -> object:
        """What the node at `port` answers."""
        return self.servers[port].run(*command)

    def owner(self, room: str) -> int:
        """The port of the primary that a room is on, as all the nodes that live say."""
        slot = key_slot(room.encode())
        owners = {self._owner_by(port, slot) for port in self.servers}
        assert len(owners) == 1, f"the nodes do not agree on the owner of slot {slot}: {owners}"
        return owners.pop()

    def begin_move(self, room: str, to: int) -> None:
        """From now on the room's slot is on its way: what is new in it belongs to the primary at `to`."""
        slot, source = key_slot(room.encode()), self.owner(room)
        self.run(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", self._id(source))
        self.run(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", self._id(to))

    def move_keys(self, room: str, to: int) -> int:
        """Bring over what is in the slot; how many keys it was."""
        slot, source = key_slot(room.encode()), self.owner(room)
        moved = 0
        while keys := cast(list[bytes], self.run(source, "CLUSTER", "GETKEYSINSLOT", slot, 10)):
            self.run(source, "MIGRATE", "127.0.0.1", to, "", 0, 5000, "KEYS", *keys)
            moved += len(keys)
        return moved

    def end_move(self, room: str, to: int) -> None:
        """Return when all nodes know that the slot has moved."""
        slot, source = key_slot(room.encode()), self.owner(room)
        for port in (to, source):
            self.run(port, "CLUSTER", "SETSLOT", slot, "NODE", self._id(to))
        self._await_all(lambda port: self._owner_by(port, slot) == to)

    def kill(self, port: int) -> None:
        """SIGKILL."""
        self._killed[port] = self.servers.pop(port)
        self._killed[port].kill()

    def revive(self, port: int) -> None:
        """Start a killed primary whose replica has taken its place; return when it is a replica of that."""
        self.servers[port] = self._killed.pop(port)
        self.servers[port].start()
        self._await_all(self._is_whole)

    def stop(self) -> None:
        for server in self.servers.values():
            server.kill()

    def _id(self, port: int) -> str:
        return cast(bytes, self.run(port, "CLUSTER", "MYID")).decode()

    def _owner_by(self, port: int, slot: int) -> int:
        ranges = cast(list[tuple[int, int, tuple[bytes, int]]], self.run(port, "CLUSTER", "SLOTS"))
        return next(node[1] for first, last, node, *_ in ranges if first <= slot <= last)

    def _about(self, port: int) -> dict[str, str]:
        return fields(cast(bytes, self.run(port, "CLUSTER", "INFO")))

    def _knows_all(self, port: int) -> bool:
        about = self._about(port)
        return about["cluster_state"] == "ok" and about["cluster_known_nodes"] == str(len(self.servers))

    def _is_whole(self, port: int) -> bool:
        lines = cast(bytes, self.run(port, "CLUSTER", "NODES")).decode().splitlines()
        replicas = [line for line in lines if "slave" in line.split()[2]]
        role = cast(list[object], self.run(port, "ROLE"))
        linked = role[0] == b"master" or role[3] == b"connected"
        return linked and len(replicas) == len(self.servers) - len(self.primaries) and self._knows_all(port)

    def _await_all(self, true: Callable[[int], bool]) -> None:
        """Return when `true` holds at each node: they gossip, and tell of nothing."""
        ends_s = time.monotonic() + PATIENCE_S
        for port in self.servers:
            while not true(port):
                assert time.monotonic() < ends_s, f"node {port} does not come to know what it should"


def _node(directory: Path, port: int, bus: int) -> Valkey:
    directory.mkdir(mode=0o700)
    cluster = ("--cluster-enabled", "yes", "--cluster-port", str(bus), "--cluster-node-timeout", "1000")
    return Valkey(directory, "--port", str(port), *cluster, "--repl-diskless-sync-delay", "0")
