"""How log lines are written: as text for people, or one JSON object a line for programs.

Whoever logs names in `extra` what a line is about (`FIELDS`). An exception is told by its kind and place, never by its
text, which may quote a client, a ticket or a card.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from server.faults import kind_and_place

Form = Literal["text", "json"]

FIELDS = ("connection", "request", "room", "kind", "code", "seconds")
"""`connection` and `request` count on one server: what belongs together is found by them."""

_event_loop = logging.getLogger("asyncio")
"""It warns of every few writes to connections that are gone: anybody could fill the log with that."""

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class TextLines(logging.Formatter):
    """`TIME LEVEL LOGGER: what happened field=value ...`, without the room, which is in the words already."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s%(fields)s")

    def format(self, record: logging.LogRecord) -> str:
        record.fields = "".join(f" {name}={_shown(value)}" for name, value in _fields(record).items() if name != "room")
        return super().format(record)

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - the name is the library's
        return kind_and_place(ei[1]) if ei[1] is not None else ""


class JsonLines(logging.Formatter):
    """`time` (UTC), `level`, `logger`, `message`, `fault` where there is one, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["fault"] = kind_and_place(record.exc_info[1])
        return json.dumps(line | _fields(record))


def configure(level: str, form: Form) -> None:
    """Log to stderr from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    _event_loop.setLevel(logging.ERROR)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name in FIELDS if (value := getattr(record, name, None)) is not None}


def _shown(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)
