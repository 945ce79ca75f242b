"""The application: its screens, the one program that runs in them, and how it ends with the terminal as it was."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

from msgspec.structs import replace
from rich.console import RenderableType
from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.scrollbar import ScrollBar

from client_cli import words
from client_cli.attention import notice_sequence
from client_cli.console import write_line
from client_cli.failure import CommandFailed
from client_cli.frontend import Program
from client_cli.language import choose_language, tr_later
from client_cli.replay import Replay
from client_cli.settings import Settings, Value, default
from client_cli.settings_file import config_path, language_code, with_setting
from client_cli.terminal import USUAL, Terminal, ambiguous_width, ascii_only, this_terminal
from client_cli.tui.driver import terminal_driver
from client_cli.tui.frontend import FullScreen
from client_cli.tui.keys import KeysScreen, keys_of
from client_cli.tui.lobby.rows_screen import RowsScreen
from client_cli.tui.lobby.screen import LobbyScreen
from client_cli.tui.lobby.starting import Begin
from client_cli.tui.qr_screen import QrScreen
from client_cli.tui.replay_screen import ReplayScreen
from client_cli.tui.rules_screen import RulesScreen
from client_cli.tui.scrollbars import WholeCells
from client_cli.tui.settings_screen import SettingsScreen
from client_cli.tui.styles import CARD_COLOURS
from client_cli.tui.table.look import look_of
from client_cli.tui.table.screen import TableScreen
from client_cli.tui.themes import THEMES, theme_name
from client_cli.tui.timers import ring_late
from protocol.errors import ExitCode


class Paizhuo(App[ExitCode]):
    """`first`: a program to run from the start, in a table screen of its own, or a replay to show; None: the lobby, to
    which one comes back from all that is begun there.

    `settings` count from the moment they are set. `typed`: what the person has typed before there was a screen.
    `farewells` are for the terminal when the screen is gone.
    """

    CSS_PATH = "app.tcss"
    TITLE = "Paizhuo"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "keys", tr_later("Keys")),
        Binding("question_mark", "rules", tr_later("Rules")),
        Binding("f3", "settings", tr_later("Settings")),
        Binding("ctrl+c", "interrupt", tr_later("Quit at once")),
        Binding("ctrl+z", "suspend_process"),  # as any program does; without a word, for it is no key of ours
    ]

    settings = reactive(Settings(), init=False)

    def __init__(
        self, first: Program | Replay | None, settings: Settings, terminal: Terminal = USUAL, typed: bytes = b""
    ) -> None:
        # Without colours there must be none at all, and Textual would make them grey.
        super().__init__(driver_class=terminal_driver(), ansi_color=True if terminal.colours == "none" else None)
        self.terminal = terminal
        ScrollBar.renderer = WholeCells
        ring_late()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_name(settings.theme, terminal)
        self.set_reactive(Paizhuo.settings, settings)
        self._typed = typed
        self.farewells: list[str] = []
        self.died_of: int | None = None
        self.ending = False
        """Its screens are taken apart: there is nothing to draw on any more."""
        self._first = first
        self._playing: asyncio.Task[None] | None = None
        self._called_back = False
        self._sigint = signal.getsignal(signal.SIGINT)

    async def on_mount(self) -> None:
        if self._first is None:
            await self.push_screen(LobbyScreen(self, lambda: self.exit(ExitCode.OK), self.show_replay))
            self._type_ahead()
        else:
            self._playing = asyncio.create_task(self._run(self._first))

    async def _run(self, first: Program | Replay) -> None:
        try:
            self.exit(await self._begun(first))
        except BaseException:
            self.exit()  # `finish` raises it when the terminal is in order
            raise

    async def _begun(self, first: Program | Replay) -> ExitCode:
        if isinstance(first, Replay):
            await self.show_replay(first)
            return ExitCode.OK
        return await self.sit(first)

    def on_begin(self, event: Begin) -> None:
        """A screen of the lobby asks for a table. Two at once are none."""
        if not self._is_playing:
            self.farewells.clear()
            self._playing = asyncio.create_task(self._visit(event.program))

    @property
    def _is_playing(self) -> bool:
        return self._playing is not None and not self._playing.done()

    async def _visit(self, program: Program) -> None:
        """Run a program, and come back to the lobby; after a failure to the screen that asked, where it is told."""
        failure: list[str] = []
        self._called_back = False
        try:
            await self.sit(program)
            while not isinstance(self.screen, LobbyScreen):
                await self.pop_screen()
        except CommandFailed as failed:
            failure = [failed.sentence]
        except BaseException as ended:
            if not (self._called_back and isinstance(ended, asyncio.CancelledError)):
                self.exit()
                raise
        if isinstance(self.screen, RowsScreen):
            self.screen.tell(*failure, *self.farewells)

    async def sit(self, program: Program) -> ExitCode:
        """Run a program in a table screen until the person has seen its end. Raises `CommandFailed`."""
        settings = self.settings
        screen = TableScreen(look_of(settings, self.terminal), confirm=settings.confirm, bots=settings.bots)
        await self.push_screen(screen)
        self._type_ahead()
        try:
            code = await program(FullScreen(self, screen))
            if code != ExitCode.INTERRUPTED and not self.ending:
                await screen.seen()
        finally:
            with suppress(Exception):  # the application may be gone
                while screen in self.screen_stack:  # what lies over it goes with it
                    await self.pop_screen()
        return code

    def show_replay(self, replay: Replay) -> asyncio.Future[None]:
        """Over whatever is on the screen; done when the person closes it."""
        closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def close(_none: None) -> None:
            if not closed.done():  # nor cancelled, with the application
                closed.set_result(None)

        self.push_screen(ReplayScreen(replay, look_of(self.settings, self.terminal)), close)
        return closed

    def watch_settings(self, settings: Settings) -> None:
        """Whatever is on the screens is shown so at once."""
        self.theme = theme_name(settings.theme, self.terminal)
        choose_language(language_code(settings.language))
        for screen in self.screen_stack:
            if isinstance(screen, TableScreen):
                screen.wear(look_of(settings, self.terminal), confirm=settings.confirm, bots=settings.bots)
            elif isinstance(screen, ReplayScreen):
                screen.wear(look_of(settings, self.terminal))

    def change_setting(self, key: str, value: Value | None) -> Settings:
        """Save one setting, or with None forget it, and let it count. Raises `CommandFailed`."""
        with_setting(config_path(), key, value)
        self.settings = replace(self.settings, **{key: default(key) if value is None else value})
        return self.settings

    def action_settings(self) -> None:
        """Open all settings, over whatever is on the screen."""
        self.push_screen(SettingsScreen(self.settings, self.change_setting))

    def action_keys(self) -> None:
        """What the keys do on this screen."""
        if not isinstance(self.screen, KeysScreen):
            self.push_screen(KeysScreen(keys_of((*type(self.screen).BINDINGS, *self.BINDINGS))))

    def action_rules(self) -> None:
        """The rules of the game at hand, over whatever is on the screen."""
        if not isinstance(self.screen, RulesScreen):
            self.push_screen(
                RulesScreen(self._game_at_hand(), ascii_only=ascii_only(self.settings.ascii, self.terminal))
            )

    def _game_at_hand(self) -> str:
        """Of the uppermost table; empty in the lobby."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, ReplayScreen):
                return screen.game
            if isinstance(screen, TableScreen) and screen.sight is not None:
                return screen.sight.view.room.game
        return ""

    def show_code(self, address: str) -> None:
        """As a QR code, until the person closes it."""
        self.push_screen(QrScreen(address, ascii_only=ascii_only(self.settings.ascii, self.terminal)))

    def _type_ahead(self) -> None:
        """Keys that were meant for this program reach it, however early they came."""
        typed, self._typed = self._typed.decode(errors="ignore"), b""
        for sign in typed:
            if sign in "\r\n":
                self.post_message(events.Key("enter", "\r"))
            elif sign.isprintable():
                self.post_message(events.Key("space" if sign == " " else sign, sign))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colours of cards, for themes that have none."""
        return dict(CARD_COLOURS)

    @on(TableScreen.Asked)
    def call_the_person(self) -> None:
        """It is their turn, and they may look elsewhere."""
        if self.settings.bell:
            self.bell()
        if self.settings.notify and self._driver is not None:
            self._driver.write(notice_sequence(words.your_turn_notice(), os.environ))

    def action_interrupt(self) -> None:
        """Ctrl-C, which the terminal does not turn into a signal while the screen is drawn.

        Between the lobby and a table that heeds it there is only waiting, which it ends.
        """
        if callable(self._first) or signal.getsignal(signal.SIGINT) is not self._sigint:
            signal.raise_signal(signal.SIGINT)  # `os.kill` would end the process on Windows
        elif self._first is None and self._playing is not None and self._is_playing:
            self._called_back = True
            self._playing.cancel()
        else:
            self.exit(ExitCode.INTERRUPTED)

    def exit(self, result: ExitCode | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """End the application."""
        self.ending = True
        super().exit(result, return_code, message)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours ends the application. Who reads of it must not read of the next one, met in its ruins."""
        self.ending = True
        super()._handle_exception(error)

    def die_of(self, number: int) -> None:
        """End in order, as the signal asks."""
        self.died_of = number
        self.exit(None)

    async def finish(self) -> None:
        """Let the program put away what it has opened, whatever has ended the application. Raises what has ended it."""
        if self._playing is not None:
            self._playing.cancel()
            with suppress(asyncio.CancelledError):
                await self._playing


