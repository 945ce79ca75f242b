from random import Random

import pytest
from msgspec.structs import replace

from protocol.errors import ErrorCode
from protocol.messages import Act, AutoPass, Autopilot, Create, Fill, Leave, Ready, Remove, SeatCommand, Start
from server.games.base import SEATS
from server.rooms.commands import (
    ByPlayer,
    CloseRoom,
    DealCards,
    Expel,
    MarkAway,
    OpenRoom,
    PlayForSeat,
    Resume,
    TakeSeat,
    TimeUp,
)
from server.rooms.decide import MOST_COMMITS, MOST_WITH_RETURNS, CodeTaken
from server.rooms.events import (
    Acted,
    BotSeated,
    MatchStarted,
    Resumed,
    RoomClosed,
    RoomCreated,
    SeatTaken,
    SeatVacated,
    WentAway,
)
from server.rooms.pace import READY_MS
from server.rooms.state import SPENT_KEPT, asked, host, played_by_bot
from tests.server.rooms.driven import CODE, DrivenRoom, deck, three_players, ticket_of


def opening(request: Create) -> OpenRoom:
    return OpenRoom(CODE, request, "Ann", ticket_of("Ann"), "Ann")


# Opening, sitting down, leaving


def test_a_room_opens_with_its_creator_as_host_and_all_house_rules_written_down() -> None:
    room = DrivenRoom()
    created, taken = room.do(opening(Create("chuo-pai", deals=3, pace="fast", listed=True)))
    assert created == RoomCreated(CODE, "chuo-pai", {"max_combination": 12}, 3, "fast", listed=True)
    assert taken == SeatTaken(0, "Ann", ticket_of("Ann"), "Ann")
    assert host(room.state) == 0
    assert room.state.phase == "open"


def test_a_room_opened_with_fill_starts_at_once_against_two_bots() -> None:
    room = DrivenRoom()
    events = room.do(opening(Create("chuo-pai", fill="random")))
    assert events[2:] == (BotSeated(1, "random"), BotSeated(2, "random"), MatchStarted())
    assert room.state.phase == "dealing"


def test_a_game_that_does_not_exist_is_refused_by_name() -> None:
    refusal = DrivenRoom().refused(opening(Create("poker")))
    assert refusal.code is ErrorCode.UNKNOWN_GAME
    assert "chuo-pai" in refusal.text


@pytest.mark.parametrize("options", [{"jokers": 2}, {"max_combination": 1}, {"max_combination": True}])
def test_a_house_rule_that_the_game_does_not_have_is_refused(options: dict[str, int]) -> None:
    refusal = DrivenRoom().refused(opening(Create("chuo-pai", options=dict(options))))
    assert refusal.code is ErrorCode.BAD_OPTION
    assert "max_combination" in refusal.text


def test_three_sit_down_and_the_fourth_may_watch() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    assert [seat.name for seat in room.state.seats] == ["Ann", "Bea", "Cem"]
    refusal = room.refused(TakeSeat("Dan", ticket_of("Dan"), "Dan"))
    assert refusal.code is ErrorCode.ROOM_FULL
    assert "watch" in refusal.text


def test_two_players_of_one_name_are_told_apart() -> None:
    room = DrivenRoom().open().sit("Ann", "ANN")
    assert len({seat.name for seat in room.state.seats}) == 3


def test_nobody_sits_down_once_play_has_started() -> None:
    room = DrivenRoom().open(fill="easy")
    assert room.refused(TakeSeat("Bea", ticket_of("Bea"), "Bea")).code is ErrorCode.ALREADY_STARTED


def test_nobody_sits_down_when_the_match_is_over() -> None:
    room = three_players().play_out(Random(1))
    assert room.refused(TakeSeat("Dan", ticket_of("Dan"), "Dan")).code is ErrorCode.ROOM_OVER


