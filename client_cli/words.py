"""Every sentence of a played game, in one place; other languages are in the catalogs of `language`.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from client_cli import words_bots
from client_cli.address import how_to_join, page_url, spaced_code
from client_cli.language import listed, rows_listed, sentences, tr, tr_later, tr_n
from client_cli.names import GAMES, Lexicon
from client_cli.text import clipped
from client_cli.vocabulary import shown
from protocol.messages import RoomSummary
from protocol.notation import Card, join
from protocol.view import OptionValue, SeatView, TableView

PACES: Mapping[str, str] = {
    "none": tr_later("no clock"),
    "slow": tr_later("pace slow"),
    "normal": tr_later("pace normal"),
    "fast": tr_later("pace fast"),
}

AWAY = tr_later("You are away: a bot plays for you. Type anything to take your seat back.")
HOST_ASKED = tr_later("Are you still there? Type here; else somebody else becomes the host in a minute.")
ROOM_CLOSED = tr_later("The room is closed.")
UNSEATED: Mapping[str, str] = {
    "left": tr_later("You have left."),
    "removed": tr_later("The host has taken you off your seat."),
    "closed": ROOM_CLOSED,
    "closed_by_operator": tr_later("The server's operator has closed the room."),
    "damaged": tr_later("The room cannot be read any more: ask whoever runs the server."),
}


def help_chuo_pai() -> tuple[str, ...]:
    return (
        tr("To choose, type a number (1), cards (66+66) or an action (play 66+66)."),
        tr("#11 is always choice number 11, play 11 always the card. Enter: ask again."),
        tr("hand: your cards. cards: what all cards are called."),
        tr("table: seats, points, and what lies there. rules: how the game is played."),
        tr("last: this round so far. history: the whole deal. say TEXT: speak to all."),
        tr("auto on, auto off: a bot plays for you, or you play yourself."),
        tr("While you are away a bot plays for you: a choice or Enter ends that."),
        tr("ask on, ask off: be asked even when you can only pass, or not."),
        tr("ready: go on to the next deal."),
    )


def help_choices() -> str:
    return tr("actions: all choices. actions CARDS: those with these cards.")


def help_save() -> str:
    return tr("save, save FILE: keep a record of this deal as a file, when it is over.")


def help_going() -> str:
    return tr("quit: go, but keep your seat. leave: give up your seat for good.")


def help_private() -> str:
    return tr("quit: end this game. It is kept nowhere.")


def help_host() -> tuple[str, ...]:
    """Of use before the first deal."""
    return (
        tr("You are the host. fill: bots on the empty seats. start: begin."),
        tr("remove SEAT: send away whoever sits there. here: yes, you are still there."),
        tr("invite: how others join. qr: a code for their phones. fill SEAT: a bot there."),
    )


def not_your_turn() -> str:
    return tr("It is not your turn.")


def not_seated() -> str:
    return tr("You watch: only players can do that.")


def no_hand() -> str:
    return tr("You have no cards now.")


def nothing_yet() -> str:
    return tr("Nothing has been played yet.")


def still_waiting() -> str:
    return tr("Wait a moment: the server has not answered yet, and this line was not kept.")


def cannot_beat() -> str:
    return tr("You cannot beat it.")


def confirm_leave() -> str:
    return tr("Leaving gives up your seat for good. Type yes to do it, or quit to keep the seat.")


def game_ends() -> str:
    return tr("This game ends when you go.")


def quit_again() -> str:
    return tr("Type quit again to go.")


def interrupt_again() -> str:
    return tr("Press Ctrl-C again to go.")


def missed() -> str:
    return tr("More has happened than is listed here.")


def ask_on() -> str:
    return tr("You will be asked even when you can only pass.")


def ask_off() -> str:
    return tr("When you can only pass, that is done for you.")


def which_game() -> str:
    return tr("Which game?")


def which_server() -> str:
    return tr("which server? For instance: paizhuo rooms 192.168.1.5, or paizhuo rooms cards.example.org:9000")


def no_rooms() -> str:
    return tr("This server shows no open rooms.")


def input_ended() -> str:
    return tr("The input has ended.")


def away() -> str:
    return tr(AWAY)


def host_asked() -> str:
    return tr(HOST_ASKED)


def auto_plays() -> str:
    return tr("A bot plays your seat. Type auto off to play yourself.")


def room_closed() -> str:
    return tr(ROOM_CLOSED)


def passing_on() -> str:
    return tr("Automatic pass is on: where you cannot win with a card, it is passed for you. To stop: auto pass off.")


def passing_off() -> str:
    return tr("Automatic pass is off: you are asked about every card that you can claim.")


def not_saved() -> str:
    return tr("The deal could not be saved: the connection to the server is lost.")


def no_deal_yet() -> str:
    return tr("There is no deal to save yet.")


def unseated(reason: str) -> str:
    """`reason`: as the wire has it; one that only newer clients know ends the room all the same."""
    return tr(UNSEATED.get(reason, ROOM_CLOSED))


def unknown_game(typed: str) -> str:
    return tr("there is no game '{typed}': there is {games}", typed=clipped(typed), games=", ".join(GAMES))


def nothing_to_choose(typed: str) -> str:
    return tr("It is not your turn: '{typed}' was not sent. Type help for help.", typed=clipped(typed))


def question_changed(typed: str) -> str:
    return tr("The question has changed since you typed '{typed}': it was not sent.", typed=clipped(typed))


def not_offered(typed: str, count: int) -> str:
    return tr(
        "'{typed}' is none of the {count} choices. Type a number, cards, or help.",
        typed=clipped(shown(typed)),
        count=count,
    )


def no_choice_with(typed: str) -> str:
    return tr("None of your choices has '{typed}'.", typed=clipped(typed))


def not_a_choice(typed: str, count: int) -> str:
    return tr("'{typed}' is none of these. Type a number from 1 to {count}.", typed=clipped(typed), count=count)


def number_or_card(typed: str, by_number: str, by_text: str) -> str:
    return tr(
        "{typed} is choice {typed} ({by_number}) and also a card. Type #{typed} or {by_text}.",
        typed=typed,
        by_number=shown(by_number),
        by_text=shown(by_text),
    )


def several_actions(typed: str, actions: Sequence[str]) -> str:
    return tr(
        "'{typed}' can mean {actions}. Type the whole action.",
        typed=clipped(shown(typed)),
        actions=tr(" or ").join(map(shown, actions)),
    )


def usage(pattern: str) -> str:
    return tr("Type it as: {pattern}", pattern=pattern)


def switch_usage(word: str) -> str:
    return usage(tr("{word} on, or {word} off", word=shown(word)))


def level_usage(word: str, levels: Iterable[str]) -> str:
    return usage(tr("{word}, or {word} LEVEL: {levels}", word=shown(word), levels=listed(map(shown, levels))))


def say_usage() -> str:
    return usage(tr("say TEXT"))


def remove_usage() -> str:
    return usage(tr("remove SEAT, where SEAT is 1, 2 or 3"))


def too_long(most: int) -> str:
    return tr("That is too long: at most {most} characters.", most=most)


def room_summary(room: RoomSummary, url: str) -> str:
    return tr(
        "{code}: {game} of {host}, {terms}. Join: paizhuo join {room}",
        code=spaced_code(room.code),
        game=Lexicon.of(room.game).title(),
        host=room.host,
        terms=listed([seats_free(room.free), deals(room.deals), pace(room.pace)]),
        room=how_to_join(url, room.code),
    )


def seats_free(count: int) -> str:
    return tr_n("{count} seat free", "{count} seats free", count)


def deals(count: int) -> str:
    return tr_n("{count} deal", "{count} deals", count)


def cards(count: int) -> str:
    return tr_n("{count} card", "{count} cards", count)


def points(count: int | str) -> str:
    """`count`: a number; views may hold it as a text."""
    if isinstance(count, int):
        return tr_n("{count} point", "{count} points", count)
    return tr("{count} points", count=count)


def pace(pace: str) -> str:
    return tr(PACES[pace]) if pace in PACES else tr("pace {pace}", pace=pace)


def clock(remaining_s: int | None) -> str:
    """Behind whose turn it is; empty without a clock."""
    return "" if remaining_s is None else tr(" ({seconds} s)", seconds=remaining_s)


def saved_deal(path: str) -> str:
    return tr("The deal is saved: {path}", path=path)


def unsaved_deal(reason: str) -> str:
    return tr("The deal could not be saved: {reason}", reason=reason)


def will_be_saved(deal: int) -> str:
    return tr("Deal {deal} will be saved when it is over.", deal=deal)


def invitation(url: str, code: str) -> str:
    return tr(
        "Others join with: paizhuo join {room} (or see {page})", room=how_to_join(url, code), page=page_url(url, code)
    )


def your_turn_notice() -> str:
    return tr("It is your turn.")


def confirm_action(action: str) -> str:
    return tr("{action}? Type yes, or the same once more.", action=action)


def no_invitation() -> str:
    return tr("Nobody else can join this table.")


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
        code, game = spaced_code(room.code), listed([self.names.title(), deals(room.deals), pace(room.pace)])
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
        left = clock(remaining_s)
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
            parts.append(cards(cards_held))
        if points_won is not None:
            parts.append(points(points_won))
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


def option(value: OptionValue) -> str:
    """What a rule of the house is set to."""
    return (tr("on") if value else tr("off")) if isinstance(value, bool) else str(value)


def _imitates(name: str) -> bool:
    """Would another's name be read as the player's own seat?"""
    return name.casefold() in ("you", tr("You").casefold())


def _quoted(name: str) -> str:
    return f'"{name}"'
