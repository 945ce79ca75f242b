"""Real HAProxy and nginx before two servers, as deploy/ configures them: no table is lost, whatever is restarted.

`make proxies` has the time-outs as they are shipped, and the ten minutes of silence that a proxy must bear.
"""

import asyncio
import os
import re
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import Event
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK
from protocol.errors import CloseCode, ExitCode
from protocol.messages import Act, Hello, Seated, Table, Welcome
from tests.certificates import Authority, der
from tests.e2e.clients import Client, act, least, most, open_room, start, turns
from tests.e2e.logs import read_log
from tests.e2e.processes import ServerProcess, environment
from tests.ports import free_ports
from tests.proxies import PROGRAMS, SHIPPED, Proxy, changed, find, program
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

REAL = "PAIZHUO_REAL_SILENCE" in os.environ
FASTER = 1 if REAL else 20
"""How many times as fast all time-outs are."""

SILENCE_S, IDLE_S, PING_S = 600 / FASTER, 60 / FASTER, 20 / FASTER


class Listening(ClientConnection):
    """Counts the pings that come; it sends none by itself."""

    pings = 0

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame) and event.opcode is Opcode.PING:
            self.pings += 1
        super().process_event(event)


class Site:
    """Servers of one store behind a proxy, or several, and the authority whose certificates those have.

    `parts` are stopped. Proxies leave silent connections alone for `IDLE_S` where servers ping in step with that.
    """

    def __init__(
        self,
        parts: ExitStack,
        home: Path,
        short_path: Path,
        store: str,
        names: Sequence[str],
        *flags: str,
        servers: int = 2,
    ) -> None:
        self._parts = parts
        self.store = store
        self._home = home
        self._flags = ("--trusted-proxy", "127.0.0.1", "--drain-s", "2", *flags)
        self.authority = Authority(home)
        self.tls = self.authority.client()
        self.ports = free_ports(servers)
        self.servers = [self.serve(port) for port in self.ports]
        idle_s = IDLE_S if "--ping-s" in flags else None
        self.proxies = [self._proxy(name, short_path, idle_s) for name in names]

    def _proxy(self, name: str, short_path: Path, idle_s: float | None) -> Proxy:
        proxy = Proxy(name, short_path, (self.ports * 2)[:2], self.authority.issues(), idle_s)
        self._parts.callback(proxy.stop)
        return proxy

    def serve(self, port: int) -> ServerProcess:
        server = ServerProcess(self.store, self._home, self._flags, port)
        self._parts.callback(server.stop)
        return server

    async def comes(self, links: AsyncExitStack, proxy: Proxy, ticket: str | None = None) -> tuple[Client, Listening]:
        """A client that was welcomed; as ours do, it tries again where a server that stops sent it away."""
        while True:
            with suppress(InvalidHandshake, ConnectionClosed, OSError):
                opening = connect(
                    proxy.url,
                    ssl=self.tls,
                    subprotocols=[Subprotocol(MSGPACK)],
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    create_connection=Listening,
                )
                connection = await links.enter_async_context(opening)
                assert isinstance(connection, Listening)
                client = Client(connection)
                await client.send(Hello("Ann", ticket))
                await client.until(Welcome)
                return client, connection

    async def back(self, links: AsyncExitStack, proxy: Proxy, before: Client) -> Client:
        """The player of `before`, who comes back and finds the same hand and the same question."""
        back, _ = await self.comes(links, proxy, before.seated.ticket)
        assert await back.until(Seated) == before.seated
        await back.until(Table)
        assert (back.view.prompt, back.view.deal) == (before.view.prompt, before.view.deal)
        return back

    async def shown(self, proxy: Proxy) -> bytes | None:
        """The certificate that who connects now is shown."""
        async with connect(proxy.url, ssl=self.tls, subprotocols=[Subprotocol(MSGPACK)], proxy=None) as link:
            certificate: bytes | None = link.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
            return certificate


Opens = Callable[..., Site]


@pytest.fixture
def opens(valkey: Valkey, tmp_path: Path, short_path: Path) -> Iterator[Opens]:
    with ExitStack() as parts:

        def open_one(names: Sequence[str], *flags: str, servers: int = 2) -> Site:
            return Site(parts, tmp_path, short_path, valkey.url, names, *flags, servers=servers)

        yield open_one


def installed() -> list[str]:
    """Those of the proxies that are; the test is skipped where none is."""
    found = [name for name in PROGRAMS if find(name) is not None]
    if not found:
        pytest.skip("neither HAProxy nor nginx is installed (.ci/run installs them where it may)")
    return found