def test_a_free_seat_is_taken_again_and_only_the_new_ticket_opens_it() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(1, Leave)
    assert room.refused(Resume(ticket_of("Bea"), "elsewhere", woke=False)).code is ErrorCode.BAD_TICKET
    room.sit("Dan")
    assert room.state.seats[1].name == "Dan"
    assert room.refused(Resume(ticket_of("Bea"), "elsewhere", woke=False)).code is ErrorCode.BAD_TICKET
    assert room.resume("Dan", "elsewhere") == (Resumed(1, "elsewhere", woke=False),)


def test_the_connection_that_left_commands_nothing_any_more() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(1, Leave)
    for message in (Autopilot(9, on=True), Leave(9), Ready(9), Act(9, 0, "pass")):
        assert room.refused(ByPlayer(1, "Bea", message)).code is ErrorCode.NOT_SEATED


def test_the_last_player_who_leaves_closes_the_room() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(0, Leave)
    assert room.ask(1, Leave) == (SeatVacated(1, "left"), RoomClosed())
    for command in (TakeSeat("Dan", b"", ""), Resume(ticket_of("Bea"), "", woke=False), MarkAway(1)):
        assert room.refused(command).code is ErrorCode.NO_SUCH_ROOM


def test_a_lone_player_who_leaves_bots_closes_the_room() -> None:
    room = DrivenRoom().open(fill="easy").deal()
    assert RoomClosed() in room.ask(0, Leave)


def test_the_operator_closes_a_room_in_whatever_state_and_once() -> None:
    for room in (DrivenRoom().open(), DrivenRoom().open(fill="easy").deal()):
        assert room.do(CloseRoom()) == (RoomClosed(by_operator=True),)
        for command in (CloseRoom(), Expel(0), Resume(ticket_of("Ann"), "", woke=False)):
            assert room.refused(command).code is ErrorCode.NO_SUCH_ROOM


def test_a_player_whom_the_operator_expels_is_gone_for_good_and_a_bot_plays_on() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(0, Start, fill="random")
    room.deal()
    assert room.do(Expel(1)) == (SeatVacated(1, "removed"), BotSeated(1, "normal"))
    assert room.refused(Resume(ticket_of("Bea"), "", woke=False)).code is ErrorCode.BAD_TICKET
    assert room.refused(Expel(1)).code is ErrorCode.NO_SUCH_SEAT
    assert room.do(Expel(0)) == (SeatVacated(0, "removed"), RoomClosed())


def test_a_command_to_a_room_that_never_was_is_refused() -> None:
    assert DrivenRoom().refused(DealCards(deck(1), 0)).code is ErrorCode.NO_SUCH_ROOM


# The host


def test_the_host_fills_one_seat_then_all_the_others() -> None:
    room = DrivenRoom().open()
    assert room.ask(0, Fill, level="random", seat=2) == (BotSeated(2, "random"),)
    assert room.ask(0, Fill) == (BotSeated(1, "easy"),)
    assert room.refusal(0, Fill) is ErrorCode.NO_SUCH_SEAT


def test_a_taken_seat_cannot_be_filled() -> None:
    room = DrivenRoom().open().sit("Bea")
    assert room.refusal(0, Fill, seat=1) is ErrorCode.NO_SUCH_SEAT
    assert room.refusal(0, Fill, seat=0) is ErrorCode.NO_SUCH_SEAT


def test_the_host_removes_players_and_bots_but_neither_themselves_nor_an_empty_seat() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(0, Fill)
    assert room.ask(0, Remove, seat=1) == (SeatVacated(1, "removed"),)
    assert room.ask(0, Remove, seat=2) == (SeatVacated(2, "removed"),)
    assert room.refusal(0, Remove, seat=1) is ErrorCode.NO_SUCH_SEAT
    assert room.refusal(0, Remove, seat=0) is ErrorCode.NO_SUCH_SEAT
    assert room.refused(Resume(ticket_of("Bea"), "Bea", woke=False)).code is ErrorCode.BAD_TICKET


def test_a_match_starts_only_at_a_full_table() -> None:
    room = DrivenRoom().open().sit("Bea")
    assert room.refusal(0, Start) is ErrorCode.SEATS_EMPTY
    assert room.ask(0, Start, fill="random") == (BotSeated(2, "random"), MatchStarted())


