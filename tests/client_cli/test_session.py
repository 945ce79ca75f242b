"""The session keeps its place, its numbers and its one command in flight, whatever happens to the connection."""

import pytest

from client_cli.session import Busy, Session
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    Create,
    Done,
    Hello,
    Join,
    Leave,
    Notice,
    Ready,
    Refused,
    Seated,
    Unseated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import Prompt
from tests.client_cli.tables import CODE, TICKET, leading, table, view

WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))


def seated(session: Session, n: int = 0) -> Session:
    session.opened()
    session.received(WELCOME)
    session.received(Seated(CODE, 0, TICKET))
    session.received(table(view(prompt=leading(), n=n)))
    return session


@pytest.mark.parametrize("entry", [Create("chuo-pai", fill="easy"), Join(CODE), Watch(CODE)])
def test_it_says_hello_and_asks_for_its_place_once_it_is_welcome(entry: Create | Join | Watch) -> None:
    session = Session("Anna", entry)
    assert session.opened() == [Hello("Anna")]
    assert session.received(WELCOME) == [entry]


def test_it_goes_by_the_name_that_the_server_made_of_its_own() -> None:
    session = Session("An\u200bna", Join(CODE))
    session.received(WELCOME)
    assert session.name == "Anna"


def test_a_place_that_was_asked_for_in_vain_is_asked_for_again_as_before() -> None:
    entry = Create("chuo-pai", secret="mcbb3dqJw0SGZ7yY2rTnLg")
    session = Session("Anna", entry)
    for _ in range(2):
        assert session.opened() == [Hello("Anna")]
        assert session.received(WELCOME) == [entry]


def test_a_lost_connection_is_taken_up_with_the_ticket_alone() -> None:
    session = seated(Session("Anna", Join(CODE)))
    assert session.opened() == [Hello("Anna", TICKET)]
    assert session.received(WELCOME) == []
    assert session.received(Seated(CODE, 0, TICKET)) == []


def test_a_spectator_asks_to_watch_again_after_a_lost_connection() -> None:
    session = Session("Anna", Watch(CODE))
    session.opened()
    session.received(WELCOME)
    session.received(Watching(CODE))
    assert session.opened() == [Hello("Anna")]
    assert session.received(WELCOME) == [Watch(CODE)]
    assert session.own is None


def test_a_resuming_session_asks_for_nothing_but_its_seat() -> None:
    session = Session.resuming("Anna", CODE, 0, TICKET)
    assert session.opened() == [Hello("Anna", TICKET)]
    assert session.received(WELCOME) == []


def test_numbers_go_on_from_the_view_after_coming_back() -> None:
    session = seated(Session.resuming("Anna", CODE, 0, TICKET), n=7)
    assert session.next_n == 8


def test_only_one_command_is_in_flight() -> None:
    session = seated(Session("Anna", Join(CODE)))
    assert session.issue(Act(session.next_n, 1, "play 66")) == [Act(1, 1, "play 66")]
    with pytest.raises(Busy):
        session.issue(Ready(session.next_n))
    session.received(Done(1))
    assert session.issue(Ready(session.next_n)) == [Ready(2)]


def test_an_unanswered_command_is_sent_again_with_its_number_after_a_lost_connection() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Act(1, 1, "play 66"))
    assert session.opened() == [Hello("Anna", TICKET)]
    session.received(WELCOME)
    assert session.received(Seated(CODE, 0, TICKET)) == [Act(1, 1, "play 66")]


def test_an_answered_command_is_not_sent_again() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Act(1, 1, "play 66"))
    session.received(Done(1))
    session.opened()
    assert session.received(Seated(CODE, 0, TICKET)) == []


def test_a_question_is_closed_as_soon_as_its_answer_is_saved() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Act(1, 1, "play 66"))
    session.received(Done(1))
    assert session.prompt is None
    session.received(table(view(prompt=leading(2), n=1)))
    assert session.prompt == leading(2)


def test_the_answer_to_another_number_leaves_the_command_in_flight() -> None:
    session = seated(Session("Anna", Join(CODE)), n=4)
    session.issue(Ready(5))
    session.received(Done(4))
    session.received(Refused(ErrorCode.NOT_ASKED, "no", n=3))
    assert session.in_flight == Ready(5)


def test_a_refused_command_has_not_used_its_number() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Act(1, 1, "play 11"))
    session.received(Refused(ErrorCode.ILLEGAL_ACTION, "no", n=1))
    assert session.in_flight is None
    assert session.next_n == 1
    assert session.prompt == leading()


