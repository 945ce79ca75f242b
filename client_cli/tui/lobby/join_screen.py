"""A room that somebody else has opened: its code is typed or pasted, in whatever form it came."""

from collections.abc import Callable, Iterable, Sequence

from client_cli.address import RoomAddress, room_address, spaced_code
from client_cli.language import tr
from client_cli.tui.lobby.rows_screen import Row, RowsScreen
from client_cli.words_link import server


class JoinScreen(RowsScreen):
    """`take`: what to do with the room. `server`: where a code alone is looked for."""

    LINE_ON_TOP = True

    def __init__(self, heading: str, take: Callable[[RoomAddress], None], server: str) -> None:
        super().__init__()
        self._heading = heading
        self._take = take
        self._server = server
        self._room: RoomAddress | None = None
        self._typed = ""

    def heading(self) -> str:
        return self._heading

    def head(self) -> Sequence[str]:
        lines = [
            tr("Type or paste what the host gave you: the code with its server, or the link."),
            "",
            "K7QF-2MXR@192.168.1.5",
            "http://192.168.1.5:8470/j/K7QF2MXR",
            "K7QF 2MXR cards.example.org",
        ]
        if self._server:
            lines += ["", tr("A code alone is looked for at {server}.", server=self._server)]
        return lines

    def rows(self) -> Iterable[Row]:
        again = [Row("again", tr("Try again"), self._where(), enter=self._go)] if self._room else []
        return (Row("room", tr("Room"), self._typed, typed=self._type, text=self._typed), *again)

    def _where(self) -> str:
        room = self._room
        return "" if room is None else f"{spaced_code(room.code)}@{server(room.url)}"

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.open_line, self._rows[0])

    def _type(self, line: str) -> None:
        self._typed = line
        if not line.strip():
            return
        self._room = None
        self._room = room_address(line, server=self._server)
        self.call_after_refresh(self._highlight, "again")  # where it fails, Enter tries once more
        self._go()

    def _go(self) -> None:
        if self._room is not None:
            self._take(self._room)
