"""Which house rules there are: the client knows none, and asks the server that the game will be played on."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from client_cli.commands.rooms import ask_for_welcome
from client_cli.connection import Connection
from client_cli.private_server import private_server
from protocol.messages import HouseRule

HouseRules = Mapping[str, tuple[HouseRule, ...]]
"""Of each game; one without an entry has rules that its server does not tell."""


async def asked_for(url: str | None, name: str) -> HouseRules:
    """What the server at this URL tells; None: one of our own, which runs for as long as that takes.

    Raises `CommandFailed`.
    """
    return await (_own(name) if url is None else _told_by(url, name))


class RuleBook:
    """What servers told, each asked once. `ask`: as `asked_for`."""

    def __init__(self, ask: Callable[[str | None, str], Awaitable[HouseRules]] = asked_for) -> None:
        self._ask = ask
        self._told: dict[str | None, HouseRules] = {}

    def known(self, url: str | None) -> HouseRules | None:
        """None where the server was not asked yet."""
        return self._told.get(url)

    async def ask(self, url: str | None, name: str) -> HouseRules:
        """Raises `CommandFailed`."""
        if url not in self._told:
            self._told[url] = await self._ask(url, name)
        return self._told[url]


async def _told_by(url: str, name: str) -> HouseRules:
    welcome = await ask_for_welcome(Connection(url), name)
    return {game: welcome.house_rules[game] for game in welcome.games if game in welcome.house_rules}


async def _own(name: str) -> HouseRules:
    with TemporaryDirectory(prefix="paizhuo-") as directory:
        store = f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        async with private_server("--host", "127.0.0.1", "--port", "0", "--store", store) as url:
            return await _told_by(url, name)
