"""The table screen without a server: keys, clicks and typed words become lines of the conversation."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from textual.app import App
from textual.events import Key, Paste
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot

from client_cli.frontend import Answer
from client_cli.language import choose_language
from client_cli.session import Session
from client_cli.settings import Settings
from client_cli.tui.styles import CARD_COLOURS
from client_cli.tui.table.look import Look, look_of
from client_cli.tui.table.plan import LEAST_WIDTH
from client_cli.tui.table.screen import TableScreen
from client_cli.tui.table.widgets import Picture, Typing
from protocol.messages import EMOTES, Hint, Join, Notice, Table
from protocol.view import Prompt, SeatView, TableView
from tests.client_cli.tables import ANNA, BUDI, CODE, FREE, view
from tests.client_cli.tui.table.sights import ALL, SEATS, chuo_pai, claim, won


class Stage(App[None]):
    """An application with nothing but a table."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(CARD_COLOURS)


class Played:
    """A table screen before a person, and the session that it shows."""

    def __init__(self, pilot: Pilot[None], screen: TableScreen, clock_s: list[float]) -> None:
        self.pilot = pilot
        self.screen = screen
        self.clock_s = clock_s
        self._session = Session("Anna", Join(CODE), clock_s=lambda: clock_s[0])

    async def sees(self, shown: TableView) -> None:
        self._session.received(Table(shown))
        self.screen.draw(self._session)
        await self.pilot.pause()

    async def loses_the_connection(self) -> None:
        self._session.lost()
        self.screen.draw(self._session)
        await self.pilot.pause()

    async def sees_notice(self, kind: str) -> None:
        self._session.opened()
        self._session.received(Notice(kind))
        self.screen.draw(self._session)
        await self.pilot.pause()

    async def is_hinted(self, hint: Hint) -> None:
        self._session.received(hint)
        self.screen.draw(self._session)
        await self.pilot.pause()

    def typed(self) -> list[str]:
        lines = []
        while not self.screen.typed.empty():
            lines.append(self.screen.typed.get_nowait())
        return lines

    def rows(self) -> list[str]:
        """What is on the screen."""
        strips = self.pilot.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def text(self) -> str:
        return "\n".join(self.rows())


def strike(screen: TableScreen, *keys: str) -> None:
    """All of them before the application has looked at the first one."""
    for key in keys:
        character = key if len(key) == 1 else "\r" if key == "enter" else None
        screen.app.post_message(Key("space" if key == " " else key, character))


@asynccontextmanager
async def playing(
    shown: TableView | None = None, *, size: tuple[int, int] = (80, 24), settings: Settings | None = None
) -> AsyncIterator[Played]:
    settings = settings or Settings()
    app = Stage()
    async with app.run_test(size=size) as pilot:
        screen = TableScreen(look_of(settings), confirm=settings.confirm, bots=settings.bots)
        await app.push_screen(screen)
        played = Played(pilot, screen, [0.0])
        if shown is not None:
            await played.sees(shown)
        yield played


LEADING = chuo_pai("play 44", "play 44+44", "play 66+66").view


async def test_cards_are_picked_and_played_by_keys() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("right", "space")
        assert "Enter: play 44" in played.text()
        await played.pilot.press("space", "enter")
        assert played.typed() == ["play 44+44"]


async def test_cards_are_picked_and_played_by_mouse() -> None:
    async with playing(LEADING) as played:
        region = played.screen.query_one("#hand").region
        row = played.rows()[region.y + 2]
        await played.pilot.click("#hand", offset=(row.index("│4│") + 1, 2))
        await played.pilot.click("#question")
        assert played.typed() == ["play 44"]


async def test_a_choice_is_made_by_its_number_or_by_a_click_on_it() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("3")
        await played.pilot.click("#choices", offset=(0, 0))
        assert played.typed() == ["play 66+66", "play 44"]


