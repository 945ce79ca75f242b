"""The first screen: all that one can do."""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version

from msgspec.structs import replace

from client_cli import words_bots
from client_cli.address import RoomAddress
from client_cli.commands.host import host_again
from client_cli.commands.play import play_here
from client_cli.commands.resume import go_back
from client_cli.commands.seating import Seating, new_secret, player_name, sit_elsewhere
from client_cli.failure import CommandFailed
from client_cli.house_rules import RuleBook
from client_cli.language import LANGUAGES, current_language, tr, tr_n
from client_cli.last_choices import LastChoices, keep_choices, read_choices
from client_cli.names import games
from client_cli.replay import Replay
from client_cli.session import Session
from client_cli.text import as_utf8
from client_cli.tickets import now_s, user_tickets
from client_cli.tui.lobby.host_screen import HostScreen
from client_cli.tui.lobby.join_screen import JoinScreen
from client_cli.tui.lobby.play_screen import PlayScreen
from client_cli.tui.lobby.preferences import Preferences
from client_cli.tui.lobby.replays_screen import ReplaysScreen
from client_cli.tui.lobby.resume_screen import ResumeScreen
from client_cli.tui.lobby.rooms_screen import RoomsScreen
from client_cli.tui.lobby.rows_screen import Row, RowsScreen, following
from protocol.errors import ExitCode
from protocol.messages import MAX_NAME_CHARACTERS, Join, Watch


class LobbyScreen(RowsScreen):
    """`quit`: what ends the program. `show`: what becomes of a replay that is chosen."""

    LINE_ON_TOP = True

    def __init__(
        self,
        preferences: Preferences,
        quit: Callable[[], None],  # noqa: A002 - what it does
        show: Callable[[Replay], object],
    ) -> None:
        super().__init__()
        self._preferences = preferences
        self._quit = quit
        self._show = show
        self._choices = read_choices()
        self._book = RuleBook()

    def heading(self) -> str:
        return tr("Chinese card games at one table")

    def head(self) -> Sequence[str]:
        if self._is_new:
            return (tr("Welcome! What is your name at the table? Enter takes it as it stands."),)
        return (tr("Good to see you, {name}.", name=self._player),)

    def on_mount(self) -> None:
        super().on_mount()
        if self._is_new:
            self.call_after_refresh(self.ask_name)

    def ask_name(self) -> None:
        """Asked once, before anything else: others will see it."""
        row = next(row for row in self._rows if row.key == "name")
        self.open_line(row._replace(key=self._key))

    @property
    def _is_new(self) -> bool:
        return not self._preferences.settings.name

    @property
    def _player(self) -> str:
        return player_name(self._preferences.settings.name)

    @property
    def _seating(self) -> Seating:
        return Seating(name=self._player)

    def rows(self) -> Iterator[Row]:
        game = games().get(self._choices.game, self._choices.game)
        level = words_bots.level(self._preferences.settings.bots)
        yield Row(
            "play", tr("Play now"), tr("{game}, against two bots ({level})", game=game, level=level), enter=self._play
        )
        yield Row("another", tr("Play another way"), tr("the game, its rules, the bots"), enter=self._play_another)
        yield Row("host", tr("Host a table"), tr("friends join with a code"), enter=self._host)
        yield Row("join", tr("Join a table"), tr("with the code that you were given"), enter=self._join)
        yield Row("rooms", tr("Open tables"), tr("on a server, or in your network"), enter=self._rooms)
        yield Row("resume", tr("Back to a game"), self._unfinished(), enter=self._resume)
        yield Row("watch", tr("Watch a table"), tr("without a seat"), enter=self._watch)
        yield Row("replays", tr("Replays"), tr("saved deals, with all hands"), enter=self._replays)
        yield Row("rules", tr("Rules"), tr("of both games"), enter=self._preferences.action_rules)
        yield Row("name", tr("Your name"), self._player, typed=self._call, text=self._player, sign="n")
        yield Row("settings", tr("Settings"), enter=self._preferences.action_settings, sign="s")
        language = LANGUAGES[current_language()]
        yield Row("language", "Language / Bahasa / 语言", language, change=self._change_language, sign="l")
        yield Row("about", tr("About"), enter=self._about, sign="a")
        yield Row("quit", tr("Quit"), enter=self._quit, sign="q")

    def _unfinished(self) -> str:
        try:
            count = len(user_tickets().unfinished(now_s()).seats)
        except OSError:
            count = 0
        return (
            tr_n("{count} game is unfinished", "{count} games are unfinished", count)
            if count
            else tr("none is unfinished")
        )

    def leave(self) -> None:
        """Escape chooses `quit`, and does not yet."""
        self._highlight("quit")

    # What the rows do

    def _keep(self, choices: LastChoices) -> None:
        self._choices = choices
        keep_choices(choices)

    def _play(self) -> None:
        game = self._choices.game
        rules, beat_ms, seating = self._choices.rules.get(game, {}), self._preferences.settings.beat_ms, self._seating
        self.begin(lambda front: play_here(front, game, rules, beat_ms, seating))

    def _play_another(self) -> None:
        self.app.push_screen(PlayScreen(self._choices, self._keep, self._preferences, self._book, self._seating))

    def _host(self) -> None:
        self.app.push_screen(HostScreen(self._choices, self._keep, self._preferences, self._book, self._seating))

    def _join(self) -> None:
        self.app.push_screen(JoinScreen(tr("Join a table"), self._sit_at, self._server))

    def _watch(self) -> None:
        self.app.push_screen(JoinScreen(tr("Watch a table"), self._look_at, self._server))

    @property
    def _server(self) -> str:
        return self._preferences.settings.server or self._choices.server

    def _sit_at(self, room: RoomAddress) -> None:
        session = Session(self._player, Join(room.code, new_secret()))
        self.begin(lambda front: sit_elsewhere(front, room.url, session))

    def _look_at(self, room: RoomAddress) -> None:
        session = Session(self._player, Watch(room.code))
        self.begin(lambda front: sit_elsewhere(front, room.url, session))

    def _rooms(self) -> None:
        lan = self._preferences.settings.lan
        self.app.push_screen(
            RoomsScreen(self._server, self._keep_server, self._player, self._sit_at, self._look_at, lan=lan)
        )

    def _keep_server(self, server: str) -> None:
        self._keep(replace(self._choices, server=server))

    def _resume(self) -> None:
        lan = self._choices.place == "network"
        self.app.push_screen(
            ResumeScreen(
                user_tickets(),
                lambda code: self.begin(lambda front: go_back(front, code, auto=False)),
                lambda seat: self.begin(lambda front: host_again(front, seat, lan=lan)),
            )
        )

    def _replays(self) -> None:
        self.app.push_screen(ReplaysScreen(self._show))

    def _call(self, line: str) -> None:
        name = as_utf8(line).strip()
        if not name or len(name) > MAX_NAME_CHARACTERS:
            raise CommandFailed(ExitCode.USAGE, tr("A name has 1 to {most} characters.", most=MAX_NAME_CHARACTERS))
        self.change_setting(self._preferences, "name", name)

    def _change_language(self, steps: int) -> None:
        self.change_setting(self._preferences, "language", following(tuple(LANGUAGES), current_language(), steps))

    def _about(self) -> None:
        self.tell(
            tr("Paizhuo {version}: Chuo Pai and Paohuzi for three, with friends or bots.", version=version("paizhuo")),
            tr("Free software under the MIT licence."),
        )
