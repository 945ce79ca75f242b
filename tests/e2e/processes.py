"""Our programs as processes, each on files and a home of its own."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import NamedTuple

PROGRAMS = Path(sys.executable).parent
STOP_S = 20


def environment(home: Path) -> dict[str, str]:
    """This process's environment with a home of its own, and of our settings only that bots do not wait."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAIZHUO_", "XDG_"))}
    return kept | {"HOME": str(home), "PAIZHUO_BEAT_MS": "0"}


def processes_of(home: Path) -> list[int]:
    """The processes that now live with this home, where the system shows that."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={home}".encode() in environ.read_bytes().split(b"\0"):
                found.append(int(environ.parent.name))
    return found


class ServerProcess:
    """A `paizhuo-server serve` that has said where it listens. Its log is a file, so that it never waits for a reader.

    `kill` and `stop` return when it is gone.
    """

    def __init__(self, store: str, home: Path, flags: tuple[str, ...] = (), port: int = 0) -> None:
        self._log = home / f"server-{len(list(home.glob('server-*.log')))}.log"
        arguments = ("serve", "--port", str(port), "--store", store, *flags)
        with self._log.open("wb") as log:
            self.process = Popen(
                (PROGRAMS / "paizhuo-server", *arguments), stdout=PIPE, stderr=log, env=environment(home)
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if not line.startswith(("listening on ws://", "listening on wss://")):
            self.stop()
            raise AssertionError(f"the server did not start: {line}{self.log}")
        self.url = line.removeprefix("listening on ").strip()

    @property
    def address(self) -> str:
        """`HOST:PORT`."""
        return self.url.partition("://")[2].removesuffix("/ws")

    @property
    def log(self) -> str:
        """What it wrote to stderr so far."""
        return self._log.read_text()

    def freeze(self) -> None:
        """Returns when it no longer runs; what is sent to it from now on it never reads, if it is killed next."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def kill(self) -> None:
        self.process.kill()
        self._gone()

    def stop(self) -> int:
        """Ask it to stop; returns its exit code."""
        self.process.terminate()
        return self._gone()

    def _gone(self) -> int:
        try:
            return self.process.wait(STOP_S)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()


@contextmanager
def serving(store: str, home: Path, *flags: str, port: int = 0) -> Iterator[ServerProcess]:
    server = ServerProcess(store, home, flags, port)
    try:
        yield server
    finally:
        server.stop()


class Ended(NamedTuple):
    code: int
    out: str
    err: str


async def run(program: str, *arguments: str, home: Path, given: bytes | None = b"", **more: str) -> Ended:
    """Run one of our programs to its end on pipes. `given`: its standard input."""
    process = await asyncio.create_subprocess_exec(
        PROGRAMS / program,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home) | more,
    )
    try:
        out, err = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())
