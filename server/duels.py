"""One player measured against two of another, on deals that each of them plays from every seat.

Luck decides single deals, so a deal is played three times, with the candidate in seat 0, 1 and 2 and the reference in
the two others. Everything else stays: the deck, with it every hand and the order of the stock, and who leads or deals
first. So in one deal the candidate holds each of the three hands once, at each of the three distances from the first
leader (in Paohuzi: as dealer, second and third), and what it held, the references held in the two other games. From
deal to deal the first leader moves on by a seat, so that three deals in a row have every pair of the candidate's seat
and the first leader's exactly once: no number of a seat, and no order in which seats happen to be asked, favours
anybody.

Every seat has a generator of its own, derived from seed, deal and seat whoever sits there, so the games of one deal
differ by who sits where and by nothing else. A player against two of itself plays one game three times, and is found to
be exactly as good as itself in every deal.

The games of one deal are anything but independent, hence the unit of all statistics is the deal: the mean over its
games of the candidate's score less the mean score of the two others.
"""

from collections.abc import Callable, Iterable, Mapping
from math import sqrt
from random import Random
from statistics import fmean, stdev, variance
from typing import NamedTuple

from protocol.view import OptionValue, Result
from server.games.base import SEATS, Seat, settled
from server.games.registry import game_named
from server.intervals import Interval, Watched, of_mean, of_ratio
from server.players import Player, Position, player_named


class Duel(NamedTuple):
    """What is measured. Budgets are of one choice, in rollouts; None: full strength."""

    game: str
    candidate: str
    reference: str
    seed: int = 0
    options: Mapping[str, OptionValue] = {}
    budget: int | None = None
    reference_budget: int | None = None

    def players(self) -> tuple[Player, Player]:
        """Candidate and reference. Raises `UnknownGame`, `BadOption`, `UnknownPlayer` and `PlayerMissing`."""
        game_named(self.game).options(self.options)
        return (
            player_named(self.game, self.candidate, self.budget),
            player_named(self.game, self.reference, self.reference_budget),
        )


class DealPlayed(NamedTuple):
    """What the candidate made of one deal from seats 0, 1 and 2.

    `margins`: its score less the mean of the two others'. `won`: its wins, of a shared one its share. `decided`: games
    that somebody won. `choices_ms`: CPU time of each of its choices between several actions.
    """

    margins: tuple[float, ...]
    won: float
    decided: int
    choices_ms: tuple[float, ...]


def deal_played(duel: Duel, number: int, cpu_s: Callable[[], float]) -> DealPlayed:
    """Deal `number`, from 1. `cpu_s` reads this process's CPU time in seconds. Raises as `Duel.players` does."""
    candidate, reference = duel.players()
    margins = []
    won = 0.0
    decided = 0
    choices_ms: list[float] = []
    for seat in SEATS:
        players = [candidate if each == seat else reference for each in SEATS]
        timed_s, result = _game_played(duel, number, players, cpu_s)
        choices_ms += [1000 * spent_s for spent_s in timed_s[seat]]
        margins.append(result.scores[seat] - (sum(result.scores) - result.scores[seat]) / 2)
        if result.winners:
            decided += 1
            won += (seat in result.winners) / len(result.winners)
    return DealPlayed(tuple(margins), won, decided, tuple(choices_ms))


def _game_played(
    duel: Duel, number: int, players: list[Player], cpu_s: Callable[[], float]
) -> tuple[list[list[float]], Result]:
    """The seconds of each seat's choices, and the end."""
    game = game_named(duel.game)
    deck = tuple(Random(f"{duel.seed}/{number}").sample(game.pack, len(game.pack)))
    first = (number - 1) % len(SEATS)
    chances = [Random(f"{duel.seed}/{number}/{seat}") for seat in SEATS]
    timed_s: list[list[float]] = [[] for _ in SEATS]
    steps: list[tuple[Seat, str]] = []
    state = settled(game, game.start(deck, first, duel.options))
    while asked := game.asked(state):
        seat = min(asked)
        action, *others = asked[seat]
        if others:
            player = players[seat]
            shown = player.shown(Position(game, duel.options, deck, first, tuple(steps), state, seat))
            start = cpu_s()
            action = player.choose(shown, chances[seat])
            timed_s[seat].append(cpu_s() - start)
        steps.append((seat, action))
        state = settled(game, game.apply(state, seat, action))
    result = game.result(state)
    assert result is not None
    return timed_s, result


class Summary(NamedTuple):
    """What a number of deals say of the candidate; `ci95`, `win_ci95`: 95 % intervals, clustered by deal.

    `win_share`: of the decided games; 1/3 is parity. None where nothing was decided, as `mean_ms` and `p99_ms` are, CPU
    time of a choice, where nothing was chosen. `sd`: of one deal's value, in points. `fresh_sd`: what it would be if a
    deal's three games had been three deals with nothing in common.
    """

    deals: int
    difference: float
    ci95: Interval
    certain: bool
    win_share: float | None
    win_ci95: Interval | None
    decided: int
    choices: int
    mean_ms: float | None
    p99_ms: float | None
    sd: float
    fresh_sd: float


def summed_up(deals: Iterable[DealPlayed], *, until_certain: bool = False) -> Summary:
    """Of at least two deals, of `Watched.LEAST` with `until_certain`: that takes no more of them once it is certain who
    is better. The interval of the difference is honest all the same, and wider (`intervals.Watched`); that of the win
    share is an ordinary one in any case.
    """
    watched = Watched()
    played: list[DealPlayed] = []
    for deal in deals:
        played.append(deal)
        watched.add(fmean(deal.margins))
        if until_certain and watched.certain:
            break
    values = [fmean(deal.margins) for deal in played]
    margins = [margin for deal in played for margin in deal.margins]
    decided = sum(deal.decided for deal in played)
    choices_ms = sorted(spent for deal in played for spent in deal.choices_ms)
    low, high = interval = watched.interval if until_certain else of_mean(values)
    won = [deal.won for deal in played]
    return Summary(
        deals=len(played),
        difference=fmean(values),
        ci95=interval,
        certain=low > 0 or high < 0,
        win_share=sum(won) / decided if decided else None,
        win_ci95=of_ratio(won, [deal.decided for deal in played]) if decided else None,
        decided=decided,
        choices=len(choices_ms),
        mean_ms=fmean(choices_ms) if choices_ms else None,
        p99_ms=choices_ms[len(choices_ms) * 99 // 100] if choices_ms else None,
        sd=stdev(values),
        fresh_sd=sqrt(variance(margins) / len(SEATS)),
    )