async def run_full_screen(first: Program | Replay | None, settings: Settings) -> ExitCode:
    """Run a program on the full screen, show a replay, or open the lobby, and leave the terminal as it was.

    Raises `CommandFailed`.
    """
    for fixed in ("COLUMNS", "LINES"):  # a window's size changes, and what the environment says of it does not
        os.environ.pop(fixed, None)
    probed = ambiguous_width(sys.stdin.fileno(), sys.stdout.fileno())
    terminal = this_terminal(probed.cells, sys.stdout)
    if terminal.colours == "none":
        os.environ["NO_COLOR"] = "1"  # then Textual lets none through, whatever its widgets ask for
    app = Paizhuo(first, settings, terminal, probed.typed)
    try:
        with _ending_signals(app.die_of):
            code = await app.run_async()
            await app.finish()
    finally:
        for line in app.farewells:
            write_line(line, sys.stderr)
    if app.died_of is not None:
        sys.exit(128 + app.died_of)
    return ExitCode.FAILURE if code is None else code


@contextmanager
def _ending_signals(call: Callable[[int], None]) -> Iterator[None]:
    """SIGTERM and SIGHUP call `call` from the loop, in which the application can put the terminal in order.

    Where the loop itself takes signals it also wakes up for all others, SIGWINCH among them, whichever thread they are
    delivered to; without that a window that is pulled about may stay drawn for a size that it had.
    """
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [signal.getsignal(number) for number in numbers]
    for number in numbers:
        try:
            loop.add_signal_handler(number, call, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda which, _frame: _soon(loop, call, which))
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, handler)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[int], None], number: int) -> None:
    loop.call_soon_threadsafe(call, number)