def test_start_with_fill_at_a_full_table_seats_no_bots() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    assert room.ask(0, Start, fill="easy") == (MatchStarted(),)


@pytest.mark.parametrize(
    ("message", "fields"), [(Fill, {}), (Remove, {"seat": 2}), (Start, {}), (Start, {"fill": "easy"})]
)
def test_only_the_host_rules_the_table(message: type[SeatCommand], fields: dict[str, object]) -> None:
    room = DrivenRoom().open().sit("Bea")
    assert room.refusal(1, message, **fields) is ErrorCode.NOT_HOST


@pytest.mark.parametrize(("message", "fields"), [(Fill, {}), (Remove, {"seat": 2}), (Start, {})])
def test_the_table_is_set_once_play_has_started(message: type[SeatCommand], fields: dict[str, object]) -> None:
    assert three_players().refusal(0, message, **fields) is ErrorCode.ALREADY_STARTED


def test_a_host_who_is_away_is_followed_by_the_longest_seated_and_gets_the_role_back() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    room.ask(1, Leave)
    room.sit("Dan")  # in seat 1, later than Cem in seat 2
    room.away(0)
    assert host(room.state) == 2
    assert [happening.kind for happening in room.happenings] == ["away", "host"]
    room.away(2)
    assert host(room.state) == 1
    room.resume("Cem", "again")
    assert host(room.state) == 2
    room.resume("Ann", "again")
    assert host(room.state) == 0
    assert room.happenings[-1].kind == "host"
    room.ask(0, Start)
    assert room.state.phase == "dealing"


def test_the_host_in_the_creator_s_absence_can_start() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    room.away(0)
    assert room.refusal(2, Start) is ErrorCode.NOT_HOST
    room.ask(1, Start)
    assert room.state.phase == "dealing"


def test_a_creator_who_left_does_not_rule_from_the_same_seat_again() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(0, Leave)
    room.do(TakeSeat("Ann", b"another ticket", "again"))
    assert room.state.seats[0].name == "Ann"
    assert host(room.state) == 1


# Acting


def test_a_repeated_command_is_done_once() -> None:
    room = three_players()
    command = room.command(0, Act, prompt=1, action=room.turn()[1][0])
    assert len(room.do(command)) == 1
    before = room.state
    assert room.do(command) == ()
    assert room.state == before


def test_a_number_is_used_for_one_command_only() -> None:
    room = three_players()
    first, second = room.turn()[1][:2]
    room.act(first)
    connection = room.state.seats[0].connection
    assert room.refused(ByPlayer(0, connection, Act(2, 1, second))).code is ErrorCode.NUMBER_USED


def test_numbers_only_grow() -> None:
    room = three_players()
    connection = room.state.seats[1].connection
    room.do(ByPlayer(1, connection, Autopilot(7, on=True)))
    room.do(ByPlayer(1, connection, Autopilot(9, on=False)))
    for n in (1, 7, 8, 9):
        assert room.refused(ByPlayer(1, connection, Autopilot(n, on=True))).code is ErrorCode.NUMBER_USED


def test_a_refused_command_does_not_use_up_its_number() -> None:
    room = three_players()
    assert room.refusal(0, Act, prompt=1, action="play 99") is ErrorCode.ILLEGAL_ACTION
    room.act()
    assert room.state.seats[0].n == room.state.seats[1].n + 2  # Start and Act


def test_an_answer_to_a_question_that_is_settled_is_stale() -> None:
    room = three_players()
    asked_before = room.prompt(0)
    room.act()
    assert room.refusal(0, Act, prompt=asked_before.id, action=asked_before.actions[0]) is ErrorCode.STALE_PROMPT
    while room.turn()[0] != 0:
        room.act()
    assert room.prompt(0).id == asked_before.id + 1
    assert room.refusal(0, Act, prompt=asked_before.id, action=room.turn()[1][0]) is ErrorCode.STALE_PROMPT


