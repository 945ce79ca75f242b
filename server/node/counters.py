"""What a node counts while it runs."""

from collections import Counter
from dataclasses import dataclass, field

from server.durations import LATENCY_S, Durations


@dataclass
class Counters:
    appends: int = 0
    """Entries that were written, as far as this node knows."""

    conflicts: int = 0
    """Appends that came too late: somebody else had written first."""

    caught_up: int = 0
    """How often a room missed what was published, and only a look into its log brought it."""

    append_s: Durations = field(default_factory=lambda: Durations(LATENCY_S))
    """How long the store took to confirm what was written."""

    store_errors: Counter[str] = field(default_factory=Counter)
    """By kind: what the store refused, did not answer, or answered nonsense."""

    def __str__(self) -> str:
        return f"{self.appends} appends, {self.conflicts} conflicts, {self.caught_up} times caught up"
