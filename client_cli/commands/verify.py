"""`paizhuo verify`: did the cards of saved deals come about as they must? Offline, and without a server."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter
from msgspec import UNSET

from client_cli import words_fair
from client_cli.console import write_json
from client_cli.failure import CommandFailed
from client_cli.replay_child import STANDARD_INPUT
from client_cli.text import safe
from protocol import fair
from protocol.errors import ExitCode
from protocol.record import BadRecord, faults, lines, read


class CheckedDeal(msgspec.Struct, frozen=True):
    """What is said of one line. `contributed`: the seats whose parts are in the deck. `faults`: in English."""

    line: int
    deal: int | None
    verdict: Literal["fair", "unproven", "unreadable", "wrong"]
    contributed: tuple[int, ...] = ()
    voided: int = 0
    faults: tuple[str, ...] = ()


def verify(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> ExitCode:
    """Check that the deck of each saved deal follows from what the server and the players had drawn for it.

    It proves that the deck, and who began, follow from the secret and the parts in the file, and that these are the
    ones that had been committed to. That this is what the table was shown before the deal only the programs that sat
    there can tell; they check it by themselves. Whether the deal was played by the rules, `paizhuo-server verify` says.
    It ends with 0 where every deal is proven, and with 8 where one is not.

    Parameters
    ----------
    file
        A file that save has written (paizhuo-record/1); - is standard input.
    json
        One JSON array with an object for each deal: line, deal, verdict (fair, unproven, unreadable, wrong),
        contributed (seats), voided (how many rounds), faults.
    """
    checked = [_checked(number, line) for number, line in _lines(file)]
    if json:
        write_json(checked, sys.stdout)
    else:
        for each in checked:
            print(safe(words_fair.checked(each.line, each.verdict, each.contributed, each.voided, each.faults)))
        if not checked:
            print(words_fair.no_deal())
        elif all(each.verdict == "fair" for each in checked):
            print(words_fair.proves())
    proven = bool(checked) and all(each.verdict == "fair" for each in checked)
    return ExitCode.OK if proven else ExitCode.VERIFICATION_FAILED


def _lines(file: str) -> Iterator[tuple[int, bytes]]:
    """As `protocol.record.lines`. Raises `CommandFailed`."""
    try:
        with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else Path(file).open("rb") as opened:
            yield from lines(opened)
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, words_fair.unreadable(file, error.strerror or str(error))) from None


def _checked(number: int, line: bytes) -> CheckedDeal:
    try:
        record = read(line)
    except BadRecord as bad:
        return CheckedDeal(number, None, "unreadable", faults=(str(bad),))
    number_of = record.extra.get("deal")
    deal = number_of if isinstance(number_of, int) else None
    pack = fair.pack_of(record.game)
    if pack is None:
        return CheckedDeal(number, deal, "wrong", faults=(f"the game {record.game!r} is not known here",))
    if record.fair is UNSET:
        return CheckedDeal(number, deal, "unproven")
    found = tuple(faults(record, pack))
    contributed = tuple(seat for proof in record.fair[-1:] for seat, part in enumerate(proof.parts) if part)
    return CheckedDeal(number, deal, "wrong" if found else "fair", contributed, max(0, len(record.fair) - 1), found)