async def test_a_click_or_key_from_before_a_question_does_not_answer_it() -> None:
    async with playing(LEADING) as played:
        choices, before_s = played.screen.query_one("#choices", Picture), Message().time
        await played.sees(replace(LEADING, prompt=Prompt(9, ("play 44", "play 66+66"))))
        choices.post_message(Picture.Met(choices, 1, before_s))
        played.screen.query_one(Typing).post_message(Typing.Struck("1", before_s))
        await played.pilot.pause()
        assert played.typed() == []
        await played.pilot.press("1")
        assert played.typed() == ["play 44"]


async def test_a_click_on_a_card_that_is_gone_is_none() -> None:
    async with playing(LEADING) as played:
        cards = played.screen.query_one("#hand", Picture)
        cards.post_message(Picture.Met(cards, 40, Message().time))
        await played.pilot.press("3")
        assert played.typed() == ["play 66+66"]


async def test_an_answer_goes_with_the_question_that_was_seen() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("3", *"play", "space", *"44", "enter")
        lines = played.typed()
        assert lines == ["play 66+66", "play 44"]
        assert LEADING.prompt is not None
        assert [line.prompt for line in lines if isinstance(line, Answer)] == [LEADING.prompt.id] * 2


async def test_a_key_that_means_nothing_here_is_answered_with_what_does() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("enter")
        assert "Pick cards (arrows, Space)" in played.text()
        await played.pilot.press("space")
        assert "Pick cards (arrows, Space)" not in played.text()
        assert played.typed() == []


async def test_any_word_can_be_typed_and_goes_on_as_it_is() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press(*"say", "space", *"66", "enter")
        assert played.typed() == ["say 66"]
        assert not played.screen.query_one(Typing).value


async def test_lines_that_come_in_one_burst_stay_apart_and_as_they_were_typed() -> None:
    async with playing(LEADING) as played:
        strike(played.screen, *"saz", "backspace", *"y a", "enter", *"say b", "enter", "enter", "1")
        await played.pilot.pause()
        assert played.typed() == ["say a", "say b", "play 44"]


async def test_a_number_that_comes_in_one_burst_with_enter_is_a_choice() -> None:
    many = tuple(f"play {'+'.join(['44'] * length)}" for length in range(1, 13))
    async with playing(chuo_pai(*many).view) as played:
        strike(played.screen, *"12", "enter", "3", "enter")
        await played.pilot.pause()
        assert played.typed() == ["12", "3"]


async def test_enter_on_the_empty_line_leaves_alone_what_is_typed_right_after_it() -> None:
    async with playing(LEADING) as played:
        strike(played.screen, " ", "enter", "h")
        await played.pilot.pause()
        assert played.typed() == ["play 66+66"]
        assert played.screen.query_one(Typing).value == "h"


async def test_a_pasted_line_is_one_line() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("h")
        played.screen.query_one(Typing).post_message(Paste("elp\nquit\n" + "x" * 1_000_000))
        await played.pilot.press("enter")
        assert played.typed() == ["help"]


async def test_enter_takes_the_next_deal() -> None:
    async with playing(won().view) as played:
        assert "Enter: the next deal." in played.text()
        assert "You win the deal." in played.text()
        await played.pilot.press("enter")
        assert played.typed() == [""]


async def test_at_the_end_of_a_match_enter_goes() -> None:
    async with playing(won(phase="over").view) as played:
        assert "The match is over. Enter: go." in played.text()
        await played.pilot.press("enter")
        assert played.typed() == ["quit"]
        await played.screen.seen()


async def test_what_is_told_while_the_ending_hides_the_log_is_seen() -> None:
    async with playing(won(phase="over").view) as played:
        played.screen.tell("Saved as \x1b]0;deal.jsonl")
        await played.pilot.pause()
        assert "The match is over. Enter: go.  Saved as \\x1b]0;deal.jsonl" in played.text()
        await played.pilot.press("f4", "escape")
        assert "Saved as" not in played.text()


async def test_until_there_is_a_table_the_screen_says_what_it_waits_for() -> None:
    async with playing() as played:
        assert "asking ..." in played.text()
        await played.sees(LEADING)
        assert "asking ..." not in played.text()


