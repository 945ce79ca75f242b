"""Other histories that a player cannot tell from the one that was played.

A bot's worlds say what the hidden cards may be. From one of them follows the deck as it may have been shuffled, and on
that deck the deal is played again as far as the player knows it: public actions, and its own declarations. What others
have declared in vain it does not know: in a window that is closed they pass, in one that is still open they declare
anything that leaves it open. A deck on which the same would not have become public is none.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from protocol.notation import Action
from server.games.base import Deck, Game, Seat
from server.open_spiel.node import PASS, TERMINAL, Node, Table

TRIES = 5_000
"""So many decks. Most fit, but for a player that is not asked: then another one must have a claim."""


class Retold(NamedTuple):
    """Such a history: its deck, the choices after that, and the node that they lead to."""

    deck: Deck
    choices: tuple[Action, ...]
    node: Node


def retold(table: Table, decks: Iterator[Deck], node: Node, player: Seat, rng: Random) -> Retold:
    """`decks`: without end. `node`: where somebody decides. In the result the same player decides.

    A player that is not asked and does not know who is may get a history in which another one is, where none of
    `TRIES` decks has the same. Raises `LookupError` if nobody is on any of them.
    """
    other: Retold | None = None
    for deck in islice(decks, TRIES):
        found = _Telling(table, deck, node, player).told(rng)
        if found is not None and found.node.player == node.player:
            return found
        other = found or other
    if other is None:
        raise LookupError(f"seat {player} knows what {TRIES} decks do not lead to")
    return other


class _Telling:
    """One deck, played on until all has happened that the player knows."""

    def __init__(self, table: Table, deck: Deck, node: Node, player: Seat) -> None:
        self._table, self._deck, self._true, self._player = table, deck, node, player
        self._at = table.begin(node, deck)
        self._public = [entry.split(" ", 2) for entry in reversed(node.state.history)]
        self._own = [entry.split(" ", 1) for entry in reversed(node.own[player])]
        self._choices: list[Action] = []

    def told(self, rng: Random) -> Retold | None:
        """None where the deck does not lead there."""
        known = self._true.told
        while self._at.told != known:
            told = self._at.told
            if len(told) >= len(known) or told != known[: len(told)] or not self._choose(self._next()):
                return None
        if self._at.player == TERMINAL or not self._opened(rng):
            return None
        return Retold(self._deck, tuple(self._choices), self._at)

    def _choose(self, action: Action) -> bool:
        """Whether it could be done, and has been."""
        at = self._at
        if at.player == TERMINAL or action not in self._table.rules.asked(at.state)[at.player]:
            return False
        self._at = self._table.apply(at, action)
        self._choices.append(action)
        return True

    def _next(self) -> Action:
        """What the player knows, or must guess, of the next choice; "" where it knows that there was none."""
        at, rules = self._at, self._table.rules
        window, carried = rules.window(at.state), ""
        if self._public:
            moment, seat, action = self._public[-1]
            if int(seat) == at.player and (not window or int(moment) == rules.moment(at.state)):
                self._public.pop()
                carried = action
        if window and at.player == self._player:
            return self._own.pop()[1] if self._declares_here() else ""
        return carried or (PASS if window else "")

    def _declares_here(self) -> bool:
        return bool(self._own) and int(self._own[-1][0]) == len(self._at.told)

    def _opened(self, rng: Random) -> bool:
        """Make the declarations before the one that is due in a window that is open. Whether they leave it open."""
        while self._at.player != self._true.player or self._declares_here():
            if self._at.player == self._player:
                if not self._declares_here():
                    return True  # it is this player that is asked, not the other
                if not self._choose(self._next()):
                    return False
            elif not self._choose(harmless(self._table.rules, self._at.state, self._at.player, self._player, rng)):
                return False
            if len(self._at.told) > len(self._true.told):
                return False
        return True


def harmless(rules: Game[Any], state: Any, seat: Seat, player: Seat, rng: Random) -> Action:
    """A declaration that leaves the window open, and the player asked who has not declared; "" if there is none."""
    offered = rules.asked(state)[seat]
    waiting = player in rules.asked(state)
    for action in rng.sample(offered, len(offered)):
        asked = rules.asked(rules.apply(state, seat, action))
        if player in asked if waiting else asked:
            return action
    return ""
