"""The lobby finds tables in the local network."""

import asyncio

import pytest
from textual.app import App
from textual.widgets import OptionList

from client_cli import words_lan
from client_cli.address import RoomAddress
from client_cli.tui.lobby import rooms_screen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from protocol.messages import RoomSummary

URL = "ws://192.168.1.9:8470/ws"
OF_BUDI = RoomSummary("K7QF2MXR", "chuo-pai", "Budi", 2, 1, "none")


class Rooms(App[None]):
    """Nothing but the screen; `went`: where somebody wanted to sit down."""

    def __init__(self) -> None:
        super().__init__()
        self.went: list[RoomAddress] = []

    def on_mount(self) -> None:
        self.push_screen(RoomsScreen("", lambda _: None, "Anna", self.went.append, self.went.append, lan=True))

    def shown(self) -> str:
        options = self.screen.query_one(OptionList)
        return "\n".join(str(options.get_option_at_index(place).prompt) for place in range(options.option_count))


async def test_one_can_look_again_or_leave_while_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nearby(_name: str) -> tuple[int, list[tuple[str, RoomSummary]]]:
        await asyncio.Event().wait()
        return 0, []

    monkeypatch.setattr(rooms_screen, "rooms_nearby", nearby)
    app = Rooms()
    async with app.run_test() as pilot:
        await pilot.press("n")
        await pilot.pause()
        assert "asking ..." in app.shown()
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, RoomsScreen)


async def test_a_click_chooses_the_table_that_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(URL, OF_BUDI)]

    async def nearby(_name: str) -> tuple[int, list[tuple[str, RoomSummary]]]:
        return 1, list(found)

    monkeypatch.setattr(rooms_screen, "rooms_nearby", nearby)
    app = Rooms()
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        options = app.screen.query_one(OptionList)
        last = options.option_count - 1
        clicked = OptionList.OptionSelected(options, options.get_option_at_index(last), last)
        found.clear()
        await pilot.press("n")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert options.option_count == last
        options.post_message(clicked)
        await pilot.pause()
        await pilot.press("enter")
        assert app.went == [RoomAddress(URL, "K7QF2MXR")]


@pytest.mark.parametrize(("found", "servers"), [([(URL, OF_BUDI)], 1), ([], 0)])
async def test_it_looks_by_itself_where_no_server_is_known(
    monkeypatch: pytest.MonkeyPatch, found: list[tuple[str, RoomSummary]], servers: int
) -> None:
    answered = asyncio.Event()

    async def nearby(name: str) -> tuple[int, list[tuple[str, RoomSummary]]]:
        assert name == "Anna"
        await answered.wait()
        return servers, found

    monkeypatch.setattr(rooms_screen, "rooms_nearby", nearby)
    app = Rooms()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "asking ..." in app.shown()
        answered.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert ("Budi" in app.shown()) == bool(found)
        told = " ".join(str(app.screen.query_one("#told").render()).split())
        assert (words_lan.no_rooms_nearby(0) in told) != bool(found)
        if found:
            await pilot.press("end", "enter", "enter")
            assert app.went == [RoomAddress(URL, "K7QF2MXR")]
