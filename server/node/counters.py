"""What a node counts while it runs."""

from dataclasses import dataclass


@dataclass
class Counters:
    appends: int = 0
    """Entries that were written, as far as this node knows."""

    conflicts: int = 0
    """Appends that came too late: somebody else had written first."""

    caught_up: int = 0
    """How often a room missed what was published, and only a look into its log brought it."""

    def __str__(self) -> str:
        return f"{self.appends} appends, {self.conflicts} conflicts, {self.caught_up} times caught up"
