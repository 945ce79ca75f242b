"""A server that is told to stop: its players go on elsewhere, and it ends in time whatever holds it up."""

import asyncio
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK
from protocol.errors import CloseCode
from protocol.messages import Act, Hello, Notice, Seated, Table, Welcome
from tests.e2e.clients import Client, act, client, history, most, open_room, start, turns
from tests.e2e.logs import read_log
from tests.e2e.processes import ServerProcess, serving
from tests.ports import free_ports
from tests.valkey import Valkey

pytestmark = pytest.mark.slow

PROMISED_S = 10


def ends(server: ServerProcess) -> int:
    """Its exit code, if it ends in time."""
    try:
        return server.process.wait(PROMISED_S)
    except TimeoutExpired:
        raise AssertionError(f"it has not ended\n{server.log}") from None


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """Connected, and silent."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


async def welcomed(links: AsyncExitStack, url: str, ticket: str | None = None) -> tuple[Client, Welcome]:
    connection = await links.enter_async_context(
        connect(url, subprotocols=[Subprotocol(MSGPACK)], compression=None, proxy=None)
    )
    opened = Client(connection)
    await opened.send(Hello("Ann", ticket))
    return opened, await opened.until(Welcome)


async def test_players_of_a_server_that_stops_go_on_at_the_other_one(valkey: Valkey, tmp_path: Path) -> None:
    urls = {port: f"ws://127.0.0.1:{port}/ws" for port in free_ports(2)}
    async with AsyncExitStack() as links:
        first, second = [
            links.enter_context(serving(valkey.url, tmp_path, "--advertise", url, port=port))
            for port, url in urls.items()
        ]
        host, welcome = await welcomed(links, first.url)
        while not welcome.servers:  # until it has heard of the one that has just started
            host, welcome = await welcomed(links, first.url)
        assert welcome.servers == (second.url,)
        guest = await links.enter_async_context(client(second.url, "Bo"))
        code = await open_room(host, guest)
        await start(host)
        players = {0: host, 1: guest}
        async for player in turns(players):
            if len(history(player.view)) < 6 or players[0] is not host:
                await act(player, most)
                continue
            first.process.terminate()
            notice = await host.until(Notice)
            assert notice.kind == "draining"
            assert notice.retry_ms
            assert await host.close_code() == CloseCode.RESTART
            back, welcome = await welcomed(links, second.url, host.seated.ticket)
            assert await back.until(Seated) == host.seated
            await back.until(Table)
            assert (back.view.prompt, back.view.deal) == (host.view.prompt, host.view.deal)
            while welcome.servers:  # until it has heard that the other one goes
                _, welcome = await welcomed(links, second.url)
            players[0] = back
            assert ends(first) == 0
            await act(back if player is host else player, most)
        assert players[0] is not host
        assert re.search(r" INFO server.app: stopped: \d+ appends, \d+ conflicts", first.log)
    (await read_log(valkey.url, code)).verify()


async def asked(links: AsyncExitStack, url: str) -> tuple[Client, Act]:
    """A player at a table with bots who is to decide, and an answer."""
    host, _ = await welcomed(links, url)
    await open_room(host)
    await start(host)
    await host.seen(lambda view: view.prompt is not None)
    return host, Act(host.next_n, host.prompt.id, host.prompt.actions[0])


async def test_a_store_that_hangs_and_clients_that_do_not_read_hold_it_up_for_so_long_and_no_longer(
    own_valkey: Callable[..., Valkey], tmp_path: Path
) -> None:
    valkey = own_valkey()
    async with AsyncExitStack() as links:
        server = links.enter_context(serving(valkey.url, tmp_path, "--drain-s", "2"))
        host, answer = await asked(links, server.url)
        host_name, _, port = server.address.partition(":")
        deaf = await asyncio.open_connection(host_name, port)
        deaf[1].write(b"GET /ws HTTP/1.1\r\n")  # and never goes on
        host.connection.transport.pause_reading()
        with stopped(valkey.pid):
            await host.send(answer)
            server.process.terminate()
            assert ends(server) == 0
        deaf[1].close()
        host.connection.transport.resume_reading()


async def test_a_second_signal_ends_it_at_once(own_valkey: Callable[..., Valkey], tmp_path: Path) -> None:
    valkey = own_valkey()
    async with AsyncExitStack() as links:
        server = links.enter_context(serving(valkey.url, tmp_path, "--drain-s", "60"))
        host, answer = await asked(links, server.url)
        with stopped(valkey.pid):
            await host.send(answer)
            server.process.terminate()
            await host.until(Notice)
            server.process.terminate()
            assert ends(server) == -signal.SIGTERM
