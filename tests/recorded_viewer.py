"""A viewer that keeps all that a node tells it, in order."""

from protocol.messages import Notice, Said, Seated, ServerMessage, Table, Unseated, Watching
from protocol.view import Happening, Prompt, TableView
from server.games.base import Seat


class RecordedViewer:
    """`server.node.port.Viewer`. `told` holds everything in order; what it was shown stands there as `Table`."""

    def __init__(self) -> None:
        self.told: list[ServerMessage] = []
        self.replaced = False
        self.sent_away = 0

    def place(self, place: Seated | Watching) -> None:
        self.told.append(place)

    def show(self, view: TableView, happened: tuple[Happening, ...]) -> None:
        self.told.append(Table(view, happened))

    def renew(self) -> None:
        pass  # it keeps all views

    def tell(self, message: ServerMessage) -> None:
        self.told.append(message)

    def unseat(self, reason: str) -> None:
        self.told.append(Unseated(reason))

    def replace(self) -> None:
        assert not self.replaced
        self.replaced = True

    def send_away(self) -> None:
        self.sent_away += 1

    @property
    def tables(self) -> list[Table]:
        return [message for message in self.told if isinstance(message, Table)]

    @property
    def view(self) -> TableView:
        """The newest."""
        return self.tables[-1].view

    @property
    def happened(self) -> list[str]:
        """The kinds of all that happened."""
        return [happening.kind for table in self.tables for happening in table.happened]

    @property
    def notices(self) -> list[str]:
        return [message.kind for message in self.told if isinstance(message, Notice)]

    @property
    def said(self) -> list[Said]:
        return [message for message in self.told if isinstance(message, Said)]

    @property
    def unseated(self) -> list[str]:
        return [message.reason for message in self.told if isinstance(message, Unseated)]

    @property
    def place_taken(self) -> Seated:
        """Its newest seat."""
        return [message for message in self.told if isinstance(message, Seated)][-1]

    @property
    def seat(self) -> Seat:
        return self.place_taken.seat

    @property
    def prompt(self) -> Prompt:
        prompt = self.view.prompt
        assert prompt is not None
        return prompt