async def test_what_is_to_be_confirmed_is_seen_until_the_person_does_something_else() -> None:
    ends = "This game ends when you go."
    async with playing(view(phase="open")) as played:
        await played.pilot.press("f10")
        played.screen.tell(ends, to_confirm=True)
        for number in range(20):
            played.screen.tell(f"line {number}")
        await played.sees(LEADING)
        assert ends in played.text()
        await played.pilot.press("right")
        assert ends not in played.text()
        played.screen.tell(ends, to_confirm=True)
        await played.pilot.press("f6")
        await played.sees(LEADING)
        assert played.text().count(ends) == 1
        assert played.typed() == ["quit", "hint"]


async def test_a_sitting_that_ends_before_the_match_does_not_call_it_over_and_enter_goes() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("space")
        over = asyncio.create_task(played.screen.seen())
        await played.pilot.pause()
        assert "Nothing more happens here. Enter: go." in played.text()
        assert "1 44" not in played.text()
        await played.pilot.press("enter")
        await asyncio.wait_for(over, 5)
        assert played.typed() == []


async def test_away_any_key_takes_the_seat_back() -> None:
    away = (SeatView(0, "human", "Anna", away=True), *SEATS[1:])
    async with playing(view(seats=away)) as played:
        assert "You are away: a bot plays for you." in played.text()
        await played.pilot.press("enter")
        assert played.typed() == [""]


async def test_the_autopilot_is_switched_by_a_key() -> None:
    played_by_bot = replace(LEADING, seats=(replace(ANNA, autopilot=True), BUDI, SEATS[2]))
    async with playing(played_by_bot) as played:
        assert "F5: play yourself" in played.text()
        assert "Your turn" not in played.text()
        await played.pilot.press("f5")
        await played.sees(LEADING)
        await played.pilot.press("f5")
        assert played.typed() == ["auto off", "auto on"]


async def test_the_order_of_the_hand_changes_by_a_key() -> None:
    async with playing(LEADING) as played:
        assert "Yao" in played.text()
        await played.pilot.press("f2")
        assert "Yao" not in played.text()


async def test_another_setting_takes_back_nothing_that_keys_have_changed() -> None:
    async with playing(LEADING, size=(120, 40)) as played:
        await played.pilot.press("f2", "f8")
        played.screen.wear(look_of(Settings(dominoes="names")), confirm=False, bots="easy")
        await played.pilot.pause()
        assert played.text().count("Yao") == 1  # of those not seen
        assert "66:" in played.text()
        played.screen.wear(look_of(Settings(dominoes="names", order="copies")), confirm=False, bots="easy")
        played.screen.wear(look_of(Settings(dominoes="names", remaining=True)), confirm=False, bots="easy")
        played.screen.wear(look_of(Settings(dominoes="names")), confirm=False, bots="easy")
        await played.pilot.pause()
        assert "Yao" in played.text()
        assert "66:" not in played.text()


async def test_the_whole_screen_changes_its_language() -> None:
    try:
        async with playing(LEADING) as played:
            choose_language("id")
            played.screen.wear(look_of(Settings()), confirm=False, bots="easy")
            await played.pilot.pause()
            assert "Ketik aksi atau kata" in played.text()
    finally:
        choose_language("en")


async def test_the_clock_runs_down_without_a_word_from_the_server() -> None:
    prompt = Prompt(4, ("play 66", "play 44"), remaining_ms=20_000)
    async with playing(replace(LEADING, prompt=prompt)) as played:
        assert "20 s" in played.text()
        played.clock_s[0] += 7
        played.screen.tick()
        await played.pilot.pause()
        assert "13 s" in played.text()


async def test_a_second_of_the_clock_changes_nothing_but_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = Prompt(4, ("play 66", "play 44"), remaining_ms=20_000)
    async with playing(replace(LEADING, prompt=prompt)) as played:
        drawn: list[tuple[str | None, int]] = []
        refresh = Picture.refresh

        def refresh_and_tell(picture: Picture, *regions: Region, **how: bool) -> Picture:
            drawn.append((picture.id, sum(region.area for region in regions)))
            return refresh(picture, *regions, **how)

        monkeypatch.setattr(Picture, "refresh", refresh_and_tell)
        played.clock_s[0] += 1
        played.screen.tick()
        await played.pilot.pause()
        assert drawn == [("clock", 2)]


