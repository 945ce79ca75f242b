"""`paizhuo host`: a server on this machine, a room on it, and a seat at the table."""

import os
import re
import shlex
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec.structs import replace

from client_cli import words_lan, words_link, words_seats, words_trust
from client_cli.address import DEFAULT_PORT, server_url, url_at
from client_cli.commands.completion import GAME
from client_cli.commands.preferences import preference
from client_cli.commands.seating import Opening, Seating, game_name, new_secret, remind, run_seated
from client_cli.connection import Connection
from client_cli.failure import CommandFailed
from client_cli.fairness import Fairness
from client_cli.frontend import FrontEnd
from client_cli.invitation import Invitation
from client_cli.lan import NoLan, announced
from client_cli.language import tr
from client_cli.own_certificate import own_certificate
from client_cli.plain import Conversation
from client_cli.private_server import private_server
from client_cli.session import Session
from client_cli.sitting import Sitting
from client_cli.text import clipped
from client_cli.tickets import SavedSeat, user_tickets
from protocol.errors import ExitCode
from protocol.messages import MAX_DEALS, Create
from protocol.view import OptionValue, Pace

MOST_RULES = 16
LONGEST_RULE = 32
MOST_OF_A_RULE = 1000
"""What the protocol can say of the rules of the house: no server is asked in vain."""

SWITCHES = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def host(
    game: Annotated[str, GAME],
    /,
    *,
    deals: Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_DEALS))] = 1,
    pace: Pace = "none",
    port: Annotated[int, Parameter(env_var="PAIZHUO_PORT", validator=Number(gte=0, lte=65535))] = DEFAULT_PORT,
    lan: Annotated[bool, Parameter(negative="")] = False,
    tls: Annotated[bool, Parameter(negative="")] = False,
    announce: Annotated[bool | None, preference("announce", negative="--no-announce")] = None,
    public: Annotated[bool, Parameter(negative="")] = False,
    qr: Annotated[bool, Parameter(negative="")] = False,
    option: Annotated[list[str] | None, Parameter(negative="")] = None,
    server: str | None = None,
    seating: Opening | None = None,
) -> ExitCode:
    """Open a room for others, and sit down in it.

    Starts a server on this machine, unless --server names another, and prints how to join. It stops when you go; the
    room is kept on disk.

    Parameters
    ----------
    game
        For instance chuo-pai or paohuzi.
    deals
        Deals in the match, 1 to 32.
    pace
        How long a decision may take: none, slow, normal or fast.
    port
        The port that others connect to; 0 takes any free one.
    lan
        Let other machines in your network join. Without it only this machine can.
    tls
        Encrypt what goes through the network. Guests need the whole invitation, with the fingerprint behind its #.
    public
        Show the room to everybody who asks this server for its rooms.
    qr
        Show a QR code of the page that tells your guests how to join.
    server
        Open the room on this running server (HOST, HOST:PORT or its address) instead of starting one.
    option
        A rule of the house as NAME=VALUE; can be given several times.
    """
    seating = seating or Opening()
    settings = seating.settings  # what is wrong with one is said before a server is started
    if announce and not lan:
        raise CommandFailed(ExitCode.USAGE, words_lan.announce_where())
    if tls and not lan:
        raise CommandFailed(ExitCode.USAGE, words_trust.tls_where())
    create = Create(
        game_name(game),
        options=house_rules(option or []),
        deals=deals,
        pace=pace,
        listed=public,
        secret=new_secret(),
    )
    if server is not None:
        url = server_url(server)
        return run_seated(lambda front: host_elsewhere(front, create, url, seating, qr=qr), settings)
    return run_seated(
        lambda front: host_here(front, create, port, lan=lan, tls=tls, announce=announce, seating=seating, qr=qr),
        settings,
    )


async def host_here(
    front: FrontEnd,
    create: Create,
    port: int,
    *,
    lan: bool,
    seating: Seating,
    tls: bool = False,
    announce: bool | None = None,
    qr: bool = False,
) -> ExitCode:
    """A room on a server of our own, which stops when this person goes. Raises `CommandFailed`.

    `tls`: encrypted, with a certificate of our own. `announce`: the server can be found in the local network, if it
    listens there, and shows the room; None: as the person prefers.
    """
    announce = lan and (front.settings.announce if announce is None else announce)
    remind(front)
    session = Session(seating.player(), replace(create, listed=create.listed or announce))
    try:
        return await _sit_at_own(front, session, port, lan=lan, tls=tls, announce=announce, qr=qr, auto=seating.auto)
    except CommandFailed as failed:
        if failed.exit_code == ExitCode.STORE_UNAVAILABLE and failed.sentence.startswith("another server"):
            there = words_link.host_there_instead(failed.sentence, create.game)
            raise CommandFailed(failed.exit_code, there) from None
        if failed.sentence.startswith("on 0.0.0.0 strangers could connect"):
            raise CommandFailed(ExitCode.USAGE, words_trust.host_with_tls()) from None
        raise


