"""Plain HTTP, without a socket."""

import asyncio

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorCode
from server.gateway.http import READY_MS, Readiness, page, path_of, unwelcome
from server.node.port import Refusal
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import FakeNode


@pytest.mark.parametrize("code", ["", "-", "%1b%5b2J", "../ws", "a" * 17, "ＡＢＣ", "<script>", "A/B"])
def test_an_invitation_to_what_can_be_no_room_code_is_not_found(code: str) -> None:
    answer = page(f"/j/{code}", "cards.example")
    assert answer.status == 404
    assert not code or code not in answer.text


@pytest.mark.parametrize("code", ["ABCD2345", "abcd2345", "ABCD-2345"])
def test_a_code_may_be_written_in_any_case_and_in_two_halves(code: str) -> None:
    answer = page(f"/j/{code}", "cards.example")
    assert answer.status == 200
    assert "paizhuo join ABCD2345@cards.example" in answer.text


@pytest.mark.parametrize("host", ["cards.example", "cards.example:8470", "127.0.0.1:1", "[::1]:8470"])
def test_an_invitation_says_how_to_join_and_where(host: str) -> None:
    assert f"paizhuo join ABCD2345@{host}\n" in page("/j/abcd2345", host).text


@pytest.mark.parametrize("host", ["", "evil host; rm -rf", "\x1b[2J", "a" * 300, "user@host", "host:1:2"])
def test_an_invitation_never_repeats_a_host_that_is_none(host: str) -> None:
    assert "paizhuo join ABCD2345@HOST:PORT\n" in (page("/j/ABCD2345", host)).text


@pytest.mark.parametrize(
    ("target", "path"), [("/ws?a=b", "/ws"), ("/ws", "/ws"), ("//[", ""), ("http://x/healthz", "/healthz")]
)
def test_a_target_has_a_path_or_none(target: str, path: str) -> None:
    assert path_of(target) == path


def test_what_a_client_offered_is_repeated_cleaned_and_cut() -> None:
    refusal = unwelcome([], ["\x1b[2Jpaizhuo.v9", "x" * 5000], frozenset())
    assert refusal is not None
    assert "[2Jpaizhuo.v9" in refusal.text
    assert refusal.text.rstrip("\n").isprintable()
    assert len(refusal.text) < 500


@pytest.mark.parametrize("offered", [[JSON], [MSGPACK], ["paizhuo.v9.json", JSON]])
def test_one_common_version_is_enough(offered: list[str]) -> None:
    assert unwelcome([], offered, frozenset()) is None


def test_of_two_origins_both_must_be_allowed() -> None:
    refusal = unwelcome(["https://a.example", "https://b.example"], [JSON], frozenset(["https://a.example"]))
    assert refusal is not None
    assert refusal.status == 403


async def test_however_many_ask_whether_it_is_ready_it_is_looked_at_once_in_a_while() -> None:
    node, clock = FakeNode(), MovedClock()
    readiness = Readiness(node, clock)
    found = await asyncio.gather(*(readiness.page() for _ in range(500)))
    assert {answer.text for answer in found} == {"ready\n"}
    assert node.checks == 1
    node.unready = Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.")
    await clock.move(READY_MS - 1)
    assert (await readiness.page()).status == 200
    await clock.move(1)
    assert (await readiness.page()).status == 503
    node.unready = None
    await clock.move(READY_MS)
    assert (await readiness.page()).status == 200
    assert node.checks == 3


async def test_who_goes_away_while_it_is_looked_at_takes_the_answer_from_nobody() -> None:
    node = FakeNode()
    readiness = Readiness(node, MovedClock())
    gone, waits = asyncio.create_task(readiness.page()), asyncio.create_task(readiness.page())
    await asyncio.sleep(0)
    gone.cancel()
    assert (await waits).status == 200
