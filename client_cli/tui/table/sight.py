"""What one viewer has before them: all that the table is drawn from. Pure; from a live session or from a record."""

from typing import NamedTuple

from client_cli.layouts import layout_of
from client_cli.render import fact, zone
from client_cli.speaker import Speaker
from client_cli.tui.table.picking import Offer, offers
from protocol.notation import Card
from protocol.view import Group, Prompt, SeatView, TableView

SEATS = (0, 1, 2)


class Sight(NamedTuple):
    """`seat`: the viewer's own, None for a spectator. `sent`: an answer is on its way. `recorded`: it is a replay."""

    view: TableView
    seat: int | None
    prompt: Prompt | None = None
    sent: bool = False
    recorded: bool = False

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.view, self.seat)

    @property
    def near(self) -> int:
        """The seat at the lower edge: the own one, or for a spectator the last."""
        return SEATS[-1] if self.seat is None else self.seat

    @property
    def left(self) -> int:
        """Whose turn comes after the near seat."""
        return (self.near + 1) % len(SEATS)

    @property
    def right(self) -> int:
        return (self.near + 2) % len(SEATS)

    @property
    def has_totals(self) -> bool:
        """Is there a match in which scores add up? A record is of one deal alone."""
        return self.view.room.deals > 1 and not self.recorded

    @property
    def own(self) -> SeatView | None:
        return None if self.seat is None else self.view.seats[self.seat]

    @property
    def turn(self) -> int | None:
        """Who is to act: the viewer where anything is asked of them, else whose turn it is."""
        if self.prompt is not None:
            return self.seat
        turn = fact(self.view, "turn")
        return turn if isinstance(turn, int) else None

    @property
    def highest(self) -> Group | None:
        """What is to be beaten, and whose it is, in a game of rounds."""
        facts = self.view.deal.facts if self.view.deal else ()
        return next(
            (Group(tuple(str(it.value).split("+")), seat=it.seat) for it in facts if it.label == "highest"), None
        )

    @property
    def held(self) -> tuple[Group, ...]:
        """The cards of the near seat, as far as the viewer may see them."""
        hand = zone(self.view, "hand", self.near)
        return hand.groups if hand else ()

    @property
    def offered(self) -> tuple[Offer, ...]:
        if self.prompt is None:
            return ()
        texts = layout_of(self.view.room.game).choices(self.speaker, self.prompt)
        cards: list[Card] = [card for group in self.held for card in group.cards]
        return offers(self.prompt.actions, texts, cards)
