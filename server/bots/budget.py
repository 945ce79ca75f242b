"""How many rollouts a bot may make now: as many as it likes while nobody waits, fewer the more questions do. Pure.

A budget is a count, so that a choice can be made again, but what there is to share out is time. How long a rollout
takes on this machine, with all else that runs on it, is learned from the answers.
"""

from collections.abc import Sequence

from server.bots.base import UNLIMITED

PATIENCE_PART = 1 / 8
"""Of the time after which a bot is late, what the wait for a thought and the thought may take: no two are alike."""

BACKLOG_MS = 150
"""Nobody should wait longer for a thought to begin."""

RECENT = 16
"""Answers that a pace is the mean of, the older ones counting less."""

MOST_ROLLOUTS = 1000
"""A larger budget counts as this one: no bot needs more, so it tells nothing of what a rollout takes."""


def overloaded(others_waited_ms: Sequence[float]) -> bool:
    """Whether somebody has waited longer than anybody should: then there is time for nothing but a glance."""
    return any(ms > BACKLOG_MS for ms in others_waited_ms)


def allowed_ms(timeout_ms: float, waited_ms: float, others_waited_ms: Sequence[float], workers: int) -> float:
    """What a thought may take that has to wait no more: its share of what is left until the longest of the others has
    waited long enough. `others_waited_ms`: of all that still wait for one of `workers` processes.
    """
    alone_ms = max(0.0, timeout_ms * PATIENCE_PART - waited_ms)
    if not others_waited_ms:
        return alone_ms
    left_ms = max(0.0, BACKLOG_MS - max(others_waited_ms))
    return min(alone_ms, left_ms * workers / len(others_waited_ms))


class Pace:
    """What one level of one game has made of its budgets lately, as the ratio of two means.

    Answers that took fewer rollouts than they were given make it look faster than it is; budgets then grow, until
    thoughts take what they may on average.
    """

    def __init__(self) -> None:
        self._rollouts = 100.0
        self._ms = 10.0

    def budget(self, ms: float) -> int:
        """For a thought of so long, at least 1."""
        return max(1, int(min(UNLIMITED, ms * self._rollouts / max(self._ms, 1e-6))))

    def learn(self, budget: int, took_ms: float) -> None:
        """An answer within `budget` has taken so long."""
        self._rollouts += (min(budget, MOST_ROLLOUTS) - self._rollouts) / RECENT
        self._ms += (took_ms - self._ms) / RECENT
