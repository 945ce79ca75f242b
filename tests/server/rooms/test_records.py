from collections.abc import Iterator
from random import Random

import pytest

from protocol.messages import Leave, Ready, Remove, Start
from protocol.record import write
from server.games.base import SEATS
from server.games.record import discrepancies, outcome, read
from server.games.registry import GAMES
from server.rooms.events import Acted, Commit, decode_commit
from server.rooms.records import finished_deal
from server.rooms.state import asked, window
from tests.server.rooms.driven import DrivenRoom, three_players


def commits(room: DrivenRoom) -> Iterator[Commit]:
    return map(decode_commit, room.log)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_every_finished_deal_of_a_match_is_a_record_that_verifies(game: str, seed: int) -> None:
    room, rng, results = three_players(game, deals=3), Random(seed), []
    while room.play_out(rng).state.phase == "between":
        results.append(room.state.result)
        for seat in SEATS:
            room.ask(seat, Ready)
        room.deal(first=rng.choice(SEATS))
    results.append(room.state.result)
    for number, result in enumerate(results, 1):
        record = finished_deal(commits(room), number)
        assert record is not None
        assert result is not None
        assert record.result == outcome(result)
        assert list(discrepancies(read(write(record)))) == []
    acted = [event.action for commit in commits(room) for event in commit.events if isinstance(event, Acted)]
    records = [record for number in (1, 2, 3) if (record := finished_deal(commits(room), number))]
    assert [step.action for record in records for step in record.steps] == acted
    assert finished_deal(commits(room), 4) is None


def test_house_rules_are_part_of_the_record() -> None:
    options = {"dealer_opening_win": True, "chi_passed_reveal": True}
    room = three_players("paohuzi", options=options).play_out(Random(2))
    record = finished_deal(commits(room), 1)
    assert record is not None
    assert record.options == options
    assert list(discrepancies(record)) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_has_no_record_before_everybody_sees_its_end(game: str) -> None:
    room, rng, certain = three_players(game), Random(4), False
    assert finished_deal(map(decode_commit, room.log[:-1]), 1) is None
    while room.state.phase == "playing":
        assert finished_deal(commits(room), 1) is None
        certain = window(room.state) and not asked(room.state)
        room.step(rng)
    assert finished_deal(commits(room), 1) is not None
    assert certain == (game == "paohuzi"), "its end was settled before it showed"


def test_a_lobby_has_no_records() -> None:
    assert finished_deal(commits(DrivenRoom().open().sit("Bea")), 1) is None


def test_a_record_names_who_began_the_deal() -> None:
    room = DrivenRoom().open(deals=2).sit("Bea", "Cem")
    room.ask(0, Remove, seat=1)
    room.sit("Dan").ask(0, Start)
    room.deal().play_out(Random(3))
    room.ask(2, Leave)  # a bot takes over for the second deal
    record = finished_deal(commits(room), 1)
    assert record is not None
    assert record.extra == {"names": ["Ann", "Dan", "Cem"], "deal": 1, "deals": 2}
    assert read(write(record)) == record
