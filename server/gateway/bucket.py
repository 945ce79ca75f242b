"""How fast one connection may ask. Pure: the time is handed in."""


class Bucket:
    """Lets `burst` through at once and `per_s` in the long run.

    Kept as the one moment at which the bucket will be full again, so that nothing has to be refilled.
    """

    def __init__(self, per_s: int, burst: int) -> None:
        self._token_ms = 1000 // per_s
        self._slack_ms = self._token_ms * (burst - 1)
        self._full_ms = 0

    def spend(self, now_ms: int) -> int:
        """Take one token: 0, or where there is none the milliseconds until there will be one."""
        full_ms = max(self._full_ms, now_ms)
        wait_ms = full_ms - now_ms - self._slack_ms
        if wait_ms > 0:
            return wait_ms
        self._full_ms = full_ms + self._token_ms
        return 0
