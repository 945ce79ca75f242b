"""A form that sets up a table: what the games against bots and the tables for others have in common."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from client_cli.commands.seating import Seating
from client_cli.house_rules import RuleBook
from client_cli.language import tr
from client_cli.last_choices import LastChoices
from client_cli.names import GAMES, games
from client_cli.tui.lobby.preferences import Preferences
from client_cli.tui.lobby.rows_screen import Row, RowsScreen, following
from client_cli.tui.lobby.rules_rows import Chosen, known_rules, rule_rows


class TableForm(RowsScreen):
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

    def url(self) -> str | None:
        """The server of the table; None for one of our own. Raises `CommandFailed`."""
        return None

    def first(self) -> str:
        return "begin"

    def on_mount(self) -> None:
        super().on_mount()
        self._ask_for_rules()

    def _ask_for_rules(self) -> None:
        self.ask(self._learn_rules())

    async def _learn_rules(self) -> None:
        await self._book.ask(self.url(), self._seating.player())

    @property
    def _chosen(self) -> Chosen:
        game = self._choices.game
        return known_rules(self._book.known(self.url()), game, self._choices.rules.get(game, {}))

    def _game_row(self) -> Row:
        game = self._choices.game
        return Row("game", tr("Game"), games().get(game, game), change=self._change_game)

    def _rule_rows(self) -> Iterator[Row]:
        return rule_rows(self._book.known(self.url()), self._choices.game, self._chosen, self._choose_rules)

    def _take(self, choices: LastChoices) -> None:
        self._choices = choices
        self._keep(choices)

    def _change_game(self, steps: int) -> None:
        self._take(replace(self._choices, game=following(tuple(GAMES), self._choices.game, steps)))

    def _choose_rules(self, chosen: Chosen) -> None:
        self._take(replace(self._choices, rules={**self._choices.rules, self._choices.game: chosen}))
