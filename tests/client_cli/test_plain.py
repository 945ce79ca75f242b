"""Line mode: every happening and every question is one line, in order, and what is typed has its effect."""

import re
import unicodedata

import pytest

from client_cli import words, words_link
from client_cli.failure import CommandFailed
from client_cli.plain import ENTRY_TRIES, LONGEST_RETRY_MS, Conversation
from client_cli.session import Session
from client_cli.step import Step
from protocol.errors import ErrorCode, ExitCode
from protocol.messages import (
    Act,
    Autopilot,
    Create,
    Done,
    Hello,
    Join,
    Notice,
    Refused,
    Said,
    Say,
    Seated,
    ServerMessage,
    Table,
    Unseated,
)
from protocol.view import Fact, Group, Happening, Prompt, Result, SeatView, TableView, Zone
from tests.client_cli.conversations import BETWEEN, LEADING, WELCOME, autopilot, look_on, sit_down
from tests.client_cli.tables import ANNA, BOT, BUDI, CODE, FREE, TICKET, hand, leading, table, view

# Coming in


def test_it_greets_and_asks_for_its_place() -> None:
    conversation = Conversation(Session("Anna", Create("chuo-pai")))
    assert conversation.opened() == Step(send=(Hello("Anna"),))
    assert conversation.received(WELCOME) == Step(send=(Create("chuo-pai"),))


def test_the_first_view_is_told_in_full_and_ends_with_the_question() -> None:
    step = sit_down().received(LEADING)
    assert step.lines == (
        "Room K7QF-2MXR, seat 1: Chuo Pai, 1 deal, no clock. Type help for help.",
        "Room K7QF-2MXR: Chuo Pai, deal 1 of 1, round 3, Largest combination: 12.",
        "Seat 1: You, host, 4 cards, 2 points.",
        "Seat 2: Budi, 27 cards, 0 points.",
        "Seat 3: Bot 3, a bot (easy), 28 cards, 1 point.",
        "Your hand (4): Long 66 66 13; Black 36",
        "Round 3, you lead. Choose: 1) 66, 2) 66+66, 3) 36+66, 4) 13",
    )
    assert step.send == ()


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        (ErrorCode.NO_SUCH_ROOM, ExitCode.NO_SUCH_ROOM),
        (ErrorCode.ROOM_FULL, ExitCode.REFUSED),
        (ErrorCode.ALREADY_STARTED, ExitCode.REFUSED),
        (ErrorCode.BAD_NAME, ExitCode.REFUSED),
        (ErrorCode.BAD_OPTION, ExitCode.REFUSED),
        (ErrorCode.RATE_LIMITED, ExitCode.REFUSED),
        (ErrorCode.STORE_UNAVAILABLE, ExitCode.STORE_UNAVAILABLE),
        (ErrorCode.INTERNAL, ExitCode.FAILURE),
        (ErrorCode.ROOM_DAMAGED, ExitCode.FAILURE),
        (ErrorCode.UNKNOWN_GAME, ExitCode.USAGE),
    ],
)
def test_a_seat_that_is_refused_ends_with_the_servers_words(code: ErrorCode, exit_code: ExitCode) -> None:
    conversation = Conversation(Session("Anna", Join(CODE)))
    conversation.opened()
    conversation.received(WELCOME)
    with pytest.raises(CommandFailed, match="the server's words") as failed:
        conversation.received(Refused(code, "the server's words"))
    assert failed.value.exit_code == exit_code


def test_a_ticket_that_opens_nothing_ends_even_a_game() -> None:
    conversation = sit_down(LEADING)
    conversation.opened()
    with pytest.raises(CommandFailed) as failed:
        conversation.received(Refused(ErrorCode.BAD_TICKET, "no such seat"))
    assert failed.value.exit_code == ExitCode.REFUSED
    assert conversation.session.ticket is None


def test_coming_back_shows_the_table_and_the_open_question_again() -> None:
    conversation = sit_down(LEADING)
    assert conversation.opened().send == (Hello("Anna", TICKET),)
    conversation.received(WELCOME)
    conversation.received(Seated(CODE, 0, TICKET))
    lines = conversation.received(LEADING).lines
    assert lines[0] == words_link.connected_again()
    assert lines[-1].startswith("Round 3, you lead.")


