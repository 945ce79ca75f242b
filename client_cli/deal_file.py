"""The record of a deal as a file of the player's. What the record says is the server's business."""

from itertools import count
from pathlib import Path


def write_new(name: str, line: str) -> Path:
    """Write one line to a file that did not exist: `name`, or with a number where that is taken. Raises OSError.

    Folders that are missing are made: by the time of the writing, the deal may be had nowhere else.
    """
    wanted = Path(name).expanduser()
    wanted.parent.mkdir(parents=True, exist_ok=True)
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
