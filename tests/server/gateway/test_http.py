"""Plain HTTP, without a socket."""

import pytest

from protocol.codec import JSON, MSGPACK
from server.gateway.http import page, path_of, unwelcome
from tests.server.gateway.fakes import FakeNode


@pytest.mark.parametrize("code", ["", "ABCD-2345", "%1b%5b2J", "../ws", "a" * 17, "ＡＢＣ", "<script>", "A/B"])
async def test_an_invitation_to_what_can_be_no_room_code_is_not_found(code: str) -> None:
    answer = await page(FakeNode(), f"/j/{code}", "cards.example")
    assert answer.status == 404
    assert not code or code not in answer.text


@pytest.mark.parametrize("host", ["cards.example", "cards.example:8470", "127.0.0.1:1", "[::1]:8470"])
async def test_an_invitation_says_how_to_join_and_where(host: str) -> None:
    assert f"paizhuo join ABCD2345@{host}\n" in (await page(FakeNode(), "/j/abcd2345", host)).text


@pytest.mark.parametrize("host", ["", "evil host; rm -rf", "\x1b[2J", "a" * 300, "user@host", "host:1:2"])
async def test_an_invitation_never_repeats_a_host_that_is_none(host: str) -> None:
    assert "paizhuo join ABCD2345@HOST:PORT\n" in (await page(FakeNode(), "/j/ABCD2345", host)).text


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
