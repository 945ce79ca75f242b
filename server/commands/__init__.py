"""The commands of `paizhuo-server`, one module each, loaded only when called."""

from protocol.errors import ExitCode


class CommandFailed(Exception):
    """Ends the program: one sentence for stderr, saying what to do, and the exit code."""

    def __init__(self, exit_code: ExitCode, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
        self.sentence = sentence
