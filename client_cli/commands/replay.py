"""`paizhuo replay`: a finished deal from a file, step by step, with all hands open."""

import sys
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from client_cli.commands.seating import run
from client_cli.console import Console, standard_console
from client_cli.replay import Replay
from client_cli.replay_child import STANDARD_INPUT, replay_lines, replay_of
from client_cli.stepping import Stepping, whole_lines
from protocol.errors import ExitCode


def replay(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    deal: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> ExitCode:
    """Replay a saved deal, with all hands open.

    At a terminal it goes step by step; as a pipe it prints the whole deal.

    Parameters
    ----------
    file
        A file that save has written (paizhuo-record/1); - is standard input.
    deal
        Which deal of the file, counted from 1.
    json
        JSON Lines: a header, then for each step an object with view, happened and action.
    """
    return run(_replay(standard_console(), file, deal, as_json=json))


async def _replay(console: Console, file: str, deal: int, *, as_json: bool) -> ExitCode:
    if as_json:
        sys.stdout.write((await replay_lines(file, deal)).decode())
        return ExitCode.OK
    found = await replay_of(file, deal)
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
