"""Which event loop runs a program of the server: uvloop where it is installed, else the one of asyncio."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:  # it has no wheels for Windows and PyPy
    from asyncio import new_event_loop

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on that loop."""
    logging.getLogger(__name__).debug("on the event loop of %s", new_event_loop.__module__)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)
