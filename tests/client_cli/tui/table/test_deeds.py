"""What there is to do while the game asks nothing."""

from msgspec.structs import replace

from client_cli.tui.table.deeds import deeds
from client_cli.tui.table.sight import Sight
from protocol.view import SeatView
from tests.client_cli.tables import ANNA, BOT, BUDI, FREE, view
from tests.client_cli.tui.table.sights import chuo_pai, won


def lines(sight: Sight) -> list[str]:
    return [deed.line for deed in deeds(sight)]


def own(seat: SeatView) -> Sight:
    return Sight(view(seats=(seat, BUDI, BOT)), 0)


def test_a_host_fills_starts_and_sends_away() -> None:
    opened = Sight(view(phase="open", seats=(ANNA, BUDI, FREE)), 0)
    assert lines(opened) == ["start easy", "fill 3 easy", "", "remove 2"]
    assert [deed.line for deed in deeds(opened, "random")][:2] == ["start random", "fill 3 random"]
    assert lines(Sight(view(phase="open", seats=(ANNA, BUDI, BOT)), 0)) == ["start", "remove 2", "remove 3"]


def test_a_guest_waits() -> None:
    assert lines(Sight(view(phase="open", seats=(ANNA, BUDI, FREE)), 1)) == []


def test_whoever_sees_an_open_table_can_pass_the_invitation_on() -> None:
    for seat in (1, None):
        sight = Sight(view(phase="open", seats=(ANNA, BUDI, FREE), me=seat), seat)
        assert [deed.line for deed in deeds(sight, reached=True)] == ["invite", "qr"]


def test_after_a_deal_comes_the_next_one() -> None:
    assert lines(won()) == ["ready", "replay", "save"]
    assert lines(won(phase="over")) == ["quit", "replay", "save"]
    ready = won()
    seats = (replace(ready.view.seats[0], ready=True), *ready.view.seats[1:])
    assert lines(ready._replace(view=replace(ready.view, seats=seats))) == ["replay", "save"]


def test_a_seat_that_a_bot_plays_can_be_taken_back() -> None:
    assert lines(own(replace(ANNA, away=True))) == [""]
    assert lines(own(replace(ANNA, autopilot=True))) == ["auto off"]


def test_a_spectator_and_a_player_in_play_have_nothing_else_to_do() -> None:
    assert lines(chuo_pai(me=None)) == []
    assert lines(own(ANNA)) == []