async def test_what_happens_can_be_scrolled_back() -> None:
    async with playing(LEADING) as played:
        for number in range(100):
            played.screen.tell(f"line {number}")
        await played.pilot.pause()
        assert "line 99" in played.text()
        await played.pilot.press("pageup", "pageup")
        assert "line 99" not in played.text()
        played.screen.tell("line 100")
        await played.pilot.pause()
        assert "line 100" not in played.text()
        await played.pilot.press(*["pagedown"] * 3)
        assert "line 100" in played.text()


async def test_nothing_from_the_wire_is_markup_or_control() -> None:
    async with playing(LEADING) as played:
        played.screen.tell("[bold]Budi[/] says: \x1b]52;c;aGk=\x07 \u202e [link=x]")
        await played.pilot.pause()
        shown = played.text()
        assert "[bold]Budi[/] says:" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


@pytest.mark.parametrize("name", list(ALL))
async def test_every_size_shows_the_whole_table(name: str) -> None:
    async with playing(ALL[name].view) as played:
        for width, height in ((80, 24), (120, 40), (60, 20), (200, 60)):
            await played.pilot.resize_terminal(width, height)
            await played.pilot.pause()
            assert SEATS[1].name in played.text()
            assert len(played.rows()) == height


async def test_resizing_keeps_the_picked_cards_and_recovers_from_too_small() -> None:
    async with playing(claim().view) as played:
        await played.pilot.press("space")
        for width, height in ((79, 24), (40, 10), (LEAST_WIDTH, 20), (121, 41), (80, 24)):
            await played.pilot.resize_terminal(width, height)
            await played.pilot.pause()
            assert ("Too small" in played.text()) == (width < LEAST_WIDTH)
        await played.pilot.press("enter")
        assert played.typed() == ["chi b2+b7+b10"]


async def test_a_spectator_is_asked_nothing() -> None:
    async with playing(chuo_pai(me=None).view) as played:
        assert "you watch" in played.text()
        await played.pilot.press("space", "1")
        assert played.typed() == []


async def test_before_the_match_the_host_has_its_words_as_choices() -> None:
    async with playing(view(phase="open", seats=(ANNA, BUDI, FREE))) as played:
        assert "Seat 3: free" in played.text()
        await played.pilot.press("1", "2", "3", "2", "4")
        assert played.typed() == ["start easy", "fill 3 easy", "fill 3 normal", "remove 2"]


async def test_the_host_goes_through_all_levels_of_bots_from_the_preferred_one_up() -> None:
    async with playing(view(phase="open", seats=(ANNA, BUDI, FREE)), settings=Settings(bots="normal")) as played:
        for level in ("normal", "hard", "random", "easy", "normal"):
            assert f"3 bots: {level}" in played.text()
            await played.pilot.press("2", "3")
            assert played.typed() == [f"fill 3 {level}"]


async def test_the_chosen_level_of_bots_lasts_until_the_setting_changes() -> None:
    async with playing(view(phase="open", seats=(ANNA, BUDI, FREE))) as played:
        await played.pilot.press("3")
        played.screen.wear(Look(), confirm=True, bots="easy")
        await played.pilot.press("1")
        played.screen.wear(Look(), confirm=True, bots="hard")
        await played.pilot.press("1")
        assert played.typed() == ["start normal", "start hard"]


async def test_a_lost_connection_is_shown_until_it_is_back() -> None:
    async with playing(LEADING) as played:
        await played.loses_the_connection()
        assert "NO CONNECTION" in played.text()
        await played.pilot.press("enter")
        assert played.typed() == [""]
        await played.sees_notice("stale")
        assert "THE SERVER CANNOT SAVE" in played.text()
        await played.sees_notice("live")
        assert "F1 keys" in played.text()


