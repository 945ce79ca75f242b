"""Whoever goes is told once what goes with them."""

import pytest

from client_cli import words, words_link
from client_cli.frontend import ToConfirm
from client_cli.step import Step
from protocol.errors import ExitCode
from protocol.messages import (
    Leave,
)
from tests.client_cli.conversations import LEADING, sit_down
from tests.client_cli.tables import ANNA, BOT, FREE, TICKET, table, view


def test_quit_keeps_the_seat() -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed("quit") == Step(end=ExitCode.OK)
    assert conversation.session.ticket == TICKET


@pytest.mark.parametrize("again", ["leave", "yes", "Yes"])
def test_leave_is_asked_twice(again: str) -> None:
    conversation = sit_down(LEADING)
    assert conversation.typed("leave") == Step(lines=(words.confirm_leave(),))
    conversation.typed("hand")
    assert Leave(1) not in conversation.typed("yes").send
    assert conversation.typed("leave") == Step(lines=(words.confirm_leave(),))
    assert conversation.typed(again) == Step(send=(Leave(1),))


def test_a_host_with_guests_is_told_that_the_server_stops() -> None:
    conversation = sit_down(LEADING, hosting=True)
    assert conversation.typed("leave").lines == (words.confirm_leave(), words_link.server_stops(1))
    assert conversation.typed("quit") == Step(lines=(f"{words_link.server_stops(1)} {words.quit_again()}",))
    assert conversation.typed("quit") == Step(end=ExitCode.OK)
    alone = sit_down(table(view(seats=(ANNA, FREE, BOT))), hosting=True)
    assert alone.typed("quit") == Step(end=ExitCode.OK)


@pytest.mark.parametrize("first", ["quit", "leave", "quit it"])
@pytest.mark.parametrize("again", ["quit", "leave", "yes"])
def test_a_private_game_is_not_ended_by_one_word(first: str, again: str) -> None:
    conversation = sit_down(LEADING, private=True)
    assert conversation.typed(first) == Step(lines=("This game ends when you go. Type quit again to go.",))
    assert conversation.typed(again) == Step(end=ExitCode.OK)


def test_what_is_to_be_confirmed_is_marked_as_such() -> None:
    drawn = sit_down(LEADING, private=True, lingers=True)
    for step in (drawn.typed("quit"), drawn.interrupted(), sit_down(LEADING).typed("leave")):
        assert [type(line) for line in step.lines] == [ToConfirm]


@pytest.mark.parametrize("private", [True, False])
def test_quit_now_is_not_asked_twice(private: bool) -> None:
    assert sit_down(LEADING, private=private, hosting=not private).typed("quit now") == Step(end=ExitCode.OK)


def test_an_interrupt_ends_at_once_unless_guests_would_lose_their_server() -> None:
    assert sit_down(LEADING).interrupted() == Step(end=ExitCode.INTERRUPTED)
    assert sit_down(LEADING, private=True).interrupted() == Step(end=ExitCode.INTERRUPTED)
    drawn = sit_down(LEADING, private=True, lingers=True)
    assert drawn.interrupted() == Step(lines=(f"{words.game_ends()} {words.interrupt_again()}",))
    assert drawn.interrupted() == Step(end=ExitCode.INTERRUPTED)
    host = sit_down(LEADING, hosting=True)
    assert host.interrupted() == Step(lines=(f"{words_link.server_stops(1)} {words.interrupt_again()}",))
    host.typed("hand")
    assert host.interrupted() == Step(end=ExitCode.INTERRUPTED)