def test_a_return_while_the_store_is_away_is_tried_again_and_said_once() -> None:
    conversation = sit_down(LEADING)
    conversation.opened()
    conversation.received(WELCOME)
    refusal = Refused(ErrorCode.STORE_UNAVAILABLE, "not now", retry_ms=700)
    assert conversation.received(refusal) == Step(lines=(words_link.no_place_yet(),), again_ms=700)
    assert conversation.again().send == (Hello("Anna", TICKET),)
    assert conversation.received(refusal) == Step(again_ms=700)
    an_age = Refused(ErrorCode.STORE_UNAVAILABLE, "not now", retry_ms=2**53 - 1)
    assert conversation.received(an_age) == Step(again_ms=LONGEST_RETRY_MS)


# What happens


def test_happenings_are_told_in_order_one_line_each() -> None:
    conversation = sit_down(table(view()))
    happened = (Happening("led", 1, ("55",)), Happening("earthquake"), Happening("passed", 2))
    assert conversation.received(table(view(), *happened)).lines == ("Budi leads 55 (Plum).", "Bot 3 passes.")


def test_it_says_when_more_has_happened_than_is_told() -> None:
    step = sit_down(table(view())).received(table(view(), Happening("passed", 2), missed=True))
    assert step.lines == (words.missed(), "Bot 3 passes.")


def test_a_question_is_asked_once_however_often_the_view_comes() -> None:
    conversation = sit_down(LEADING)
    assert conversation.received(LEADING).lines == ()
    assert conversation.received(table(view(prompt=leading(2)))).lines[-1].startswith("Round 3, you lead.")


def test_the_end_of_a_deal_tells_points_hands_and_what_comes_next() -> None:
    zones = (hand(0), hand(1, "22", "12"), hand(2))
    over = view(phase="between", deals=3, zones=zones, result=Result((3, 1, 2), (0,)))
    step = sit_down(table(view(deals=3))).received(table(over, Happening("deal_over", value=1, scores=(3, 1, 2))))
    assert step.lines == (
        "Deal 1 of 3 is over. Points: 3 for you, 1 for Budi, 2 for Bot 3. You win the deal.",
        "Your hand: nothing",
        "Hand of Budi: 22 12",
        "Hand of Bot 3: nothing",
        "Not checked: this server does not show how the cards come about.",
        "Type ready, or press Enter, for deal 2 of 3.",
    )


def test_the_end_of_the_match_ends_the_sitting() -> None:
    over = view(phase="over", result=Result((3, 1, 2), (0,)))
    step = sit_down(LEADING).received(table(over, Happening("match_over", scores=(3, 1, 2))))
    assert step.lines == (
        "Not checked: this server does not show how the cards come about.",
        "The match is over. Totals: 3 for you, 1 for Budi, 2 for Bot 3. You win the match.",
    )
    assert step.end == ExitCode.OK


def test_whoever_comes_back_after_the_end_of_the_match_is_told_how_it_ended() -> None:
    over = view(phase="over", result=Result((3, 1, 2), (0,)))
    step = sit_down(LEADING).received(table(over))
    assert any(line.startswith("The match is over. Totals: ") for line in step.lines)
    assert step.end == ExitCode.OK


def test_the_end_is_told_once_and_not_of_a_room_that_is_closed() -> None:
    over = view(phase="over", result=Result((3, 1, 2), (0,)))
    conversation = sit_down(LEADING, lingers=True)
    conversation.received(table(over))
    assert not conversation.received(table(over)).lines
    closed = sit_down(LEADING, lingers=True).received(table(view(phase="over"), Happening("closed")))
    assert not any("Totals" in line for line in closed.lines)


@pytest.mark.parametrize(
    ("reason", "exit_code"),
    [
        ("left", ExitCode.OK),
        ("removed", ExitCode.REFUSED),
        ("closed", ExitCode.NO_SUCH_ROOM),
        ("damaged", ExitCode.FAILURE),
        ("something new", ExitCode.NO_SUCH_ROOM),
    ],
)
def test_losing_the_seat_ends_the_sitting_and_says_why(reason: str, exit_code: ExitCode) -> None:
    step = sit_down(LEADING).received(Unseated(reason))
    assert step.end == exit_code
    assert len(step.lines) == 1


