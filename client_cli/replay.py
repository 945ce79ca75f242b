"""A finished deal step by step with every card open, as `paizhuo-server replay` gives it, and a place in it. Pure.

The client knows no rule: each step brings its view and what happened. Words are `words_replay`'s.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from client_cli.render import fact
from protocol.notation import Action, Card, groups_of
from protocol.view import Happening, TableView

FORMAT = "paizhuo-replay/1"
STEP_S = (4.0, 2.0, 1.0, 0.5, 0.25)
"""How long a step stays in view while the replay runs by itself, at each pace from the slowest."""

USUAL_PACE = 2


class BadReplay(ValueError):
    """Text that is no replay."""


class Acted(msgspec.Struct, frozen=True):
    seat: int
    action: Action


class ReplayStep(msgspec.Struct, frozen=True):
    """The table after the step. `action`: of a seat; None where the rules went on by themselves."""

    view: TableView
    happened: tuple[Happening, ...]
    action: Acted | None = None

    @property
    def cards(self) -> frozenset[Card]:
        """All that the step is about."""
        named = groups_of(self.action.action) if self.action else ()
        return frozenset(card for group in (*named, *(it.cards for it in self.happened)) for card in group)


class _Header(msgspec.Struct, frozen=True):
    format: str
    deal: int
    deals: int


class Replay(NamedTuple):
    """At least one step. `deal`: which of the `deals` of its file it is, from 1. `seat`: the viewer's own, if any."""

    steps: Sequence[ReplayStep]
    deal: int = 1
    deals: int = 1
    seat: int | None = None


def decode(lines: bytes) -> Replay:
    """What `paizhuo-server replay` printed. Raises `BadReplay`."""
    first, *rest = lines.splitlines() or [b""]
    try:
        header = msgspec.json.decode(first, type=_Header)
        decoder = msgspec.json.Decoder(ReplayStep)
        steps = tuple(decoder.decode(line) for line in rest)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BadReplay(str(error)) from None
    if header.format != FORMAT or not steps:
        raise BadReplay(header.format)
    return Replay(steps, header.deal, header.deals)


class Cursor(NamedTuple):
    """A place among the steps of a replay, from 0 to `last`. `rounds`: where a round begins, 0 among them.

    `playing`: it goes on by itself, `pace` says how fast. Every method gives another cursor.
    """

    last: int
    rounds: tuple[int, ...] = (0,)
    at: int = 0
    playing: bool = False
    pace: int = USUAL_PACE

    @classmethod
    def over(cls, steps: Sequence[ReplayStep]) -> "Cursor":
        """At the first of the steps. What counts as a round, where a game has none, is one seat's turn."""
        marks = [_round_of(step.view) for step in steps]
        begun = (place for place, (before, now) in enumerate(pairwise(marks), start=1) if before != now)
        return cls(len(steps) - 1, (0, *begun))

    @property
    def step_s(self) -> float:
        return STEP_S[self.pace]

    def go(self, place: int) -> "Cursor":
        """To this place, or to the nearest that there is; it no longer goes on by itself."""
        return self._replace(at=min(max(place, 0), self.last), playing=False)

    def next(self) -> "Cursor":
        return self.go(self.at + 1)

    def previous(self) -> "Cursor":
        return self.go(self.at - 1)

    def next_round(self) -> "Cursor":
        return self.go(next((place for place in self.rounds if place > self.at), self.last))

    def previous_round(self) -> "Cursor":
        return self.go(next((place for place in reversed(self.rounds) if place < self.at), 0))

    def find(self, fits: Callable[[int], bool], *, backwards: bool = False) -> "Cursor | None":
        """The nearest other place that fits, beyond the end going on from the start; None if there is none."""
        turn = -1 if backwards else 1
        around = ((self.at + turn * far) % (self.last + 1) for far in range(1, self.last + 1))
        found = next((place for place in around if fits(place)), None)
        return None if found is None else self.go(found)

    def toggled(self) -> "Cursor":
        """Go on by itself, or stop; from the end it begins anew."""
        if self.playing:
            return self._replace(playing=False)
        return self._replace(playing=self.last > 0, at=0 if self.at == self.last else self.at)

    def ticked(self) -> "Cursor":
        """A step further by itself, up to the end."""
        at = min(self.at + 1, self.last)
        return self._replace(at=at, playing=self.playing and at < self.last)

    def faster(self) -> "Cursor":
        return self._replace(pace=min(self.pace + 1, len(STEP_S) - 1))

    def slower(self) -> "Cursor":
        return self._replace(pace=max(self.pace - 1, 0))


def _round_of(view: TableView) -> int | str | None:
    number = fact(view, "round")
    return fact(view, "turn") if number is None else number
