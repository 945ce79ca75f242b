"""Sentences quote what was typed, and tell others the way."""

from collections.abc import Callable

import pytest

from client_cli import words
from protocol.messages import RoomSummary
from tests.client_cli.tables import CODE


@pytest.mark.parametrize(
    "sentence",
    [
        words.nothing_to_choose,
        words.question_changed,
        lambda typed: words.not_offered(typed, 3),
        lambda typed: words.not_a_choice(typed, 3),
        lambda typed: words.several_actions(typed, ("a", "b")),
    ],
)
def test_a_long_line_is_quoted_only_in_part(sentence: Callable[[str], str]) -> None:
    assert f"'{'x' * 40}…'" in sentence("x" * 1_000_000)


def test_a_listed_room_shows_how_to_join_it() -> None:
    room = RoomSummary("K7QF2MXR", "chuo-pai", "Anna", 1, 3, "normal")
    assert words.room_summary(room, "ws://h:9000/ws") == (
        "K7QF-2MXR: Chuo Pai of Anna, 1 seat free, 3 deals, pace normal. Join: paizhuo join K7QF-2MXR@h:9000"
    )


@pytest.mark.parametrize(
    ("url", "way"),
    [
        ("ws://10.0.0.2:8470/ws", "join K7QF-2MXR@10.0.0.2 (or see http://10.0.0.2:8470/j/K7QF2MXR)"),
        ("wss://h.org/ws", "join K7QF-2MXR@h.org (or see https://h.org/j/K7QF2MXR)"),
        ("ws://h.org/ws", "join ws://h.org/ws K7QF-2MXR (or see http://h.org/j/K7QF2MXR)"),
    ],
)
def test_the_host_tells_others_the_way_as_short_as_it_leads_there(url: str, way: str) -> None:
    assert words.invitation(url, CODE).endswith(way)