def test_what_others_say_and_what_the_server_says_is_told() -> None:
    conversation = sit_down(LEADING)
    assert conversation.received(Said("Budi", "hello", 1)).lines == ("Budi says: hello",)
    assert conversation.received(Notice("stale")).lines == (words_link.notice("stale"),)
    assert conversation.received(Notice("something new")).lines == ()


def test_a_server_that_lost_moves_shows_what_the_table_is_now_and_asks_again() -> None:
    conversation = sit_down(LEADING)
    assert conversation.received(Notice("reset")).lines == (words_link.notice("reset"),)
    lines = conversation.received(LEADING).lines
    assert lines[0].startswith("Room K7QF-2MXR")
    assert lines[-1].startswith("Round 3, you lead.")
    assert conversation.received(LEADING).lines == ()


def come_back(conversation: Conversation, *told: ServerMessage) -> Step:
    conversation.opened()
    conversation.received(WELCOME)
    conversation.received(Seated(CODE, 0, TICKET))
    return [conversation.received(message) for message in told][-1]


def test_a_server_that_is_too_old_says_so_once_however_often_it_is_asked_again() -> None:
    conversation = sit_down(LEADING)
    assert conversation.received(Notice("newer")).lines == (words_link.notice("newer"),)
    for _ in range(3):
        assert come_back(conversation, Notice("newer"), LEADING).lines == ()
    assert come_back(conversation, LEADING).lines[0] == words_link.connected_again()
    assert conversation.received(Notice("newer")).lines == (words_link.notice("newer"),)


def test_a_seat_that_a_server_is_too_old_for_is_said_so_once_and_again_after_a_return() -> None:
    conversation = sit_down(LEADING)
    refusal = Refused(ErrorCode.ROOM_NEWER, "A newer server plays here.")
    for lines in ((refusal.text,), (), ()):
        conversation.opened()
        conversation.received(WELCOME)
        assert conversation.received(refusal) == Step(lines=lines)
    assert come_back(conversation, LEADING).lines[0] == words_link.connected_again()
    conversation.opened()
    assert conversation.received(refusal) == Step(lines=(refusal.text,))


def test_a_move_that_a_server_is_too_old_for_waits_for_another() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("1")
    step = conversation.received(Refused(ErrorCode.ROOM_NEWER, "A newer server plays here.", 1))
    assert step == Step(lines=("A newer server plays here.",))
    conversation.opened()
    conversation.received(WELCOME)
    assert conversation.received(Seated(CODE, 0, TICKET)).send == (Act(1, 1, "play 66"),)


def test_a_seat_that_may_have_been_saved_is_asked_for_again_with_its_secret_for_a_while() -> None:
    entry = Join(CODE, "mcbb3dqJw0SGZ7yY2rTnLg")
    conversation = Conversation(Session("Anna", entry))
    conversation.opened()
    conversation.received(WELCOME)
    refusal = Refused(ErrorCode.STORE_UNAVAILABLE, "Not known to be saved.", retry_ms=500)
    assert conversation.received(refusal) == Step(lines=(words_link.no_place_yet(),), again_ms=500)
    for _ in range(ENTRY_TRIES - 2):
        assert conversation.again().send == (entry,)
        assert conversation.received(refusal) == Step(again_ms=500)
    with pytest.raises(CommandFailed) as failed:
        conversation.received(refusal)
    assert failed.value.exit_code == ExitCode.STORE_UNAVAILABLE


def test_a_server_that_stops_gives_no_new_seat() -> None:
    conversation = Conversation(Session("Anna", Join(CODE)))
    conversation.opened()
    conversation.received(WELCOME)
    with pytest.raises(CommandFailed, match="The server stops") as failed:
        conversation.received(Refused(ErrorCode.DRAINING, "The server stops.", None, 3000))
    assert failed.value.exit_code == ExitCode.REFUSED


def test_coming_back_to_a_table_that_has_not_changed_repeats_only_the_question() -> None:
    conversation = sit_down(LEADING)
    assert [line.split()[0] for line in come_back(conversation, LEADING).lines] == ["Connected", "Your", "Round"]
    changed = come_back(conversation, table(view(prompt=leading(), history=("1 0 play 66",)))).lines
    assert any(line.startswith("Seat 1: You") for line in changed)


