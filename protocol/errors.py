"""Codes of refusals, of closed connections and of finished programs.

The wire carries a refusal's code and an English sentence; clients may have their own words for a code. What was
refused has changed nothing, or it was `internal`: a fault may come after the command was saved.
"""

from enum import IntEnum, StrEnum


class ErrorCode(StrEnum):
    """Why a message was refused."""

    MALFORMED = "malformed"  # not a message of this protocol: wrong shape, type, field, bound or encoding
    RATE_LIMITED = "rate_limited"  # too many messages; try again after retry_ms
    HELLO_FIRST = "hello_first"  # the first message must be hello
    ALREADY_GREETED = "already_greeted"  # a second hello
    BAD_NAME = "bad_name"  # nothing readable is left of the name
    BAD_TEXT = "bad_text"  # nothing readable is left of the text
    BAD_TICKET = "bad_ticket"  # the ticket opens no seat (left, removed, room gone, or never issued)
    NO_SUCH_ROOM = "no_such_room"  # no open room has this code
    ROOM_FULL = "room_full"  # no seat is free
    ALREADY_STARTED = "already_started"  # only possible before the first deal
    IN_A_ROOM = "in_a_room"  # this connection already sits or watches
    NOT_SEATED = "not_seated"  # only for seated players
    NOT_HOST = "not_host"  # only for the host
    NO_SUCH_SEAT = "no_such_seat"  # the seat is taken, empty, or not of the kind meant
    SEATS_EMPTY = "seats_empty"  # not all seats are taken yet
    NOT_ASKED = "not_asked"  # this seat has nothing to decide now
    STALE_PROMPT = "stale_prompt"  # the action answers an older question
    ILLEGAL_ACTION = "illegal_action"  # not one of the offered actions
    NO_HINT = "no_hint"  # the bot gave none in time
    NUMBER_USED = "number_used"  # n was used for another command, or is older than the last one
    NOT_BETWEEN_DEALS = "not_between_deals"  # there is no next deal to be ready for
    DEAL_NOT_OVER = "deal_not_over"  # only finished deals have a record
    UNKNOWN_GAME = "unknown_game"
    BAD_OPTION = "bad_option"  # an unknown house rule, or a value out of range
    ROOM_OVER = "room_over"  # the match is over
    LOG_FULL = "log_full"  # so much has been done in this room that only play itself goes on
    NO_FREE_CODE = "no_free_code"  # no unused room code was found; try again
    STORE_UNAVAILABLE = "store_unavailable"  # not known to be saved, so not called done; try again with the same n
    DRAINING = "draining"  # the server stops and opens no more rooms; try another one, or again after retry_ms
    ROOM_NEWER = "room_newer"  # a newer server has written in this room: this one shows it and changes nothing
    ROOM_DAMAGED = "room_damaged"  # the room's log is damaged; keep the ticket, it may be mended
    INTERNAL = "internal"  # a fault of the server; it has been logged


class TurnedAway(StrEnum):
    """Why a request for a connection was answered with an HTTP status: its header `Paizhuo-Code`."""

    RATE_LIMITED = "rate_limited"  # 429: too many new connections from this address
    TOO_MANY_CONNECTIONS = "too_many_connections"  # 429: from this address
    BLOCKED = "blocked"  # 403: this address, by the server's operator, for as long as Retry-After says
    SERVER_FULL = "server_full"  # 503: no more connections at all
    DRAINING = "draining"  # 503: the server stops
    ORIGIN = "origin"  # 403: a web page that may not connect
    VERSION = "version"  # 400: no common version of the protocol


class CloseCode(IntEnum):
    """Close codes beyond those of RFC 6455 that this protocol gives a meaning."""

    NORMAL = 1000
    TOO_BIG = 1009
    INTERNAL = 1011  # a fault of the server, logged there: connect again after a wait
    RESTART = 1012  # the server restarts: connect again after a short, jittered wait
    REPLACED = 4000  # a newer connection has this seat: do not connect again by yourself
    BAD_TICKET = 4001  # forget the ticket
    KICKED = 4003  # the server's operator ended the connection: do not connect again by yourself
    TIMEOUT = 4008  # no hello in time
    TOO_SLOW = 4013  # the client did not read; connect again and get the newest view
    RATE_LIMITED = 4029  # kept sending after rate_limited: wait, then connect again


class ExitCode(IntEnum):
    """How the programs `paizhuo` and `paizhuo-server` end."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NO_SUCH_ROOM = 3
    REFUSED = 4
    VERSION_MISMATCH = 5
    UNREACHABLE = 6
    STORE_UNAVAILABLE = 7
    VERIFICATION_FAILED = 8
    INTERRUPTED = 130
