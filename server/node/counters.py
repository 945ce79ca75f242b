"""What a node counts while it runs."""

from dataclasses import dataclass, field

from server.durations import Durations

APPEND_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass
class Counters:
    appends: int = 0
    """Entries that were written, as far as this node knows."""

    conflicts: int = 0
    """Appends that came too late: somebody else had written first."""

    caught_up: int = 0
    """How often a room missed what was published, and only a look into its log brought it."""

    append_s: Durations = field(default_factory=lambda: Durations(APPEND_S))
    """How long the store took to confirm what was written."""

    def __str__(self) -> str:
        return f"{self.appends} appends, {self.conflicts} conflicts, {self.caught_up} times caught up"
