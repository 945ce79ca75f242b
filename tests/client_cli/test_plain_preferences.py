"""A conversation keeps to what the person prefers."""

import pytest

from client_cli import words
from client_cli.settings import Settings
from client_cli.speaker import Speaker
from client_cli.words_remaining import remaining_lines
from protocol.messages import Act, AutoPass, Done, Fill, Start
from tests.client_cli.conversations import LEADING, sit_down
from tests.client_cli.paohuzi_tables import CLAIMS, REVEALED, paohuzi
from tests.client_cli.tables import ANNA, BUDI, FREE, table, view

CONFIRM = Settings(confirm=True)


@pytest.mark.parametrize("second", ["yes", "66", "play 66", "1"])
def test_a_play_is_made_when_it_has_been_confirmed(second: str) -> None:
    conversation = sit_down(LEADING, settings=CONFIRM)
    first = conversation.typed("66")
    assert first.send == ()
    assert first.lines == (words.confirm_action("play 66"),)
    (act,) = conversation.typed(second).send
    assert isinstance(act, Act)
    assert act.action == "play 66"


def test_another_play_has_to_be_confirmed_anew() -> None:
    conversation = sit_down(LEADING, settings=CONFIRM)
    conversation.typed("66")
    assert conversation.typed("66+66").lines == (words.confirm_action("play 66+66"),)
    assert conversation.typed("hand").send == ()
    assert not any(isinstance(each, Act) for each in conversation.typed("yes").send), "something else came between"


def test_where_the_table_is_drawn_or_nothing_is_to_be_confirmed_a_play_is_made_at_once() -> None:
    for conversation in (sit_down(LEADING), sit_down(LEADING, settings=CONFIRM, lingers=True)):
        assert [type(message) for message in conversation.typed("66").send] == [Act]


def test_unseen_cards_are_said_before_each_question_once() -> None:
    conversation = sit_down(settings=Settings(remaining=True))
    said = conversation.received(LEADING).lines
    expected = tuple(remaining_lines(Speaker(LEADING.view, 0)))
    place = said.index(expected[0])
    assert said[place : place + len(expected)] == expected
    assert expected[0] not in conversation.received(LEADING).lines
    assert expected[0] not in sit_down().received(LEADING).lines


def test_the_server_is_asked_once_to_pass_where_there_are_claims() -> None:
    claims = table(paohuzi(CLAIMS, REVEALED))
    conversation = sit_down(settings=Settings(auto_pass=True))
    assert conversation.received(claims).send == (AutoPass(1, on=True),)
    told = conversation.received(Done(1))
    assert told.send == ()
    assert any("peng" in line for line in told.lines), "the question is asked, if it still stands"
    assert conversation.received(claims).send == ()
    assert sit_down(settings=Settings(auto_pass=True)).received(LEADING).send == (), "a game without claims"
    assert sit_down().received(claims).send == ()


def test_bots_that_are_put_on_seats_are_of_the_preferred_level_unless_another_is_named() -> None:
    opened = table(view(phase="open", seats=(ANNA, BUDI, FREE)))
    conversation = sit_down(opened, settings=Settings(bots="hard"))
    assert conversation.typed("fill").send == (Fill(1, "hard"),)
    assert conversation.received(Done(1)).send == ()
    assert conversation.typed("fill 3").send == (Fill(2, "hard", 2),)
    assert conversation.received(Done(2)).send == ()
    assert conversation.typed("fill 3 random").send == (Fill(3, "random", 2),)
    assert conversation.received(Done(3)).send == ()
    assert conversation.typed("start").send == (Start(4),), "who wants no bots gets none"
