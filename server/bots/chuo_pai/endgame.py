"""The last cards of a deal with all hands known, played exactly: max^n over every legal course of play.

Each seat makes the most of its own points. Of courses that give it the same, it takes the one that gives the others
fewest together, and of those the one that gives the next seat clockwise fewest. That orders all outcomes, so every
position has one value, however it is found.
"""

from server.games.chuo_pai.cards import Hand
from server.games.chuo_pai.plays import PASS, PLAYS, Play, answers, leads

Points = tuple[int, int, int]
"""What each seat still wins: the seat in question first, then clockwise."""


class Endgame:
    """Keeps what it has solved. Meant for one decision: nothing bounds its memory."""

    def __init__(self, max_combination: int) -> None:
        self._max_combination = max_combination
        self._solved: dict[tuple[Hand, Hand, Hand], Points] = {}
        self._leads: dict[Hand, tuple[Play, ...]] = {}
        self._beating: dict[tuple[Hand, Play], tuple[Play, ...]] = {}

    def led(self, x: Hand, y: Hand, z: Hand) -> Points:
        """From a round that `x` leads, or the next who holds cards where `x` is empty; over where one holds cards."""
        if not (x and (y or z)) and not (y and z):
            return 0, 0, 0
        if not x:
            won_y, won_z, won_x = self.led(y, z, x)
            return won_x, won_y, won_z
        best = self._solved.get((x, y, z))
        if best is None:
            plays = self._leads.get(x)
            if plays is None:
                plays = self._leads[x] = tuple([PLAYS[action] for action in leads(x, self._max_combination)])
            best = self._solved[x, y, z] = max([self.played(x, y, z, play, 2) for play in plays], key=worth)
        return best

    def played(self, x: Hand, y: Hand, z: Hand, play: Play, followers: int) -> Points:
        """From `play`, which `x` still holds, and which so many seats clockwise from it may yet beat in this round."""
        x -= play.taken
        if followers and (plays := self._answers(y, play)):
            won_y, won_z, won_x = max([self.played(y, z, x, each, followers - 1) for each in plays], key=worth)
            return won_x, won_y, won_z
        if followers == 2 and (plays := self._answers(z, play)):
            won_z, won_x, won_y = max([self.played(z, x, y, each, 0) for each in plays], key=worth)
            return won_x, won_y, won_z
        won_x, won_y, won_z = self.led(x, y, z)
        return won_x + len(play.cards), won_y, won_z

    def _answers(self, hand: Hand, highest: Play) -> tuple[Play, ...]:
        plays = self._beating.get((hand, highest))
        if plays is None:
            found = answers(hand, highest.action)
            plays = () if found == (PASS,) else tuple([PLAYS[action] for action in found])
            self._beating[hand, highest] = plays
        return plays


def worth(points: Points) -> int:
    """Orders outcomes as the first of the seats does. No seat has a hundred points."""
    own, following, other = points
    return 10_000 * own - 100 * (following + other) - following
