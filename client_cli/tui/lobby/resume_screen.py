"""The seats that this person left unfinished: go back to one, or forget it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from client_cli import words_seats
from client_cli.address import spaced_code
from client_cli.commands.resume import any_answers
from client_cli.language import tr
from client_cli.servers import is_loopback
from client_cli.tickets import SavedSeat, TicketStore, now_s
from client_cli.tui.choice_screen import ChoiceScreen
from client_cli.tui.lobby.rows_screen import Row, RowsScreen
from client_cli.words_link import server


class ResumeScreen(RowsScreen):
    """`go_back`: to the seats in the room with this code. `host_again`: start the server first, which was our own."""

    def __init__(
        self, tickets: TicketStore, go_back: Callable[[str], None], host_again: Callable[[SavedSeat], None]
    ) -> None:
        super().__init__()
        self._tickets = tickets
        self._go_back = go_back
        self._host_again = host_again
        self._answers: dict[str, bool] = {}

    def heading(self) -> str:
        return tr("Back to a game")

    def head(self) -> Sequence[str]:
        return () if self._seats() else (tr("There is no unfinished game on this machine."),)

    def on_mount(self) -> None:
        super().on_mount()
        self.ask(self._look())

    def _seats(self) -> tuple[SavedSeat, ...]:
        try:
            return self._tickets.unfinished(now_s()).seats
        except OSError:
            return ()

    def rows(self) -> Iterator[Row]:
        seats = self._seats()
        for seat in seats:
            yield self._seat_row(seat)
        if seats:
            yield Row("forget", tr("Forget a seat ..."), enter=self._which, sign="f")
            yield Row("again", tr("Look again"), enter=lambda: self.ask(self._look()), sign="r")

    def _seat_row(self, seat: SavedSeat) -> Row:
        where = server((*seat.servers, seat.url)[0])
        answers = self._answers.get(seat.ticket)
        state = tr("asking ...") if answers is None else tr("it answers") if answers else tr("no answer")
        named = tr("{server}, seat {number} as {name}", server=where, number=seat.seat + 1, name=seat.name)
        return Row(
            f"seat {seat.ticket}",
            spaced_code(seat.code),
            f"{named}: {state}",
            self._advice(seat) if answers is False else "",
            enter=lambda: self._return_to(seat),
        )

    def _advice(self, seat: SavedSeat) -> str:
        if _was_ours(seat):
            return tr("Its server ran on this machine and has stopped: Enter starts it again.")
        return tr("Its server does not answer now. It may be back later: only forget the seat if it is gone for good.")

    def _return_to(self, seat: SavedSeat) -> None:
        if self._answers.get(seat.ticket) is False and _was_ours(seat):
            self._host_again(seat)
        else:
            self._go_back(seat.code)

    async def _look(self) -> None:
        self._answers = {}
        self.draw()
        seats = self._seats()
        there = await asyncio.gather(*(any_answers(seat) for seat in seats))
        self._answers = {seat.ticket: answers for seat, answers in zip(seats, there, strict=True)}

    def _which(self) -> None:
        seats = self._seats()

        def forget(place: int | None) -> None:
            if place is not None:
                self._drop(seats[place])

        self.app.push_screen(
            ChoiceScreen(tr("Forget which seat, for good?"), [words_seats.saved_seat(seat) for seat in seats]), forget
        )

    def _drop(self, seat: SavedSeat) -> None:
        try:
            self._tickets.drop(seat.url, seat.code, seat.seat)
        except OSError as error:
            self.tell(words_seats.undeletable(str(error)))
        else:
            self.tell(words_seats.forgotten(words_seats.saved_seat(seat)))


def _was_ours(seat: SavedSeat) -> bool:
    return all(map(is_loopback, (seat.url, *seat.servers)))
