"""What Textual's driver of the terminal does not take care of by itself."""

import codecs
import sys
from collections.abc import Callable
from functools import partial


def tolerate_bytes() -> None:
    """Let bytes from the terminal that are no UTF-8 be replacement characters.

    Textual reads the keyboard with a strict decoder, in a thread that one stray byte ends, and the application with it.
    """
    if sys.platform != "win32":
        from textual.drivers import linux_driver  # noqa: PLC0415 - there is none on Windows

        def lenient(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
            return partial(codecs.getincrementaldecoder(encoding), errors="replace")

        setattr(linux_driver, "getincrementaldecoder", lenient)  # noqa: B010 - not a name that mypy knows there