def test_a_seat_that_is_asked_nothing_has_nothing_to_decide() -> None:
    room = three_players()
    for prompt in (0, 1, 99):
        assert room.refusal(1, Act, prompt=prompt, action="pass") is ErrorCode.NOT_ASKED
    lobby = DrivenRoom().open()
    assert lobby.refusal(0, Act, prompt=0, action="pass") is ErrorCode.NOT_ASKED


@pytest.mark.parametrize("action", ["pass", "play 11+99", "win", "play", "", "play 66+66+66+66+66"])
def test_a_play_that_cannot_be_made_is_refused_with_its_reason(action: str) -> None:
    room = three_players()
    refusal = room.refused(room.command(0, Act, prompt=1, action=action))
    assert refusal.code is ErrorCode.ILLEGAL_ACTION
    assert refusal.text


def test_the_next_deal_is_readied_only_between_deals() -> None:
    room = three_players(deals=2)
    assert room.refusal(0, Ready) is ErrorCode.NOT_BETWEEN_DEALS
    room.play_out(Random(2))
    room.ask(0, Ready)
    room.ask(1, Ready)
    assert [happening.kind for happening in room.happenings] == ["ready"]
    assert room.view(2).room.phase == "between"
    room.ask(2, Ready)
    assert room.view(2).room.phase == "dealing"


def test_a_match_adds_up_its_deals_and_then_ends() -> None:
    room = three_players(deals=3)
    total = [0, 0, 0]
    for number in (1, 2, 3):
        assert room.state.deal == number
        room.play_out(Random(number))
        result = room.state.result
        assert result is not None
        total = [sum(pair) for pair in zip(total, result.scores, strict=True)]
        assert [seat.score for seat in room.state.seats] == total
        if number < 3:
            for seat in (0, 1, 2):
                room.ask(seat, Ready)
            room.deal(deck(number + 10), first=number % 3)
    assert room.state.phase == "over"
    assert room.happenings[-1].kind == "match_over"
    assert list(room.happenings[-1].scores) == total
    assert room.refusal(0, Ready) is ErrorCode.NOT_BETWEEN_DEALS


def test_a_deal_that_was_dealt_is_not_dealt_again() -> None:
    room = three_players()
    assert room.do(DealCards(deck(5), 1)) == ()


# Leaving in play, being away


def test_a_bot_takes_over_hand_score_and_question_of_a_player_who_leaves() -> None:
    room = three_players(deals=2).play_out(Random(4))
    for seat in (0, 1, 2):
        room.ask(seat, Ready)
    room.deal(first=1)
    before = room.state
    room.ask(1, Leave)
    bot = room.state.seats[1]
    assert (bot.kind, bot.level, bot.score, bot.prompt) == (
        "bot",
        "normal",
        before.seats[1].score,
        before.seats[1].prompt,
    )
    assert room.state.table == before.table
    assert room.refused(Resume(ticket_of("Bea"), "Bea", woke=False)).code is ErrorCode.BAD_TICKET
    assert [happening.kind for happening in room.happenings] == ["left", "bot_sat"]


def test_a_player_who_leaves_between_deals_holds_nobody_up() -> None:
    room = three_players(deals=2).play_out(Random(4))
    room.ask(0, Ready)
    room.ask(1, Ready)
    room.ask(2, Leave)
    assert room.state.phase == "dealing"


def test_a_bot_decides_only_for_seats_without_a_player_and_only_the_open_question() -> None:
    room = three_players()
    play = PlayForSeat(0, 1, room.turn()[1][0])
    assert room.do(play) == ()
    room.away(0)
    assert room.do(PlayForSeat(0, 2, play.action)) == ()
    assert room.do(play) == (Acted(0, play.action, "bot"),)
    assert room.do(play) == ()
    assert room.state.seats[0].away


