"""A program in a real pseudo-terminal, and the screen that a person would see there."""

import asyncio
import fcntl
import os
import pty
import signal
import struct
import termios
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyte

from tests.e2e.processes import PROGRAMS, environment

READ_AT_ONCE = 65536

LONGEST_WAIT_S = 60.0
"""Machines may be slow; a wait that is in order is over as soon as what it is for has come."""

MODES_ON = (b"\x1b[?1049h", b"\x1b[?1000h", b"\x1b[?1006h", b"\x1b[?25l")
"""The other screen, mouse reports, and the cursor hidden: what a full screen sets ..."""

MODES_OFF = (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?25h")
"""... and what must be taken back, whatever ends it."""

SYNCHRONIZED = 2026
"""The mode in which a program draws one picture: until it is left, terminals that know it show the one before."""


class Screen(pyte.Screen):
    """`drawing`: half a picture is there."""

    drawing = False

    def set_mode(self, *modes: int, **which: Any) -> None:
        self.drawing = self.drawing or SYNCHRONIZED in modes
        super().set_mode(*modes, **which)

    def reset_mode(self, *modes: int, **which: Any) -> None:
        self.drawing = self.drawing and SYNCHRONIZED not in modes
        super().reset_mode(*modes, **which)


class Terminal:
    """Use it as an async context manager. `written`: every byte that the program has sent.

    It answers what terminals are asked: where the cursor is, and whether pictures can be drawn at once. A wait looks at
    whole pictures only. `ambiguous_cells`: how wide it says a box character is.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        home: Path,
        *,
        program: Sequence[str] = (str(PROGRAMS / "paizhuo"),),
        columns: int = 80,
        rows: int = 24,
        ambiguous_cells: int = 1,
        settings: dict[str, str] | None = None,
    ) -> None:
        self.written = bytearray()
        self._arguments = (*program, *arguments)
        self._environment = environment(home) | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | (settings or {})
        self._ambiguous_cells = ambiguous_cells
        self._size = columns, rows
        self._screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Condition()
        self._ended = asyncio.Event()

    async def __aenter__(self) -> "Terminal":
        self._master, slave = pty.openpty()
        self.modes = termios.tcgetattr(slave)
        self._set_size(slave)
        self.process = await asyncio.create_subprocess_exec(
            *self._arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=self._environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._slave = slave  # kept open, so that the modes can be read when the program is gone
        os.set_blocking(self._master, False)
        asyncio.get_running_loop().add_reader(self._master, self._read)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()
        if self._master >= 0:
            self.closes()

    @property
    def lines(self) -> list[str]:
        """The rows of the screen, without the blanks at their ends."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row, from 0."""
        return self._screen.cursor.x, self._screen.cursor.y

    @property
    def modes_now(self) -> list[object]:
        """The line discipline's, as `termios.tcgetattr` gives them."""
        return list(termios.tcgetattr(self._slave))

    def closes(self) -> None:
        """As when the window is closed: the program is told by SIGHUP, and what it draws goes nowhere."""
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def types(self, keys: str | bytes) -> None:
        """As a keyboard sends it; a whole paste may take several writes, for which `types_all` waits."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    async def types_all(self, what: bytes) -> None:
        """However much it is."""
        loop = asyncio.get_running_loop()
        while what:
            try:
                what = what[os.write(self._master, what[:1024]) :]
            except BlockingIOError:
                writable = asyncio.Event()
                loop.add_writer(self._master, writable.set)
                try:
                    await writable.wait()
                finally:
                    loop.remove_writer(self._master)

    def resizes(self, columns: int, rows: int) -> None:
        """As when the window's corner is pulled: the program is told by SIGWINCH."""
        self._size = columns, rows
        self._screen.resize(rows, columns)
        self._set_size(self._master)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of what has been written; what is there instead is in the failure."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT_S), self._changed:
                await self._changed.wait_for(lambda: self._ended.is_set() or (not self._screen.drawing and holds()))
        assert holds(), f"this is there instead:\n{self.text}"

    async def shows(self, *wanted: str) -> None:
        """Wait until all of this stands on the screen."""
        await self.until(lambda: all(each in self.text for each in wanted))

    async def ends(self) -> int:
        """The exit code, when the program is gone and all that it has written is read."""
        code = await self.process.wait()
        self._read()
        return code

    def _set_size(self, descriptor: int) -> None:
        columns, rows = self._size
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                chunk = os.read(self._master, READ_AT_ONCE)
            except BlockingIOError:
                break
            except OSError:
                chunk = b""
            if not chunk:
                self._ended.set()
                loop.remove_reader(self._master)
                break
            self.written += chunk
            self._stream.feed(chunk)
            self._answer(chunk)
        loop.create_task(self._tell())  # noqa: RUF006 - the loop outlives it

    def _answer(self, chunk: bytes) -> None:
        for _ in range(chunk.count(b"\x1b[6n")):
            self.types(f"\x1b[1;{1 + self._ambiguous_cells}R")
        for _ in range(chunk.count(f"\x1b[?{SYNCHRONIZED}$p".encode())):
            self.types(f"\x1b[?{SYNCHRONIZED};2$y")

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
