"""What Textual's driver of the terminal does not take care of by itself: bytes that are no text, a window that is
closed, and one that changes its size again while the change before is looked at."""

import asyncio
import codecs
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TextIO

from textual.driver import Driver

Decoder = codecs.getincrementaldecoder("utf-8")


class KeyboardDecoder(Decoder):  # type: ignore[valid-type, misc]  # codecs makes the class
    """Bytes that are no UTF-8 become replacement characters: a strict decoder ends the thread that reads the keys.

    Nothing at all is what a terminal gives that is gone: then there is nothing to wait for. Raises EOFError.
    """

    def __init__(self) -> None:
        super().__init__(errors="replace")

    def decode(self, input: bytes, final: bool = False) -> str:  # noqa: A002 - its name in codecs
        if not input and not final:
            raise EOFError
        return str(super().decode(input, final))


class LastingOutput:
    """A stream that takes everything, also when the terminal behind it is gone: who writes must not wait for ever."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[int, None], object], number: int, _frame: object) -> None:
    loop.call_soon_threadsafe(call, number, None)


def terminal_driver() -> type[Driver] | None:
    """The driver for this system's terminals; None where Textual's own will do."""
    if sys.platform == "win32":
        return None
    from textual.drivers import linux_driver  # noqa: PLC0415 - there is none on Windows

    def keyboard_decoder(_encoding: str) -> Callable[[], KeyboardDecoder]:
        return KeyboardDecoder

    setattr(linux_driver, "getincrementaldecoder", keyboard_decoder)  # noqa: B010 - not a name that mypy knows there

    class TerminalDriver(linux_driver.LinuxDriver):
        """Draws on the standard output, which has been found to be a terminal; Textual would take the error output.

        Looks at the window's size in the loop, one look after another. A signal interrupts the handler of the one
        before, and a look that was interrupted between measuring and telling would tell an old size as the newest.
        """

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._file = LastingOutput(sys.stdout)  # type: ignore[assignment]  # all that is asked of it

        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual has no types there
            look = signal.getsignal(signal.SIGWINCH)
            if callable(look):  # else it has not started: who is in the background may not change a terminal
                signal.signal(signal.SIGWINCH, partial(_soon, self._loop, look))
                self._loop.call_soon(look, signal.SIGWINCH, None)  # handlers could be interrupted until now

    return TerminalDriver
