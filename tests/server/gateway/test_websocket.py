"""Real sockets against a fake node: who may connect, what a connection asks for in turn, faults and the end."""

import asyncio
import logging
import re

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from protocol.codec import JSON, MSGPACK, SUBPROTOCOLS
from protocol.errors import CloseCode, ErrorCode
from protocol.messages import (
    Act,
    Create,
    Done,
    Export,
    Hello,
    Join,
    Notice,
    Ready,
    Refused,
    SeatCommand,
    Table,
    Welcome,
)
from server.gateway.conversations import LEAST_RETRY_MS, RETRY_MS_EACH
from server.gateway.websocket import CannotListen, listen
from server.limits import DEFAULT_LIMITS, Limits
from server.node.port import Viewer
from server.settings import ServerSettings
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import TICKET, FakeNode
from tests.server.gateway.gateways import ANN, BOB, ORIGIN, Gateway, gateway


async def test_a_wrong_ticket_is_refused_and_the_connection_closed(open_gateway: Gateway) -> None:
    async with open_gateway.client(JSON, Hello("Ann", "guessed")) as client:
        refusal = await client.receive()
        assert isinstance(refusal, Refused)
        assert refusal.code == ErrorCode.BAD_TICKET
        assert await client.close_code() == CloseCode.BAD_TICKET


async def test_a_newer_connection_replaces_the_older_one(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as older, open_gateway.client(MSGPACK, ANN) as newer:
        await older.send(Create("chuo-pai"))
        await older.until(Table)
        await newer.send(Join("ABCD2345"))
        await newer.until(Table)
        assert await older.close_code() == CloseCode.REPLACED
        await newer.send(Act(1, 7, "pass"))
        assert await newer.receive() == Done(1)


async def test_a_deal_is_taken_out_of_its_log_only_for_as_long_as_who_asked_is_there(
    open_gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def export(_viewer: Viewer, _deal: int) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    monkeypatch.setattr(open_gateway.node, "export", export)
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Export(1))
        await begun.wait()
        client.connection.transport.abort()
        await ended.wait()


async def test_commands_of_one_connection_are_carried_out_one_after_the_other(open_gateway: Gateway) -> None:
    may_end, begun = asyncio.Event(), asyncio.Event()

    async def wait_with_the_first(_: Viewer, command: SeatCommand) -> None:
        begun.set()
        if command.n == 1:
            await may_end.wait()

    open_gateway.node.on_command = wait_with_the_first
    async with open_gateway.client(MSGPACK, ANN) as slow, open_gateway.client(MSGPACK, BOB) as other:
        await slow.send(Ready(1), Ready(2))
        await begun.wait()
        await other.send(Ready(3))
        assert await other.receive() == Done(3)
        assert open_gateway.node.asked == [("command", Ready(1)), ("command", Ready(3))]
        may_end.set()
        assert [await slow.receive(), await slow.receive()] == [Done(1), Done(2)]


async def test_a_command_is_carried_out_even_if_its_connection_breaks_meanwhile(open_gateway: Gateway) -> None:
    may_end, begun, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def take_long(*_: object) -> None:
        begun.set()
        await may_end.wait()
        ended.set()

    open_gateway.node.on_command = take_long
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Ready(1))
        await begun.wait()
        client.connection.transport.abort()
    may_end.set()
    await ended.wait()
    await open_gateway.node.any_detached.wait()


async def test_the_node_is_told_once_of_every_connection_that_ends(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Create("chuo-pai"))
        await client.until(Table)
        viewer = open_gateway.node.seated["Ann"]
    await open_gateway.node.any_detached.wait()
    assert open_gateway.node.detached == [viewer]


# Who may connect


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "https://cards.example.evil.example",
        "https://evil-cards.example",
        "https://cards.example:8443",
        "https://cards.example/",
        "http://cards.example",
        "https://CARDS.example",
        "null",
        "",
    ],
)
async def test_a_web_page_of_a_foreign_origin_may_not_connect(open_gateway: Gateway, origin: str) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, subprotocols=[Subprotocol(JSON)], additional_headers={"Origin": origin}, proxy=None)
    assert refused.value.response.status_code == 403
    assert b"--origin" in (refused.value.response.body or b"")


async def test_a_web_page_of_a_configured_origin_may_connect(open_gateway: Gateway) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    async with connect(url, subprotocols=[Subprotocol(JSON)], origin=Origin(ORIGIN), proxy=None) as connection:
        assert connection.subprotocol == JSON


@pytest.mark.parametrize("offered", [["paizhuo.v2.json", "paizhuo.v2.msgpack"], None])
async def test_without_a_common_version_the_answer_names_both(open_gateway: Gateway, offered: list[str] | None) -> None:
    url = f"ws://127.0.0.1:{open_gateway.port}/ws"
    subprotocols = None if offered is None else [Subprotocol(name) for name in offered]
    with pytest.raises(InvalidStatus) as refused:
        await connect(url, subprotocols=subprotocols, proxy=None)
    assert refused.value.response.status_code == 400
    sentence = (refused.value.response.body or b"").decode()
    for name in (*SUBPROTOCOLS, *(offered or ["no version at all"])):
        assert name in sentence
    assert sentence.count("\n") == 1


