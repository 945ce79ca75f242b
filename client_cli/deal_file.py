"""The record of a deal as a file of the player's. What the record says is the server's business."""

import re
from itertools import count
from pathlib import Path

from platformdirs import user_state_path


def kept_deals() -> Path:
    """The folder of this program for deals that could not be saved where it was started."""
    return user_state_path("paizhuo", appauthor=False) / "deals"


def usual_name(game: str, code: str, deal: int) -> str:
    """Of the file for a deal of this room. The server names game and room, but no folder."""
    return f"{re.sub('[^A-Za-z0-9-]', '_', f'{game}-{code}-{deal}')}.jsonl"


def write_new(name: str, line: str) -> Path:
    """Write one line to a file that did not exist: `name`, or with a number where that is taken. Raises OSError.

    Folders that are missing are made, and a name without a folder goes into `kept_deals` where it cannot be written:
    by the time of the writing, the deal may be had nowhere else.
    """
    wanted = Path(name).expanduser()
    try:
        return _written(wanted, line)
    except OSError:
        if wanted.parent != Path():
            raise
        return _written(kept_deals() / wanted, line)


def _written(wanted: Path, line: str) -> Path:
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
