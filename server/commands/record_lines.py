"""Files of records, or standard input, line by line. What the lines say is `server.games.record`'s business."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from protocol.errors import ExitCode
from server.commands import CommandFailed


def record_lines(file: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1; `-` is standard input. Raises `CommandFailed`."""
    try:
        if file == "-" and sys.stdin is None:
            raise CommandFailed(ExitCode.FAILURE, "standard input is closed")
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, f"cannot read {file}: {error.strerror}") from None
