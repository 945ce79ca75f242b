"""`paizhuo-server verify`: replays records and reports every place where they depart from the rules."""

import os
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import msgspec
from cyclopts import Parameter

from protocol.errors import ExitCode
from protocol.record import BadRecord
from server.commands import CommandFailed
from server.commands.record_lines import record_lines
from server.games.record import discrepancies, read


class Discrepancy(NamedTuple):
    file: str
    line: int
    reason: str


def verify(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)], json: Annotated[bool, Parameter(negative="")] = False
) -> ExitCode:
    """Replay records (paizhuo-record/1): the legality of every step, every stored legal list, the results.

    Prints FILE:LINE: REASON for each discrepancy, then "N deals verified, M discrepancies". Ends with 0 if there is
    none, with 8 if there are some or a file holds no deal, and with 1 if a file cannot be read.

    Examples:

        paizhuo-server verify deals.jsonl

        paizhuo-server record chuo-pai --deals 100 --legal | paizhuo-server verify -

    Parameters
    ----------
    files
        Files of records; - is standard input.
    json
        Print one JSON object: {"deals": N, "discrepancies": [{"file": F, "line": L, "reason": R}, ...]}.
    """
    if not files:
        raise CommandFailed(ExitCode.USAGE, "verify needs at least one file of records, or - for standard input")
    if unknown := next((file for file in files if file.startswith("-") and file != "-"), None):
        raise CommandFailed(ExitCode.USAGE, f"verify has no option {unknown}; a file of that name is ./{unknown}")
    deals = 0
    found: list[Discrepancy] = []

    def report(file: str, line: int, reason: str) -> None:
        found.append(Discrepancy(file, line, reason))
        if not json:
            print(f"{file}:{line}: {reason}")

    for file in files:
        number = 0
        for number, line in record_lines(file):
            deals += 1
            for reason in _reasons(line):
                report(file, number, reason)
        if not number:
            # What should have been written here was not: a pipe whose other end failed must not pass as verified.
            report(file, 1, "there is no deal in it")
    if json:
        # a file's name need not be text
        rows = [discrepancy._replace(file=_shown(discrepancy.file))._asdict() for discrepancy in found]
        print(msgspec.json.encode({"deals": deals, "discrepancies": rows}).decode())
    else:
        print(f"{deals} deals verified, {len(found)} discrepancies")
    return ExitCode.VERIFICATION_FAILED if found else ExitCode.OK


def _shown(file: str) -> str:
    return os.fsencode(file).decode(errors="backslashreplace")


def _reasons(line: bytes) -> Iterator[str]:
    try:
        record = read(line)
    except BadRecord as bad:
        yield str(bad)
    else:
        yield from discrepancies(record)
