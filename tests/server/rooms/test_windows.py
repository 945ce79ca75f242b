"""Secret declarations on a public card, as the rules of a room: who is asked, until when, and what of it shows."""

from itertools import permutations
from random import Random

import pytest

from protocol.errors import ErrorCode
from protocol.messages import Act, AutoPass, Autopilot, Leave
from protocol.notation import Action
from server.games.base import SEATS, Deck, Seat
from server.rooms.commands import GoOn, PassForSeat, PlayForSeat, TimeUp
from server.rooms.due import Due, Timing, dues
from server.rooms.events import Acted, WentAway
from server.rooms.state import asked, rules, window
from tests.server.rooms.driven import DrivenRoom, deck, replayed, three_players
from tests.server.rooms.windows import beaten, one_asked, one_may_win, questions, room_where, several_asked

TIMING = Timing(grace_ms=30_000, beat_ms=700)

THREE_TIS: Deck = tuple(
    ["s1", "s2", "s3"] * 4 + [f"b{n}" for n in range(1, 10)]
    + [f"s{n}" for n in range(4, 11)] + [f"b{n}" for n in range(1, 11)] + ["s4", "s5", "s6"]
    + [f"s{n}" for n in range(7, 11)] + [f"b{n}" for n in range(1, 11)] + [f"s{n}" for n in range(4, 10)]
    + [f"s{n}" for n in range(4, 11)] + [f"b{n}" for n in range(1, 11)] + ["s10", "b10"]
)  # fmt: skip
"""The dealer is dealt three ti."""


def due(room: DrivenRoom) -> list[Due]:
    return [each for each in dues(room.state, {}, TIMING) if each.kind != "keep"]


def others(seat: Seat) -> list[Seat | None]:
    return [None, *(each for each in SEATS if each != seat)]


# Questions


def test_a_question_stays_as_it_is_while_others_declare() -> None:
    room = room_where(several_asked, pace="fast")
    first, second, *_ = questions(room)
    before = room.prompt(second)
    room.answer(first, "pass")
    assert room.prompt(second) == before
    room.answer(second, "pass")
    assert room.view(second).prompt is None


def test_a_seat_declares_once() -> None:
    room = room_where(several_asked)
    first, _, *_ = questions(room)
    prompt = room.prompt(first)
    room.answer(first, "pass")
    for action in prompt.actions:
        assert room.refusal(first, Act, prompt=prompt.id, action=action) is ErrorCode.STALE_PROMPT


def test_a_new_card_is_a_new_question_even_with_the_same_options() -> None:
    seen: dict[Seat, tuple[int, tuple[Action, ...], int]] = {}

    def repeats(room: DrivenRoom) -> bool:
        state = room.state
        if not window(state):
            seen.clear()
            return False
        moment = rules(state).moment(state.table)
        for seat, actions in asked(state).items():
            before, seen[seat] = seen.get(seat), (moment, actions, state.seats[seat].prompt)
            if before is not None and before[:2] == (moment - 1, actions):
                assert state.seats[seat].prompt == before[2] + 1
                assert room.refusal(seat, Act, prompt=before[2], action=actions[0]) is ErrorCode.STALE_PROMPT
                return True
        return False

    room_where(repeats)


def test_a_claim_that_beats_all_others_shows_to_nobody_before_it_is_carried_out() -> None:
    room = room_where(lambda room: beaten(room) is not None)
    strong, weak = beaten(room) or (0, 0)
    prompt = room.prompt(weak)
    seen = room.view(weak)
    room.answer(strong, room.prompt(strong).actions[0])
    assert room.view(weak) == seen, "its question seems to stand"
    assert room.refusal(weak, Act, prompt=prompt.id, action="play 66") is ErrorCode.ILLEGAL_ACTION
    room.answer(weak, "pass")
    assert room.view(weak).prompt is None
    assert room.refusal(weak, Act, prompt=prompt.id, action="pass") is ErrorCode.STALE_PROMPT
    assert due(room) == [Due(room.state.moved_at_ms + TIMING.beat_ms, "go_on")]
    room.go_on()
    assert any(happening.seat == strong for happening in room.happenings)


def test_a_claim_that_loses_looks_to_all_others_like_a_pass() -> None:
    shown = []
    for loses in (True, False):
        room = room_where(lambda room: beaten(room) is not None)
        strong, weak = beaten(room) or (0, 0)
        room.answer(weak, room.prompt(weak).actions[0] if loses else "pass")
        room.answer(strong, room.prompt(strong).actions[0])
        assert due(room) == [Due(room.state.moved_at_ms + TIMING.beat_ms, "go_on")]
        room.go_on()
        shown.append((room.happenings, [room.view(viewer) for viewer in others(weak)]))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("seed", range(12))