def test_the_lobby_is_told_as_seats_fill() -> None:
    conversation = sit_down(table(view(phase="open", seats=(ANNA, FREE, FREE))), hosting=True)
    step = conversation.received(table(view(phase="open", seats=(ANNA, BUDI, FREE)), Happening("sat", 1, name="Budi")))
    assert step.lines == (
        "Budi sits down on seat 2.",
        "1 seat is free. Wait, or type fill for bots; start begins.",
    )
    assert conversation.received(table(view(phase="open"))).lines == ("All seats are taken. Type start to begin.",)


def test_a_host_is_told_how_others_join_once() -> None:
    conversation = sit_down(hosting=True)
    first = table(view(phase="open", seats=(ANNA, FREE, FREE)))
    assert conversation.received(first).lines[1] == words.invitation("ws://10.0.0.2:8470/ws", CODE)
    conversation.opened()
    conversation.received(Seated(CODE, 0, TICKET))
    assert words.invitation("ws://10.0.0.2:8470/ws", CODE) not in conversation.received(first).lines


def test_a_player_who_drops_out_and_comes_again_is_told_of() -> None:
    gone = SeatView(1, "human", "Budi")
    conversation = sit_down(table(view()))
    assert conversation.received(table(view(seats=(ANNA, gone, BOT)))).lines == (
        "Budi is not connected. A bot plays soon if they stay away.",
    )
    assert conversation.received(table(view(seats=(ANNA, gone, BOT)))).lines == ()
    assert conversation.received(table(view())).lines == ("Budi is connected again.",)
    conversation.received(table(view(phase="open", seats=(ANNA, BUDI, FREE))))
    lobby = table(view(phase="open", seats=(ANNA, gone, FREE)))
    assert conversation.received(lobby).lines[0] == "Budi is not connected."


def test_what_the_table_tells_of_a_player_is_not_told_twice() -> None:
    away = SeatView(1, "human", "Budi", away=True)
    conversation = sit_down(table(view()))
    went = conversation.received(table(view(seats=(ANNA, away, BOT)), Happening("away", 1)))
    assert went.lines == ("Budi is away: a bot plays meanwhile.",)
    assert conversation.received(table(view(), Happening("back", 1))).lines == ("Budi is back.",)
    citra = SeatView(1, "human", "Citra")
    sat = conversation.received(table(view(seats=(ANNA, citra, BOT)), Happening("sat", 1, name="Citra")))
    assert sat.lines == ("Citra sits down on seat 2.",)
    conversation.opened()
    conversation.received(Seated(CODE, 0, TICKET))
    assert "not connected" not in " ".join(conversation.received(table(view(), Happening("passed", 1))).lines)


# Looking on, and input that ends


def test_a_spectator_sees_no_question_and_can_only_speak_and_go() -> None:
    conversation = look_on(table(view(me=None)))
    assert conversation.typed("ready") == Step(lines=(words.not_seated(),))
    assert conversation.typed("say hi") == Step(send=(Say("hi"),))
    assert conversation.typed("leave") == Step(end=ExitCode.OK)


def test_a_spectator_and_a_bot_go_on_without_input() -> None:
    assert look_on(table(view(me=None))).input_ended() == Step()
    assert sit_down(LEADING, auto=True).input_ended() == Step()


def test_without_input_a_player_ends_in_order_and_keeps_the_seat() -> None:
    conversation = sit_down(LEADING)
    assert conversation.input_ended() == Step(lines=(words.input_ended(),), end=ExitCode.OK)
    assert conversation.session.ticket == TICKET


@pytest.mark.parametrize(
    ("shown", "listening"),
    [
        (view(prompt=leading()), True),
        (view(), False),
        (view(phase="open"), True),
        (BETWEEN, True),
        (view(phase="between", seats=(SeatView(0, "human", "Anna", ready=True), BUDI, BOT)), False),
        (view(prompt=leading(), seats=(SeatView(0, "human", "Anna", autopilot=True), BUDI, BOT)), True),
    ],
)
def test_it_listens_when_a_line_would_be_of_use(shown: TableView, listening: bool) -> None:
    assert sit_down(table(shown)).listening is listening


def test_it_does_not_listen_before_the_table_shows_what_the_last_command_did() -> None:
    conversation = sit_down(LEADING)
    conversation.typed("auto on")
    assert not conversation.listening
    conversation.received(Done(1))
    assert not conversation.listening
    conversation.received(table(view(prompt=leading(), n=1, seats=(autopilot(ANNA), BUDI, BOT))))
    assert conversation.listening


