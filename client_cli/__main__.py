"""The program `paizhuo`: names its commands and turns failures into exit codes."""

import os
import sys
from collections.abc import Mapping, Sequence

from cyclopts import App, Group

from client_cli.failure import CommandFailed
from client_cli.language import choose_language, tr
from client_cli.settings_file import spoken_language
from client_cli.text import as_utf8, safe
from protocol.errors import ExitCode

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "play": (
        "",
        "chuo-pai --name Budi",
        "chuo-pai --bots hard",
        "chuo-pai --auto --plain",
        "paohuzi --option dealer_opening_win=true",
    ),
    "host": (
        "chuo-pai --lan --qr",
        "chuo-pai --lan --tls --announce",
        "chuo-pai --deals 3 --pace normal --port 9000",
        "chuo-pai --option max_combination=4",
        "paohuzi --option chi_passed_reveal=true",
        "chuo-pai --server cards.example.org",
    ),
    "join": (
        "ABCD-EFGH@192.168.1.5",
        "ABCD-EFGH@192.168.1.5#ABCD-EFGH-JKMN-PQRS",
        "ABCD-EFGH@cards.example.org:9000",
        "http://192.168.1.5:8470/j/ABCDEFGH",
        "ws://cards.example.org:8470/ws ABCD-EFGH",
    ),
    "watch": ("ABCD-EFGH@192.168.1.5", "ABCD-EFGH@192.168.1.5 --plain >game.txt"),
    "bot": (
        "ABCD-EFGH@192.168.1.5 -- python3 docs/bot.py",
        "ABCD-EFGH@cards.example.org --limit 5 --json -- ./my-bot",
    ),
    "resume": ("", "ABCD-EFGH", "--list --json"),
    "rooms": ("cards.example.org", "192.168.1.5:8470 --json", "--lan"),
    "replay": ("chuo-pai-ABCDEFGH-1.jsonl", "deals.jsonl --deal 3 --plain", "deals.jsonl --json"),
    "verify": ("chuo-pai-ABCDEFGH-1.jsonl", "deals.jsonl --json"),
    "rules": ("", "chuo-pai | less", "chuo-pai score", "paohuzi wei"),
    "doctor": ("", "cards.example.org", "--json"),
    "completion": (
        "bash >~/.local/share/bash-completion/completions/paizhuo",
        "zsh >~/.zfunc/_paizhuo",
        "fish >~/.config/fish/completions/paizhuo.fish",
    ),
}


def _summaries() -> Mapping[str, str]:
    return {
        "play": tr("Play now against bots, on a private server."),
        "host": tr("Open a room for others, on a server of your own or another, and sit down in it."),
        "join": tr("Take a seat in a room; without ROOM, go back to an unfinished game."),
        "watch": tr("Look on at a room, without a seat."),
        "bot": tr("Let a program of yours play a seat."),
        "resume": tr("Go back to your seat in an unfinished game."),
        "rooms": tr("List the rooms of a server that anybody may join."),
        "replay": tr("Replay a saved deal step by step, with all hands open."),
        "verify": tr("Check that nobody chose the cards of a saved deal."),
        "rules": tr("Print the rules of a game, or a part of them; without GAME, the games."),
        "doctor": tr("Look at what works on this machine, and on the way to a server."),
        "completion": tr("Print a script with which your shell completes what you type."),
    }


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow, and nobody else asks

    return version("paizhuo")


def program() -> App:
    """All commands. What `paizhuo --help` says of them is here, so that it loads none of them."""
    app = App(
        name="paizhuo",
        help=tr("Play Chinese traditional card games, against bots or with friends."),
        version=_version,
        help_format="plaintext",
        help_formatter="plain",
        error_formatter=lambda error: f"paizhuo: {safe(str(error))}",
        result_action="return_value",
        group_commands=Group(tr("Commands")),
        group_arguments=Group(tr("Arguments")),
        group_parameters=Group(tr("Parameters")),
    )
    for name, summary in _summaries().items():
        examples = "\n".join(f"  paizhuo {name} {example}".rstrip() for example in EXAMPLES[name])
        app.command(f"client_cli.commands.{name}:{name}", help=summary, help_epilogue=f"{tr('Examples:')}\n{examples}")
    # Its subcommands have their own help, and it has its own examples.
    app.command("client_cli.commands.config:config", name="config", help=tr("Show or change your settings."))
    app.command("client_cli.commands.lobby:lobby", name="lobby", show=False)
    return app


def _with_command(arguments: Sequence[str]) -> list[str]:
    """Whoever names no command at a terminal gets the lobby; elsewhere, as ever, the help."""
    named = arguments and (not arguments[0].startswith("--") or arguments[0] in ("--help", "--version"))
    if named or not sys.stdout.isatty():
        return list(arguments)
    from client_cli.commands.seating import has_full_screen  # noqa: PLC0415 - help does without it

    return ["lobby", *arguments] if has_full_screen() else list(arguments)


def _complain(sentence: str) -> None:
    from client_cli.console import write_line  # noqa: PLC0415 - help does without it

    write_line(f"paizhuo: {sentence}", sys.stderr)


def main() -> None:
    """Run one command and exit with its code (`protocol.errors.ExitCode`)."""
    if sys.stderr is None:  # closed, as in `2>&-`
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    arguments = [as_utf8(argument) for argument in sys.argv[1:]]
    choose_language(spoken_language(arguments))
    if sys.stdout is None:
        _complain(tr("there is no output to write to"))
        sys.exit(ExitCode.FAILURE)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # names need not fit the terminal's encoding
    try:
        code = program()(_with_command(arguments)) or ExitCode.OK
        sys.stdout.flush()
    except CommandFailed as failed:
        _complain(failed.sentence)
        code = failed.exit_code
    except BrokenPipeError:
        code = ExitCode.OK
    except SystemExit as ended:
        # The writer of the help turns a reader who stops (`| head`) into an exit of its own.
        code = ExitCode.OK if isinstance(ended.__context__, BrokenPipeError) else ended.code
    except OSError as error:
        if error.filename is not None:
            raise
        _complain(tr("the output cannot be written: {reason}", reason=error.strerror or error))
        code = ExitCode.FAILURE
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:
        # What is still buffered must not raise again when Python closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
