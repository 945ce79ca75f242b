"""Every English sentence of a played game, in one place, so that another language is another such module.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Sequence

from client_cli.address import how_to_join, page_url, spaced_code
from client_cli.names import GAMES, Lexicon
from client_cli.rows import clipped
from protocol.messages import RoomSummary
from protocol.notation import Card, join
from protocol.view import OptionValue, SeatView, TableView

HELP = (
    "To choose, type a number (1), cards (66+66) or an action (play 66+66).",
    "#11 is always choice number 11, play 11 always the card. Enter: ask again.",
    "hand: your cards. cards: what all cards are called. actions: all choices.",
    "table: seats, points, and what lies there. rules: how the game is played.",
    "last: this round so far. history: the whole deal. say TEXT: speak to all.",
    "auto on, auto off: a bot plays for you, or you play yourself.",
    "While you are away a bot plays for you: a choice or Enter ends that.",
    "ask on, ask off: be asked even when you can only pass, or not.",
    "ready: go on to the next deal.",
)
HELP_SAVE = "save, save FILE: keep a record of this deal as a file, when it is over."
HELP_GOING = ("quit: go, but keep your seat. leave: give up your seat for good.",)
HELP_PRIVATE = ("quit: end this game. It is kept nowhere.",)
HELP_HOST = (
    "You are the host. fill: bots on the empty seats. start: begin.",
    "remove SEAT: send away whoever sits there. here: yes, you are still there.",
)
"""Of use before the first deal."""

NOT_YOUR_TURN = "It is not your turn."
NOT_SEATED = "You watch: only players can do that."
NO_HAND = "You have no cards now."
NOTHING_YET = "Nothing has been played yet."
STILL_WAITING = "Wait a moment: the server has not answered yet, and this line was not kept."
CANNOT_BEAT = "You cannot beat it: pass."
CONFIRM_LEAVE = "Leaving gives up your seat for good. Type yes to do it, or quit to keep the seat."
GAME_ENDS = "This game ends when you go."
QUIT_AGAIN = "Type quit again to go."
INTERRUPT_AGAIN = "Press Ctrl-C again to go."
MISSED = "More has happened than is listed here."
ASK_ON = "You will be asked even when you can only pass."
ASK_OFF = "When you can only pass, that is done for you."
WHICH_GAME = "Which game?"
WHICH_SERVER = "which server? For instance: paizhuo rooms 192.168.1.5, or paizhuo rooms cards.example.org:9000"
NO_ROOMS = "This server shows no open rooms."
INPUT_ENDED = "The input has ended."
AWAY = "You are away: a bot plays for you. Type anything to take your seat back."
HOST_ASKED = "Are you still there? Type here; else somebody else becomes the host in a minute."
AUTO_PLAYS = "A bot plays your seat. Type auto off to play yourself."
ROOM_CLOSED = "The room is closed."
PASSING_ON = "Automatic pass is on: where you cannot win with a card, it is passed for you. To stop: auto pass off."
PASSING_OFF = "Automatic pass is off: you are asked about every card that you can claim."
NOT_SAVED = "The deal could not be saved: the connection to the server is lost."
NO_DEAL_YET = "There is no deal to save yet."

UNSEATED = {
    "left": "You have left.",
    "removed": "The host has taken you off your seat.",
    "closed": ROOM_CLOSED,
    "damaged": "The room cannot be read any more: ask whoever runs the server.",
}


def unknown_game(typed: str) -> str:
    return f"there is no game '{clipped(typed)}': there is {', '.join(GAMES)}"


def nothing_to_choose(typed: str) -> str:
    return f"It is not your turn: '{clipped(typed)}' was not sent. Type help for help."


def question_changed(typed: str) -> str:
    return f"The question has changed since you typed '{clipped(typed)}': it was not sent."


def not_offered(typed: str, count: int) -> str:
    return f"'{clipped(typed)}' is none of the {count} choices. Type a number, cards, or help."


def not_a_choice(typed: str, count: int) -> str:
    return f"'{clipped(typed)}' is none of these. Type a number from 1 to {count}."


def number_or_card(typed: str, by_number: str, by_text: str) -> str:
    return f"{typed} is choice {typed} ({by_number}) and also a card. Type #{typed} or {by_text}."


def several_actions(typed: str, actions: Sequence[str]) -> str:
    return f"'{clipped(typed)}' can mean {' or '.join(actions)}. Type the whole action."


def usage(pattern: str) -> str:
    return f"Type it as: {pattern}"


def too_long(most: int) -> str:
    return f"That is too long: at most {most} characters."


def room_summary(room: RoomSummary, url: str) -> str:
    title = GAMES.get(room.game, room.game)
    terms = f"{counted(room.free, 'seat')} free, {counted(room.deals, 'deal')}, {pace(room.pace)}"
    return (
        f"{spaced_code(room.code)}: {title} of {room.host}, {terms}. Join: paizhuo join {how_to_join(url, room.code)}"
    )


def pace(pace: str) -> str:
    return "no clock" if pace == "none" else f"pace {pace}"


def clock(remaining_s: int | None) -> str:
    """Behind whose turn it is; empty without a clock."""
    return "" if remaining_s is None else f" ({remaining_s} s)"


def saved_deal(path: str) -> str:
    return f"The deal is saved: {path}"


def unsaved_deal(reason: str) -> str:
    return f"The deal could not be saved: {reason}"


def will_be_saved(deal: int) -> str:
    return f"Deal {deal} will be saved when it is over."


def invitation(url: str, code: str) -> str:
    return f"Others join with: paizhuo join {how_to_join(url, code)} (or see {page_url(url, code)})"


class Speaker:
    """Puts what one viewer learns into words. `seat`: the viewer's own, None for a spectator."""

    def __init__(self, view: TableView, seat: int | None) -> None:
        self.view = view
        self.seat = seat
        self.names = Lexicon.of(view.room.game)

    def who(self, seat: int | None, name: str = "") -> str:
        """Any number has a name: facts and scores come from the server, and no type bounds the seats in them."""
        if seat is None:
            return name or "Somebody"
        if seat == self.seat:
            return "You"
        seats = self.view.seats
        name = name or (seats[seat].name if 0 <= seat < len(seats) else "") or f"Seat {seat + 1}"
        return f"{_quoted(name)} (seat {seat + 1})" if _imitates(name) else name

    def cards(self, cards: Sequence[Card]) -> str:
        """`66+66 (2 Heaven)`, `s1一+s2二+s3三`"""
        called = self.names.called(cards)
        shown = join(map(self.names.faced, cards))
        return f"{shown} ({called})" if called else shown

    def card_named(self, card: Card, name: str) -> str:
        return f"{card} {name}{' (red)' if card in self.names.red else ''}"

    def welcome(self) -> str:
        room = self.view.room
        place = "you watch" if self.seat is None else f"seat {self.seat + 1}"
        game = f"{self.names.title()}, {counted(room.deals, 'deal')}, {pace(room.pace)}"
        return f"Room {spaced_code(room.code)}, {place}: {game}. Type help for help."

    def scores(self, scores: Sequence[int]) -> str:
        return ", ".join(f"{self.who(seat)} {points}" for seat, points in enumerate(scores))

    def winners(self, seats: Sequence[int], what: str) -> str:
        if not seats:
            return f"Nobody wins {what}."
        if len(seats) == 1:
            return f"{self.who(seats[0])} {'win' if seats[0] == self.seat else 'wins'} {what}."
        names = [self.who(seat) if seat != self.seat else "you" for seat in seats]
        shared = f"{', '.join(names[:-1])} and {names[-1]} share {what}."
        return shared[0].upper() + shared[1:] if names[0] == "you" else shared

    def waiting(self, free: int) -> str:
        seats = "1 seat is" if free == 1 else f"{free} seats are" if free else "No seat is"
        if self.view.room.host != self.seat:
            return f"{seats} free. {self.who(self.view.room.host)} begins when all are taken."
        if not free:
            return "All seats are taken. Type start to begin."
        return f"{seats} free. Wait for others, or type fill to put bots there; start begins."

    def next_deal(self) -> str:
        room = self.view.room
        return f"Type ready, or press Enter, for deal {room.deal + 1} of {room.deals}."

    def said(self, seat: int | None, name: str, text: str) -> str:
        if seat is not None and seat == self.seat:
            return f"You say: {text}"
        if seat is not None:
            return f"{self.who(seat, name)} says: {text}"
        return f"{_quoted(name) if _imitates(name) else name} (watching) says: {text}"

    def your_turn(
        self, choices: str, round_number: int | str, best: str, best_seat: int | None, remaining_s: int | None
    ) -> str:
        """The one line of a question. `best` is what lies highest; empty for who leads."""
        left = clock(remaining_s)
        if best:
            return f"Round {round_number}, your turn{left}. Beat {best} of {self.who(best_seat)}: {choices}"
        return f"Round {round_number}, you lead{left}. Choose: {choices}"

    def more_choices(self, count: int) -> str:
        return f"and {count} more: type actions"

    def hand(self, cards: Sequence[Card]) -> str:
        rows = (f"{family} {' '.join(row)}".strip() for family, row in self.names.laid_out(cards))
        return f"Your hand ({len(cards)}): {' | '.join(rows)}"

    def hands_left(self, hands: Sequence[tuple[int, Sequence[Card]]]) -> str:
        rows = (f"{self.who(seat)} {' '.join(cards) or 'nothing'}" for seat, cards in hands)
        return f"Cards left: {'; '.join(rows)}."

    def room_line(self, round_number: int | str | None) -> str:
        room = self.view.room
        deal = f", deal {room.deal} of {room.deals}" if room.deal else ", not started"
        rules = "".join(f", {name} {_setting(value)}" for name, value in sorted(room.options.items()))
        return (
            f"Room {spaced_code(room.code)}: {self.names.title()}{deal}"
            f"{f', round {round_number}' if round_number is not None else ''}{rules}."
        )

    def seat_line(self, seat: SeatView, cards: int | None, points: int | str | None) -> str:
        parts = [f"Seat {seat.seat + 1}: {self.who(seat.seat) if seat.kind != 'empty' else 'free'}"]
        if seat.kind == "bot":
            parts.append(f"a bot ({seat.level})" if seat.level else "a bot")
        if seat.kind == "human" and not seat.connected:
            parts.append("not connected")
        if seat.autopilot or seat.away:
            parts.append("played by a bot")
        if self.view.room.host == seat.seat:
            parts.append("host")
        if cards is not None:
            parts.append(counted(cards, "card"))
        if points is not None:
            parts.append(counted(points, "point"))
        if self.view.room.deals > 1 and self.view.room.deal and seat.kind != "empty":
            parts.append(f"{seat.score} in the match")
        if self.view.room.phase == "between" and seat.ready:
            parts.append("ready")
        return ", ".join(parts) + "."

    def to_act(self, seat: int) -> str:
        return "It is your turn." if seat == self.seat else f"It is the turn of {self.who(seat)}."

    def round_before(self) -> str:
        return "The round before:"

    def connection_of(self, seat: SeatView) -> str:
        """What is to be said when the player of this seat drops out or is there again."""
        if seat.connected:
            return f"{self.who(seat.seat)} is connected again."
        soon = "" if self.view.room.phase == "open" or seat.autopilot else " A bot plays soon if they stay away."
        return f"{self.who(seat.seat)} is not connected.{soon}"

    def played_line(self, entry: str) -> str:
        """One entry of the history; as it is if it is not `ROUND SEAT ACTION`."""
        match entry.split(" ", 2):
            case [number, ("0" | "1" | "2") as seat, action]:
                return f"Round {number}: {self.who(int(seat))}: {action}"
            case _:
                return entry


def _setting(value: OptionValue) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _imitates(name: str) -> bool:
    """Would another's name be read as the player's own seat?"""
    return name.casefold() == "you"


def _quoted(name: str) -> str:
    return f'"{name}"'


def counted(count: int | str, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