async def host_again(front: FrontEnd, seat: SavedSeat, *, lan: bool) -> ExitCode:
    """Start the server of a table that was hosted on this machine again, at its port, and go back to the seat.

    Raises `CommandFailed`.
    """
    session = Session.resuming(seat.name, seat.code, seat.seat, seat.ticket, Fairness(seat.rounds))
    parts = urlsplit(seat.url)
    return await _sit_at_own(front, session, parts.port or DEFAULT_PORT, lan=lan, tls=parts.scheme == "wss")


async def _sit_at_own(
    front: FrontEnd,
    session: Session,
    port: int,
    *,
    lan: bool,
    tls: bool = False,
    announce: bool = False,
    qr: bool = False,
    auto: bool = False,
) -> ExitCode:
    """On a server of our own, which stops when this person goes. Raises `CommandFailed`."""
    interface = "0.0.0.0" if lan else "127.0.0.1"  # noqa: S104 - only when asked for with --lan
    own = own_certificate() if tls else None
    flags, pin = ((), "") if own is None else (tls_flags(own.file), own.fingerprint)
    async with private_server("--host", interface, "--port", str(port), *flags) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        address = routable_address() if lan else "127.0.0.1"
        session.reached_at = url_at(address, port, pin)
        conversation = Conversation(
            session,
            auto=auto,
            invitation=Invitation(session.reached_at, qr),
            ends="server",
            lingers=front.lingers,
            settings=lambda: front.settings,
        )
        sitting = Sitting(
            front,
            Connection(url_at("127.0.0.1", port, pin)),
            conversation,
            user_tickets(),
            way_back=lambda code: words_seats.hosted_way_back(server_again(interface, port, flags), code),
        )
        async with AsyncExitStack() as stack:
            if announce:
                await _announce(stack, front, address, port, pin)
            return await sitting.run()


async def _announce(stack: AsyncExitStack, front: FrontEnd, address: str, port: int, pin: str = "") -> None:
    """Until the stack unwinds. A network that will not have it does not keep the game from starting."""
    try:
        await stack.enter_async_context(announced(address, port, pin))
    except NoLan as missing:
        front.note(words_lan.not_announced(str(missing)))
    else:
        front.note(words_lan.announced())


def server_again(interface: str, port: int, flags: Sequence[str] = ()) -> str:
    """The command that starts the server anew where it was: friends reach it at the same address, with its rooms."""
    command = ["paizhuo-server", "serve", "--host", interface, "--port", str(port), *flags]
    store = os.environ.get("PAIZHUO_STORE")
    if store and urlsplit(store).password is None:  # a password is nothing to print
        command += ["--store", store]
    return shlex.join(command)


def tls_flags(own: Path) -> tuple[str, ...]:
    return "--tls-cert", str(own), "--tls-key", str(own)


async def host_elsewhere(front: FrontEnd, create: Create, url: str, seating: Seating, *, qr: bool = False) -> ExitCode:
    """A room on a server that runs already. Raises `CommandFailed`."""
    remind(front)
    session = Session(seating.player(), create)
    session.reached_at = url
    conversation = Conversation(
        session,
        auto=seating.auto,
        invitation=Invitation(url, qr),
        lingers=front.lingers,
        settings=lambda: front.settings,
    )
    return await Sitting(front, Connection(url), conversation, user_tickets()).run()


def routable_address() -> str:
    """This machine's address in its network: the one that the default route leaves from. Nothing is sent."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation (RFC 5737): no such machine
            return str(probe.getsockname()[0])
        except OSError:  # no network at all: then the name is as good as anything
            return socket.gethostname()


def house_rules(given: list[str]) -> dict[str, OptionValue]:
    """`NAME=VALUE` pairs as options. Raises `CommandFailed` (usage); which rules there are, the server knows."""
    options: dict[str, OptionValue] = {}
    if len(given) > MOST_RULES:
        raise CommandFailed(ExitCode.USAGE, tr("at most {count} rules can be given with --option", count=MOST_RULES))
    for pair in given:
        name, found, value = pair.partition("=")
        shown = clipped(pair)
        if not (name and found):
            raise CommandFailed(ExitCode.USAGE, tr("--option {option}: write it as NAME=VALUE", option=shown))
        if len(name) > LONGEST_RULE:
            raise CommandFailed(ExitCode.USAGE, tr("--option {option}: no rule has so long a name", option=shown))
        if value.lower() in SWITCHES:
            options[name] = SWITCHES[value.lower()]
        elif re.fullmatch(r"-?0*[0-9]{1,4}", value) and abs(int(value)) <= MOST_OF_A_RULE:
            options[name] = int(value)
        else:
            raise CommandFailed(
                ExitCode.USAGE,
                tr(
                    "--option {option}: the value is a whole number from {least} to {most}, on or off",
                    option=shown,
                    least=-MOST_OF_A_RULE,
                    most=MOST_OF_A_RULE,
                ),
            )
    return options
