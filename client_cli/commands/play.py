"""`paizhuo play`: a game against bots, on a private server that lives as long as the game."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from client_cli import words
from client_cli.commands.completion import GAME
from client_cli.commands.host import house_rules
from client_cli.commands.preferences import preference
from client_cli.commands.seating import Opening, Seating, game_name, new_secret, remind, run_seated
from client_cli.connection import Connection
from client_cli.frontend import FrontEnd
from client_cli.names import GAMES, games
from client_cli.plain import Conversation
from client_cli.private_server import private_server
from client_cli.session import Session
from client_cli.settings import MOST_MS, Origin
from client_cli.sitting import Sitting
from protocol.errors import ExitCode
from protocol.messages import Create
from protocol.view import OptionValue


def play(
    game: Annotated[str | None, GAME] = None,
    /,
    *,
    beat_ms: Annotated[int | None, preference("beat_ms"), Parameter(validator=Number(gte=0, lte=MOST_MS))] = None,
    option: Annotated[list[str] | None, Parameter(negative="")] = None,
    seating: Opening | None = None,
) -> ExitCode:
    """Play now against bots.

    Starts a private server, sits down, and stops the server at the end. Without GAME it asks which.

    Parameters
    ----------
    game
        For instance chuo-pai or paohuzi.
    option
        A rule of the house as NAME=VALUE; can be given several times.
    """
    seating = seating or Opening()
    game = None if game is None else game_name(game)
    settings, origins = seating.reading
    if beat_ms is None:
        beat_ms = 0 if seating.auto and origins["beat_ms"] is Origin.DEFAULT else settings.beat_ms
    options, beat = house_rules(option or []), beat_ms
    return run_seated(lambda front: play_here(front, game, options, beat, seating), settings)


async def play_here(
    front: FrontEnd, game: str | None, options: dict[str, OptionValue], beat_ms: int, seating: Seating
) -> ExitCode:
    """A game against bots on a server of our own; without `game` the person is asked. Raises `CommandFailed`."""
    with TemporaryDirectory(prefix="paizhuo-") as directory:
        store = f"sqlite:{Path(directory) / 'rooms.sqlite3'}"
        where = ("--host", "127.0.0.1", "--port", "0", "--store", store)
        how = ("--beat-ms", str(beat_ms), "--bot-workers", "1")  # two bots never think at the same time for long
        remind(front)
        async with private_server(*where, *how) as url:  # before the question: whoever cannot play is told so at once
            if game is None:
                game = next(iter(GAMES)) if seating.auto else await front.choose(words.which_game(), games().items())
            if game is None:
                return ExitCode.OK
            create = Create(game, options=options, fill=front.settings.bots, secret=new_secret())
            session = Session(seating.player(), create)
            conversation = Conversation(
                session, auto=seating.auto, ends="game", lingers=front.lingers, settings=lambda: front.settings
            )
            return await Sitting(front, Connection(url), conversation, None).run()
