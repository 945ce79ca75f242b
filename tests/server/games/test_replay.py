"""A replay shows every card of a recorded deal, and ends where the record says."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.record import BadRecord, Record, Step
from protocol.view import TableView
from server.games.record import outcome, read
from server.games.registry import game_named
from server.games.replay import Acted, Header, ReplayStep, replayed

Replays = Sequence[tuple[Record, Header, Sequence[ReplayStep]]]

GOLDEN = Path(__file__).parents[2] / "golden"
RECORDS = [read(line) for file in sorted(GOLDEN.glob("*.jsonl")) for line in file.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def replays() -> Replays:
    return [(record, *replayed(record)) for record in RECORDS]


@pytest.fixture
def record() -> Record:
    return next(record for record in RECORDS if record.game == "chuo-pai")


def hand(view: TableView, seat: int) -> Counter[str]:
    assert view.deal is not None
    (zone,) = (zone for zone in view.deal.zones if (zone.name, zone.seat) == ("hand", seat))
    cards = Counter(card for group in zone.groups for card in group.cards)
    assert cards.total() == zone.count
    return cards


def test_every_golden_record_is_replayed_to_its_result(replays: Replays) -> None:
    for record, header, steps in replays:
        assert outcome(header.result) == record.result
        assert steps[-1].view.result == header.result
        assert [step.view.result for step in steps[:-1]] == [None] * (header.steps - 1)
        assert steps[0].happened[0].kind == "deal_started"
        assert steps[-1].happened[-1].kind == "deal_over"
        assert [step.action for step in steps if step.action] == [Acted(it.seat, it.action) for it in record.steps]


def test_the_hands_that_are_dealt_are_shown_whole(replays: Replays) -> None:
    for record, _, (dealt, *_) in replays:
        view = dealt.view
        assert view.deal is not None
        laid = Counter(
            card
            for zone in view.deal.zones
            for group in zone.groups
            if group.kind in ("bonus", "ti")
            for card in group.cards
        )
        held = sum((hand(view, seat) for seat in range(3)), Counter())
        stock = next((zone.count for zone in view.deal.zones if zone.name == "stock"), 0)
        assert held + laid == Counter(record.deck[: len(record.deck) - stock])


def test_each_hand_loses_just_what_its_seat_plays(record: Record) -> None:
    _, steps = replayed(record)
    for before, step in pairwise(steps):
        for seat in range(3):
            lost = hand(before.view, seat) - hand(step.view, seat)
            played = step.action is not None and step.action.seat == seat and step.action.action != "pass"
            assert lost == (Counter(step.happened[0].cards) if played else Counter())


def test_a_public_card_is_shown_before_and_after_the_answers_to_it(replays: Replays) -> None:
    for steps in (steps for record, _, steps in replays if record.game == "paohuzi"):
        for step in steps:
            if step.action is not None and not step.action.action.startswith("discard") and not step.happened:
                zones = step.view.deal.zones if step.view.deal else ()
                assert [zone.count for zone in zones if zone.name == "public"] == [1]


def test_what_only_a_seat_may_know_is_shown_for_all_three() -> None:
    record = next(record for record in RECORDS if record.game == "paohuzi")
    for step in replayed(record)[1]:
        assert step.view.deal is not None
        assert [fact.seat for fact in step.view.deal.facts if fact.label == "own_huxi"] == [0, 1, 2]
        assert len(set(step.view.deal.facts)) == len(step.view.deal.facts)


def test_the_settings_are_all_house_rules_with_their_defaults(record: Record) -> None:
    header, steps = replayed(record, deal=2, deals=7)
    assert header.options == steps[-1].view.room.options == game_named(record.game).options(record.options)
    assert (header.deal, header.deals) == (2, 7)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["Anna", "张三", "Bot 3"], ("Anna", "张三", "Bot 3")),
        (["x" * 64, "", ""], ("x" * 64, "", "")),
        (["x" * 65, "", ""], ("", "", "")),
        (["Anna", "Budi"], ("", "", "")),
        (["Anna", "Budi", 3], ("", "", "")),
        ("abc", ("", "", "")),
        (None, ("", "", "")),
    ],
)
def test_names_are_taken_from_the_record_where_they_are_names(
    record: Record, names: Any, shown: tuple[str, ...]
) -> None:
    header, steps = replayed(replace(record, extra={"names": names}))
    assert header.names == shown
    assert tuple(seat.name for seat in steps[0].view.seats) == shown


@pytest.mark.parametrize(
    ("extra", "shown"),
    [
        ({"deal": 2, "deals": 3}, (2, 3)),
        ({}, (4, 5)),
        ({"deal": 2}, (4, 5)),
        ({"deal": 3, "deals": 2}, (4, 5)),
        ({"deal": "2", "deals": 3}, (4, 5)),
        ({"deal": True, "deals": 3}, (4, 5)),
    ],
)
def test_a_deal_has_the_place_of_its_match_or_else_of_its_file(
    record: Record, extra: dict[str, Any], shown: tuple[int, int]
) -> None:
    header, steps = replayed(replace(record, extra=extra), deal=4, deals=5)
    room = steps[0].view.room
    assert (room.deal, room.deals) == shown
    assert steps[0].happened[0].value == steps[-1].happened[-1].value == shown[0]
    assert (header.deal, header.deals) == (4, 5)


def test_a_record_that_departs_from_the_rules_is_refused(record: Record) -> None:
    spoiled = replace(record, steps=(*record.steps[:3], Step(seat=0, action="dance")))
    with pytest.raises(BadRecord, match=r"step 4, seat 0: 'dance' is illegal"):
        replayed(spoiled)


def test_a_record_that_ends_too_early_is_refused(record: Record) -> None:
    with pytest.raises(BadRecord, match="the deal does not"):
        replayed(replace(record, steps=record.steps[:-1]))


def test_a_wrong_result_is_refused(record: Record) -> None:
    fields = json.loads((GOLDEN / "paohuzi.jsonl").read_bytes().splitlines()[0])
    fields["result"]["huxi"] += 1
    with pytest.raises(BadRecord, match="result: huxi"):
        replayed(read(json.dumps(fields)))
