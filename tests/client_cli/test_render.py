"""Views become lines, and nothing in them can move a terminal's cursor."""

import re
from pathlib import Path

from msgspec.structs import replace

import client_cli
from client_cli import render, words_happenings
from client_cli.render import MOST_CHOICES_SHOWN
from client_cli.rows import wrapped
from client_cli.speaker import Speaker
from protocol.view import Fact, Group, Happening, Prompt, Result, SeatView, Zone
from tests.client_cli.tables import ANNA, BOT, hand, leading, view

BEATING = (Fact("round", 3), Fact("turn", 0), Fact("highest", "36+66", 1), Fact("points", 4, 2))


def test_a_question_for_the_leader_lists_the_choices_by_number() -> None:
    shown = view(prompt=leading())
    assert render.question(Speaker(shown, 0), leading()) == (
        "Round 3, you lead. Choose: 1) 66, 2) 66+66, 3) 36+66, 4) 13"
    )


def test_a_question_for_others_names_what_must_be_beaten_and_the_time_left() -> None:
    prompt = Prompt(1, ("play 45+66", "play 66+66+36"), 79_001)
    assert render.question(Speaker(view(facts=BEATING), 0), prompt) == (
        "Round 3, your turn (80 s). Beat 36+66 (Heaven-Nine) of Budi: 1) 45+66, 2) 66+66+36"
    )


def test_of_a_long_list_the_longest_choices_are_shown_with_their_numbers() -> None:
    singles = tuple(f"play {number}" for number in range(MOST_CHOICES_SHOWN + 2))
    prompt = Prompt(1, (*singles, "play 66+66", "play 36+66", "play 36+66+66"))
    last = len(singles)
    line = render.question(Speaker(view(), 0), prompt)
    assert "Choose: 1) 0, 2) 1, 3) 2, " in line
    longest = f"{last + 1}) 66+66, {last + 2}) 36+66, {last + 3}) 36+66+66"
    assert line.endswith(f"{MOST_CHOICES_SHOWN - 3}) {MOST_CHOICES_SHOWN - 4}, {longest}, and 5 more: type actions")
    assert render.numbered(prompt)[last + 2] == f"{last + 3}) 36+66+66"


def test_choices_of_different_verbs_are_shown_in_full() -> None:
    assert render.numbered(Prompt(1, ("chi s1+s2+s3", "pass"))) == ["1) chi s1+s2+s3", "2) pass"]


def test_a_hand_is_one_line_of_families() -> None:
    assert render.hand_line(Speaker(view(), 0)) == "Your hand (4): Long 66 66 13; Black 36"
    assert render.hand_line(Speaker(view(me=None), None)) is None
    assert render.hand_line(Speaker(view(zones=()), 0)) is None


def test_the_hands_at_the_end_are_shown_only_while_the_result_stands() -> None:
    zones = (Zone("hand", 0, 0), hand(1, "22", "12"), Zone("hand", 0, 2))
    over = view(phase="between", zones=zones, result=Result((3, 1, 2), (0,)))
    assert render.ending_lines(Speaker(over, 0)) == [
        "Your hand: nothing",
        "Hand of Budi: 22 12",
        "Hand of Bot 3: nothing",
    ]
    assert render.ending_lines(Speaker(view(), 0)) == ()


def test_the_table_is_listed_seat_by_seat() -> None:
    lying = Zone("round", 2, groups=(Group(("36", "66"), "combination", 1),))
    shown = view(zones=(hand(0, "66"), Zone("hand", 27, 1), lying), facts=BEATING)
    assert render.table_lines(Speaker(shown, 0)) == [
        "Room K7QF-2MXR: Chuo Pai, deal 1 of 1, round 3, Largest combination: 12.",
        "Seat 1: You, host, 1 card.",
        "Seat 2: Budi, 27 cards.",
        "Seat 3: Bot 3, a bot (easy), 4 points.",
        "Budi: 36+66 (Heaven-Nine)",
        "It is your turn.",
    ]
    assert render.table_lines(Speaker(view(phase="open"), 0))[0] == (
        "Room K7QF-2MXR: Chuo Pai, not started, Largest combination: 12."
    )


def test_history_is_told_in_full_or_for_the_newest_round() -> None:
    speaker = Speaker(view(history=("1 0 play 66", "1 1 pass", "2 0 play 13+14")), 0)
    assert render.history_lines(speaker) == [
        "Round 1: You: play 66",
        "Round 1: Budi: pass",
        "Round 2: You: play 13+14",
    ]
    assert render.history_lines(speaker, last_round=True) == ["The round before:", "Round 2: You: play 13+14"]
    following = Speaker(view(history=("2 0 play 66", "3 1 play 55")), 0)
    assert render.history_lines(following, last_round=True) == ["Round 3: Budi: play 55"]
    assert render.history_lines(Speaker(view(phase="open"), 0), last_round=True) == []


def test_all_cards_are_listed_with_their_names() -> None:
    lines = render.card_lines(Speaker(view(), 0))
    assert lines[0].startswith("Long: 66 Heaven, 11 Earth")
    assert len(lines) == 4


def test_the_readme_shows_what_is_printed() -> None:
    page = (Path(client_cli.__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    sample = page.split("```\n")[1]
    cards = re.findall(r"\d\d", sample.partition("Your hand")[2].partition("Round")[0])[1:]
    code = "".join(re.findall(r"Room (....)-(....),", sample)[0])
    facts = (Fact("round", 1), Fact("highest", "22", 2))
    room = replace(view().room, code=code)
    shown = replace(
        view(zones=(hand(0, *cards),), facts=facts, seats=(ANNA, SeatView(1, "bot", "Bot 2"), BOT)), room=room
    )
    speaker = Speaker(shown, 0)
    prompt = Prompt(1, tuple(f"play {card}" for card in ("66", "11", "44", "13", "55", "33")))
    happened = [
        Happening("deal_started", 2, value=1),
        Happening("bonus", 0, ("12", "24"), 2),
        Happening("bonus", 1, ("12", "12", "24", "24"), 4),
        Happening("bonus", 2, ("12", "24"), 2),
        Happening("led", 2, ("22",)),
    ]
    seats = (replace(seat, level="easy" if seat.kind == "bot" else None) for seat in shown.seats)
    told = [
        speaker.welcome(),
        speaker.room_line(None, render.house_rules(shown)).replace("deal 1 of 1", "not started"),
        *(speaker.seat_line(seat, None, None) for seat in seats),
        *(words_happenings.happened(speaker, happening) for happening in happened),
        render.hand_line(speaker),
        render.question(speaker, prompt),
    ]
    assert sample == "".join(f"{wrapped(line or '', 80)}\n" for line in told)
