"""The rooms that a server shows to all."""

from collections.abc import Callable, Iterator

from client_cli import words, words_lan
from client_cli.address import RoomAddress, server_url, spaced_code
from client_cli.commands.rooms import ask_for_rooms, rooms_nearby
from client_cli.connection import Connection
from client_cli.language import listed, tr, tr_n
from client_cli.names import games
from client_cli.tui.choice_screen import ChoiceScreen
from client_cli.tui.lobby.rows_screen import Row, RowsScreen
from client_cli.words_link import server as server_words
from protocol.messages import RoomSummary


class RoomsScreen(RowsScreen):
    """`join`, `watch`: what to do with a room. Another `server` is handed to `keep`. `lan`: look around, too."""

    def __init__(
        self,
        server: str,
        keep: Callable[[str], None],
        name: str,
        join: Callable[[RoomAddress], None],
        watch: Callable[[RoomAddress], None],
        *,
        lan: bool = False,
    ) -> None:
        super().__init__()
        self._server = server
        self._keep = keep
        self._player = name
        self._join = join
        self._watch = watch
        self._lan = lan
        self._found: list[tuple[str, RoomSummary]] | None = None

    def heading(self) -> str:
        return tr("Open tables")

    def first(self) -> str:
        return "refresh" if self._server else "nearby" if self._lan else "server"

    def on_mount(self) -> None:
        super().on_mount()
        if self._server:
            self._refresh()
        elif self._lan:
            self._look_around()

    def rows(self) -> Iterator[Row]:
        yield Row(
            "server",
            tr("Server"),
            self._server or tr("type its address"),
            tr("HOST, HOST:PORT, or the address of the server."),
            typed=self._type_server,
            text=self._server,
        )
        if self._server:
            yield Row("refresh", tr("Look again"), self._state(), enter=self._refresh, sign="r")
        if self._lan:
            shown = self._state() if not self._server else ""
            yield Row("nearby", tr("Look in your network"), shown, enter=self._look_around, sign="n")
        for url, room in self._found or ():
            yield self._room_row(url, room)

    def _state(self) -> str:
        if self.asking:
            return tr("asking ...")
        if self._found is None:
            return ""
        return tr_n("{count} table", "{count} tables", len(self._found)) if self._found else words.no_rooms()

    def _room_row(self, url: str, room: RoomSummary) -> Row:
        terms = listed([words.seats_free(room.free), words.deals(room.deals), words.pace(room.pace)])
        game = games().get(room.game, room.game)
        shown = tr("{game} of {host}: {terms}", game=game, host=room.host, terms=terms)
        return Row(
            f"room {url} {room.code}",
            spaced_code(room.code),
            shown,
            tr("At {server}.", server=server_words(url)),
            enter=lambda: self._choose(url, room),
        )

    def _choose(self, url: str, room: RoomSummary) -> None:
        address = RoomAddress(url, room.code)
        ways = [(tr("Look on, without a seat"), self._watch)]
        if room.free:
            ways.insert(0, (tr("Take a seat"), self._join))

        def go(chosen: int | None) -> None:
            if chosen is not None:
                ways[chosen][1](address)

        self.app.push_screen(ChoiceScreen(self._room_row(url, room).value, [label for label, _ in ways]), go)

    def _type_server(self, line: str) -> None:
        server_url(line.strip())
        self._server = line.strip()
        self._keep(self._server)
        self._found = None
        self._refresh()

    def _refresh(self) -> None:
        self.tell()
        self.ask(self._look())

    async def look(self) -> list[tuple[str, RoomSummary]]:
        """The rooms of the server, each with its URL. Raises `CommandFailed`."""
        url = server_url(self._server)
        return [(url, room) for room in await ask_for_rooms(Connection(url), self._player)]

    async def _look(self) -> None:
        self._found = await self.look()

    def _look_around(self) -> None:
        self.tell()
        self.ask(self._look_nearby())

    async def _look_nearby(self) -> None:
        servers, self._found = await rooms_nearby(self._player)
        if not self._found:
            self.tell(words_lan.no_rooms_nearby(servers))
