"""TLS without a proxy: certificates are exchanged under a running game, and guests know a host by its fingerprint."""

import json
import re
import signal
import ssl
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from client_cli.fingerprint import fingerprint
from client_cli.own_certificate import own_certificate
from protocol.codec import MSGPACK
from protocol.errors import ExitCode
from protocol.messages import Said, Say
from tests.certificates import Authority, der
from tests.client_cli.player import Player, lines_until
from tests.e2e.clients import act, client, deal_over, most, open_room, start, turns
from tests.e2e.processes import ServerProcess, run, serving

pytestmark = pytest.mark.slow


async def shown(url: str, tls: ssl.SSLContext) -> bytes | None:
    """The certificate that who connects now is shown."""
    async with connect(url, ssl=tls, subprotocols=[Subprotocol(MSGPACK)], proxy=None) as connection:
        certificate: bytes | None = connection.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return certificate


async def has_logged(server: ServerProcess, words: str, url: str, tls: ssl.SSLContext) -> None:
    """Returns when it has: each connection gives it a turn to."""
    while words not in server.log:
        await shown(url, tls)


async def test_a_certificate_is_exchanged_while_a_deal_is_played(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls, files, other = authority.client(), authority.issues(), authority.issues()
    before, after = der(files.certificate), der(other.certificate)
    flags = ("--tls-cert", str(files.certificate), "--tls-key", str(files.key))
    with serving(f"sqlite:{tmp_path / 'rooms.sqlite3'}", tmp_path, *flags) as server:
        assert server.url.startswith("wss://127.0.0.1:")
        async with client(server.url, tls=tls) as host:
            await open_room(host)
            await start(host)
            moves = 0
            async for player in turns({0: host}):
                await act(player, most)
                moves += 1
                if moves == 1:
                    files.key.write_text("nothing")
                    server.process.send_signal(signal.SIGHUP)
                    await has_logged(
                        server, "ERROR server.app: the certificate stays the one before: ", server.url, tls
                    )
                    assert await shown(server.url, tls) == before
                    files.replace(other)
                    server.process.send_signal(signal.SIGHUP)
                    await has_logged(server, "INFO server.app: the certificate has been read anew", server.url, tls)
                    assert await shown(server.url, tls) == after
            assert moves > 1
            assert deal_over(host.view)
            await host.send(Say("still here"))
            assert (await host.until(Said)).text == "still here"
        assert (await run("paizhuo", "rooms", server.url, home=tmp_path)).code == ExitCode.UNREACHABLE
        trusting = await run("paizhuo", "rooms", server.url, home=tmp_path, SSL_CERT_FILE=str(authority.file))
        assert trusting.code == ExitCode.OK
        assert server.stop() == 0
        assert str(files.key) in server.log
        assert "PRIVATE KEY" not in server.log


def test_guests_of_an_encrypted_table_know_it_by_what_is_behind_the_sign(tmp_path: Path) -> None:
    host_home, guest_home = tmp_path / "host", tmp_path / "guest"
    host_home.mkdir()
    guest_home.mkdir()
    hosting, visiting = Player(host_home), Player(guest_home)
    with hosting.starts("host", "chuo-pai", "--lan", "--tls", "--port", "0", "--name", "Anna") as host:
        (*_, invitation) = lines_until(host, "Others join with")
        found = re.search(
            r"paizhuo join (\S+@\S+)#([0-9A-Z-]{19}) \(or see (https://\S+/j/[0-9A-Z]+#[0-9A-Z]{52})\)", invitation
        )
        assert found
        room, pin, page = found.groups()
        own = own_certificate(host_home / "state" / "paizhuo" / "tls" / "own.pem")
        assert page.endswith(f"#{own.fingerprint}")
        assert own.fingerprint.startswith(pin.replace("-", ""))

        wrong = visiting.plays("join", f"{room}#ABCD-EFGH-JKMN-PQRS", "--name", "Budi")
        assert wrong[:2] == (ExitCode.UNREACHABLE, [])
        assert "is another server than that of your invitation" in wrong[2]
        unknown = visiting.plays("join", f"wss://{room.partition('@')[2]}/ws", room.partition("@")[0], "--name", "Budi")
        assert unknown[:2] == (ExitCode.UNREACHABLE, [])
        assert "nobody whom this machine trusts" in unknown[2]

        code, transcript, notes = visiting.plays("join", f"{room}#{pin}".lower(), "--name", "Budi", typed="quit\n")
        assert (code, "paizhuo resume" in notes) == (ExitCode.OK, True), transcript
        (saved,) = guest_home.rglob("*.json")
        seat = json.loads(saved.read_text())
        assert seat["url"].endswith(f"#{own.fingerprint[:16]}")
        with visiting.starts("resume") as guest:
            lines_until(guest, "seat 2")
            assert host.stdin is not None
            host.stdin.write("fill\nstart\nauto on\n")
            host.stdin.flush()
            lines_until(guest, "The match begins.")
            guest.communicate("auto on\n")
            assert guest.returncode == ExitCode.OK
        assert host.wait() == ExitCode.OK
    assert fingerprint(der(own.file)) == own.fingerprint