async def test_the_log_can_take_the_place_of_the_table() -> None:
    async with playing(LEADING) as played:
        for number in range(15):
            played.screen.tell(f"line {number}")
        await played.pilot.pause()
        assert "line 0" not in played.text()
        await played.pilot.press("f4")
        assert "line 0" in played.text()
        assert "28 cards" not in played.text()
        await played.pilot.press("f4")
        assert "28 cards" in played.text()


# Help of the server, and what is said


async def test_a_hint_is_asked_for_by_a_key_and_picks_the_cards() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("f6")
        assert played.typed() == ["hint"]
        await played.is_hinted(Hint(4, "play 44+44"))
        assert "Enter: play 44+44" in played.text()
        await played.pilot.press("escape")
        await played.sees(LEADING)
        assert "Enter: play 44+44" not in played.text()
        await played.is_hinted(Hint(4, "play 44"))
        await played.pilot.press("enter")
        assert played.typed() == ["play 44"]


@pytest.mark.parametrize("hint", [Hint(3, "play 44+44"), Hint(4, "play 13")])
async def test_a_hint_for_another_question_picks_nothing(hint: Hint) -> None:
    async with playing(LEADING) as played:
        before = played.rows()
        await played.is_hinted(hint)
        assert played.rows() == before


async def test_a_click_on_a_card_that_leads_nowhere_asks_why() -> None:
    async with playing(LEADING) as played:
        region = played.screen.query_one("#hand").region
        row = played.rows()[region.y + 2]
        await played.pilot.click("#hand", offset=(row.index("│1│") + 1, 2))
        await played.pilot.press("right", "space")
        await played.pilot.click("#hand", offset=(row.index("│1│") + 1, 2))
        assert [line.split()[0] for line in played.typed()] == ["why", "why"]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("3",), "emote oops"),
        (("enter",), "emote hello"),
        (("down", "down", "enter"), "emote oops"),
        (("up", "enter"), "emote good_game"),
        ((*"well", "space", *"3", "enter"), "say well 3"),
    ],
)
async def test_emotes_and_chat_are_sent_by_keys(keys: tuple[str, ...], line: str) -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("f7", *keys)
        await played.pilot.pause()
        assert played.typed() == [line]


async def test_an_emote_is_sent_by_a_click_and_none_after_escape() -> None:
    async with playing(LEADING) as played:
        await played.pilot.press("f7")
        await played.pilot.click("OptionList", offset=(2, 3))
        await played.pilot.pause()
        assert played.typed() == ["emote thanks"]
        for key in ("escape", "f7"):
            await played.pilot.press("f7", key)
            await played.pilot.pause()
            assert played.typed() == []
            assert "Hello!" not in played.text()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_the_keys_for_help_are_named_where_there_is_room(size: tuple[int, int]) -> None:
    async with playing(LEADING, size=size) as played:
        await played.pilot.press("f7")
        assert all(said in played.text() for said in EMOTES.values())
        await played.pilot.press("escape")
        await played.pilot.pause()
        assert ("F6 hint  F7 chat" in played.text()) == (size[0] >= 80)


@pytest.mark.parametrize(("language", "key"), [("en", "F1 keys"), ("id", "F1 tombol"), ("zh", "F1 按键")])
async def test_the_key_that_tells_the_others_is_named_however_long_the_title(language: str, key: str) -> None:
    choose_language(language)
    try:
        clocked = replace(LEADING, room=replace(LEADING.room, pace="normal", deal=10, deals=10))
        async with playing(clocked) as played:
            assert key in played.rows()[0]
    finally:
        choose_language("en")


@pytest.mark.parametrize(("language", "begin"), [("en", "start begins."), ("id", "untuk bermain."), ("zh", "开局。")])
async def test_the_host_reads_on_the_smallest_usual_screen_how_to_begin(language: str, begin: str) -> None:
    choose_language(language)
    try:
        async with playing(view(phase="open", seats=(ANNA, FREE, FREE))) as played:
            asked = played.screen.query_one("#question").region.y
            assert begin in played.rows()[asked]
    finally:
        choose_language("en")
