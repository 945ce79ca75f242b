"""How a fault of the program is logged: by its kind and place, never by its text.

The text of an exception may quote a client, a ticket or a card.
"""

import asyncio
import logging
import traceback
from typing import Any

logger = logging.getLogger(__name__)


def kind_and_place(fault: BaseException) -> str:
    """The type, then the frames that it passed through, innermost last; then the same of each fault in a group."""
    told = f"{type(fault).__name__}\n{''.join(traceback.format_tb(fault.__traceback__))}".rstrip()
    within = fault.exceptions if isinstance(fault, BaseExceptionGroup) else ()
    return "\n".join((told, *map(kind_and_place, within)))


def unquoted(record: logging.LogRecord) -> bool:
    """A filter for the logger of a library: what it logs an exception with, without the text of the exception."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg, record.args = f"{record.getMessage()}: %s", (kind_and_place(record.exc_info[1]),)
        record.exc_info = None
    return True


def log_for_nobody(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An exception handler for an event loop: what was raised where nobody waits for it. Its own message may quote what
    a callback was called with.
    """
    fault = context.get("exception")
    logger.error("where nobody waits: %s", context["message"] if fault is None else kind_and_place(fault))
