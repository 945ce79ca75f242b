"""Who is at a room on this node: the viewers that are shown it, and who else is known to be connected elsewhere."""

import asyncio
from collections.abc import Callable

from protocol.messages import Notice, Said
from protocol.view import Happening, TableView
from server.games.base import Seat
from server.node.port import Viewer
from server.node.presence import Presence
from server.node.unfolding import News
from server.node.words import Here, Spoken, Words, encode_words
from server.rooms.state import RoomState, seat_of_ticket
from server.rooms.view import table_views, timeless


class Attached:
    """A viewer at this room: its seat (None: a spectator), its connection's name, and what it was shown last.

    `ticket` (a hash): of the seat; `since_ms`: by the log's clock, when the connection had the seat for sure.
    """

    def __init__(self, viewer: Viewer, seat: Seat | None, connection: str, ticket: bytes, since_ms: int) -> None:
        self.viewer = viewer
        self.seat = seat
        self.connection = connection
        self.ticket = ticket
        self.since_ms = since_ms
        self.shown: TableView | None = None


class Audience:
    """A room's viewers. `state`: what they see. `standing`: a notice that whoever comes is told, too.

    `changed` is set whenever something that the room's dues depend on has changed.
    """

    def __init__(self, node: str, now_ms: Callable[[], int], changed: asyncio.Event) -> None:
        self.state: RoomState | None = None
        self.standing: Notice | None = None
        self.presence = Presence(node, now_ms())
        self._node = node
        self._now_ms = now_ms
        self._changed = changed
        self._attached: dict[Viewer, Attached] = {}

    @property
    def watched(self) -> bool:
        return bool(self._attached)

    def attached(self, viewer: Viewer) -> Attached | None:
        return self._attached.get(viewer)

    def attach(self, viewer: Viewer, seat: Seat | None, connection: str) -> None:
        """From now on the viewer is shown the room, the table as it stands first."""
        assert self.state is not None
        ticket = b"" if seat is None else self.state.seats[seat].ticket
        self._attached[viewer] = Attached(viewer, seat, connection, ticket, self.state.last_at_ms)
        self._count_players()
        if self.standing is not None:
            viewer.tell(self.standing)

    def detach(self, viewer: Viewer) -> None:
        if self._attached.pop(viewer, None) is not None:
            self._count_players()

    def tell_all(self, notice: Notice) -> None:
        for attached in list(self._attached.values()):
            attached.viewer.tell(notice)

    def send_away(self) -> None:
        """Have the viewers connect to other servers."""
        for attached in list(self._attached.values()):
            attached.viewer.send_away()

    def end(self, reason: str) -> None:
        """Nobody sits or watches any more."""
        for attached in list(self._attached.values()):
            del self._attached[attached.viewer]
            attached.viewer.unseat(reason)
        self._count_players(show=False)

    # What the log says

    def see(self, news: News, quiet: bool) -> None:
        """The log has gone on. `quiet`: or rather back, and this is how it is now."""
        self.state = news.state
        for seat, (_, node) in news.came.items():
            self.presence.seen(seat, node, self._now_ms())
        if news.more_time:
            self._show_time()
        if quiet:
            for attached in self._attached.values():
                attached.viewer.tell(Notice("reset"))
                attached.shown = None
        self._unseat(news)
        self._show(() if quiet else tuple(news.happenings))
        if self.state is not None and self.state.closed:
            self.end("closed_by_operator" if news.closed_by_operator else "closed")
        self._changed.set()

    def forgotten(self) -> list[Attached]:
        """Players who are connected here, while the log names another connection for their seat."""
        return [attached for attached in self._attached.values() if self._is_forgotten(attached)]

    def _is_forgotten(self, attached: Attached) -> bool:
        if self.state is None or attached.seat is None:
            return False
        return self.state.seats[attached.seat].connection != attached.connection

    def _show_time(self) -> None:
        """Whoever is asked has more time than they were told."""
        for attached in self._attached.values():
            if attached.shown is not None and attached.shown.prompt is not None:
                attached.shown = None
                attached.viewer.renew()

    def _unseat(self, news: News) -> None:
        """Send away the connections whose seat is no longer theirs: given up, passed to a newer connection, or lost
        with the entries that a store has lost. Where only their coming is lost they stay: it can be written again.
        """
        if self.state is None:
            return
        for attached in self.forgotten():
            assert attached.seat is not None
            same_player = self.state.seats[attached.seat].ticket == attached.ticket
            came_ms, _ = news.came.get(attached.seat, (0, ""))
            if same_player and came_ms < attached.since_ms:
                continue
            del self._attached[attached.viewer]
            if attached.ticket in self.state.spent:
                attached.viewer.unseat(news.gone.get(attached.seat, "removed"))
            elif seat_of_ticket(self.state, attached.ticket) is not None:
                attached.viewer.replace()
            else:
                attached.viewer.send_away()  # that they ever sat down is lost: they may ask for a seat again
            self._count_players(show=False)

    def _show(self, happenings: tuple[Happening, ...]) -> None:
        if self.state is None:
            return
        shown_to = list(self._attached.values())
        seats = [attached.seat for attached in shown_to]
        views = table_views(self.state, seats, self.presence.connected, self._now_ms())
        for attached, view in zip(shown_to, views, strict=True):
            news = timeless(view)
            if happenings or news != attached.shown:
                attached.shown = news
                attached.viewer.show(view, happenings)

    # Presence and chat: beside the log

    def _count_players(self, show: bool = True) -> None:
        seats = tuple(sorted({a.seat for a in self._attached.values() if a.seat is not None}))
        if seats != self.presence.here:
            self.presence.set_here(seats, self._now_ms())
            self._changed.set()
        if show:
            self._show(())

    def forget_silent(self, unheard: bool) -> None:
        """Players whose node has not been heard for long are not connected. `unheard`: this node could not hear."""
        before = self.presence.connected
        if unheard:
            self.presence.begin_anew(self._now_ms())
        self.presence.forget_silent(self._now_ms())
        if self.presence.connected != before:
            self._changed.set()
            self._show(())

    def here(self, asking: bool = False) -> bytes:
        """What this node tells the others about who is connected to it."""
        return encode_words(Here(self._node, self.presence.here, asking))

    def heard(self, words: Words) -> bool:
        """Another node, or this one, told something. True: it asks who is connected here."""
        if isinstance(words, Spoken):
            for attached in list(self._attached.values()):
                attached.viewer.tell(Said(words.name, words.text, words.seat, words.emote))
            return False
        if words.node == self._node:
            return False
        self.presence.hear(words.node, words.seats, self._now_ms())
        self._changed.set()
        self._show(())
        return words.asking
