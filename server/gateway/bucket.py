"""How fast somebody may ask. Pure: the time is handed in."""


class Bucket:
    """Lets `burst` through at once and `per_s` in the long run.

    Kept as the one moment at which the bucket will be full again, so that nothing has to be refilled.
    """

    __slots__ = ("_full_us", "_slack_us", "_token_us")

    def __init__(self, per_s: float, burst: int) -> None:
        self._token_us = round(1_000_000 / per_s)
        self._slack_us = self._token_us * (burst - 1)
        self._full_us = 0

    def spend(self, now_ms: int) -> int:
        """Take one token: 0, or where there is none the milliseconds until there will be one."""
        wait_ms = self.wait_ms(now_ms)
        if not wait_ms:
            self._full_us = max(self._full_us, now_ms * 1000) + self._token_us
        return wait_ms

    def wait_ms(self, now_ms: int) -> int:
        """What `spend` would answer, without taking anything."""
        return max(0, -((now_ms * 1000 + self._slack_us - self._full_us) // 1000))

    def give_back(self) -> None:
        """The last token was not needed."""
        self._full_us -= self._token_us

    def is_full(self, now_ms: int) -> bool:
        return self._full_us <= now_ms * 1000
