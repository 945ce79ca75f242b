"""Games against bots and tables for others are set up by keys, and remembered."""

from pathlib import Path

import pytest

from client_cli.commands.seating import Seating
from client_cli.failure import CommandFailed
from client_cli.house_rules import HouseRules, RuleBook
from client_cli.last_choices import LastChoices, keep_choices, read_choices
from client_cli.tui.lobby import host_screen, play_screen
from client_cli.tui.lobby.host_screen import HostScreen
from client_cli.tui.lobby.play_screen import PlayScreen
from protocol.errors import ExitCode
from protocol.messages import Create
from tests.client_cli.tui.lobby.lobbies import Programs, Visit, book, visiting

ANNA = Seating(name="Anna")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    """In the place of whatever would be begun."""
    programs = Programs()
    for module, name in ((play_screen, "play_here"), (host_screen, "host_here"), (host_screen, "host_elsewhere")):
        monkeypatch.setattr(module, name, programs)
    return programs


def playing(visit: Visit, rules: RuleBook | None = None) -> PlayScreen:
    return PlayScreen(read_choices(), keep_choices, visit.app, rules or book(), ANNA)


def hosting(visit: Visit, rules: RuleBook | None = None) -> HostScreen:
    return HostScreen(read_choices(), keep_choices, visit.app, rules or book(), ANNA)


async def test_a_game_is_played_by_the_rules_that_were_chosen(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(playing(visit))
        assert "Largest combination" in visit.text()
        await visit.presses("2", "left", "left", "down", "down", "down", "enter")  # around the end, and back
        ((game, rules, beat_ms, seating),) = programs.called
        assert (game, rules, beat_ms, seating) == ("chuo-pai", {"max_combination": 11}, 400, ANNA)


async def test_the_rules_are_those_of_the_game_and_unknown_ones_are_named_by_the_server(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(playing(visit))
        await visit.presses("1")
        assert "Dealer may win at once" in visit.text()
        await visit.presses("3", "up", "down")
        assert "Wild [b]ones" in visit.text()
        await visit.presses("6")
        assert programs.called[0][:2] == ("paohuzi", {"jokers": False})
    assert read_choices() == LastChoices(game="paohuzi", rules={"paohuzi": {"jokers": False}})


async def test_the_pace_of_bots_is_a_setting() -> None:
    async with visiting() as visit:
        await visit.opens(playing(visit))
        await visit.presses("4")
        assert visit.app.settings.beat_ms == 800
        assert "< 800 ms >" in visit.text()


async def test_how_well_bots_play_is_a_setting(home: Path) -> None:
    async with visiting() as visit:
        await visit.opens(playing(visit))
        await visit.presses("3")
        assert "< normal >" in visit.text()
        assert visit.app.settings.bots == "normal"
        await visit.presses("left", "left")
        assert "< random >" in visit.text()
    assert 'bots = "random"' in (home / "config.toml").read_text()


async def test_a_table_is_opened_as_it_was_set_up(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(hosting(visit))
        await visit.presses("2", "2", "3", "4", "4", "7", "8")
        create, port, *named = programs.called[0]
        assert isinstance(create, Create)
        assert (create.game, create.deals, create.pace, create.listed) == ("chuo-pai", 3, "slow", False)
        assert create.options == {"max_combination": 2}
        assert port == 8470
        assert ("lan", False) in named


async def test_a_table_is_announced_in_the_network_and_so_shown_to_all(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(hosting(visit))
        await visit.presses("7", "9")
        create, _, *named = programs.called[0]
        assert isinstance(create, Create)
        assert create.listed
        assert {("lan", True), ("announce", True)} <= set(named)
        assert visit.app.settings.announce


async def test_a_table_in_the_network_can_be_encrypted(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(hosting(visit))
        await visit.presses("e", "9")
        assert {("lan", True), ("tls", True)} <= set(programs.called[0][2:])
    assert read_choices().tls


async def test_a_table_on_another_server_needs_its_address(programs: Programs) -> None:
    asked: list[str | None] = []
    async with visiting() as visit:
        await visit.opens(hosting(visit, book(before=asked.append)))
        await visit.presses("4")
        assert "another server" in visit.text()
        assert "Largest combination" not in visit.text()
        await visit.presses("7")
        assert "Which server?" in visit.text()
        assert programs.called == []
        await visit.presses("5", *"no such", "enter")
        assert "is not understood" in visit.text()
        await visit.presses("ctrl+u", *"cards.example.org", "enter")
        assert asked == [None, "wss://cards.example.org/ws"]
        await visit.presses("8")
        assert programs.called[0][1:] == ("wss://cards.example.org/ws", ANNA)
    assert read_choices().server == "cards.example.org"


async def test_a_port_is_a_number() -> None:
    async with visiting() as visit:
        await visit.opens(hosting(visit))
        await visit.presses("5", "ctrl+u", *"70000", "enter")
        assert "A port is a number from 0 to 65535." in visit.text()
        await visit.presses("ctrl+u", *"0000080000", "enter")
        assert "A port is a number from 0 to 65535." in visit.text()
        await visit.presses("ctrl+u", *"9000", "enter")
    assert read_choices().port == 9000


async def test_rules_that_a_server_does_not_tell_are_typed(programs: Programs) -> None:
    async with visiting() as visit:
        await visit.opens(playing(visit, book({})))
        await visit.presses("2", *"jokers", "enter")
        assert "write it as NAME=VALUE" in visit.text()
        await visit.presses("ctrl+u", *"jokers=on, size = 4".replace(" = ", "="), "enter", "5")
        assert programs.called[0][:2] == ("chuo-pai", {"jokers": True, "size": 4})


async def test_a_server_that_cannot_be_asked_is_told_and_nothing_is_lost(programs: Programs) -> None:
    async def fail(_url: str | None, _name: str) -> HouseRules:
        raise CommandFailed(ExitCode.UNREACHABLE, "no answer from h")

    async with visiting() as visit:
        await visit.opens(playing(visit, RuleBook(fail)))
        assert "no answer from h" in visit.text()
        assert "asking for them" in visit.text()
        await visit.presses("enter")
        assert programs.called[0][:2] == ("chuo-pai", {})


def test_what_cannot_be_read_is_no_choice(home: object) -> None:
    keep_choices(LastChoices(game="paohuzi"))
    assert read_choices().game == "paohuzi"
    (file,) = (path for path in Path(str(home)).rglob("last-choices.json"))
    file.write_text("{")
    assert read_choices() == LastChoices()
