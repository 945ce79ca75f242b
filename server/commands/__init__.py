"""The commands of `paizhuo-server`, one module each, loaded only when called."""

import msgspec

from protocol.errors import ExitCode
from protocol.view import OptionValue


class CommandFailed(Exception):
    """Ends the program: one sentence for stderr, saying what to do, and the exit code."""

    def __init__(self, exit_code: ExitCode, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
        self.sentence = sentence


def house_rules(text: str) -> dict[str, OptionValue]:
    """House rules as `--options` gives them: a JSON object, of whatever game. Raises `CommandFailed`."""
    try:
        return msgspec.json.decode(text, type=dict[str, OptionValue])
    except msgspec.DecodeError as error:
        raise CommandFailed(ExitCode.USAGE, f"--options is no JSON object of house rules: {error}") from None
