"""A sitting in line mode without a socket, up to its first view."""

from typing import Literal

from client_cli.invitation import Invitation
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.settings import DEFAULTS, Settings
from protocol.messages import (
    Join,
    Seated,
    Table,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import Prompt, Result, SeatView
from tests.client_cli.tables import CODE, TICKET, leading, table, view

WELCOME = Welcome("0.1.0", "Anna", ("chuo-pai",))
ONLY_PASS = Prompt(5, ("pass",))
BETWEEN = view(phase="between", deals=3, result=Result((3, 1, 2), (0,)))


def sit_down(
    first: Table | None = None,
    *,
    auto: bool = False,
    hosting: bool = False,
    private: bool = False,
    lingers: bool = False,
    settings: Settings = DEFAULTS,
) -> Conversation:
    """A conversation whose seat stands; by default it is asked to lead."""
    invitation = Invitation("ws://10.0.0.2:8470/ws") if hosting else None
    ends: Literal["server", "game"] | None = "server" if hosting else "game" if private else None
    session = Session("Anna", Join(CODE))
    session.reached_at = invitation.url if invitation else ""
    conversation = Conversation(
        session,
        auto=auto,
        invitation=invitation,
        ends=ends,
        lingers=lingers,
        settings=lambda: settings,
    )
    conversation.opened()
    conversation.received(WELCOME)
    conversation.received(Seated(CODE, 0, TICKET))
    if first is not None:
        conversation.received(first)
    return conversation


def look_on(first: Table) -> Conversation:
    conversation = Conversation(Session("Anna", Watch(CODE)))
    conversation.opened()
    conversation.received(WELCOME)
    conversation.received(Watching(CODE))
    conversation.received(first)
    return conversation


LEADING = table(view(prompt=leading()))


def autopilot(seat: SeatView) -> SeatView:
    return SeatView(seat.seat, "human", seat.name, level="easy", connected=True, autopilot=True)
