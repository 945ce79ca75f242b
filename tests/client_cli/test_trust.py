"""A server that is not the one that was meant is told nothing, and the person is told why."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from client_cli.address import url_at
from client_cli.connection import Connection, Lost, Opened, Sought
from client_cli.failure import CommandFailed
from client_cli.fingerprint import LEAST, fingerprint
from protocol.errors import ExitCode
from protocol.messages import Hello, Welcome
from tests.certificates import Authority, Files, der, server_context
from tests.client_cli.scripted_server import Peer, scripted
from tests.client_cli.test_connection import MovedTime, events_of

WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
OTHER = "ABCDEFGHJKMNPQRS"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """The system's only authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    return authority


async def greeting(peer: Peer) -> None:
    assert await peer.hears() == Hello("Anna")
    await peer.says(WELCOME)
    await peer.waits()


async def greets(url: str) -> None:
    """The server at `url` is said hello to, and answers."""
    async with events_of(url) as (connection, events):
        assert await anext(events) == Opened(url)
        assert await connection.send(Hello("Anna"))
        assert await anext(events) == WELCOME


async def refusal(url: str) -> str:
    """What the person is told of a server that is not to be trusted, at once."""
    time = MovedTime()
    with pytest.raises(CommandFailed) as failed:
        async with events_of(url, time) as (_, events):
            await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    assert not time.slept
    return failed.value.sentence


async def test_a_server_whose_authority_is_trusted_is_spoken_to(trusted: Authority) -> None:
    async with scripted(greeting, tls=server_context(trusted.issues())) as url:
        await greets(url)


@asynccontextmanager
async def listening(files: Files) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server on this machine that shakes hands and keeps what it is sent after that."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())
        writer.close()

    async with await asyncio.start_server(hear, "127.0.0.1", 0, ssl=server_context(files)) as server:
        yield server.sockets[0].getsockname()[1], heard


BAD: dict[str, tuple[Callable[[Authority], Files], str]] = {
    "expired": (lambda authority: authority.issues(days=(-2, -1)), "has expired: its operator has to renew it"),
    "not yet valid": (lambda authority: authority.issues(days=(1, 2)), "is not valid yet: is this machine's clock"),
    "another's": (lambda authority: authority.issues("cards.example"), "certificate for another name"),
    "another address's": (lambda authority: authority.issues("127.0.0.2"), "certificate for another name"),
}


@pytest.mark.parametrize("how", BAD)
async def test_a_bad_certificate_is_refused_at_once_and_in_words(trusted: Authority, how: str) -> None:
    make, said = BAD[how]
    async with listening(make(trusted)) as (port, heard):
        assert said in await refusal(f"wss://127.0.0.1:{port}/ws")
    assert not any(heard)


async def test_one_that_nobody_known_has_signed_is_refused_and_the_fingerprint_asked_for(authority: Authority) -> None:
    async with listening(authority.issues()) as (port, heard):
        said = await refusal(f"wss://127.0.0.1:{port}/ws")
    assert said.startswith(f"nobody whom this machine trusts has signed the certificate of wss://127.0.0.1:{port}/ws")
    assert "fingerprint behind a #" in said
    assert not any(heard)


@pytest.mark.parametrize("length", [LEAST, 33, None])
async def test_the_right_fingerprint_is_enough_even_of_a_certificate_that_is_out_of_date(
    authority: Authority, length: int | None
) -> None:
    files = authority.issues("cards.example", days=(-2, -1))
    async with scripted(greeting, tls=server_context(files)) as url:
        await greets(f"{url}#{fingerprint(der(files.certificate))[:length]}")


async def test_a_server_of_another_fingerprint_hears_nothing_at_all(trusted: Authority) -> None:
    files = trusted.issues()
    async with listening(files) as (port, heard):
        said = await refusal(url_at("127.0.0.1", port, OTHER))
    found = fingerprint(der(files.certificate))
    assert said.startswith(f"127.0.0.1:{port} is another server than that of your invitation (its fingerprint is ")
    assert f"{found[:4]}-{found[4:8]}" in said
    assert "not ABCD-EFGH-JKMN-PQRS)" in said
    assert heard in ([], [b""])


async def test_who_played_already_is_told_and_tries_again(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a café, what answers at first may be the network's own."""
    files, other = authority.issues(), authority.issues()
    tls = server_context(files)

    async def dropping(peer: Peer) -> None:
        assert await peer.hears() == Hello("Anna")
        await peer.says(WELCOME)
        tls.load_cert_chain(*other)
        await peer.drops()

    async with scripted(dropping, greeting, tls=tls) as plain:
        url = f"{plain}#{fingerprint(der(files.certificate))}"
        async with events_of(url) as (connection, events):
            assert await anext(events) == Opened(url)
            await connection.send(Hello("Anna"))
            assert await anext(events) == WELCOME
            lost = await anext(events)
            assert isinstance(lost, Lost)
            assert lost.why == "broken"
            lost = await anext(events)
            assert isinstance(lost, Lost)
            assert (lost.why, lost.following) == ("untrusted", url)
            tls.load_cert_chain(*files)
            assert await anext(events) == Opened(url)
            await connection.send(Hello("Anna"))
            assert await anext(events) == WELCOME


async def test_another_server_of_the_room_is_tried_when_one_is_not_to_be_trusted(authority: Authority) -> None:
    files = authority.issues()
    pin = fingerprint(der(files.certificate))
    async with listening(authority.issues()) as (port, heard), scripted(greeting, tls=server_context(files)) as plain:
        bad, good = url_at("127.0.0.1", port, pin), f"{plain}#{pin}"
        connection = Connection(good, (bad, good), sleep=MovedTime().sleep)
        events = connection.events()
        assert await anext(events) == Opened(good)
        await connection.send(Hello("Anna"))
        assert await anext(events) == WELCOME
        await events.aclose()
    assert not any(heard)


async def test_where_one_side_alone_has_tls_both_are_told_how_to_write_the_address(authority: Authority) -> None:
    async with listening(authority.issues()) as (port, _):
        url = f"ws://127.0.0.1:{port}/ws"
        async with events_of(url) as (_, events):
            assert await anext(events) == Sought(url)
            with pytest.raises(
                CommandFailed, match="or TLS: then ask for the whole invitation, or write wss:"
            ) as failed:
                await anext(events)
    assert failed.value.exit_code == ExitCode.UNREACHABLE
    with socket.create_server(("127.0.0.1", 0)) as plain:
        port = plain.getsockname()[1]

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        async with await asyncio.start_server(answer, sock=plain):
            said = await refusal(f"wss://127.0.0.1:{port}/ws")
    assert said.startswith(f"wss://127.0.0.1:{port}/ws does not speak TLS")
    assert said.endswith(f"ws://127.0.0.1:{port}/ws")


async def test_a_redirect_does_not_lead_out_of_tls(trusted: Authority) -> None:
    def redirect(connection: ServerConnection, request: Request) -> Response:
        response = connection.respond(HTTPStatus.FOUND, "")
        response.headers["Location"] = "ws://127.0.0.1:9/ws"
        return response

    async with scripted(tls=server_context(trusted.issues()), refuse=redirect) as url:
        with pytest.raises(CommandFailed, match="redirect"):
            async with events_of(url) as (_, events):
                await anext(events)
