"""How a room, and everything above it, says no."""

from protocol.errors import ErrorCode


class Refusal(Exception):
    """A request that changed nothing: a code for programs and a sentence for people."""

    def __init__(self, code: ErrorCode, text: str, retry_ms: int | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.retry_ms = retry_ms
