"""The rules are read, searched and left by keys and by mouse, over whatever is on the screen."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from client_cli.frontend import FrontEnd
from client_cli.language import choose_language
from client_cli.rules import rules_page
from client_cli.settings import Settings
from client_cli.terminal import USUAL, Terminal
from client_cli.tui.app import Paizhuo
from client_cli.tui.keys import KeysLine
from client_cli.tui.rules_screen import RulesScreen, RulesText
from client_cli.tui.table.screen import TableScreen
from protocol.errors import ExitCode

PAGES = [
    ("chuo-pai", "en", (80, 24)),
    ("chuo-pai", "zh", (120, 40)),
    ("paohuzi", "id", (120, 40)),
    ("paohuzi", "zh", (80, 24)),
]


async def nothing_happens(_front: FrontEnd) -> ExitCode:
    await asyncio.Event().wait()
    return ExitCode.OK


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    choose_language("en")


@asynccontextmanager
async def opened(
    game: str = "chuo-pai", size: tuple[int, int] = (80, 24), language: str = "en", terminal: Terminal = USUAL
) -> AsyncIterator[tuple[Paizhuo, Pilot[ExitCode]]]:
    choose_language(language)
    app = Paizhuo(nothing_happens, Settings(), terminal)
    async with app.run_test(size=size) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, RulesScreen)
        if game != "chuo-pai":
            await pilot.press("g")
        yield app, pilot
    await app.finish()


def text(app: Paizhuo) -> RulesText:
    return app.screen.query_one(RulesText)


def rows(app: Paizhuo) -> list[str]:
    """What shows of the text."""
    shown = text(app)
    return [shown.render_line(y).text.rstrip() for y in range(shown.scrollable_content_region.height)]


def title(app: Paizhuo) -> str:
    return str(app.screen.query_one("#rules-title", Static).content)


def at_top(app: Paizhuo) -> str:
    return text(app).lines[text(app).top].text


@pytest.mark.parametrize(("game", "language", "size"), PAGES)
async def test_it_is_the_page_that_is_printed(game: str, language: str, size: tuple[int, int]) -> None:
    async with opened(game, size, language) as (app, pilot):
        page = rules_page(game, language)
        assert page is not None
        assert list(text(app).lines) == page.lines()
        await pilot.press("right", "right")
        read = "".join("".join(rows(app)).split())
        for line in page.sections[2].lines[:3]:
            assert "".join(line.text.split()) in read


async def test_keys_go_from_section_to_section_and_back() -> None:
    async with opened() as (app, pilot):
        await pilot.press("right", "right")
        assert at_top(app) == "3. The deal"
        assert title(app).startswith(" Chuo Pai for three players: 3. The deal")
        await pilot.press("down", "down", "left")
        assert at_top(app) == "3. The deal"
        await pilot.press("left")
        assert at_top(app) == "2. The cards"
        await pilot.press(*["right"] * 20)
        assert at_top(app) == "11. Glossary"
        await pilot.press("home")
        assert at_top(app) == "Chuo Pai for three players"


async def test_what_is_searched_for_is_counted_and_gone_through_in_a_circle() -> None:
    async with opened() as (app, pilot):
        await pilot.press("slash", *"GlossAry", "enter")
        assert (at_top(app), title(app).endswith(" 1 of 1 ")) != ("11. Glossary", False)
        await pilot.press("home", "slash", *"score pile", "enter")
        first = text(app).here
        assert title(app).startswith(" Chuo Pai for three players: 3. The deal ")
        assert title(app).endswith(" 1 of 5 ")
        assert str(app.screen.query_one(KeysLine).content).startswith("Esc Back   / Search   n Next found   N ")
        await pilot.press("n", "n")
        assert title(app).endswith(" 3 of 5 ")
        assert any("score pile" in row.lower() for row in rows(app))
        await pilot.press("N", "N", "N")
        assert title(app).endswith(" 5 of 5 ")
        await pilot.press("n")
        assert text(app).here == first


async def test_what_is_found_stands_out_in_more_than_colour() -> None:
    async with opened() as (app, pilot):
        await pilot.press("slash", *"equals", "enter")
        strips = [text(app).render_line(y) for y in range(22)]
        marked = [segment.text for strip in strips for segment in strip if segment.style and segment.style.reverse]
        underlined = [
            segment.text for strip in strips for segment in strip if segment.style and segment.style.underline
        ]
        assert (marked, underlined[:1]) == (["equals"], ["equals"])


async def test_what_is_not_there_is_said_and_escape_ends_the_search() -> None:
    async with opened() as (app, pilot):
        await pilot.press("slash", *"trumps")
        assert title(app).endswith(" not found ")
        await pilot.press("n", "enter", "n")
        assert title(app).endswith(" not found ")
        await pilot.press("escape")
        assert title(app).endswith(" 1. The goal  ") or "not found" not in title(app)
        assert isinstance(app.screen, RulesScreen)
        assert app.screen.query_one(Input).value == ""


async def test_the_contents_stand_in_place_of_the_text_where_there_is_little_room() -> None:
    async with opened() as (app, pilot):
        contents = app.screen.query_one(OptionList)
        assert not contents.display
        await pilot.press("tab")
        assert (contents.display, text(app).display) == (True, False)
        await pilot.press("down", "down", "down", "enter")
        await pilot.pause()
        assert (contents.display, text(app).display) == (False, True)
        assert at_top(app) == "4. Sets and combinations"
        await pilot.press("tab", "escape")
        assert (contents.display, text(app).display) == (False, True)
        assert isinstance(app.screen, RulesScreen)


async def test_the_contents_stand_beside_the_text_where_there_is_room_and_show_the_place() -> None:
    async with opened(size=(120, 40)) as (app, pilot):
        contents = app.screen.query_one(OptionList)
        assert contents.display
        await pilot.click(OptionList, offset=(4, 6))
        await pilot.pause()
        assert at_top(app) == "7. The end and the score"
        assert text(app).has_focus
        await pilot.press("right")
        await pilot.pause()
        assert contents.highlighted == 7


async def test_keys_at_the_foot_can_be_clicked() -> None:
    async with opened() as (app, pilot):
        foot = app.screen.query_one(KeysLine)
        shown = str(foot.content)
        assert shown == "Esc Back   / Search   Tab Contents   Right Next section   Left Section before"
        await pilot.click(KeysLine, offset=(shown.index("Search") + 2, 0))
        assert app.screen.query_one(Input).has_focus
        await pilot.press("escape")
        await pilot.click(KeysLine, offset=(3, 0))
        assert isinstance(app.screen, TableScreen)


async def test_the_other_game_is_one_key_away() -> None:
    async with opened() as (app, pilot):
        await pilot.press("down", "g")
        assert at_top(app) == "Paohuzi for three players"
        await pilot.press("g")
        assert at_top(app) == "Chuo Pai for three players"


@pytest.mark.parametrize("key", ["escape", "q", "question_mark"])
async def test_one_key_leads_back(key: str) -> None:
    async with opened() as (app, pilot):
        await pilot.press(key)
        assert isinstance(app.screen, TableScreen)
        assert len(app.screen_stack) == 2


async def test_another_width_keeps_the_place() -> None:
    async with opened() as (app, pilot):
        await pilot.press("right", "right", "right", "right")
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert at_top(app) == "5. What beats what"
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert at_top(app) == "5. What beats what"


async def test_another_language_is_shown_when_one_comes_back() -> None:
    async with opened() as (app, pilot):
        await pilot.press("f3")
        choose_language("zh")
        await pilot.press("escape")
        await pilot.pause()
        assert at_top(app) == "戳牌（三人）"


async def test_nothing_of_uncertain_width_is_drawn_where_the_terminal_is_not_known_for_it() -> None:
    async with opened(terminal=USUAL._replace(ambiguous_cells=2)) as (app, _pilot):
        assert not text(app).scrollbars_enabled[0] or text(app).scrollbar_size_vertical == 0
        assert "".join(rows(app)).isascii()
