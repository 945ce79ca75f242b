"""The person's terminal, file or pipe: lines in, lines out. What is shown is made safe here, and nowhere else."""

import asyncio
import os
import sys
from collections.abc import Iterable
from threading import Semaphore, Thread
from typing import TextIO

import msgspec

from client_cli import words
from client_cli.attention import notice_sequence
from client_cli.frontend import JoinPage, T
from client_cli.names import codes_alone
from client_cli.qr import qr_lines
from client_cli.replay import Replay
from client_cli.rows import wrapped
from client_cli.session import Session
from client_cli.settings import DEFAULTS, Settings
from client_cli.stepping import whole_lines
from client_cli.terminal import ascii_only, measured, size, this_terminal
from client_cli.text import ascii_json, safe

LONGEST_LINE_BYTES = 65_536
"""A longer line is cut there: no input can fill the memory."""


class Console:
    """Reads `source` (a file descriptor; None: there is no input) and writes the transcript and the notes.

    `settings`: of the person who sits there.
    """

    lingers = False

    def __init__(self, source: int | None, transcript: TextIO, notes: TextIO, settings: Settings = DEFAULTS) -> None:
        self.interactive = source is not None and os.isatty(source)
        self._source = source
        self._transcript = transcript
        self._notes = notes
        self.settings = settings
        self._called_for: int | None = None
        self._wanted = Semaphore(0)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: Thread | None = None

    def show(self, line: str) -> None:
        """One line of the transcript. Raises BrokenPipeError when nobody reads any more."""
        if isinstance(line, JoinPage):
            self._draw_code(line)
        write_line(codes_alone(line) if self.settings.ascii == "on" else line, self._transcript)

    def _draw_code(self, page: JoinPage) -> None:
        """For cameras, which read terminals only."""
        if self._transcript.isatty():
            terminal = this_terminal(None, self._transcript)
            for row in qr_lines(page, ascii_only=ascii_only(self.settings.ascii, terminal), light=terminal.light):
                print(row, file=self._transcript)

    def note(self, line: str) -> None:
        """One line beside the transcript, about the program rather than the table."""
        write_line(line, self._notes)

    def farewell(self, line: str) -> None:
        """Notes stay where they are."""
        self.note(line)

    def changed(self, session: Session) -> None:
        """What has changed is said in lines; who looks elsewhere is called once for each question."""
        prompt = session.prompt
        if prompt is not None and prompt.id != self._called_for and self.interactive and self._notes.isatty():
            self._called_for = prompt.id
            bell = "\a" if self.settings.bell else ""
            notice = notice_sequence(words.your_turn_notice(), os.environ) if self.settings.notify else ""
            print(bell + notice, end="", file=self._notes, flush=True)

    def replay(self, replay: Replay) -> None:
        """All of it: the room goes on meanwhile."""
        for line in whole_lines(replay):
            self.show(line)

    async def choose(self, question: str, choices: Iterable[tuple[T, str]]) -> T | None:
        """Answered by number or as shown; Enter takes the first. None when the input has ended."""
        numbered = [(str(number), meant, shown) for number, (meant, shown) in enumerate(choices, start=1)]
        while True:
            self.show(question)
            for number, _, shown in numbered:
                self.show(f"{number}) {shown}")
            line = await self.line()
            if line is None:
                return None
            typed = line.strip() or "1"
            for number, meant, shown in numbered:
                if typed in (number, meant, shown):
                    return meant
            self.show(words.not_a_choice(typed, len(numbered)))

    async def line(self) -> str | None:
        """The next line without its end; None when the input has ended. Only one call at a time.

        A thread reads, because files and terminals cannot be awaited alike on all systems; it reads no further than
        asked, and as a daemon it never holds up the end of the program.
        """
        if self._source is None:
            return None
        if self._reader is None:
            loop = asyncio.get_running_loop()
            self._reader = Thread(target=self._read, args=(self._source, loop), daemon=True)
            self._reader.start()
        self._wanted.release()
        return await self._lines.get()

    def _read(self, source: int, loop: asyncio.AbstractEventLoop) -> None:
        rest, ended = b"", False
        while True:
            self._wanted.acquire()
            while not ended and b"\n" not in rest and len(rest) < LONGEST_LINE_BYTES:
                try:
                    chunk = os.read(source, LONGEST_LINE_BYTES)
                except OSError:
                    chunk = b""
                rest, ended = rest + chunk, not chunk
            line, found, rest = rest.partition(b"\n")
            text = line.decode(errors="replace").rstrip("\r") if line or found else None
            try:
                loop.call_soon_threadsafe(self._lines.put_nowait, text)
            except RuntimeError:  # the loop is closed: nobody waits for lines any more
                return


def write_line(line: str, stream: TextIO) -> None:
    """Made safe, as one line, but in rows on a terminal: cards that it breaks in the middle are hard to read."""
    shown = safe(line if _fits(line, stream) else codes_alone(line))
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        shown = wrapped(shown, size(os.environ, measured(stream))[0])
    print(shown, file=stream, flush=True)


def write_json(value: object, stream: TextIO) -> None:
    """One line for programs, which no terminal breaks."""
    print(ascii_json(msgspec.json.encode(value).decode()), file=stream, flush=True)


def _fits(line: str, stream: TextIO) -> bool:
    try:
        line.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def standard_console(settings: Settings = DEFAULTS) -> Console:
    """The console of this process."""
    return Console(None if sys.stdin is None else sys.stdin.fileno(), sys.stdout, sys.stderr, settings)