def test_every_order_of_declarations_leads_to_the_same_table(seed: int) -> None:
    rng, skipped = Random(seed), seed

    def fits(room: DrivenRoom) -> bool:
        nonlocal skipped
        skipped -= several_asked(room)
        return several_asked(room) and skipped < 0

    room = room_where(fits)
    declared = {seat: rng.choice(actions) for seat, actions in questions(room).items()}
    log, now_ms = list(room.log), room.now_ms
    outcomes = set()
    for order in permutations(declared):
        again = DrivenRoom()
        again.opened, again.log, again.now_ms = replayed(log), list(log), now_ms
        for seat in order:
            if seat in asked(again.state):
                again.answer(seat, declared[seat])
                assert again.happenings == ()
        again.go_on()
        views = [again.view(viewer) for viewer in (*SEATS, None)]
        outcomes.add((tuple((view.deal, view.prompt, view.seats, view.result) for view in views), again.happenings))
        assert replayed(again.log) == again.state
    assert len(outcomes) == 1


# The beat


def test_a_card_that_nobody_may_claim_stands_for_one_beat() -> None:
    room = room_where(lambda room: window(room.state) and not asked(room.state))
    room.now_ms += 300
    assert due(room) == [Due(room.state.moved_at_ms + TIMING.beat_ms, "go_on")]


def test_a_card_that_somebody_may_claim_stands_for_the_same_beat_and_longer_only_while_they_think() -> None:
    room = room_where(one_asked)
    (seat,) = questions(room)
    appeared_ms = room.now_ms
    assert due(room) == []
    room.now_ms += 300
    room.answer(seat, "pass")
    assert due(room) == [Due(appeared_ms + TIMING.beat_ms, "go_on")]


def test_bots_declare_at_once_and_discard_after_a_beat() -> None:
    room = room_where(one_asked)
    (seat,) = questions(room)
    room.ask(seat, Autopilot, on=True)
    assert due(room) == [Due(room.state.moved_at_ms, "bot", seat, room.prompt(seat).id)]
    room.do(PlayForSeat(seat, room.prompt(seat).id, "pass"))
    assert room.happenings == ()
    discarding = three_players("paohuzi")
    discarding.ask(0, Autopilot, on=True)
    assert due(discarding) == [Due(discarding.state.moved_at_ms + TIMING.beat_ms, "bot", 0, 1)]


def test_a_room_does_not_go_on_while_somebody_is_asked_nor_twice() -> None:
    room = room_where(one_asked)
    (seat,) = questions(room)
    moment = rules(room.state).moment(room.state.table)
    assert room.go_on() == ()
    room.answer(seat, "pass")
    assert room.do(GoOn(moment - 1)) == ()
    assert room.go_on()
    assert room.do(GoOn(moment)) == ()


# The switch


def test_the_switch_passes_claims_at_once_and_nobody_else_is_told() -> None:
    room = room_where(lambda room: one_asked(room) and not one_may_win(room))
    (seat,) = questions(room)
    before = [room.view(viewer) for viewer in others(seat)]
    question = room.prompt(seat).id
    room.ask(seat, AutoPass, on=True)
    assert room.happenings == ()
    assert room.view(seat).prompt is None, "it is answered before anybody could read it"
    assert due(room) == [Due(room.state.moved_at_ms, "auto_pass", seat, question)]
    assert room.do(PassForSeat(seat, question)) == (Acted(seat, "pass", "switch"),)
    assert room.happenings == ()
    assert [room.view(viewer) for viewer in others(seat)] == before
    you = room.view(seat).you
    assert you is not None
    assert you.auto_pass
    assert due(room) == [Due(room.state.moved_at_ms + TIMING.beat_ms, "go_on")]
    room.ask(seat, AutoPass, on=False)
    assert not room.state.seats[seat].auto_pass


def test_the_switch_never_passes_a_win() -> None:
    room = room_where(one_may_win, pace="fast")
    (seat,) = [seat for seat, actions in questions(room).items() if "win" in actions]
    room.ask(seat, AutoPass, on=True)
    assert room.do(PassForSeat(seat, room.prompt(seat).id)) == ()
    assert "auto_pass" not in [each.kind for each in due(room) if each.seat == seat]
    room.answer(seat, "win")
    room.go_on()
    assert room.view(None).result is not None


def test_a_bot_that_plays_the_seat_decides_for_itself() -> None:
    room = room_where(lambda room: one_asked(room) and not one_may_win(room))
    (seat,) = questions(room)
    question = room.prompt(seat).id
    room.ask(seat, AutoPass, on=True)
    room.ask(seat, Autopilot, on=True)
    assert room.do(PassForSeat(seat, question)) == ()
    assert due(room) == [Due(room.state.moved_at_ms, "bot", seat, question)]
    assert room.prompt(seat).id == question


def test_the_switch_neither_discards_nor_outlives_its_player() -> None:
    room = three_players("paohuzi")
    room.ask(0, AutoPass, on=True)
    assert due(room) == []
    assert room.do(PassForSeat(0, room.prompt(0).id)) == ()
    room.ask(0, Leave)
    assert not room.state.seats[0].auto_pass


def test_the_switch_has_nothing_to_pass_in_a_game_without_secret_claims() -> None:
    room = three_players()
    for seat in SEATS:
        room.ask(seat, AutoPass, on=True)
    room.act()
    assert due(room) == []


