"""HAProxy and nginx as real processes on free ports, configured by the files that deploy/ has for them."""

import shutil
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, STDOUT, Popen

import pytest

from tests.certificates import Files
from tests.ports import free_ports

SHIPPED = Path(__file__).parents[1] / "deploy"
IDLE = "60s"
"""For how long both leave a silent WebSocket alone, as their files have it."""

PATIENCE_S = 30
PROGRAMS = {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}


def find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def program(name: str) -> str:
    """Its path; the test is skipped where it is not installed."""
    found = find(name)
    if found is None:
        pytest.skip(f"{name} is not installed (.ci/run installs it where it may)")
    return found


class Proxy:
    """Before two servers, with TLS. `idle_s`: in place of `IDLE`. `directory`: with a short path."""

    def __init__(
        self, name: str, directory: Path, servers: Sequence[int], certificate: Files, idle_s: float | None = None
    ) -> None:
        self._path = program(name)
        self._name = name
        self._directory = directory / name
        self._directory.mkdir()
        self.port, self.plain_port = free_ports(2)
        self._chain = self._directory / "fullchain.pem"
        self._key = self._directory / "privkey.pem"
        self._both = self._directory / "paizhuo.pem"
        self._take(certificate)
        idle = IDLE if idle_s is None else f"{round(idle_s * 1000)}ms"
        own = self._of_haproxy(idle) if name == "haproxy" else self._of_nginx(idle)
        places = {f"127.0.0.1:{8470 + place}": f"127.0.0.1:{port}" for place, port in enumerate(servers)}
        self._configuration = self._directory / PROGRAMS[name]
        self._configuration.write_text(changed(SHIPPED / PROGRAMS[name], own | places))
        self._log = self._directory / "log"
        with self._log.open("wb") as log:
            self._process = Popen(self._command(), stdin=DEVNULL, stdout=log, stderr=STDOUT)
        self._wait_for_port()

    @property
    def url(self) -> str:
        return f"wss://127.0.0.1:{self.port}/ws"

    @property
    def log(self) -> str:
        return self._log.read_text()

    def reload(self, certificate: Files) -> None:
        """Have it read its files anew, with another certificate; it may take a while until that is shown."""
        self._take(certificate)
        self._process.send_signal(signal.SIGUSR2 if self._name == "haproxy" else signal.SIGHUP)

    def stop(self) -> None:
        """At once, with all that goes through it."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE_S)
        finally:
            self._process.kill()
            self._process.wait()

    def _take(self, certificate: Files) -> None:
        chain, key = certificate.certificate.read_bytes(), certificate.key.read_bytes()
        self._chain.write_bytes(chain)
        self._key.write_bytes(key)
        self._both.write_bytes(chain + key)

    def _command(self) -> Sequence[str]:
        if self._name == "haproxy":
            return self._path, "-W", "-f", str(self._configuration)
        return self._path, "-c", str(self._configuration), "-e", str(self._directory / "error"), "-g", "daemon off;"

    def _of_haproxy(self, idle: str) -> dict[str, str]:
        return {
            "/run/haproxy/admin.sock": str(self._directory / "socket"),
            "/etc/haproxy/certs/paizhuo.pem": str(self._both),
            "bind :80\n": f"bind 127.0.0.1:{self.plain_port}\n",
            "bind :443 ": f"bind 127.0.0.1:{self.port} ",
            f"timeout tunnel {IDLE}": f"timeout tunnel {idle}",
        }

    def _of_nginx(self, idle: str) -> dict[str, str]:
        here = self._directory
        temporary = "".join(
            f"{kind}_temp_path {here / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        return {
            "/run/nginx.pid": str(here / "pid"),
            "/var/log/nginx/error.log": str(here / "error"),
            "/etc/nginx/certs/fullchain.pem": str(self._chain),
            "/etc/nginx/certs/privkey.pem": str(self._key),
            "server_tokens off;\n": f"server_tokens off;\n{temporary}",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            f"proxy_read_timeout {IDLE};": f"proxy_read_timeout {idle};",
            f"proxy_send_timeout {IDLE};": f"proxy_send_timeout {idle};",
        }

    def _wait_for_port(self) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s and self._process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        self._process.kill()
        self._process.wait()
        raise AssertionError(f"{self._name} did not start: {self.log}")


def changed(file: Path, changes: Mapping[str, str]) -> str:
    """The text of a file with each of the changes, all of which have to be found."""
    text = file.read_text()
    for before, after in changes.items():
        assert before in text, f"{file.name} has no {before!r}"
        text = text.replace(before, after)
    return text
