"""The record of a deal as a file of the player's. What the record says is the server's business."""

from itertools import count
from pathlib import Path


def write_new(name: str, line: str) -> Path:
    """Write one line to a file that did not exist: `name`, or with a number where that is taken. Raises OSError."""
    wanted = Path(name).expanduser()
    path = wanted
    for number in count(2):
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(f"{line}\n")
        except FileExistsError:
            path = wanted.with_stem(f"{wanted.stem}-{number}")
        else:
            break
    return path