async def asked(client: Client) -> None:
    """Returns when the player is to decide."""
    await client.seen(lambda view: view.prompt is not None)


async def plays(client: Client, moves: int) -> None:
    for _ in range(moves):
        await asked(client)
        await act(client, least)
    await asked(client)


async def test_tables_outlive_the_reload_of_the_proxy_and_a_new_start_of_every_server(opens: Opens) -> None:
    site = opens(installed())
    async with AsyncExitStack() as links:
        players = [(proxy, (await deals(links, site, proxy))[0]) for proxy in site.proxies]

        for proxy, host in players:
            renewed = site.authority.issues()
            proxy.reload(renewed)
            while await site.shown(proxy) != der(renewed.certificate):
                pass
            await plays(host, 1)  # on the connection that was there before

        moved = dict.fromkeys(range(len(players)), 0)
        for port, server in zip(site.ports, site.servers, strict=True):
            server.process.terminate()
            assert await asyncio.to_thread(server.process.wait, 10) == 0, "it ends in time whoever is connected"
            for place, (proxy, host) in enumerate(players):
                if (closed := await close_code(host)) is not None:
                    assert closed == CloseCode.RESTART
                    players[place] = proxy, await site.back(links, proxy, host)
                    moved[place] += 1
                await plays(players[place][1], 1)
            await asyncio.to_thread(site.serve, port)
        assert all(moved.values()), "each was on one of them"
        for _, host in players:
            async for player in turns({0: host}):
                await act(player, most)
            (await read_log(site.store, host.seated.code)).verify()


async def close_code(client: Client) -> int | None:
    """What the server closed with; None where a ping is still answered. Its last words are read."""
    try:
        await (await client.connection.ping())
    except ConnectionClosed:
        return await client.close_code()
    return None


async def deals(links: AsyncExitStack, site: Site, proxy: Proxy) -> tuple[Client, Listening]:
    """A player who has been dealt a hand, and is to decide."""
    host, connection = await site.comes(links, proxy)
    await open_room(host)
    await start(host)
    await asked(host)
    return host, connection


@pytest.mark.slow(long=True)
@pytest.mark.timeout(SILENCE_S + 300)
async def test_ten_minutes_of_silence_are_borne_because_the_servers_ping_and_a_late_pong_costs_a_new_connection(
    opens: Opens,
) -> None:
    site = opens(installed(), *(() if REAL else ("--ping-s", str(PING_S))), servers=1)
    async with AsyncExitStack() as links:
        silent = [(proxy, *await deals(links, site, proxy)) for proxy in site.proxies]
        prompts = [host.prompt for _, host, _ in silent]
        await asyncio.sleep(SILENCE_S)
        for (_, host, connection), prompt in zip(silent, prompts, strict=True):
            assert connection.pings >= 0.8 * SILENCE_S / PING_S
            assert host.prompt == prompt
            await host.do(Act(host.next_n, prompt.id, least(prompt.actions)))
            await asked(host)

        for _, _, connection in silent:
            connection.transport.pause_reading()
        await asyncio.sleep(2.5 * PING_S)
        for proxy, host, connection in silent:
            connection.transport.resume_reading()
            assert await host.close_code() in (CloseCode.INTERNAL, 1006), "nobody else has the seat"
            await plays(await site.back(links, proxy, host), 1)


@pytest.mark.skipif(REAL, reason="nothing is learned from waiting longer")
async def test_a_proxy_cuts_off_who_is_silent_and_the_seat_is_kept(opens: Opens) -> None:
    """That is what the pings are for: without them the test above could not fail."""
    site = opens(installed(), "--ping-s", "600", servers=1)
    async with AsyncExitStack() as links:
        silent = [(proxy, *await deals(links, site, proxy)) for proxy in site.proxies]
        for proxy, host, connection in silent:
            async with asyncio.timeout(10 * IDLE_S):
                await connection.wait_closed()
            assert connection.pings == 0
            await plays(await site.back(links, proxy, host), 1)


