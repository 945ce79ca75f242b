"""Files of records, or standard input, line by line. What the lines say is `server.games.record`'s business."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from protocol.errors import ExitCode
from server.commands import CommandFailed

LONGEST_LINE = 1 << 20
"""Bytes: a deal has a few thousand. A file without line breaks must not fill the memory."""


def record_lines(file: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1; `-` is standard input. Raises `CommandFailed`."""
    try:
        if file == "-" and sys.stdin is None:
            raise CommandFailed(ExitCode.FAILURE, "standard input is closed")
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as lines:
            for number, line in enumerate(iter(partial(lines.readline, LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise CommandFailed(
                        ExitCode.VERIFICATION_FAILED, f"{file}:{number}: longer than any record of a deal"
                    )
                if line.strip():
                    yield number, line
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, f"cannot read {file}: {error.strerror}") from None
