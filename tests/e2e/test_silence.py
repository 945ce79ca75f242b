"""See `tests/silence.py`: the same for a few deals, and that it would find what there is to find."""

import json
from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Refused
from tests.silence import Ear, cards_in, forms, look

TICKET = "ABCD2345.c2VjcmV0LW9mLXNlYXQtMA"


@pytest.mark.slow
async def test_the_operator_and_who_is_refused_are_told_no_card_and_no_ticket(tmp_path: Path) -> None:
    found = await look(tmp_path, 12)
    assert found.finds == ()
    assert found.lines > 12
    assert found.answers >= 4
    assert found.refusals == 12 * 6


@pytest.mark.parametrize("said", ["play 36+66+66", "hand: b10", '{"deck":["s1"]}', "'11'"])
def test_a_card_is_found_wherever_it_stands(said: str) -> None:
    assert cards_in({"message": ["so", said]})


@pytest.mark.parametrize("said", [11, "3.115", "c11", "r66", "s11", "1100 of 12345"])
def test_what_is_no_card_is_not(said: object) -> None:
    assert not cards_in(said)


def line(message: str) -> str:
    return json.dumps({"time": "2026-11-30T11:11:11.111+00:00", "message": message})


@pytest.mark.parametrize("leak", ["seat 1 holds 36", *forms(TICKET)])
def test_every_way_out_is_looked_at(leak: str) -> None:
    in_the_log, in_an_answer, in_a_label, in_a_refusal = ears = [Ear() for _ in range(4)]
    for ear in ears:
        ear.tickets.append(TICKET)
    in_an_answer.answers.append(("/version", leak))
    labelled = leak.replace("\\", "\\\\")
    in_a_label.answers.append(("/metrics", f'# TYPE paizhuo_rooms gauge\npaizhuo_rooms{{code="{labelled}"}} 1.0\n'))
    in_a_refusal.refusals.append(Refused(ErrorCode.INTERNAL, leak))
    assert not list(in_the_log.finds([line("nothing")]))
    assert list(in_the_log.finds([line(leak)]))
    assert list(in_an_answer.finds([]))
    assert list(in_a_label.finds([]))
    assert list(in_a_refusal.finds([]))