async def test_players_with_our_program_play_on_through_a_reload_and_a_drain(opens: Opens, tmp_path: Path) -> None:
    """Each by a proxy of their own, if both are there."""
    site = opens(installed())
    trusting, (first, last) = {"SSL_CERT_FILE": str(site.authority.file)}, (site.proxies[0], site.proxies[-1])
    async with AsyncExitStack() as programs:
        flags = ("--server", first.url, "--deals", "8", "--auto", "--plain", "--name", "Ann")
        host = await programs.enter_async_context(player(tmp_path / "ann", "host", "chuo-pai", *flags, **trusting))
        (*_, invitation) = await lines_until(host, "Others join with")
        code = re.search(r"/j/([0-9A-Z]+)\)", invitation)
        assert code
        room = (last.url, code[1])
        guest = await programs.enter_async_context(
            player(tmp_path / "bo", "join", *room, "--auto", "--plain", "--name", "Bo", **trusting)
        )
        await lines_until(host, "Bo sits down")
        assert host.stdin is not None
        host.stdin.write(b"fill\nstart\n")
        await lines_until(guest, "Deal 2 of 8 begins")
        for proxy in site.proxies:
            proxy.reload(site.authority.issues())
        await lines_until(guest, "Deal 4 of 8 begins")
        site.servers[0].process.terminate()
        await lines_until(guest, "Deal 6 of 8 begins")
        await asyncio.to_thread(site.serve, site.ports[0])
        site.servers[1].process.terminate()
        for each in (host, guest):
            await lines_until(each, "The match is over.")
            assert await each.wait() == ExitCode.OK


@asynccontextmanager
async def player(home: Path, *arguments: str, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    home.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "client_cli", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment(home) | {"LC_ALL": "C.UTF-8"} | more,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def lines_until(process: asyncio.subprocess.Process, wanted: str) -> list[str]:
    assert process.stdout is not None
    lines: list[str] = []
    while line := (await process.stdout.readline()).decode():
        lines.append(line.rstrip("\n"))
        if wanted in line:
            return lines
    pytest.fail(f"'{wanted}' never came, but: {lines}")


# What else the files say


@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_proxy_tells_who_connects_whatever_that_says_and_keeps_the_rest_to_itself(
    tmp_path: Path, short_path: Path, name: str
) -> None:
    heads: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if "/readyz" not in head:
                heads.append(head)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n")
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        authority = Authority(tmp_path)
        here = server.sockets[0].getsockname()[1]
        proxy = await asyncio.to_thread(Proxy, name, short_path, [here, here], authority.issues())
        try:
            asks = asker(proxy.port, authority.client())
            assert await asks("/version", "X-Forwarded-For: 1.2.3.4\r\n") == 200
            assert [await asks(path) for path in ("/j/ABCD2345", "/ws")] == [200, 200]
            assert [await asks(path) for path in ("/readyz", "/healthz", "/metrics", "/")] == [404] * 4
            assert await asker(proxy.plain_port, None)("/j/ABCD2345") == 308
        finally:
            proxy.stop()
    assert [re.findall("(?im)^x-forwarded-for: *(.*)\r$", head) for head in heads] == [["127.0.0.1"]] * 3
    assert all(f"127.0.0.1:{proxy.port}\r" in head for head in heads), "the page says where it was asked for"


def asker(port: int, tls: ssl.SSLContext | None) -> Callable[..., Awaitable[int]]:
    async def asks(path: str, more: str = "") -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}Connection: close\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        return int(answer.split()[1])

    return asks


def judged(command: tuple[str, ...], home: Path) -> str:
    ended = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(home), timeout=60
    )
    said = ended.stdout.decode()
    assert ended.returncode == 0, said
    return said


def test_haproxy_has_nothing_to_say_against_its_file(tmp_path: Path) -> None:
    haproxy, files = program("haproxy"), Authority(tmp_path).issues()
    both = tmp_path / "paizhuo.pem"
    both.write_bytes(files.certificate.read_bytes() + files.key.read_bytes())
    file = tmp_path / "haproxy.cfg"
    file.write_text(changed(SHIPPED / "haproxy.cfg", {"/etc/haproxy/certs/paizhuo.pem": str(both)}))
    assert "warning" not in judged((haproxy, "-c", "-V", "-f", str(file)), tmp_path).lower()


def test_nginx_has_nothing_to_say_against_its_file(tmp_path: Path) -> None:
    nginx, files = program("nginx"), Authority(tmp_path).issues()
    places = {
        "/etc/nginx/certs/fullchain.pem": str(files.certificate),
        "/etc/nginx/certs/privkey.pem": str(files.key),
        "/run/nginx.pid": str(tmp_path / "pid"),
        "/var/log/nginx/error.log": str(tmp_path / "error"),
    }
    file = tmp_path / "nginx.conf"
    file.write_text(changed(SHIPPED / "nginx.conf", places))
    if os.geteuid() != 0:
        pytest.skip("nginx -t makes its folders, which root alone may")
    assert "[warn]" not in judged((nginx, "-t", "-c", str(file)), tmp_path)


def test_caddy_takes_its_file(tmp_path: Path) -> None:
    command = (program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(SHIPPED / "Caddyfile"))
    assert "Valid configuration" in judged(command, tmp_path)
