"""A game against bots: which, by which house rules, and how fast."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from client_cli.commands.play import play_here
from client_cli.commands.seating import Seating
from client_cli.house_rules import RuleBook
from client_cli.language import tr
from client_cli.last_choices import LastChoices
from client_cli.names import GAMES, games
from client_cli.tui.lobby.preferences import Preferences
from client_cli.tui.lobby.rows_screen import Row, RowsScreen, following
from client_cli.tui.lobby.rules_rows import Chosen, known_rules, rule_rows

BEATS_MS = (0, 200, 400, 800, 1500, 3000)


class PlayScreen(RowsScreen):
    """Other choices are handed to `keep`."""

    def __init__(
        self,
        choices: LastChoices,
        keep: Callable[[LastChoices], None],
        preferences: Preferences,
        book: RuleBook,
        seating: Seating,
    ) -> None:
        super().__init__()
        self._choices = choices
        self._keep = keep
        self._preferences = preferences
        self._book = book
        self._seating = seating

    def heading(self) -> str:
        return tr("Play against bots")

    def first(self) -> str:
        return "begin"

    def on_mount(self) -> None:
        super().on_mount()
        self.ask(self._ask_for_rules())

    async def _ask_for_rules(self) -> None:
        await self._book.ask(None, self._seating.player())
        self.draw()

    @property
    def _chosen(self) -> Chosen:
        game = self._choices.game
        return known_rules(self._book.known(None), game, self._choices.rules.get(game, {}))

    def rows(self) -> Iterable[Row]:
        choices = self._choices
        return (
            Row("game", tr("Game"), games().get(choices.game, choices.game), change=self._change_game),
            *rule_rows(self._book.known(None), choices.game, self._chosen, self._choose_rules),
            Row(
                "beat",
                tr("Bots think for"),
                tr("{milliseconds} ms", milliseconds=self._preferences.settings.beat_ms),
                tr("So that you can follow what they play."),
                change=self._change_beat,
            ),
            Row("begin", tr("Begin"), enter=self._begin),
        )

    def _take(self, choices: LastChoices) -> None:
        self._choices = choices
        self._keep(choices)

    def _change_game(self, steps: int) -> None:
        self._take(replace(self._choices, game=following(tuple(GAMES), self._choices.game, steps)))

    def _choose_rules(self, chosen: Chosen) -> None:
        self._take(replace(self._choices, rules={**self._choices.rules, self._choices.game: chosen}))

    def _change_beat(self, steps: int) -> None:
        self.change_setting(
            self._preferences, "beat_ms", following(BEATS_MS, self._preferences.settings.beat_ms, steps)
        )

    def _begin(self) -> None:
        game, chosen, beat_ms = self._choices.game, self._chosen, self._preferences.settings.beat_ms
        self.begin(lambda front: play_here(front, game, chosen, beat_ms, self._seating))
