"""The one exception that ends the program: raised anywhere in the client, turned into words at its edge."""

from protocol.errors import ExitCode


class CommandFailed(Exception):
    """One sentence for stderr, saying what to do, and the exit code."""

    def __init__(self, exit_code: ExitCode, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
        self.sentence = sentence


def first_failure(failures: BaseException) -> BaseException:
    """What went wrong first in a group of tasks; the rest followed from it."""
    while isinstance(failures, BaseExceptionGroup):
        failures = failures.exceptions[0]
    return failures
