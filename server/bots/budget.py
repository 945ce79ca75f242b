"""How many rollouts a bot may make now: as many as it likes while nobody waits, fewer the more questions do. Pure.

A budget is a count, so that a choice can be made again, but what there is to share out is time. How long a rollout
takes on this machine, with all else that runs on it, is learned from the answers.
"""

from server.bots.base import UNLIMITED

PATIENCE_PART = 1 / 8
"""Of the time after which a bot is late, what a thought may take: there is a wait before it, and no two are alike."""

BACKLOG_MS = 100
"""All that waits is thought about within this time, or as near to it as bots can come that have to answer at all."""

RECENT = 16
"""Answers that a pace is the mean of, the older ones counting less."""

MOST_ROLLOUTS = 1000
"""A larger budget counts as this one: no bot needs more, so it tells nothing of what a rollout takes."""


def allowed_ms(waiting: int, workers: int, timeout_ms: float) -> float:
    """What the next thought may take while `waiting` other questions wait for `workers` processes."""
    alone_ms = timeout_ms * PATIENCE_PART
    return min(alone_ms, BACKLOG_MS * workers / waiting) if waiting else alone_ms


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