def test_a_player_on_autopilot_takes_the_seat_back_by_acting() -> None:
    room = three_players()
    room.ask(0, Autopilot, on=True)
    assert room.do(PlayForSeat(0, 1, room.turn()[1][0])) != ()
    while room.turn()[0] != 0:
        room.act()
    room.act()
    assert not room.state.seats[0].autopilot
    assert room.happenings[0].kind == "autopilot_off"


def test_a_player_is_marked_away_once_and_never_after_the_match() -> None:
    room = three_players()
    assert room.away(1) == (WentAway(1),)
    assert room.away(1) == ()
    over = three_players().play_out(Random(1))
    assert over.away(1) == ()
    assert DrivenRoom().open(fill="easy").away(1) == ()


def test_between_deals_nobody_waits_for_those_who_are_away_or_on_autopilot() -> None:
    room = three_players(deals=2).play_out(Random(4))
    room.ask(0, Ready)
    room.ask(1, Autopilot, on=True)
    room.away(2)
    assert room.state.phase == "dealing"


# Time


def test_time_is_never_up_before_the_deadline() -> None:
    room = three_players(pace="fast")
    deadline_ms = room.state.seats[0].deadline_ms
    assert deadline_ms is not None
    time_up = TimeUp(0, 1, room.turn()[1][-1])
    room.now_ms = deadline_ms - 1
    assert room.do(time_up) == ()
    room.now_ms = deadline_ms
    assert room.do(TimeUp(0, 1, None)) == ()
    assert room.do(time_up) == (WentAway(0), Acted(0, str(time_up.action), "clock"))


def test_when_time_is_up_the_seat_passes_where_it_may() -> None:
    room = three_players(pace="fast")
    while room.turn()[1] != ("pass",):
        room.act()
    seat, _ = room.turn()
    its = room.state.seats[seat]
    assert its.deadline_ms is not None
    room.now_ms = its.deadline_ms
    assert room.do(TimeUp(seat, its.prompt, "play 66"))[-1] == Acted(seat, "pass", "clock")


def test_a_player_who_missed_a_deadline_is_away_until_they_act() -> None:
    room = three_players(pace="fast")
    room.now_ms = room.state.seats[0].deadline_ms or 0
    room.do(TimeUp(0, 1, room.turn()[1][0]))
    assert played_by_bot(room.state.seats[0])
    while room.turn()[0] != 0:
        room.act()
    room.act()
    assert not played_by_bot(room.state.seats[0])
    assert room.happenings[0].kind == "back"


def test_an_answer_in_time_beats_the_clock_that_comes_after_it() -> None:
    room = three_players(pace="fast")
    time_up = TimeUp(0, 1, room.turn()[1][0])
    deadline_ms = room.state.seats[0].deadline_ms or 0
    room.act()
    room.now_ms = deadline_ms
    assert room.do(time_up) == ()


def test_a_player_who_is_not_ready_in_time_is_away_and_the_match_goes_on() -> None:
    room = three_players(deals=2, pace="fast").play_out(Random(3))
    ended_ms = room.now_ms
    room.ask(0, Ready)
    room.ask(1, Ready)
    prompt = room.state.seats[2].prompt
    room.now_ms = ended_ms + READY_MS - 1
    assert room.do(TimeUp(2, prompt, None)) == ()
    room.now_ms += 1
    assert room.do(TimeUp(0, room.state.seats[0].prompt, None)) == ()
    assert room.do(TimeUp(2, prompt, None)) == (WentAway(2),)
    assert room.state.phase == "dealing"


def test_a_seat_without_a_question_has_no_deadline() -> None:
    room = three_players(pace="normal")
    for _ in range(12):
        assert {seat for seat in (0, 1, 2) if room.state.seats[seat].deadline_ms is not None} == set(asked(room.state))
        room.act()


def test_a_number_that_leaps_too_far_is_refused_so_that_a_seat_never_runs_out_of_them() -> None:
    room = three_players()
    assert room.refused(ByPlayer(0, "Ann", Autopilot(1002, on=True))).code is ErrorCode.NUMBER_USED
    assert room.do(ByPlayer(0, "Ann", Autopilot(1000, on=True))) != ()


# The same ticket again


