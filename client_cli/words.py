"""Every sentence of a played game, in one place; other languages are in the catalogs of `language`.

Values in, one line out. Names come from other people: what is printed must go through `render.safe`.
"""

from collections.abc import Iterable, Mapping, Sequence

from client_cli.address import how_to_join, page_url, spaced_code
from client_cli.language import listed, tr, tr_later, tr_n
from client_cli.names import GAMES, Lexicon
from client_cli.text import clipped
from client_cli.vocabulary import shown
from protocol.messages import RoomSummary
from protocol.view import OptionValue

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


def option(value: OptionValue) -> str:
    """What a rule of the house is set to."""
    return (tr("on") if value else tr("off")) if isinstance(value, bool) else str(value)
