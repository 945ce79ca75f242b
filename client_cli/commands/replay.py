"""`paizhuo replay`: a finished deal from a file, step by step, with all hands open."""

import sys
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from client_cli.commands.preferences import Showing
from client_cli.commands.seating import has_full_screen, run
from client_cli.console import Console, standard_console
from client_cli.replay import Replay
from client_cli.replay_child import STANDARD_INPUT, replay_lines, replay_of
from client_cli.settings import Settings
from client_cli.stepping import Stepping, whole_lines
from client_cli.text import ascii_json
from protocol.errors import ExitCode


def replay(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    deal: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    json: Annotated[bool, Parameter(negative="")] = False,
    showing: Showing | None = None,
) -> ExitCode:
    """Replay a saved deal, with all hands open.

    At a terminal it goes step by step, with --plain in lines; as a pipe it prints the whole deal.

    Parameters
    ----------
    file
        A file that save has written (paizhuo-record/1); - is standard input.
    deal
        Which deal of the file, counted from 1.
    json
        JSON Lines: a header, then for each step an object with view, happened and action.
    """
    if json:
        return run(_print_json(file, deal))
    return run(_replay(standard_console(), file, deal, (showing or Showing()).settings))


async def _print_json(file: str, deal: int) -> ExitCode:
    sys.stdout.write(ascii_json((await replay_lines(file, deal)).decode()))
    return ExitCode.OK


async def _replay(console: Console, file: str, deal: int, settings: Settings) -> ExitCode:
    found = await replay_of(file, deal)
    if not settings.plain and has_full_screen():
        from client_cli.tui.app import run_full_screen  # noqa: PLC0415 - half a second that line mode does without

        return await run_full_screen(found, settings)
    if console.interactive and file != STANDARD_INPUT:
        await _step_through(console, found)
    else:
        for line in whole_lines(found):
            console.show(line)
    return ExitCode.OK


async def _step_through(console: Console, replay: Replay) -> None:
    stepping = Stepping(replay)
    lines = stepping.opening()
    while True:
        for line in lines:
            console.show(line)
        typed = None if stepping.over else await console.line()
        if typed is None:
            return
        lines = stepping.typed(typed)
