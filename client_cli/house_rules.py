"""Which house rules there are: the client knows none, and asks the server that the game will be played on."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from client_cli.commands.rooms import ask_for_welcome
from client_cli.connection import Connection
from client_cli.private_server import private_server
from protocol.messages import HouseRule

HouseRules = Mapping[str, tuple[HouseRule, ...]]
"""Of each game; one without an entry has rules that its server does not tell."""


class RuleBook:
    """What servers told, each asked once. `None` is a server of our own."""

    def __init__(self) -> None:
        self._told: dict[str | None, HouseRules] = {}

    def known(self, url: str | None) -> HouseRules | None:
        """None where the server was not asked yet."""
        return self._told.get(url)

    async def ask(self, url: str | None, name: str) -> HouseRules:
        """Raises `CommandFailed`."""
        if url not in self._told:
            self._told[url] = await (_own(name) if url is None else _told_by(url, name))
        return self._told[url]


async def _told_by(url: str, name: str) -> HouseRules:
    welcome = await ask_for_welcome(Connection(url), name)
    return {game: welcome.house_rules[game] for game in welcome.games if game in welcome.house_rules}


async def _own(name: str) -> HouseRules:
    with TemporaryDirectory(prefix="paizhuo-") as directory:
        store = f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        async with private_server("--host", "127.0.0.1", "--port", "0", "--store", store) as url:
            return await _told_by(url, name)
