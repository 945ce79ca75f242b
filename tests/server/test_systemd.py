"""A service as systemd sees it: its notifications, its watchdog, and sockets that were opened before it started."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import JSON
from protocol.errors import ExitCode
from server.systemd import Manager, passed_sockets
from tests.moved_clock import MovedClock, settled
from tests.server.commands.test_serve import COMMAND, sqlite
from tests.server.operator.asking import ask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets")


class NotifySocket:
    """Where a service tells how it fares."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self._socket.setblocking(False)
        self.address = address

    def told(self) -> list[dict[str, str]]:
        """All that has come by now."""
        found = []
        while True:
            try:
                found.append(_fields(self._socket.recv(4096)))
            except BlockingIOError:
                return found

    async def until(self, field: str) -> dict[str, str]:
        """The first that has this field."""
        loop = asyncio.get_running_loop()
        while field not in (told := _fields(await loop.sock_recv(self._socket, 4096))):
            pass
        return told

    def close(self) -> None:
        self._socket.close()


def _fields(datagram: bytes) -> dict[str, str]:
    return dict(line.partition("=")[::2] for line in datagram.decode().split("\n"))


@pytest.fixture
def system(tmp_path: Path) -> Iterator[NotifySocket]:
    opened = NotifySocket(str(tmp_path / "notify"))
    yield opened
    opened.close()


def manager(system: NotifySocket, clock: MovedClock | None = None, **more: str) -> Manager:
    return Manager(clock or MovedClock(), {"NOTIFY_SOCKET": system.address, **more})


def test_a_service_is_ready_reloads_and_stops(system: NotifySocket) -> None:
    its = manager(system)
    its.ready("listening on ws://127.0.0.1:8470/ws")
    with its.reloading():
        assert system.told()[1:] == [{"RELOADING": "1", "MONOTONIC_USEC": "0"}]
    its.stopping(within_s=10)
    assert system.told() == [
        {"READY": "1"},
        {"STOPPING": "1", "EXTEND_TIMEOUT_USEC": "10000000", "STATUS": "stopping"},
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has abstract addresses")
def test_an_abstract_address_is_one_without_a_file() -> None:
    name = f"paizhuo-{os.getpid()}"
    opened = NotifySocket(f"\0{name}")
    Manager(MovedClock(), {"NOTIFY_SOCKET": f"@{name}"}).ready("here")
    assert opened.told() == [{"READY": "1", "STATUS": "here"}]
    opened.close()


def test_who_is_told_is_gone_or_was_never_there(tmp_path: Path) -> None:
    for environ in ({"NOTIFY_SOCKET": str(tmp_path / "gone")}, dict[str, str]()):
        Manager(MovedClock(), environ).ready("nobody cares")
        assert not environ, "no child of this process is to speak for it"


async def test_the_watchdog_hears_of_the_loop_twice_in_its_time(system: NotifySocket) -> None:
    clock = MovedClock()
    its = manager(system, clock, WATCHDOG_USEC="30000000", WATCHDOG_PID=str(os.getpid()))
    reassuring = asyncio.create_task(its.reassure())
    await settled()
    await clock.move(14_999)
    assert system.told() == [{"WATCHDOG": "1"}]
    await clock.move(1)
    assert system.told() == [{"WATCHDOG": "1"}]
    reassuring.cancel()


@pytest.mark.parametrize("environ", [{}, {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "x"}])
async def test_a_watchdog_of_somebody_else_is_left_alone(system: NotifySocket, environ: dict[str, str]) -> None:
    its = manager(system, None, **environ)
    await its.reassure()
    assert system.told() == []


def test_sockets_that_were_passed_to_another_process_are_not_taken() -> None:
    assert passed_sockets({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) == (None, None)
    assert passed_sockets({}) == (None, None)


# A real server, started as systemd would start it

AS_SYSTEMD_DOES = """
import os, sys
fds = [int(fd) for fd in sys.argv[1].split(",")]
for place, fd in enumerate(fds, 3):
    if fd != place:
        os.dup2(fd, place)
    os.set_inheritable(place, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)), LISTEN_FDNAMES=sys.argv[2])
os.execv(sys.argv[3], sys.argv[3:])
"""
HIGH_FD = 50


def high(sockets: tuple[socket.socket, ...]) -> tuple[int, ...]:
    """The same sockets under numbers that are free here, and in nobody's way there."""
    import fcntl  # not on Windows

    return tuple(fcntl.fcntl(each.fileno(), fcntl.F_DUPFD, HIGH_FD) for each in sockets)


async def started(
    names: str, *sockets: socket.socket, store: str, notify: str = "", watchdog_us: str = ""
) -> asyncio.subprocess.Process:
    numbers = high(sockets)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PAIZHUO_")}
    environ |= {"NOTIFY_SOCKET": notify, "WATCHDOG_USEC": watchdog_us}
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", AS_SYSTEMD_DOES, ",".join(map(str, numbers)), names),
            *(*COMMAND, "--port", "1", "--store", store),
            pass_fds=numbers,
            env=environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    finally:
        for number in numbers:
            os.close(number)


@pytest.fixture
async def listening() -> AsyncIterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as players, socket.create_server(("127.0.0.1", 0)) as operator:
        yield players, operator


@pytest.mark.slow
async def test_a_server_serves_the_sockets_that_it_is_passed_and_tells_how_it_fares(
    listening: tuple[socket.socket, socket.socket], system: NotifySocket, tmp_path: Path
) -> None:
    players, operator = (each.getsockname()[1] for each in listening)
    early = socket.create_connection(("127.0.0.1", players))  # before the server is there
    process = await started(
        "operator:players",
        *reversed(listening),
        store=sqlite(tmp_path),
        notify=system.address,
        watchdog_us="200000",
    )
    assert process.stdout is not None
    url = f"ws://127.0.0.1:{players}/ws"
    assert (await process.stdout.readline()).decode() == f"listening on {url}\n"
    assert (await system.until("READY"))["STATUS"] == f"listening on {url}"
    await system.until("WATCHDOG")
    async with connect(url, sock=early, subprotocols=[Subprotocol(JSON)]) as client:
        await client.send('{"type":"hello","name":"Ann"}')
        assert '"welcome"' in str(await client.recv())
        assert (await ask(operator, "/readyz")).text == "ready\n"
        process.send_signal(signal.SIGHUP)
        assert int((await system.until("RELOADING"))["MONOTONIC_USEC"]) > 0
        await system.until("READY")
        process.send_signal(signal.SIGTERM)
        assert (await system.until("STOPPING"))["EXTEND_TIMEOUT_USEC"] == "10000000"
    _, err = await process.communicate()
    assert process.returncode == ExitCode.OK, err.decode()


@pytest.mark.slow
async def test_sockets_that_it_cannot_serve_are_told_in_a_sentence(
    listening: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as unix:
        for names, sockets, sentence in (
            ("a:b", listening, "keep one ListenStream"),
            ("players", (unix,), "is not TCP"),
        ):
            process = await started(names, *sockets, store=sqlite(tmp_path))
            _, err = await process.communicate()
            assert process.returncode == ExitCode.FAILURE
            assert sentence in err.decode()
            assert err.count(b"\n") == 1
