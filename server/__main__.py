"""The program `paizhuo-server`: names its commands and turns failures into exit codes."""

import sys

from cyclopts import App
from cyclopts.config import Env

from protocol.errors import ExitCode
from server import __version__
from server.commands import CommandFailed

EXTRA = frozenset(("confusable_homoglyphs", "hiredis", "redis"))
"""Modules of the extra `server`, which a player's installation does not have."""

app = App(
    name="paizhuo-server",
    help="Host rooms for Chinese traditional card games, and work with records of deals.",
    version=__version__,
    config=Env("PAIZHUO_", command=False),
    help_format="plaintext",
    help_formatter="plain",
    error_formatter=lambda error: f"paizhuo-server: {error}",
    result_action="return_value",
)
bench = App(name="bench", help="Measure this machine.")
app.command(bench)


def _command(parent: App, name: str, place: str, summary: str, *examples: str) -> None:
    """Everything that `--help` of the parent needs is here, so that it loads none of the commands."""
    shown = "\n".join(f"  {example}" for example in examples)
    parent.command(f"server.commands.{place}", name=name, help=summary, help_epilogue=f"Examples:\n{shown}")


_command(
    app,
    "serve",
    "serve:serve",
    "Serve rooms to players, until SIGTERM or Ctrl-C. Prints `listening on ws://HOST:PORT/ws` once it is ready.",
    "paizhuo-server serve",
    "paizhuo-server serve --host 0.0.0.0 --port 8470 --store redis://127.0.0.1:6379/0",
    "PAIZHUO_STORE=sqlite:rooms.sqlite3 paizhuo-server serve --port 0",
)
_command(
    app,
    "record",
    "record:record",
    "Play deals with bots and print them as records, one JSON object a line.",
    "paizhuo-server record chuo-pai --deals 1000 --seed 1 --legal >deals.jsonl",
    "paizhuo-server record chuo-pai --bots easy,random,random --options '{\"max_combination\": 4}'",
)
_command(
    app,
    "verify",
    "verify:verify",
    "Replay records and report every discrepancy; exit code 8 if there is one.",
    "paizhuo-server verify deals.jsonl",
    "paizhuo-server record chuo-pai --deals 10 --legal | paizhuo-server verify -",
)
_command(
    bench,
    "engine",
    "bench_engine:engine",
    "Steps and playouts a second of a game's rules, beside a calibration loop.",
    "paizhuo-server bench engine",
    "paizhuo-server bench engine chuo-pai --json",
)
_command(
    bench,
    "loop",
    "bench_loop:loop",
    "How long single callbacks hold up the event loop of a busy server.",
    "paizhuo-server bench loop",
    "paizhuo-server bench loop --rooms 100 --seconds 30 --json",
)


def main() -> None:
    """Run one command and exit with its code (`protocol.errors.ExitCode`)."""
    try:
        code = app()
    except CommandFailed as failed:
        print(f"paizhuo-server: {failed.sentence}", file=sys.stderr)
        sys.exit(failed.exit_code)
    except ImportError as error:
        cause = error.__cause__ or error  # a command that is loaded only now has its reason behind it
        if not isinstance(cause, ImportError) or (cause.name or "").partition(".")[0] not in EXTRA:
            raise
        print(
            "paizhuo-server: hosting needs more than the client does: pip install '.[server]' in the project's folder",
            file=sys.stderr,
        )
        sys.exit(ExitCode.FAILURE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitCode.OK)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(code or ExitCode.OK)


if __name__ == "__main__":
    main()
