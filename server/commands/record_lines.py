"""Files of records, or standard input, line by line. What the lines say is `protocol.record`'s business."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from protocol.errors import ExitCode
from protocol.record import lines
from server.commands import CommandFailed


def record_lines(file: str) -> Iterator[tuple[int, bytes]]:
    """As `protocol.record.lines`; `-` is standard input. Raises `CommandFailed`."""
    try:
        if file == "-" and sys.stdin is None:
            raise CommandFailed(ExitCode.FAILURE, "standard input is closed")
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as opened:
            yield from lines(opened)
    except OSError as error:
        raise CommandFailed(ExitCode.FAILURE, f"cannot read {file}: {error.strerror}") from None
