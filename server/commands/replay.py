"""`paizhuo-server replay`: one recorded deal step by step with every card open, for programs that show it."""

import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from protocol.errors import ExitCode
from protocol.record import BadRecord
from server.commands import CommandFailed
from server.commands.record_lines import record_lines
from server.games.record import read
from server.games.replay import replayed


def replay(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    deal: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
) -> None:
    """Replay one deal of a file of records (paizhuo-record/1) by the rules, with all hands open.

    Prints JSON Lines: a header, then for each step {"view": ..., "happened": [...], "action": ...}. Prints nothing if
    the record departs from the rules: then it ends with 8, as verify does, and with 1 if the file cannot be read.

    Parameters
    ----------
    file
        A file of records; - is standard input.
    deal
        Which deal of the file, counted from 1.
    """
    if file.startswith("-") and file != "-":
        raise CommandFailed(ExitCode.USAGE, f"replay has no option {file}; a file of that name is ./{file}")
    wanted, deals = None, 0
    for deals, numbered in enumerate(record_lines(file), start=1):
        if deals == deal:
            wanted = numbered
    if not deals:
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, f"{file}:1: there is no deal in it")
    if wanted is None:
        held = "1 deal" if deals == 1 else f"{deals} deals"
        raise CommandFailed(ExitCode.USAGE, f"{file} has {held}: there is no deal {deal} in it")
    number, line = wanted
    try:
        header, steps = replayed(read(line), deal=deal, deals=deals)
    except BadRecord as bad:
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, f"{file}:{number}: {bad}") from None
    encoder = msgspec.json.Encoder()
    for row in (header, *steps):
        sys.stdout.buffer.write(encoder.encode(row) + b"\n")
