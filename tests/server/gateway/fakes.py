"""A node and a view for tests of the gateway."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    AutoPass,
    Autopilot,
    Because,
    Contribution,
    Create,
    Fill,
    Hint,
    HouseRule,
    Leave,
    Ready,
    Remove,
    RoomSummary,
    Said,
    SeatCommand,
    Seated,
    Start,
    Watching,
)
from protocol.view import Happening, Prompt, Reason, RoomView, SeatView, TableView, You
from server.node.port import Refusal, Viewer

TICKET = "ticket-of-seat-0"
RECORD = '{"format":"paizhuo-record/1","game":"chuo-pai"}'


def table(
    *, deal: int = 1, remaining_ms: int | None = None, name: str = "Ann", actions: tuple[str, ...] = ("pass",)
) -> TableView:
    return TableView(
        room=RoomView("ABCD2345", "chuo-pai", {}, "none", 1, deal, "playing", 0),
        seats=(SeatView(0, "human", name, connected=True), SeatView(1, "bot", "Bot 1"), SeatView(2, "bot", "Bot 2")),
        prompt=Prompt(7, actions, remaining_ms),
        you=You(0, 0),
    )


def happening(number: int) -> Happening:
    return Happening("played", 1, ("13",), number)


class FakeNode:
    """A `Node` that remembers what it was asked. Commands succeed unless `on_command` says otherwise."""

    house_rules: Mapping[str, tuple[HouseRule, ...]] = {"chuo-pai": ()}

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.seated: dict[str, Viewer] = {}
        self.detached: list[Viewer] = []
        self.any_detached = asyncio.Event()
        self.on_command: Callable[[Viewer, SeatCommand], Awaitable[None]] | None = None
        self.unready: Exception | None = None
        self.checks = 0
        self.lists = 0
        self.others: tuple[str, ...] = ()

    async def create(self, viewer: Viewer, name: str, request: Create) -> None:
        self.asked.append(("create", name, request.game))
        self._sit(viewer, name)

    async def join(
        self, viewer: Viewer, name: str, code: str, secret: str | None = None, *, contributes: bool = False
    ) -> None:
        self.asked.append(("join", name, code) if secret is None else ("join", name, code, secret))
        if code != "ABCD2345":
            raise Refusal(ErrorCode.NO_SUCH_ROOM, "There is no such room.")
        self._sit(viewer, name)

    async def resume(self, viewer: Viewer, ticket: str) -> None:
        self.asked.append(("resume", ticket))
        if self.unready is not None:
            raise self.unready
        if ticket != TICKET:
            raise Refusal(ErrorCode.BAD_TICKET, "The ticket opens no seat.")
        self._sit(viewer, "Ann")

    async def watch(self, viewer: Viewer, code: str) -> None:
        self.asked.append(("watch", code))
        viewer.place(Watching(code))
        viewer.show(table(), ())

    async def command(self, viewer: Viewer, command: SeatCommand) -> None:
        self.asked.append(("command", command))
        if self.on_command is not None:
            await self.on_command(viewer, command)

    async def contribute(self, viewer: Viewer, contributions: tuple[Contribution, ...]) -> None:
        self.asked.append(("contribute", contributions))

    async def say(self, viewer: Viewer, name: str, text: str, emote: str = "") -> None:
        self.asked.append(("say", name, text))
        for listener in set(self.seated.values()):
            listener.tell(Said(name, text, emote=emote))

    def hint(self, viewer: Viewer, prompt: int) -> None:
        if prompt != 7:
            raise Refusal(ErrorCode.STALE_PROMPT, "That question has been settled already.")
        viewer.tell(Hint(prompt, "pass", (Reason("forced"),)))

    def why(self, viewer: Viewer, prompt: int, text: str) -> Because:
        if prompt != 7:
            raise Refusal(ErrorCode.STALE_PROMPT, "That question has been settled already.")
        return Because(prompt, Reason("not_in_hand", (text,)))

    async def export(self, viewer: Viewer, deal: int) -> str:
        self.asked.append(("export", deal))
        if deal > 1:
            raise Refusal(ErrorCode.DEAL_NOT_OVER, f"Deal {deal} is not over.")
        return RECORD

    async def rooms(self) -> tuple[RoomSummary, ...]:
        self.lists += 1
        return (RoomSummary("ABCD2345", "chuo-pai", "Ann", 2, 1, "none"),)

    def servers(self) -> tuple[str, ...]:
        return self.others

    async def check(self) -> None:
        self.checks += 1
        await asyncio.sleep(0)
        if self.unready is not None:
            raise self.unready

    def detach(self, viewer: Viewer) -> None:
        self.detached.append(viewer)
        self.any_detached.set()

    def _sit(self, viewer: Viewer, name: str) -> None:
        older = self.seated.get(name)
        self.seated[name] = viewer
        if older is not None:
            older.replace()
        viewer.place(Seated("ABCD2345", 0, TICKET))
        viewer.show(table(name=name), ())


COMMANDS: tuple[SeatCommand, ...] = (
    Fill(1),
    Fill(1, "random", 2),
    Remove(2, 1),
    Start(3, "easy"),
    Act(4, 7, "play 13+13"),
    Ready(5),
    Autopilot(6, on=True),
    AutoPass(7, on=True),
    Leave(2**53 - 1),
)
