"""A table for others: which game, how long, by which rules, and where."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import get_args

from msgspec.structs import replace

from client_cli import words
from client_cli.address import server_url
from client_cli.commands.host import host_elsewhere, host_here
from client_cli.commands.seating import Seating, new_secret
from client_cli.failure import CommandFailed
from client_cli.house_rules import RuleBook
from client_cli.language import tr
from client_cli.last_choices import LastChoices, Place
from client_cli.tui.lobby.preferences import Preferences
from client_cli.tui.lobby.rows_screen import Row, following
from client_cli.tui.lobby.table_form import TableForm
from protocol.errors import ExitCode
from protocol.messages import MAX_DEALS, Create
from protocol.view import Pace

HIGHEST_PORT = 65535

_PLACES: Mapping[Place, tuple[Callable[[], str], Callable[[], str]]] = {
    "network": (
        lambda: tr("this machine, for my network"),
        lambda: tr("Your machine runs the server: whoever is in your network can join while you are here."),
    ),
    "here": (
        lambda: tr("this machine only"),
        lambda: tr("Your machine runs the server: only programs on it can join."),
    ),
    "elsewhere": (
        lambda: tr("another server"),
        lambda: tr("A server that runs already, and goes on when you leave."),
    ),
}
_PACE_MEANINGS: Mapping[Pace, Callable[[], str]] = {
    "none": lambda: tr("Everybody takes as long as they like."),
    "slow": lambda: tr("60 s for a decision, and 180 s more in a deal."),
    "normal": lambda: tr("20 s for a decision, and 60 s more in a deal."),
    "fast": lambda: tr("8 s for a decision, and 20 s more in a deal."),
}


class HostScreen(TableForm):
    """The server of the settings counts where no other was chosen."""

    def __init__(
        self,
        choices: LastChoices,
        keep: Callable[[LastChoices], None],
        preferences: Preferences,
        book: RuleBook,
        seating: Seating,
    ) -> None:
        at = choices if choices.server else replace(choices, server=preferences.settings.server)
        super().__init__(at, keep, preferences, book, seating)

    def heading(self) -> str:
        return tr("Host a table")

    def _ask_for_rules(self) -> None:
        if self._somewhere:
            super()._ask_for_rules()

    @property
    def _somewhere(self) -> bool:
        """Is it known on which server the table will be?"""
        return self._choices.place != "elsewhere" or bool(self._choices.server)

    def url(self) -> str | None:
        """The server of others, if the table is to be there. Raises `CommandFailed`."""
        return server_url(self._choices.server) if self._choices.place == "elsewhere" else None

    def rows(self) -> Iterable[Row]:
        choices = self._choices
        return (
            self._game_row(),
            Row(
                "deals",
                tr("Deals"),
                str(choices.deals),
                tr("How many deals the match has."),
                change=lambda steps: self._take(
                    replace(choices, deals=following(range(1, MAX_DEALS + 1), choices.deals, steps))
                ),
            ),
            Row(
                "pace",
                tr("Pace"),
                words.pace(choices.pace),
                _PACE_MEANINGS[choices.pace](),
                change=lambda steps: self._take(replace(choices, pace=following(get_args(Pace), choices.pace, steps))),
            ),
            *self._where(),
            *(self._rule_rows() if self._somewhere else ()),
            Row("begin", tr("Open the table"), enter=self._begin),
        )

    def _where(self) -> Iterator[Row]:
        choices = self._choices
        label, meaning = _PLACES[choices.place]
        yield Row("place", tr("Where"), label(), meaning(), change=self._change_place)
        if choices.place == "elsewhere":
            yield Row(
                "server",
                tr("Server"),
                choices.server or tr("type its address"),
                tr("HOST, HOST:PORT, or the address of the server."),
                typed=self._type_server,
                text=choices.server,
            )
        else:
            yield Row(
                "port",
                tr("Port"),
                str(choices.port),
                tr("Others connect to it; 0 takes any free one."),
                typed=self._type_port,
                text=str(choices.port),
            )
        yield Row(
            "public",
            tr("Shown to all"),
            words.option(choices.public or self._announces),
            tr("Whoever asks this server for its rooms can find the table; else only who has its code."),
            change=lambda _: self._take(replace(choices, public=not choices.public)),
        )
        if choices.place == "network":
            yield Row(
                "tls",
                tr("Encrypted"),
                words.option(choices.tls),
                tr(
                    "Nobody in the network can read along; guests need the whole invitation, with what is behind its #."
                ),
                change=lambda _: self._take(replace(choices, tls=not choices.tls)),
                sign="e",
            )
            yield Row(
                "announce",
                tr("Announced"),
                words.option(self._announces),
                tr("Whoever looks for tables in your network finds this one, without a code."),
                change=lambda _: self.change_setting(self._preferences, "announce", not self._announces),
            )

    @property
    def _announces(self) -> bool:
        return self._choices.place == "network" and self._preferences.settings.announce

    def _change_place(self, steps: int) -> None:
        self._take(replace(self._choices, place=following(get_args(Place), self._choices.place, steps)))
        self._ask_for_rules()

    def _type_server(self, line: str) -> None:
        server_url(line.strip())
        self._take(replace(self._choices, server=line.strip()))
        self._ask_for_rules()

    def _type_port(self, line: str) -> None:
        text = line.strip()
        if not re.fullmatch("[0-9]{1,5}", text) or int(text) > HIGHEST_PORT:
            raise CommandFailed(ExitCode.USAGE, tr("A port is a number from 0 to {most}.", most=HIGHEST_PORT))
        self._take(replace(self._choices, port=int(text)))

    def _begin(self) -> None:
        if not self._somewhere:
            self.tell(tr("Which server? Type its address first."))
            return
        choices, seating = self._choices, self._seating
        create = Create(
            choices.game,
            options=self._chosen,
            deals=choices.deals,
            pace=choices.pace,
            listed=choices.public or self._announces,
            secret=new_secret(),
        )
        if (url := self.url()) is not None:
            self.begin(lambda front: host_elsewhere(front, create, url, seating))
        else:
            lan, announce = choices.place == "network", self._announces
            tls = lan and choices.tls
            self.begin(
                lambda front: host_here(
                    front, create, choices.port, lan=lan, tls=tls, announce=announce, seating=seating
                )
            )