def test_a_number_that_was_used_is_passed_over() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Ready(1))
    session.received(Refused(ErrorCode.NUMBER_USED, "used", n=1))
    assert session.next_n == 2


@pytest.mark.parametrize("code", [ErrorCode.STORE_UNAVAILABLE, ErrorCode.RATE_LIMITED, ErrorCode.ROOM_NEWER])
def test_what_is_refused_only_for_now_stays_in_flight(code: ErrorCode) -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Ready(1))
    session.received(Refused(code, "later", n=1, retry_ms=10))
    assert session.again() == [Ready(1)]


def test_a_hello_that_was_refused_only_for_now_is_said_again() -> None:
    session = Session.resuming("Anna", CODE, 0, TICKET)
    session.opened()
    session.received(WELCOME)
    session.received(Refused(ErrorCode.STORE_UNAVAILABLE, "later"))
    assert session.again() == [Hello("Anna", TICKET)]


def test_a_spectator_that_was_refused_only_for_now_asks_to_watch_again() -> None:
    session = Session("Anna", Watch(CODE))
    session.opened()
    session.received(WELCOME)
    assert session.again() == [Watch(CODE)]


def test_a_question_that_the_store_has_lost_the_answer_to_is_open_again() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Act(1, 1, "play 66"))
    session.received(Done(1))
    session.received(Notice("reset"))
    session.received(table(view(prompt=leading(), n=0)))
    assert session.prompt == leading()
    assert session.next_n == 1


@pytest.mark.parametrize(
    "message", [Unseated("left"), Unseated("closed"), Refused(ErrorCode.BAD_TICKET, "no"), table(view(phase="over"))]
)
def test_the_ticket_is_forgotten_when_the_seat_is_gone_or_the_match_over(message: Unseated | Refused) -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.received(message)
    assert session.ticket is None


def test_the_ticket_of_a_room_that_cannot_be_read_is_kept() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.received(Unseated("damaged"))
    assert session.ticket == TICKET


def test_leaving_takes_effect_when_the_server_says_so() -> None:
    session = seated(Session("Anna", Join(CODE)))
    session.issue(Leave(1))
    before = session.ticket
    session.received(Unseated("left"))
    assert (before, session.ticket, session.in_flight) == (TICKET, None, None)


def test_the_time_that_a_question_leaves_is_counted_down_whatever_the_wall_clock_does() -> None:
    now_s = [50.0]
    session = Session("Anna", Join(CODE), clock_s=lambda: now_s[0])
    session.received(table(view(prompt=Prompt(1, ("pass",), 20_000))))
    for now_s[0], left_ms in ((50.0, 20_000), (57.5, 12_500), (71.0, 0)):
        assert session.prompt == Prompt(1, ("pass",), left_ms)


def test_who_sat_down_with_a_secret_asks_as_at_first_when_the_ticket_opens_nothing() -> None:
    secret = "mcbb3dqJw0SGZ7yY2rTnLg"
    session = Session("Anna", Join(CODE, secret))
    session.received(Seated(CODE, 0, f"{CODE}.{secret}"))
    session.issue(Ready(1))
    assert session.received(Refused(ErrorCode.BAD_TICKET, "no")) == []
    assert session.entering_anew
    assert session.opened() == [Hello("Anna")]
    assert session.received(WELCOME) == [Join(CODE, secret)]


@pytest.mark.parametrize(
    "entry", [Join(CODE), Join(CODE, "another secret, and long"), Create("chuo-pai", secret="x" * 22), None]
)
def test_nobody_else_asks_for_a_seat_again(entry: Create | Join | None) -> None:
    session = seated(Session("Anna", entry)) if entry else Session.resuming("Anna", CODE, 0, TICKET)
    session.received(Refused(ErrorCode.BAD_TICKET, "no"))
    assert session.ticket is None
    assert not session.entering_anew


def test_trouble_lasts_until_the_server_or_a_new_connection_ends_it() -> None:
    session = Session("Anna", Join(CODE))
    seen: list[str | None] = []
    for kind in ("stale", "newer", "draining", "live"):
        session.received(Notice(kind))
        seen.append(session.trouble)
    session.lost()
    seen.append(session.trouble)
    session.opened()
    seen.append(session.trouble)
    assert seen == ["stale", "newer", "draining", None, "lost", None]
