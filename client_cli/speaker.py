"""What one viewer learns of a table, in words: every sentence that depends on who reads it.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from client_cli import words, words_bots
from client_cli.address import spaced_code
from client_cli.language import listed, rows_listed, sentences, tr, tr_n
from client_cli.names import Lexicon
from client_cli.vocabulary import shown
from protocol.notation import Card, join
from protocol.view import SeatView, TableView


class Speaker:
    """Puts what one viewer learns into words. `seat`: the viewer's own, None for a spectator."""

    def __init__(self, view: TableView, seat: int | None) -> None:
        self.view = view
        self.seat = seat
        self.names = Lexicon.of(view.room.game)

    def is_you(self, seat: int | None) -> bool:
        return seat is not None and seat == self.seat

    def who(self, seat: int | None, name: str = "") -> str:
        """Any number has a name: facts and scores come from the server, and no type bounds the seats in them."""
        if seat is None:
            return name or tr("Somebody")
        if seat == self.seat:
            return tr("You")
        seats = self.view.seats
        name = name or (seats[seat].name if 0 <= seat < len(seats) else "") or tr("Seat {number}", number=seat + 1)
        return tr("{name} (seat {number})", name=_quoted(name), number=seat + 1) if _imitates(name) else name

    def whom(self, seat: int | None) -> str:
        """As `who`, within a sentence."""
        return tr("you") if self.is_you(seat) else self.who(seat)

    def cards(self, cards: Sequence[Card]) -> str:
        """`66+66 (2 Heaven)`, `s1一+s2二+s3三`"""
        called = self.names.called(cards)
        shown = join(map(self.names.faced, cards))
        return tr("{cards} ({name})", cards=shown, name=called) if called else shown

    def card_named(self, card: Card, name: str) -> str:
        return tr("{card} {name} (red)", card=card, name=name) if card in self.names.red else f"{card} {name}"

    def welcome(self) -> str:
        room = self.view.room
        code, game = (
            spaced_code(room.code),
            listed([self.names.title(), words.deals(room.deals), words.pace(room.pace)]),
        )
        if self.seat is None:
            return tr("Room {code}, you watch: {game}. Type help for help.", code=code, game=game)
        return tr("Room {code}, seat {number}: {game}. Type help for help.", code=code, number=self.seat + 1, game=game)

    def scores(self, scores: Sequence[int]) -> str:
        """`3 for you, 1 for Bot 2`: a name that ends with a number and the points never stand side by side."""
        return listed(
            tr("{points} for {who}", points=points, who=self.whom(seat)) for seat, points in enumerate(scores)
        )

    def winners(self, seats: Sequence[int], of: Literal["deal", "match"]) -> str:
        deal = of == "deal"
        if not seats:
            return tr("Nobody wins the deal.") if deal else tr("Nobody wins the match.")
        if len(seats) == 1:
            if self.is_you(seats[0]):
                return tr("You win the deal.") if deal else tr("You win the match.")
            who = self.who(seats[0])
            return tr("{who} wins the deal.", who=who) if deal else tr("{who} wins the match.", who=who)
        names = [self.who(seats[0]), *map(self.whom, seats[1:])]
        who = tr("{others} and {last}", others=listed(names[:-1]), last=names[-1])
        return tr("{who} share the deal.", who=who) if deal else tr("{who} share the match.", who=who)

    def waiting(self, free: int) -> str:
        if self.view.room.host != self.seat:
            host = self.who(self.view.room.host)
            if not free:
                return tr("No seat is free. {host} begins when all are taken.", host=host)
            return tr_n(
                "{count} seat is free. {host} begins when all are taken.",
                "{count} seats are free. {host} begins when all are taken.",
                free,
                host=host,
            )
        if not free:
            return tr("All seats are taken. Type start to begin.")
        return tr_n(
            "{count} seat is free. Wait, or type fill for bots; start begins.",
            "{count} seats are free. Wait, or type fill for bots; start begins.",
            free,
        )

    def next_deal(self) -> str:
        room = self.view.room
        return tr("Type ready, or press Enter, for deal {deal} of {deals}.", deal=room.deal + 1, deals=room.deals)

    def said(self, seat: int | None, name: str, text: str) -> str:
        if self.is_you(seat):
            return tr("You say: {text}", text=text)
        if seat is not None:
            return tr("{who} says: {text}", who=self.who(seat, name), text=text)
        return tr("{who} (watching) says: {text}", who=_quoted(name) if _imitates(name) else name, text=text)

    def your_turn(
        self, choices: str, round_number: int | str, best: str, best_seat: int | None, remaining_s: int | None
    ) -> str:
        """The one line of a question. `best` is what lies highest; empty for who leads."""
        left = words.clock(remaining_s)
        if best:
            return tr(
                "Round {round}, your turn{clock}. Beat {best} of {who}: {choices}",
                round=round_number,
                clock=left,
                best=best,
                who=self.who(best_seat),
                choices=choices,
            )
        return tr("Round {round}, you lead{clock}. Choose: {choices}", round=round_number, clock=left, choices=choices)

    def more_choices(self, count: int) -> str:
        return tr("and {count} more: type actions", count=count)

    def hand(self, cards: Sequence[Card]) -> str:
        rows = (f"{family} {' '.join(row)}".strip() for family, row in self.names.laid_out(cards))
        return tr("Your hand ({count}): {cards}", count=len(cards), cards=rows_listed(rows))

    def hand_at_the_end(self, seat: int, cards: str) -> str:
        """What a seat still held when the deal was over."""
        shown = cards or tr("nothing")
        if seat == self.seat:
            return tr("Your hand: {cards}", cards=shown)
        return tr("Hand of {who}: {cards}", who=self.who(seat), cards=shown)

    def room_line(self, round_number: int | str | None, house_rules: Iterable[str]) -> str:
        room = self.view.room
        parts = [
            self.names.title(),
            tr("deal {deal} of {deals}", deal=room.deal, deals=room.deals) if room.deal else tr("not started"),
        ]
        if round_number is not None:
            parts.append(tr("round {round}", round=round_number))
        return tr("Room {code}: {parts}.", code=spaced_code(room.code), parts=listed([*parts, *house_rules]))

    def seat_line(self, seat: SeatView, cards_held: int | None, points_won: int | str | None) -> str:
        parts = [self.who(seat.seat) if seat.kind != "empty" else tr("free")]
        if seat.kind == "bot":
            parts.append(tr("a bot ({level})", level=words_bots.level(seat.level)) if seat.level else tr("a bot"))
        if seat.kind == "human" and not seat.connected:
            parts.append(tr("not connected"))
        if seat.autopilot or seat.away:
            parts.append(tr("played by a bot"))
        if self.view.room.host == seat.seat:
            parts.append(tr("host"))
        if cards_held is not None:
            parts.append(words.cards(cards_held))
        if points_won is not None:
            parts.append(words.points(points_won))
        if self.view.room.deals > 1 and self.view.room.deal and seat.kind != "empty":
            parts.append(tr("{points} in the match", points=seat.score))
        if self.view.room.phase == "between" and seat.ready:
            parts.append(tr("ready"))
        return tr("Seat {number}: {parts}.", number=seat.seat + 1, parts=listed(parts))

    def to_act(self, seat: int) -> str:
        return tr("It is your turn.") if seat == self.seat else tr("It is the turn of {who}.", who=self.who(seat))

    def round_before(self) -> str:
        return tr("The round before:")

    def connection_of(self, seat: SeatView) -> str:
        """What is to be said when the player of this seat drops out or is there again."""
        who = self.who(seat.seat)
        if seat.connected:
            return tr("{who} is connected again.", who=who)
        soon = "" if self.view.room.phase == "open" or seat.autopilot else tr("A bot plays soon if they stay away.")
        return sentences(tr("{who} is not connected.", who=who), soon)

    def played_line(self, entry: str) -> str:
        """One entry of the history; as it is if it is not `ROUND SEAT ACTION`."""
        match entry.split(" ", 2):
            case [number, ("0" | "1" | "2") as seat, action]:
                return tr("Round {round}: {who}: {action}", round=number, who=self.who(int(seat)), action=shown(action))
            case _:
                return entry


def _imitates(name: str) -> bool:
    """Would another's name be read as the player's own seat?"""
    return name.casefold() in ("you", tr("You").casefold())


def _quoted(name: str) -> str:
    return f'"{name}"'
