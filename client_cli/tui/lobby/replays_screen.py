"""Deals that were saved as files: look at one of them, step by step and with all hands."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from client_cli.failure import CommandFailed
from client_cli.language import listed, tr
from client_cli.names import games
from client_cli.replay import Replay
from client_cli.replay_child import STANDARD_INPUT, replay_of
from client_cli.saved_deals import SavedDeals, saved_deals, usual_folders
from client_cli.tui.lobby.rows_screen import Row, RowsScreen
from protocol.errors import ExitCode


class ReplaysScreen(RowsScreen):
    """`show`: what becomes of the replay that is chosen."""

    def __init__(self, show: Callable[[Replay], object], folders: Sequence[Path] | None = None) -> None:
        super().__init__()
        self._show = show
        self._folders = usual_folders() if folders is None else folders
        self._saved: tuple[SavedDeals, ...] = ()
        self._deals: dict[Path, int] = {}

    def heading(self) -> str:
        return tr("Replays")

    def head(self) -> Sequence[str]:
        if self._saved:
            return ()
        return (tr("There is no saved deal here. At a table, save keeps a deal as a file; replay shows it at once."),)

    def on_mount(self) -> None:
        self._saved = saved_deals(self._folders)
        super().on_mount()

    def rows(self) -> Iterator[Row]:
        for saved in self._saved:
            yield self._saved_row(saved)
        meaning = tr("The path of a file that save, or paizhuo-server record, has written.")
        yield Row("path", tr("Another file"), "", meaning, typed=self._typed, sign="/")
        yield Row("again", tr("Look again"), enter=self._look_again, sign="r")

    def _saved_row(self, saved: SavedDeals) -> Row:
        deal = self._deals.get(saved.path, 1)
        about = [games().get(saved.game, saved.game)]
        if saved.deals > 1:
            about.append(tr("deal {deal} of {deals}", deal=deal, deals=saved.deals))
        elif saved.names:
            about.append(listed(saved.names))
        return Row(
            f"file {saved.path}",
            saved.path.name,
            "  ".join(about),
            str(saved.path.absolute().parent),
            enter=lambda: self.ask(self._open(str(saved.path.absolute()), deal)),
            change=partial(self._choose_deal, saved) if saved.deals > 1 else None,
        )

    def _choose_deal(self, saved: SavedDeals, steps: int) -> None:
        deal = self._deals.get(saved.path, 1)
        self._deals[saved.path] = (deal - 1 + steps) % saved.deals + 1

    def _look_again(self) -> None:
        self._saved = saved_deals(self._folders)
        self.draw()

    def _typed(self, line: str) -> None:
        path = line.strip()
        if not path or path.startswith(STANDARD_INPUT):
            raise CommandFailed(ExitCode.USAGE, tr("Type the path of a file."))
        self.ask(self._open(str(Path(path).expanduser()), 1))

    async def _open(self, path: str, deal: int) -> None:
        self.tell()
        self._show(await replay_of(path, deal))
