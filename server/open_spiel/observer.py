"""What a player sees, as OpenSpiel wants it: a text, and a tensor with named parts.

Made from what is told to the player, and from the rules' own views: from nothing that they hide.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pyspiel

from protocol.notation import Card, join
from protocol.view import DealView, Group
from server.games.base import SEATS, Seat
from server.open_spiel.node import HAND, Node, Table

Array = Any
"""Of numpy, which has no types where the extra is not installed."""

BARRED = "barred"
"""The cards that a seat may no longer claim."""


class Pieces:
    """The parts of a game's tensors, by name, each with its shape.

    `zones`: whose cards all see, and whose cards they are. `own`: kinds of cards that a seat alone sees. `facts`: of a
    seat. `counts`: zones of which only the number of cards is seen. `lines`: the most that a deal tells.
    """

    def __init__(
        self,
        table: Table,
        *,
        zones: tuple[str, ...],
        own: tuple[str, ...],
        facts: tuple[str, ...],
        counts: tuple[str, ...] = (),
        lines: int,
    ):
        cards, seats = len(table.cards), len(SEATS)
        self.table, self.zones, self.facts = table, zones, facts
        self.private = dict.fromkeys(own, (cards,))
        self.remembered_in_private = {"start": (cards,), "declared": (lines,)}
        self.public = {
            **dict.fromkeys(zones, (seats, cards)),
            **dict.fromkeys(("held", *facts), (seats,)),
            **dict.fromkeys(counts, (1,)),
        }
        self.remembered = {"told": (lines, len(table.kinds) + seats + cards)}

    def put_view(self, parts: Mapping[str, Array], view: DealView, player: Seat) -> None:
        """What is `private` and `public`, as far as there is a part for it."""
        for zone in view.zones:
            if zone.name == HAND:
                if "held" in parts:
                    parts["held"][zone.seat] = zone.count
                if zone.seat == player:
                    for group in zone.groups:
                        self._count(parts.get(group.kind), group.cards)
            elif zone.name in self.zones:
                for group in zone.groups:
                    seat = zone.seat if group.seat is None else group.seat
                    self._count(parts[zone.name][seat] if zone.name in parts else None, group.cards)
            elif zone.name in parts:
                parts[zone.name][0] = zone.count
        for fact in view.facts:
            if fact.label == BARRED:
                self._count(parts.get(BARRED), tuple(str(fact.value).split("+")))
            elif fact.label in self.facts and fact.label in parts:
                parts[fact.label][fact.value if fact.seat is None else fact.seat] = 1

    def put_memory(self, parts: Mapping[str, Array], node: Node, player: Seat) -> None:
        """The parts `remembered` and `remembered_in_private`, where they are wanted."""
        if "told" in parts:
            for number, line in enumerate(node.told):
                parts["told"][number] = self._row(line)
        if "start" in parts:
            self._count(parts["start"], self.table.dealt_to(node.dealt, node.first, player))
            for entry in node.own[player]:
                place, action = entry.split(" ", 1)
                parts["declared"][int(place)] = (1 + self.table.numbers[action]) / len(self.table.actions)

    def _count(self, counts: Array, cards: tuple[Card, ...]) -> None:
        if counts is not None:
            for card in cards:
                counts[_places(self.table.cards)[card]] += 1

    def _row(self, line: str) -> Array:
        return _row(self.table.kinds, self.table.cards, line)


@cache
def _places(cards: tuple[Card, ...]) -> Mapping[Card, int]:
    return {card: place for place, card in enumerate(cards)}


@cache
def _row(kinds: tuple[str, ...], cards: tuple[Card, ...], line: str) -> Array:
    """One line as numbers: its kind and its seat, one of each, and how many copies of each card."""
    kind, *rest = line.split(" ")
    row = np.zeros(len(kinds) + len(SEATS) + len(cards), np.float32)
    row[kinds.index(kind)] = 1
    for word in rest:
        if word in ("0", "1", "2"):
            row[len(kinds) + int(word)] = 1
        else:
            for card in word.split("+"):
                if card in _places(cards):
                    row[len(kinds) + len(SEATS) + _places(cards)[card]] += 1
    return row


class Observer:
    """One kind of observation, as `open_spiel.python.observation` describes it.

    With perfect recall, all that a player was told and has declared: an information state. Without it, what lies on
    the table now.
    """

    def __init__(self, pieces: Pieces, wanted: Any = None, params: Mapping[str, object] | None = None):
        """`wanted`: a `pyspiel.IIGObservationType`, or None for what the player sees now. Raises `ValueError`."""
        if params:
            raise ValueError(f"these games know no parameters of observations: {params}")
        wanted = wanted or pyspiel.IIGObservationType(perfect_recall=False)
        self._pieces, self._public, self._recall = pieces, wanted.public_info, wanted.perfect_recall
        private = wanted.private_info
        self._nobody = private == pyspiel.PrivateInfoType.NONE
        self._everybody = private == pyspiel.PrivateInfoType.ALL_PLAYERS
        shapes: dict[str, tuple[int, ...]] = {"player": (len(SEATS),)}
        if private == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            shapes |= pieces.remembered_in_private if self._recall else pieces.private
        if self._public:
            shapes |= pieces.remembered if self._recall else pieces.public
        self.tensor = np.zeros(sum(map(prod, shapes.values())), np.float32)
        self.dict: dict[str, Array] = {}
        begin = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[begin : begin + prod(shape)].reshape(shape)
            begin += prod(shape)

    def set_from(self, state: Any, player: Seat) -> None:
        """Fills `tensor`, of which `dict` has the parts. All 0 but for the player while the deck is dealt."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        node: Node = state.node
        if node.state is None:
            return
        if self._recall:
            self._pieces.put_memory(self.dict, node, player)
        else:
            self._pieces.put_view(self.dict, self._pieces.table.rules.view(node.state, player), player)

    def string_from(self, state: Any, player: Seat) -> str:
        """The same as text; empty where nothing is wanted, or nothing is known yet."""
        node: Node = state.node
        whose = SEATS if self._everybody else () if self._nobody else (player,)
        if node.state is None:
            dealt = [join(self._pieces.table.dealt_to(node.dealt, node.first, seat)) for seat in whose]
            return "\n".join([f"{seat} {cards}" for seat, cards in zip(whose, dealt, strict=True)])
        if self._recall:
            known = [f"{seat} {node.starts[seat]}\n{';'.join(node.own[seat])}" for seat in whose]
            return "\n".join([*known, *([";".join(node.told)] if self._public else [])])
        rules = self._pieces.table.rules
        shown = rules.view(node.state, None)
        texts = [
            text for seat in whose for text in (f"seat {seat}", *_hidden_but(rules.view(node.state, seat), shown, seat))
        ]
        return "\n".join([*texts, *(_texts(shown.zones, shown.facts) if self._public else ())])


def _hidden_but(view: DealView, shown: DealView, seat: Seat) -> Iterator[str]:
    """What a seat sees that not all do."""
    hand = [zone for zone in view.zones if zone.name == HAND and zone.seat == seat]
    return _texts(hand, [fact for fact in view.facts if fact not in shown.facts])


def _texts(zones: Any, facts: Any) -> Iterator[str]:
    for zone in zones:
        place = zone.name if zone.seat is None else f"{zone.name} {zone.seat}"
        yield " ".join([f"{place}: {zone.count}", *map(_text, zone.groups)])
    for fact in facts:
        yield f"{fact.label}: {fact.value}" if fact.seat is None else f"{fact.label} {fact.seat}: {fact.value}"


def _text(group: Group) -> str:
    whose = "" if group.seat is None else f"{group.seat}:"
    return f"{whose}{group.kind}:{join(group.cards)}"
