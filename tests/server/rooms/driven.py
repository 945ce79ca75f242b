"""A room driven by hand, without a node: decide, write, read, fold, as a node does it. Its log is kept as bytes."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random

from protocol.errors import ErrorCode
from protocol.messages import Act, Create, SeatCommand, Start
from protocol.notation import Action
from protocol.view import BotLevel, Happening, OptionValue, Pace, Prompt, TableView
from server.games.base import SEATS, Deck, Seat
from server.games.registry import game_named
from server.rooms.commands import ByPlayer, Command, DealCards, GoOn, MarkAway, OpenRoom, Resume, TakeSeat
from server.rooms.decide import decide
from server.rooms.events import Commit, Event, decode_commit, encode_commit
from server.rooms.fold import fold
from server.rooms.refusal import Refusal
from server.rooms.rounds import seed_of
from server.rooms.state import RoomState, asked, rules
from server.rooms.view import happened, table_view

CODE = "ABCDEFGH"


def deck(seed: int, game: str = "chuo-pai") -> Deck:
    pack = game_named(game).pack
    return tuple(Random(seed).sample(pack, len(pack)))


def ticket_of(name: str) -> bytes:
    return sha256(name.encode()).digest()[:16]


def replayed(log: list[bytes]) -> RoomState:
    """The state that the bytes of a log stand for."""
    state = None
    for payload in log:
        state = fold(state, decode_commit(payload))
    assert state is not None
    return state


class DrivenRoom:
    """`now_ms` is moved by the test. `happenings` are those of the last command that was carried out."""

    def __init__(self) -> None:
        self.opened: RoomState | None = None
        self.log: list[bytes] = []
        self.now_ms = 1_000_000
        self.happenings: tuple[Happening, ...] = ()

    @property
    def state(self) -> RoomState:
        assert self.opened is not None
        return self.opened

    def do(self, command: Command) -> tuple[Event, ...]:
        """The events that it was decided to be. Raises `Refusal`, which leaves the room as it was."""
        events = decide(self.opened, command, self.now_ms)
        if not events:
            return ()
        numbered = command.numbered() if isinstance(command, ByPlayer) else None
        payload = encode_commit(Commit(len(self.log).to_bytes(16, "big"), "node", self.now_ms, events, numbered))
        seen: list[Happening] = []
        self.opened = fold(
            self.opened,
            decode_commit(payload),
            lambda before, event, after: seen.extend(happened(before, event, after)),
        )
        self.log.append(payload)
        self.happenings = tuple(seen)
        return events

    def refused(self, command: Command) -> Refusal:
        """The refusal of a command that must be refused; the room must be as it was."""
        before, entries = self.opened, len(self.log)
        try:
            self.do(command)
        except Refusal as refusal:
            assert self.opened == before
            assert len(self.log) == entries
            return refusal
        raise AssertionError(f"{command} was not refused")

    # Commands, as people send them

    def open(
        self,
        game: str = "chuo-pai",
        *,
        options: Mapping[str, OptionValue] = {},
        deals: int = 1,
        pace: Pace = "none",
        fill: BotLevel | None = None,
        secrets: tuple[bytes, ...] = (),
    ) -> "DrivenRoom":
        """With `secrets` its deals are fair ones, and its host contributes to them."""
        request = Create(game, dict(options), deals, pace, fill, contributes=bool(secrets))
        self.do(OpenRoom(CODE, request, "Ann", ticket_of("Ann"), "Ann", secrets=secrets))
        return self

    def sit(self, *names: str, contributes: bool = False) -> "DrivenRoom":
        """Each on a connection of its own name."""
        for name in names:
            self.do(TakeSeat(name, ticket_of(name), name, contributes=contributes))
        return self

    def command(self, seat: Seat, message: Callable[..., SeatCommand], /, **fields: object) -> ByPlayer:
        """The seat's next command, from the connection that holds the seat."""
        its = self.state.seats[seat]
        return ByPlayer(seat, its.connection, message(n=its.n + 1, **fields))

    def ask(self, seat: Seat, message: Callable[..., SeatCommand], /, **fields: object) -> tuple[Event, ...]:
        return self.do(self.command(seat, message, **fields))

    def refusal(self, seat: Seat, message: Callable[..., SeatCommand], /, **fields: object) -> ErrorCode:
        return self.refused(self.command(seat, message, **fields)).code

    def deal(self, cards: Deck | None = None, first: Seat = 0) -> "DrivenRoom":
        """These cards, though they need not follow from anything."""
        secret = len(self.log).to_bytes(32, "big")
        self.do(DealCards(cards or deck(len(self.log), self.state.game), first, seed_of(self.state), secret))
        return self

    def turn(self) -> tuple[Seat, tuple[Action, ...]]:
        """Who alone is asked, and what that seat may do."""
        ((seat, actions),) = asked(self.state).items()
        return seat, actions

    def act(self, action: Action | None = None) -> tuple[Event, ...]:
        """The seat that alone is asked does this, or the first thing it may."""
        seat, actions = self.turn()
        return self.answer(seat, action or actions[0])

    def answer(self, seat: Seat, action: Action) -> tuple[Event, ...]:
        return self.ask(seat, Act, prompt=self.state.seats[seat].prompt, action=action)

    def go_on(self) -> tuple[Event, ...]:
        """The public card has stood long enough."""
        return self.do(GoOn(rules(self.state).moment(self.state.table)))

    def step(self, rng: Random) -> None:
        """Somebody who is asked answers, or the deal goes on."""
        questions = asked(self.state)
        if not questions:
            self.go_on()
            return
        seat = rng.choice(sorted(questions))
        self.answer(seat, rng.choice(questions[seat]))

    def play_out(self, rng: Random) -> "DrivenRoom":
        """The deal to its end, by its players."""
        while self.state.phase == "playing":
            self.step(rng)
        return self

    def away(self, seat: Seat) -> tuple[Event, ...]:
        return self.do(MarkAway(seat))

    def resume(self, name: str, connection: str | None = None, *, woke: bool = False) -> tuple[Event, ...]:
        return self.do(Resume(ticket_of(name), connection or name, woke))

    def view(self, viewer: Seat | None) -> TableView:
        return table_view(self.state, viewer, SEATS, self.now_ms)

    def prompt(self, seat: Seat) -> Prompt:
        prompt = self.view(seat).prompt
        assert prompt is not None
        return prompt


def three_players(
    game: str = "chuo-pai",
    *,
    options: Mapping[str, OptionValue] = {},
    deals: int = 1,
    pace: Pace = "none",
    cards: Deck | None = None,
) -> DrivenRoom:
    """Ann, Bea and Cem sit and play; it is the turn of seat 0."""
    room = DrivenRoom().open(game, options=options, deals=deals, pace=pace).sit("Bea", "Cem")
    room.ask(0, Start)
    return room.deal(cards or deck(1, game))