def bot_plays_on(**changes: object) -> TableView:
    return view(deals=3, seats=(autopilot(ANNA), BUDI, BOT), **changes)  # type: ignore[arg-type]  # as `view` takes them


def test_while_a_bot_plays_no_action_is_sent_but_everything_else_is_done() -> None:
    conversation = sit_down(table(bot_plays_on(prompt=leading())))
    assert conversation.typed("66") == Step(lines=(words.auto_plays(),))
    assert conversation.typed("hand").lines == ("Your hand (4): Long 66 66 13; Black 36",)
    assert conversation.typed("auto off").send == (Autopilot(1, on=False),)


def test_a_bot_plays_on_after_the_input_has_ended_until_the_person_is_asked() -> None:
    conversation = sit_down(table(bot_plays_on()))
    assert conversation.input_ended() == Step()
    assert conversation.received(table(bot_plays_on(prompt=leading()))) == Step()
    step = conversation.received(table(bot_plays_on(phase="between")))
    assert step.lines[-1] == words.input_ended()
    assert step.end == ExitCode.OK


def test_without_input_a_bot_that_plays_no_more_leaves_nothing_to_go_on_with() -> None:
    conversation = sit_down(table(bot_plays_on()))
    conversation.input_ended()
    assert conversation.received(table(view(deals=3))) == Step()
    assert conversation.received(LEADING).end == ExitCode.OK


# A whole deal


def test_the_transcript_of_a_deal_has_each_event_and_question_as_one_plain_line() -> None:
    opening = view(phase="open", seats=(ANNA, BUDI, FREE))
    facts = (Fact("round", 1), Fact("leader", 1), Fact("turn", 0), Fact("highest", "55", 1))
    following = view(facts=facts, prompt=Prompt(1, ("play 13", "play 66")), n=2)
    lying = Zone("round", 1, groups=(Group(("55",), "set", 1),))
    ended = view(phase="over", zones=(hand(0), hand(1, "22"), hand(2), lying), result=Result((2, 0, 0), (0,)), n=3)
    script: list[tuple[Table, list[Happening]]] = [
        (table(opening), []),
        (table(view()), [Happening("bot_sat", 2, name="Bot 3"), Happening("match_started")]),
        (table(view()), [Happening("deal_started", 1, value=1), Happening("bonus", 2, ("12", "24"))]),
        (table(following), [Happening("led", 1, ("55",))]),
        (table(view(n=3)), [Happening("played", 0, ("66",)), Happening("passed", 2)]),
        (table(view(n=3)), [Happening("round_won", 0, ("66",), 1), Happening("leads", 1)]),
        (table(ended), [Happening("deal_over", value=1, scores=(2, 0, 0)), Happening("match_over", scores=(2, 0, 0))]),
    ]
    conversation = sit_down()
    told: list[str] = []
    for shown, happened in script:
        lines = conversation.received(Table(shown.view, tuple(happened))).lines
        assert len(lines) >= len(happened)
        told += lines
    assert told[told.index("The match begins.") - 1 :] == [
        "A bot, Bot 3, takes seat 3.",
        "The match begins.",
        "Deal 1 of 1 begins. Budi leads.",
        "Bot 3 scores an opening bonus: 12+24.",
        "Budi leads 55 (Plum).",
        "Your hand (4): Long 66 66 13; Black 36",
        "Round 1, your turn. Beat 55 (Plum) of Budi: 1) 13, 2) 66",
        "You play 66 (Heaven).",
        "Bot 3 passes.",
        "You win the round with 66 (Heaven): 1 point.",
        "Budi leads the next round.",
        "Deal 1 of 1 is over. Points: 2 for you, 0 for Budi, 0 for Bot 3. You win the deal.",
        "Your hand: nothing",
        "Hand of Budi: 22",
        "Hand of Bot 3: nothing",
        "Not checked: this server does not show how the cards come about.",
        "The match is over. Totals: 2 for you, 0 for Budi, 0 for Bot 3. You win the match.",
    ]
    drawn = [sign for line in told for sign in line if unicodedata.name(sign, "").startswith(("BOX DRAWING", "BLOCK"))]
    assert not drawn
    assert not any(re.search(r"[\r\n\x1b]", line) for line in told)
