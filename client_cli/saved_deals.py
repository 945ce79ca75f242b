"""The records of deals that lie as files on this machine, as far as they can be told without replaying them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from client_cli.deal_file import kept_deals
from protocol.record import FORMAT, LONGEST_BYTES

MOST_SHOWN = 50


class SavedDeals(NamedTuple):
    """A file of records. `names`: who played the first of its `deals`, where that is known."""

    path: Path
    game: str
    deals: int
    names: tuple[str, ...]


class _Record(msgspec.Struct):
    format: str
    game: str
    names: tuple[str, str, str] | None = None


def usual_folders() -> tuple[Path, ...]:
    """Where deals lie that somebody has saved: where the program was started, and where it keeps what it keeps."""
    return Path(), kept_deals()


def saved_deals(folders: Iterable[Path]) -> tuple[SavedDeals, ...]:
    """The newest files first; what cannot be read, or is something else, is passed over."""
    files = sorted(_files(folders), reverse=True)
    found = (saved for _, path in files if (saved := _looked_at(path)) is not None)
    return tuple(saved for saved, _ in zip(found, range(MOST_SHOWN), strict=False))


def _files(folders: Iterable[Path]) -> Iterator[tuple[float, Path]]:
    for folder in folders:
        try:
            entries = [entry for entry in os.scandir(folder) if entry.name.endswith(".jsonl") and entry.is_file()]
            yield from ((entry.stat().st_mtime, folder / entry.name) for entry in entries)
        except OSError:
            continue


def _looked_at(path: Path) -> SavedDeals | None:
    try:
        with path.open("rb") as file:
            first = file.readline(LONGEST_BYTES)
            record = msgspec.json.decode(first, type=_Record)
            more = sum(not line.isspace() for line in file)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None
    return SavedDeals(path, record.game, 1 + more, record.names or ()) if record.format == FORMAT else None
