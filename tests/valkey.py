"""A real Valkey of the tests' own, on a Unix socket in a directory of its own; replicated ones are in sentinel.py."""

import resource
import subprocess
from pathlib import Path

from redis import Redis

from server.store.child import find_binary

FIT = ("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction", "--save", "")


class DoesNotStart(Exception):
    """What the server said before it ended."""


class Valkey:
    """`settings` come after those that make it fit, and win."""

    def __init__(self, directory: Path, *settings: str) -> None:
        self._directory = directory
        self._settings = settings
        self.socket = directory / "socket"
        self.url = f"unix://{self.socket}"
        self.start()

    def start(self, *settings: str) -> None:
        """Return when it takes commands; `settings` are for this time only. Raises `DoesNotStart`."""
        places = ("--port", "0", "--bind", "127.0.0.1", "--unixsocket", str(self.socket), "--dir", str(self._directory))
        self._process = subprocess.Popen(
            [find_binary(), *places, *FIT, *self._settings, *settings],
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        assert self._process.stdout is not None
        said = []
        with self._process.stdout as lines:
            for line in lines:
                said.append(line)
                if "ready to accept connections" in line.lower():
                    return
        self._process.wait()
        raise DoesNotStart("".join(said))

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self._process.kill()
        self._process.wait()

    def limit_files(self, size: int) -> None:
        """Until it ends, no file of the server may grow beyond `size` bytes, as if the disk were full."""
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, size))

    def run(self, *command: str | bytes | int) -> object:
        """The answer to one command."""
        with Redis(unix_socket_path=str(self.socket)) as client:
            return client.execute_command(*command)
