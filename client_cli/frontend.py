"""What a sitting needs of the place where a person sees it: a console of lines, or a full screen."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Protocol, TypeVar

from client_cli.replay import Replay
from client_cli.session import Session
from client_cli.settings import Settings
from protocol.errors import ExitCode

T = TypeVar("T")


class Drawn(str):
    """A line that says what a drawn table shows all the time: only for whoever sees lines and nothing else."""

    __slots__ = ()


class ToConfirm(str):
    """A line that asks the person to confirm what they have just typed: it must be seen until they type more."""

    __slots__ = ()


class Answer(str):
    """A typed line that answers the question `prompt`, and no other that may be open by the time it is read."""

    prompt: int

    def __new__(cls, line: str, prompt: int) -> "Answer":
        answer = super().__new__(cls, line)
        answer.prompt = prompt
        return answer


class JoinPage(str):
    """The address of the page that tells how to join a room: shown as a QR code, as well as each front end can."""

    __slots__ = ()


class FrontEnd(Protocol):
    """`interactive`: somebody sits there, and may type at any time.

    `lingers`: the end of a match stands there until they go.
    """

    interactive: bool
    lingers: bool

    @property
    def settings(self) -> Settings:
        """What the person there prefers now."""

    def show(self, line: str) -> None:
        """One line of what happens, in order. Raises BrokenPipeError when nobody reads any more."""

    def note(self, line: str) -> None:
        """One line about the program rather than the table."""

    def farewell(self, line: str) -> None:
        """A note that must still be there when the program is over."""

    def changed(self, session: Session) -> None:
        """The session holds another view or question, or another command is on its way."""

    def replay(self, replay: Replay) -> None:
        """A finished deal to look at, for as long as they like. Raises BrokenPipeError when nobody reads any more."""

    async def line(self) -> str | None:
        """What is typed next, or stands for it; None when nothing more will come. Only one call at a time."""

    async def choose(self, question: str, choices: Iterable[tuple[T, str]]) -> T | None:
        """One of `choices` (what is meant, how it is shown) before there is a table; None if nobody answers."""


Program = Callable[[FrontEnd], Coroutine[None, None, ExitCode]]
"""What a command does from its start to its exit code, wherever it is seen. Raises `CommandFailed`."""
