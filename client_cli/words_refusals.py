"""What is said of a refusal: in English as the server says it, in other languages by its code. As in `words`."""

from collections.abc import Mapping

from client_cli.language import current_language, tr, tr_later
from protocol.errors import ErrorCode

REFUSALS: Mapping[str, str] = {
    ErrorCode.MALFORMED: tr_later("The server does not understand that: {text}"),
    ErrorCode.RATE_LIMITED: tr_later("Too much at once: wait a moment."),
    ErrorCode.HELLO_FIRST: tr_later("The server does not understand that: {text}"),
    ErrorCode.ALREADY_GREETED: tr_later("The server does not understand that: {text}"),
    ErrorCode.BAD_NAME: tr_later("The name has no readable character."),
    ErrorCode.BAD_TEXT: tr_later("The text has no readable character."),
    ErrorCode.BAD_TICKET: tr_later("Your ticket opens no seat here any more."),
    ErrorCode.NO_SUCH_ROOM: tr_later("There is no such room."),
    ErrorCode.ROOM_FULL: tr_later("All three seats are taken; you can watch."),
    ErrorCode.ALREADY_STARTED: tr_later("Play has started; that is only possible before."),
    ErrorCode.IN_A_ROOM: tr_later("You are in a room already; leave it first."),
    ErrorCode.NOT_SEATED: tr_later("You have no seat here: only players can do that."),
    ErrorCode.NOT_HOST: tr_later("Only the host can do that."),
    ErrorCode.NO_SUCH_SEAT: tr_later("That does not fit this seat: it is taken, or nobody else sits there."),
    ErrorCode.SEATS_EMPTY: tr_later("Seats are still empty: wait for players, or fill them with bots."),
    ErrorCode.NOT_ASKED: tr_later("You have nothing to decide now."),
    ErrorCode.STALE_PROMPT: tr_later("That question has been settled already."),
    ErrorCode.ILLEGAL_ACTION: tr_later("That is none of the choices."),
    ErrorCode.NO_HINT: tr_later("There is no hint now: decide without it, or ask again."),
    ErrorCode.NUMBER_USED: tr_later("That has been done already."),
    ErrorCode.NOT_BETWEEN_DEALS: tr_later("There is no next deal to be ready for now."),
    ErrorCode.DEAL_NOT_OVER: tr_later("That deal is not over; there is no record of it yet."),
    ErrorCode.UNKNOWN_GAME: tr_later("The server does not have this game: {text}"),
    ErrorCode.BAD_OPTION: tr_later("The server does not take this house rule: {text}"),
    ErrorCode.ROOM_OVER: tr_later("The match in this room is over."),
    ErrorCode.LOG_FULL: tr_later("So much has been done in this room that only play itself goes on here."),
    ErrorCode.NO_FREE_CODE: tr_later("No free room code was found; try again."),
    ErrorCode.STORE_UNAVAILABLE: tr_later("The server cannot save anything just now."),
    ErrorCode.DRAINING: tr_later("This server stops; another one may open the room."),
    ErrorCode.ROOM_NEWER: tr_later("A newer server has written in this room; this one can only show it."),
    ErrorCode.ROOM_DAMAGED: tr_later("This server cannot read the room, so it cannot be played on here."),
    ErrorCode.INTERNAL: tr_later("A fault of the server; it has been logged."),
}


def refusal(code: str, text: str) -> str:
    """`text`: the server's own English, which also says what a `code` of newer servers means."""
    return tr(REFUSALS[code], text=text) if code in REFUSALS and current_language() != "en" else text
