"""Which event loop runs a program of the server: uvloop where it is installed, else the one of asyncio."""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:  # it has no wheels for Windows and PyPy
    from asyncio import new_event_loop

T = TypeVar("T")

SWITCH_S = 0.00005
"""How long a thread waits for the interpreter before it is let in. A write to a SQLite file asks for it a dozen times,
and while the event loop is busy the interpreter's own 5 ms would be waited for each time.
"""


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on that loop, in a program of its own."""
    sys.setswitchinterval(SWITCH_S)
    logging.getLogger(__name__).debug("on the event loop of %s", new_event_loop.__module__)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)