def test_whoever_asks_for_a_seat_again_gets_the_one_they_have_in_every_phase() -> None:
    room = DrivenRoom().open(deals=2).sit("Bea", "Cem")
    again = TakeSeat("Bea", ticket_of("Bea"), "again")
    assert room.do(again) == (Resumed(1, "again", woke=False),)
    room.ask(0, Start)
    assert room.do(again) == (Resumed(1, "again", woke=False),)
    room.deal()
    assert room.do(again) == (Resumed(1, "again", woke=False),)
    room.play_out(Random(1))
    assert room.do(again) == (Resumed(1, "again", woke=False),)
    assert [seat.name for seat in room.state.seats] == ["Ann", "Bea", "Cem"]


def test_a_seat_that_was_given_up_is_not_taken_again_by_the_same_ticket() -> None:
    room = DrivenRoom().open().sit("Bea", "Cem")
    room.ask(1, Leave)
    room.ask(0, Remove, seat=2)
    for name in ("Bea", "Cem"):
        assert room.refused(TakeSeat(name, ticket_of(name), "again")).code is ErrorCode.BAD_TICKET
    room.sit("Dan")


def test_who_comes_and_goes_without_end_makes_the_room_no_larger() -> None:
    room = DrivenRoom().open()
    for number in range(2 * SPENT_KEPT):
        room.sit(f"Bea{number}")
        room.ask(1, Leave)
    assert len(room.state.spent) == SPENT_KEPT


def test_a_room_is_opened_once_by_one_ticket_and_by_no_other() -> None:
    room = DrivenRoom().open()
    assert room.do(OpenRoom(CODE, Create("chuo-pai"), "Ann", ticket_of("Ann"), "again")) == (
        Resumed(0, "again", woke=False),
    )
    with pytest.raises(CodeTaken):
        room.do(OpenRoom(CODE, Create("chuo-pai"), "Eva", ticket_of("Eva"), "Eva"))


# A log does not grow without end


def worn(room: DrivenRoom, commits: int) -> DrivenRoom:
    """As if so much had been done in it."""
    room.opened = replace(room.state, commits=commits)
    return room


def test_in_a_room_where_too_much_was_done_only_play_goes_on() -> None:
    room = worn(three_players(deals=2), MOST_COMMITS - 1)
    room.ask(0, Autopilot, on=False)
    for message, fields in ((Autopilot, {"on": True}), (AutoPass, {"on": True}), (Ready, {})):
        assert room.refusal(0, message, **fields) is ErrorCode.LOG_FULL
    room.play_out(Random(1))
    assert room.resume("Bea", "again")
    for seat in SEATS:
        room.ask(seat, Ready)
        assert seat == 2 or room.refusal(seat, Ready) is ErrorCode.LOG_FULL
    room.deal().play_out(Random(2))
    assert room.state.phase == "over"
    assert room.ask(0, Leave)


def test_in_a_lobby_where_too_much_was_done_nobody_sits_down_but_a_match_begins() -> None:
    room = worn(DrivenRoom().open().sit("Bea", "Cem"), MOST_COMMITS)
    for message, fields in ((Ready, {}), (Remove, {"seat": 1}), (Fill, {})):
        assert room.refusal(0, message, **fields) is ErrorCode.LOG_FULL
    room.ask(2, Leave)
    assert room.refused(TakeSeat("Dan", b"Dan", "Dan")).code is ErrorCode.LOG_FULL
    assert room.ask(0, Start, fill="easy")


def test_a_repeat_is_answered_as_before_however_much_was_done() -> None:
    room = three_players()
    again = room.command(0, Autopilot, on=True)
    room.do(again)
    assert worn(room, MOST_COMMITS).do(again) == ()


def test_even_coming_back_has_an_end() -> None:
    room = worn(three_players(), MOST_WITH_RETURNS - 1)
    assert room.resume("Bea", "again")
    assert room.refused(Resume(ticket_of("Bea"), "once more", woke=False)).code is ErrorCode.LOG_FULL
    assert room.act()