async def test_compression_is_never_negotiated(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, ANN) as client:
        request, response = client.connection.request, client.connection.response
        assert request is not None
        assert response is not None
        assert "permessage-deflate" in request.headers["Sec-WebSocket-Extensions"]
        assert "Sec-WebSocket-Extensions" not in response.headers


async def test_pings_leave_the_server() -> None:
    assert DEFAULT_LIMITS.ping_s <= 20, "proxies cut connections that are silent for 30 s"
    async with gateway(Limits(ping_s=0.05)) as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", opened.port)
        writer.write(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: paizhuo.v1.json\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        assert (await reader.readexactly(1))[0] == 0x89
        writer.close()


# Faults and the end


async def test_a_fault_ends_its_connection_and_is_logged_once_without_what_it_was_about(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    hidden = "hand of seat 1: 13+13 66, ticket s3cr3t"

    async def fail(_: Viewer, command: SeatCommand) -> None:
        if isinstance(command, Act):
            raise RuntimeError(hidden)

    open_gateway.node.on_command = fail
    async with open_gateway.client(MSGPACK, ANN) as broken, open_gateway.client(MSGPACK, BOB) as other:
        await broken.send(Act(4, 7, "play 24+35"))
        refusal = await broken.receive()
        assert isinstance(refusal, Refused)
        assert (refusal.code, refusal.n) == (ErrorCode.INTERNAL, 4)
        assert await broken.close_code() == CloseCode.INTERNAL
        await other.send(Ready(1))
        assert await other.receive() == Done(1)
    (record,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    logged = f"{record.getMessage()} {record.exc_info}"
    assert "RuntimeError" in logged
    assert "in fail" in logged
    for secret in ("13+13", "s3cr3t", "24+35", "Ann"):
        assert secret not in logged


async def test_a_request_that_the_node_cancels_ends_its_connection_too(open_gateway: Gateway) -> None:
    async def cancel(*_: object) -> None:
        raise asyncio.CancelledError

    open_gateway.node.on_command = cancel
    async with open_gateway.client(MSGPACK, ANN) as client:
        await client.send(Ready(1))
        assert await client.close_code() == CloseCode.INTERNAL


async def test_a_conversation_is_not_logged_even_at_debug(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with open_gateway.client(JSON, Hello("Ann", TICKET)) as client:
        await client.until(Table)
    await open_gateway.node.any_detached.wait()
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("server")]
    assert not any(TICKET in line or "Ann" in line for line in ours)


async def test_clients_are_told_that_the_server_restarts() -> None:
    async with gateway() as opened:
        client = opened.client(MSGPACK, ANN)
        connected = await client.__aenter__()
    assert await connected.close_code() == CloseCode.RESTART
    await client.__aexit__(None, None, None)


async def test_what_was_asked_is_answered_before_the_server_stops_and_nothing_new_begins() -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def hold(*_: object) -> None:
        asked.set()
        await release.wait()

    opening = gateway()
    opened = await opening.__aenter__()
    opened.node.on_command = hold
    async with opened.client(MSGPACK, ANN) as busy, opened.client(MSGPACK, BOB) as idle:
        await busy.send(Ready(1))
        await asked.wait()
        stopping = asyncio.create_task(opening.__aexit__(None, None, None))
        for client in (idle, busy):
            notice = await client.receive()
            assert isinstance(notice, Notice)
            assert (notice.kind, notice.retry_ms) == ("draining", LEAST_RETRY_MS + 2 * RETRY_MS_EACH)
        assert await idle.close_code() == CloseCode.RESTART
        with pytest.raises(InvalidStatus) as refused:
            async with opened.client(MSGPACK, ANN):
                pass
        assert refused.value.response.status_code == 503
        for path, status in (("/healthz", 200), ("/readyz", 503)):
            response, _ = await opened.http("GET", path)
            assert response.status == status
        release.set()
        assert await busy.receive() == Done(1)
        assert await busy.close_code() == CloseCode.RESTART
        await stopping


async def test_a_client_is_welcomed_with_the_addresses_of_other_servers(open_gateway: Gateway) -> None:
    open_gateway.node.others = ("wss://b.example/ws",)
    async with open_gateway.client() as client:
        await client.send(ANN)
        welcome = await client.receive()
        assert isinstance(welcome, Welcome)
        assert welcome.servers == ("wss://b.example/ws",)


async def test_a_taken_port_is_named_together_with_what_to_do(open_gateway: Gateway) -> None:
    settings = ServerSettings(store="sqlite:unused", port=open_gateway.port)
    with pytest.raises(CannotListen, match=rf"port {open_gateway.port} .* is taken: .* --port"):
        async with listen(FakeNode(), MovedClock(), settings):
            pass


@pytest.mark.parametrize("host", ["192.0.2.1", "cards..example"])
async def test_an_address_that_is_not_this_machines_is_refused_with_what_to_do(host: str) -> None:
    settings = ServerSettings(store="sqlite:unused", host=host, port=0)
    with pytest.raises(CannotListen, match=rf"{re.escape(host)} is no address .* --host"):
        async with listen(FakeNode(), MovedClock(), settings):
            pass
