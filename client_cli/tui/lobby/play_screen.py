"""A game against bots: which, by which house rules, how well they play, and how fast."""

from collections.abc import Iterable
from typing import get_args

from client_cli import words_bots
from client_cli.commands.play import play_here
from client_cli.language import tr
from client_cli.tui.lobby.rows_screen import Row, following
from client_cli.tui.lobby.table_form import TableForm
from protocol.view import BotLevel

BEATS_MS = (0, 200, 400, 800, 1500, 3000)


class PlayScreen(TableForm):
    """The server is one of our own."""

    def heading(self) -> str:
        return tr("Play against bots")

    def rows(self) -> Iterable[Row]:
        return (
            self._game_row(),
            *self._rule_rows(),
            Row(
                "bots",
                tr("Level of bots"),
                words_bots.level(self._preferences.settings.bots),
                tr("The stronger ones count cards and think ahead. None of them sees your hand."),
                change=self._change_bots,
            ),
            Row(
                "beat",
                tr("Bots think for"),
                tr("{milliseconds} ms", milliseconds=self._preferences.settings.beat_ms),
                tr("So that you can follow what they play."),
                change=self._change_beat,
            ),
            Row("begin", tr("Begin"), enter=self._begin),
        )

    def _change_bots(self, steps: int) -> None:
        self.change_setting(
            self._preferences, "bots", following(get_args(BotLevel), self._preferences.settings.bots, steps)
        )

    def _change_beat(self, steps: int) -> None:
        self.change_setting(
            self._preferences, "beat_ms", following(BEATS_MS, self._preferences.settings.beat_ms, steps)
        )

    def _begin(self) -> None:
        game, chosen, beat_ms = self._choices.game, self._chosen, self._preferences.settings.beat_ms
        self.begin(lambda front: play_here(front, game, chosen, beat_ms, self._seating))
