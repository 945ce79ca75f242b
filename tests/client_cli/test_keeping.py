"""Deals of the room that are over: which there are, and one of them replayed."""

import pytest
from msgspec.structs import replace

from client_cli.plain import Conversation
from client_cli.records import Fetched
from client_cli.step import Step
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import DealRecord, Export, Refused
from protocol.view import Fairness, Happening, Result, Round
from tests.client_cli.conversations import look_on, sit_down
from tests.client_cli.tables import table, view

WON = Result((3, 1, 2), (0,))
HINT = "Type replay and the number of a deal to see it with all hands."


@pytest.fixture
def second() -> Conversation:
    """In the second deal of three, having seen the end of the first."""
    conversation = sit_down(table(view(deals=3)))
    ended = Happening("deal_over", value=1, scores=(3, 1, 2))
    conversation.received(table(view(phase="between", deals=3, result=WON), ended))
    conversation.received(table(view(deal=2, deals=3)))
    return conversation


def test_the_newest_deal_that_is_over_is_replayed(second: Conversation) -> None:
    assert second.typed("replay") == Step(send=(Export(1),))
    assert second.received(DealRecord(1, "{}")) == Step(records=(Fetched("{}", None),))


def test_a_deal_is_replayed_by_its_number(second: Conversation) -> None:
    assert second.typed("replay 1").send == (Export(1),)
    assert second.typed("replay 2") == Step(lines=("Deal 2 will be shown when it is over.",))
    assert second.received(table(view(phase="between", deal=2, deals=3, result=WON))).send == (Export(2),)


@pytest.mark.parametrize("number", ["0", "3", "x", "-1", "9" * 30])
def test_a_deal_that_has_not_begun_is_none(second: Conversation, number: str) -> None:
    assert second.typed(f"replay {number}").lines == ("Type it as: replay DEAL, where DEAL is a number from 1 to 2",)


def test_the_first_deal_is_replayed_when_it_is_over() -> None:
    assert sit_down(table(view())).typed("replay").lines == ("Deal 1 will be shown when it is over.",)


def test_before_the_first_deal_there_is_none() -> None:
    lobby = sit_down(table(view(phase="open")))
    assert lobby.typed("replay").lines == ("No deal has begun yet.",)
    assert lobby.typed("last deals").lines == ("No deal of this room is over yet.",)


def test_the_deals_are_listed_with_their_points(second: Conversation) -> None:
    assert second.typed("last deals").lines == ("Deal 1: 3 for you, 1 for Budi, 2 for Bot 3.", HINT)


def test_of_deals_before_their_time_only_the_number_is_known() -> None:
    watcher = look_on(table(view(me=None, phase="between", deal=2, deals=3, result=WON)))
    assert watcher.typed("last deals").lines == ("Deal 1.", "Deal 2.", HINT)
    assert watcher.typed("replay").send == (Export(2),)


def test_the_last_deal_is_shown_before_the_sitting_ends() -> None:
    conversation = sit_down(table(view()))
    conversation.typed("replay")
    step = conversation.received(table(view(phase="over", result=WON)))
    assert (step.send, step.end) == ((Export(1),), None)
    assert conversation.received(DealRecord(1, "{}")) == Step(end=ExitCode.OK, records=(Fetched("{}", None),))


def test_a_record_that_does_not_prove_what_was_shown_is_saved_and_called_so() -> None:
    shown = Fairness((Round(1, 1, "0a" * 32),))
    conversation = sit_down(table(replace(view(deals=3, phase="open"), fair=shown)))
    conversation.received(table(view(phase="between", deals=3, result=WON)))
    conversation.typed("save deal.jsonl")
    said = (
        "!!! DEAL 1: THE SAVED PROOF IS NOT WHAT THIS PROGRAM WAS SHOWN !!! "
        "It is saved as the server has sent it now. Do not trust this server."
    )
    assert conversation.received(DealRecord(1, "{}")) == Step(lines=(said,), records=(Fetched("{}", "deal.jsonl"),))
    conversation.typed("replay")
    assert conversation.received(DealRecord(1, "{}")) == Step(records=(Fetched("{}", None),))


def test_a_refusal_is_told(second: Conversation) -> None:
    second.typed("replay")
    assert second.received(Refused(ErrorCode.ROOM_NEWER, "Not here.")).lines == ("Not here.",)
    assert second.received(DealRecord(1, "{}")) == Step()


def test_a_connection_that_is_lost_before_the_last_replay_ends_in_order() -> None:
    conversation = sit_down(table(view()))
    conversation.typed("replay")
    conversation.received(table(view(phase="over", result=WON)))
    step = conversation.opened()
    assert step.lines == ("The deal cannot be replayed: the connection to the server is lost.",)
    assert step.end == ExitCode.OK