# Time, absence and return


def test_a_missed_claim_is_passed_and_nobody_else_sees_that() -> None:
    room = room_where(one_asked, pace="fast")
    (seat,) = questions(room)
    deadline_ms = room.state.seats[seat].deadline_ms
    assert deadline_ms is not None
    before = [room.view(viewer) for viewer in others(seat)]
    room.now_ms = deadline_ms - 1
    time_up = TimeUp(seat, room.prompt(seat).id, room.prompt(seat).actions[0])
    assert room.do(time_up) == ()
    room.now_ms += 1
    assert room.do(time_up) == (Acted(seat, "pass", "clock"),)
    assert room.happenings == ()
    assert [room.view(viewer) for viewer in others(seat)] == before
    assert room.state.seats[seat].bank_ms == 0


def test_a_missed_discard_is_seen_by_everybody() -> None:
    room = three_players("paohuzi", pace="fast")
    room.now_ms = room.state.seats[0].deadline_ms or 0
    action = room.prompt(0).actions[0]
    assert room.do(TimeUp(0, 1, action)) == (WentAway(0), Acted(0, action, "clock"))


def test_who_is_away_may_claim_but_is_back_only_with_a_discard() -> None:
    room = room_where(one_asked)
    (seat,) = questions(room)
    room.away(seat)
    before = [room.view(viewer) for viewer in others(seat)]
    room.answer(seat, "pass")
    assert room.happenings == ()
    assert [room.view(viewer) for viewer in others(seat)] == before
    discarding = three_players("paohuzi")
    discarding.away(0)
    discarding.act()
    assert not discarding.state.seats[0].away


def test_who_comes_back_finds_the_same_question() -> None:
    room = room_where(several_asked, pace="fast")
    first, second, *_ = questions(room)
    before = room.prompt(second)
    names = ("Ann", "Bea", "Cem")
    room.away(second)
    room.answer(first, "pass")
    room.resume(names[second], "again")
    assert room.prompt(second) == before


def test_a_bot_takes_over_the_open_question_of_who_leaves() -> None:
    room = room_where(one_asked, pace="fast")
    (seat,) = questions(room)
    prompt = room.prompt(seat)
    room.ask(seat, Leave)
    assert room.state.seats[seat].prompt == prompt.id
    assert Due(room.state.moved_at_ms, "bot", seat, prompt.id) in due(room)
    assert room.do(PlayForSeat(seat, prompt.id, prompt.actions[0]))


def test_a_declaration_stands_when_its_player_leaves() -> None:
    room = room_where(lambda room: one_asked(room) and not one_may_win(room))
    ((seat, actions),) = questions(room).items()
    room.answer(seat, actions[0])
    room.ask(seat, Leave)
    room.go_on()
    assert any(happening.seat == seat for happening in room.happenings)


# Ends


def test_a_heavenly_win_ends_the_deal_before_anybody_is_asked() -> None:
    room = three_players("paohuzi", cards=THREE_TIS, pace="fast")
    assert room.state.phase == "over"
    assert [seat.prompt for seat in room.state.seats] == [0, 0, 0]
    assert [seat.deadline_ms for seat in room.state.seats] == [None, None, None]
    result = room.view(None).result
    assert result is not None
    assert (result.kind, result.winners) == ("heavenly-ti", (0,))
    kinds = [happening.kind for happening in room.happenings]
    assert kinds == ["deal_started", "dealt_public", "ti", "ti", "ti", "won", "deal_over", "match_over"]
    assert due(room) == []


def test_a_heavenly_win_is_one_deal_of_a_match() -> None:
    room = three_players("paohuzi", cards=THREE_TIS, deals=2)
    assert room.state.phase == "between"
    scores = [seat.score for seat in room.state.seats]
    assert scores[0] > 0
    assert sum(scores) == 0


def test_a_dealer_who_must_not_discard_leaves_a_card_that_nobody_may_claim() -> None:
    twice = [card for card in ("s1", "s2") for _ in range(4)]
    rest = [card for card in deck(5, "paohuzi") if card not in ("s1", "s2")]
    room = three_players("paohuzi", cards=(*twice, *rest))
    assert asked(room.state) == {}
    assert due(room) == [Due(room.now_ms + TIMING.beat_ms, "go_on")]
    assert room.go_on()


def test_a_deal_in_which_all_pass_is_drawn_when_the_stock_is_empty() -> None:
    for seed in range(50):
        room = three_players("paohuzi", cards=deck(seed, "paohuzi"))
        while room.state.phase == "playing":
            found = asked(room.state)
            if found:
                seat = min(found)
                room.answer(seat, "pass" if "pass" in found[seat] else found[seat][-1])
            else:
                room.go_on()
        result = room.view(None).result
        assert result is not None
        if result.kind == "draw":
            assert result.scores == (0, 0, 0)
            assert [happening.kind for happening in room.happenings][-3:] == ["drawn_game", "deal_over", "match_over"]
            return
    raise AssertionError("no deal was drawn")
