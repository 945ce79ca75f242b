"""What one connection after another shows of a table, in lines: each thing once, and after a gap what has changed."""

from collections.abc import Sequence
from typing import NamedTuple

from client_cli import words, words_fair, words_link
from client_cli.fairness import Unshown, Verdict
from client_cli.frontend import Drawn
from client_cli.invitation import Invitation
from client_cli.layouts import layout_of
from client_cli.speaker import Speaker
from client_cli.words_happenings import happened
from protocol.messages import Table
from protocol.view import Happening, SeatView, TableView


class Told(NamedTuple):
    """`asks_anew`: the question on the screen is out of sight or date. `away`: the viewer was told to be away."""

    lines: Sequence[str]
    asks_anew: bool = False
    away: bool = False


class Teller:
    """Remembers what a viewer has been told. `invitation`: for who opens the room."""

    def __init__(self, invitation: Invitation | None = None) -> None:
        self.came_in = False  # has seen a table before
        self.fresh = False  # has seen none on this connection
        self._invitation = invitation
        self._moved_to: str | None = None
        self._read_only = False  # the server is too old for the room,
        self._was_read_only = False  # or was so on the connection before
        self._reset = False  # the next view may be an older one
        self._shown: object = None  # what the screen shows of the table
        self._seats: tuple[SeatView, ...] = ()
        self._auto_pass: bool | None = None
        self._end_told = False  # of the match

    def opened(self, moved_to: str | None) -> None:
        """A connection stands. `moved_to`: the server's URL, where it is another one."""
        self.fresh, self._moved_to = True, moved_to
        self._was_read_only, self._read_only = self._read_only, False

    def notice(self, kind: str) -> Sequence[str]:
        """What to say of a notice: nothing of one that this client does not know, or that only says what is known."""
        known = kind == "newer" and self.fresh and self._was_read_only
        self._read_only = self._read_only or kind == "newer"
        self._reset = self._reset or kind == "reset"
        said = words_link.notice(kind)
        return () if known or said is None else (said,)

    def table(
        self, message: Table, seat: int | None, *, bot_plays: bool, verdicts: Sequence[Verdict | Unshown] = ()
    ) -> Told:
        """What is new to the viewer at `seat`. `bot_plays`: their seat, though they can play it themselves.

        `verdicts`: of deals that are over by now.
        """
        view, speaker = message.view, Speaker(message.view, seat)
        lines: list[str] = []
        shown = (view.room, [(each.kind, each.name) for each in view.seats], view.deal, view.result)
        asks_anew = self._reset
        if self.fresh:
            asks_anew = not (self._read_only and self._was_read_only and shown == self._shown)
            if asks_anew:
                lines += self._coming_in(speaker)
                if not message.happened and shown != self._shown:
                    lines += map(Drawn, layout_of(view.room.game).table_lines(speaker))
                if bot_plays:
                    lines.append(words.auto_plays())
            self._seats = self._seats or view.seats
        elif self._reset:
            lines += map(Drawn, layout_of(view.room.game).table_lines(speaker))
        if message.missed:
            lines.append(words.missed())
        judged = [words_fair.judged(each, watching=seat is None) for each in verdicts]
        over, told = view.room.phase == "over", self._end_told
        lines += _happenings(message, speaker, judged, ended_unseen=over and not told)
        self._end_told = over
        away = any(it.kind == "away" and speaker.is_you(it.seat) for it in message.happened)
        if not self.fresh:  # those who had the same server are on their way to another, too: give them the time
            lines += self._connections(view, speaker)
        lines += self._automatic_pass(view)
        self.fresh, self.came_in, self._reset, self._shown = False, True, False, shown
        return Told(lines, asks_anew, away)

    def _coming_in(self, speaker: Speaker) -> list[str]:
        if self.came_in:
            return [words_link.back(self._moved_to)]
        invited = self._invitation.lines(speaker.view.room.code) if self._invitation else []
        return [speaker.welcome(), *invited]

    def _connections(self, view: TableView, speaker: Speaker) -> list[str]:
        before, self._seats = self._seats, view.seats
        return [
            speaker.connection_of(now)
            for was, now in zip(before, view.seats, strict=True)
            if now.kind == "human"
            and now.seat != speaker.seat
            and (was.kind, was.name, was.away) == (now.kind, now.name, now.away)
            and was.connected != now.connected
        ]

    def _automatic_pass(self, view: TableView) -> list[str]:
        before, self._auto_pass = self._auto_pass, None if view.you is None else view.you.auto_pass
        if before is None or self._auto_pass in (None, before):
            return []
        return [words.passing_on() if self._auto_pass else words.passing_off()]


def _happenings(message: Table, speaker: Speaker, judged: list[str], *, ended_unseen: bool) -> list[str]:
    """`judged` comes when the deal is over, and before the match is.

    `ended_unseen`: the match is over, and if none of the happenings says so it ended while this connection was away.
    """
    view, lines = message.view, list[str]()
    what = message.happened
    if ended_unseen and not any(it.kind in ("match_over", "closed") for it in what):
        what += (Happening("match_over", scores=tuple(seat.score for seat in view.seats)),)
    for happening in what:
        if happening.kind == "match_over":
            lines, judged = [*lines, *judged], []
        if (line := happened(speaker, happening)) is not None:
            lines.append(line)
        if happening.kind == "deal_over":
            lines += layout_of(view.room.game).ending_lines(speaker)
    return [*lines, *judged]
