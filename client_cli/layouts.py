"""How the views of each game become lines. A game that has no layout of its own is shown as rounds of plays."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from client_cli import render, render_paohuzi
from client_cli.speaker import Speaker
from protocol.notation import Action
from protocol.view import Prompt


class Layout(Protocol):
    """A module that turns what one viewer sees into lines. Every question is one line."""

    HAS_CLAIMS: bool
    """Are players asked whether they want a card that others play or draw?"""

    def help_lines(self) -> Sequence[str]:
        """What can be typed, where that is not the same at every table."""

    def held_lines(self, speaker: Speaker) -> Sequence[str]:
        """The viewer's own cards."""

    def question(self, speaker: Speaker, prompt: Prompt) -> str: ...

    def choices(self, speaker: Speaker, prompt: Prompt) -> Sequence[Action]:
        """The offered actions in their order, with all that may be typed of them."""

    def listed(self, speaker: Speaker, prompt: Prompt) -> Sequence[str]:
        """All choices with their numbers."""

    def table_lines(self, speaker: Speaker) -> Sequence[str]: ...

    def ending_lines(self, speaker: Speaker) -> Sequence[str]:
        """What there is to say of a deal that is over, after its points."""

    def history_lines(self, speaker: Speaker, *, last_round: bool = False) -> Sequence[str]: ...

    def standing_line(self, speaker: Speaker) -> str:
        """What goes on while the viewer is asked nothing."""


LAYOUTS: Mapping[str, Layout] = {"paohuzi": render_paohuzi}


def layout_of(game: str) -> Layout:
    return LAYOUTS.get(game, render)
