"""A real server is attacked while games are played on it: no player notices, and nothing of it is kept anywhere."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from protocol.codec import MSGPACK
from protocol.errors import ErrorCode
from protocol.messages import Refused
from server.gateway import http
from server.gateway.bucket import Bucket
from server.gateway.session import Session
from server.gateway.websocket import listen
from server.limits import Limits
from server.settings import ServerSettings
from tests.certificates import Authority
from tests.e2e.processes import serving
from tests.faults.fleet import EXEMPT
from tests.fuzz.assault import FRAMES_AT_ONCE, Plan, assault, faults_in
from tests.fuzz.behaviours import BEHAVIOURS, misbehave
from tests.fuzz.callers import Callers, Rooms, Told
from tests.fuzz.wire import Address, opened
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import FakeNode

FRAMES, CONNECTIONS, SEED = 40_000, 400, 1
TLS_CONNECTIONS = 60
FAST = ("--lobby-messages", "5000")
"""Attackers are in more of a hurry here than players are to be spared."""


@pytest.mark.slow(long=True)
async def test_whatever_is_sent_to_a_server_those_who_play_do_not_notice() -> None:
    found = await assault(Plan(FRAMES, CONNECTIONS, SEED, tables=4, flags=FAST))
    assert not found.wrong, f"see it again: python -m tests.fuzz --seed {SEED}\n" + "\n".join(found.wrong)
    done = found.report.done
    assert done["frames"] >= FRAMES
    assert done["misdeeds"] == CONNECTIONS
    assert set(BEHAVIOURS) <= {what.removeprefix("misdeed: ") for what in done}
    assert found.moves > 20
    refused = [what for what in done if what.startswith("refused: ")]
    assert len(refused) >= 20, "they come far, and are refused for reasons of every kind"


@pytest.mark.slow
async def test_tls_keeps_its_peace_whatever_is_done_beneath_it_or_within(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    files, store = authority.issues(), f"sqlite:{tmp_path / 'rooms.sqlite3'}"
    flags = ("--tls-cert", str(files.certificate), "--tls-key", str(files.key), "--log-level", "debug", *EXEMPT)
    with serving(store, tmp_path, *flags) as server:
        beneath = Address.of(server.url)
        within = beneath._replace(tls=authority.client())
        misdeeds = [misbehave(address, Random(n)) for n in range(TLS_CONNECTIONS) for address in (beneath, within)]
        told = await asyncio.gather(*misdeeds)
    assert not [wrong for wrong in told if wrong[1] is not None]
    assert not list(faults_in(server.log))
    assert server.process.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only there the machine has a second address of its own")
async def test_who_attacks_from_one_address_gets_no_further_than_its_limits() -> None:
    limits, told, calls = Limits(), Told(), 300
    async with listen(FakeNode(), MovedClock(), ServerSettings(store="sqlite:unused", port=0)) as port:
        attackers = Address("127.0.0.1", port, "127.0.0.2")
        callers = Callers(attackers, Rooms(("ABCD2345",)), "1", FRAMES_AT_ONCE, limited=True)
        for first in range(0, calls, 50):
            await asyncio.gather(*(callers.call(number, 1_000, told) for number in range(first, first + 50)))
        attacker, other = await opened(attackers, MSGPACK), await opened(Address("127.0.0.1", port), MSGPACK)
        other.close()
    assert attacker.status in (None, 429)
    assert told.wrong == []
    assert other.status == 101, "it has another address"
    done = told.done
    assert 0 < done["connections"] <= 10 * limits.address_connects
    assert done["turned away"] == calls - done["connections"]
    others = (what for what in done if what.startswith("refused: ") and what != RATE_LIMITED)
    answered = sum(done[what] for what in (*others, "answered: Done", "answered: Welcome"))
    assert 1_000 < answered <= 5 * limits.address_messages
    assert done[RATE_LIMITED] > 100


RATE_LIMITED = f"refused: {ErrorCode.RATE_LIMITED}"


# The attack itself must be able to fail: each of these breaks the server on purpose.


@asynccontextmanager
async def gateway() -> AsyncIterator[Address]:
    settings = ServerSettings(store="sqlite:unused", port=0, limits=Limits(exempt=("127.0.0.1",)))
    async with listen(FakeNode(), MovedClock(), settings) as port:
        yield Address("127.0.0.1", port)


async def called(connections: int = 20) -> list[str]:
    """What is found wrong with a gateway by some callers."""
    told = Told()
    async with gateway() as address:
        callers = Callers(address, Rooms(("ABCD2345",)), "1", FRAMES_AT_ONCE)
        for number in range(connections):
            await callers.call(number, 1_000, told)
    return told.wrong


async def behaved(name: str, times: int = 20) -> list[str]:
    """What is found wrong with a gateway by a behaviour."""
    async with gateway() as address:
        found = [await BEHAVIOURS[name](address, Random(number)) for number in range(times)]
    return [wrong for wrong in found if wrong is not None]


async def test_callers_find_nothing_wrong_with_a_gateway_that_is_right() -> None:
    assert await called() == []


async def test_a_frame_that_is_passed_over_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right, numbers = Session.receive, count()

    def receive(self: Session, frame: bytes | str, now_ms: int) -> Any:
        return None if next(numbers) % 50 == 49 else right(self, frame, now_ms)

    monkeypatch.setattr(Session, "receive", receive)
    monkeypatch.setattr("tests.fuzz.callers.ANSWER_S", 0.1)
    assert await called()


async def test_a_fault_in_reading_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.gateway.session.clean_text", lambda text: text / 1)
    assert any("fault of the server" in wrong for wrong in await called())


async def test_a_refusal_that_quotes_a_client_raw_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Session._answer

    def answer(self: Session, refusal: Any, n: int | None) -> Refused:
        return right(self, type(refusal)(refusal.code, f"{refusal.text} \x1b[2J"), n)

    monkeypatch.setattr(Session, "_answer", answer)
    assert any("was told" in wrong for wrong in await called())


async def test_a_server_that_lets_every_web_page_in_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "unwelcome", lambda *_: None)
    assert await behaved("foreign origin")


async def test_a_flood_that_is_never_ended_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bucket, "spend", lambda *_: 0)
    monkeypatch.setattr("server.gateway.websocket.AT_A_STRETCH", 10**9)
    monkeypatch.setattr("tests.fuzz.behaviours.ANSWER_S", 0.3)
    assert await behaved("message flood", 3)
