"""The program `paizhuo-server`: names its commands and turns failures into exit codes."""

import gc
import io
import os
import sys
from contextlib import suppress

from cyclopts import App
from cyclopts.config import Env

from protocol.errors import ExitCode
from server import __version__
from server.commands import CommandFailed

YOUNG_OBJECTS, YOUNG_COLLECTIONS = 2_000, 5
"""A young collection after so many new objects, and one of what outlived the young ones after so many of these. At
Python's own 700 they take a fifth of the start, modules and states hanging together in few circles; but each holds
everything up, those of 10,000 objects for up to 11 ms and ten of them together for up to 50.
"""

EXTRA = frozenset(("aiohttp", "confusable_homoglyphs", "hiredis", "prometheus_client", "redis"))
"""Modules of the extra `server`, which a player's installation does not have."""

app = App(
    name="paizhuo-server",
    help="Host rooms for Chinese traditional card games, and work with records of deals.",
    version=__version__,
    help_format="plaintext",
    help_formatter="plain",
    error_formatter=lambda error: f"paizhuo-server: {error}",
    result_action="return_value",
)
bench = App(name="bench", help="Measure this machine.")
app.command(bench)
admin = App(name="admin", help="See and do what only a server's operator may; the server runs with --admin-port.")
app.command(admin)


def _command(parent: App, name: str, place: str, summary: str, *examples: str, settings: bool = False) -> None:
    """Everything that `--help` of the parent needs is here, so that it loads none of the commands.

    `settings`: what the command takes may come from the environment, too.
    """
    shown = "\n".join(f"  {example}" for example in examples)
    parent.command(
        f"server.commands.{place}",
        name=name,
        help=summary,
        help_epilogue=f"Examples:\n{shown}",
        config=(Env("PAIZHUO_", command=False),) if settings else (),
    )


_command(
    app,
    "serve",
    "serve:serve",
    "Serve rooms to players, until SIGTERM or Ctrl-C. Prints `listening on ws://HOST:PORT/ws` once it is ready.",
    "paizhuo-server serve",
    "paizhuo-server serve --host 0.0.0.0 --port 8470 --store redis://127.0.0.1:6379/0",
    "paizhuo-server serve --store sentinel://10.0.0.1,10.0.0.2,10.0.0.3/rooms --wait-replicas 1",
    "paizhuo-server serve --admin-port 8471",
    "PAIZHUO_STORE=sqlite:rooms.sqlite3 paizhuo-server serve --port 0",
    settings=True,
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
    app,
    "replay",
    "replay:replay",
    "Replay one recorded deal step by step with every card open, as JSON Lines.",
    "paizhuo-server replay deals.jsonl --deal 3",
    "paizhuo-server record paohuzi | paizhuo-server replay -",
)
_command(
    admin,
    "rooms",
    "admin:rooms",
    "List the rooms that are open at a server: who sits there, and never a card.",
    "paizhuo-server admin rooms",
    "paizhuo-server admin rooms --admin-port 8471 --json",
    settings=True,
)
_command(
    admin,
    "connections",
    "admin:connections",
    "List the connections of a server: id, address, name and place.",
    "paizhuo-server admin connections",
    settings=True,
)
_command(
    admin,
    "kick",
    "admin:kick",
    "End a connection, or take a seat away for good.",
    "paizhuo-server admin kick c12",
    "paizhuo-server admin kick K7QF2MXR 1",
    settings=True,
)
_command(
    admin,
    "close",
    "admin:close",
    "End a room; its players are told that the operator did.",
    "paizhuo-server admin close K7QF2MXR",
    settings=True,
)
_command(
    admin,
    "block",
    "admin:block",
    "End all connections of an address and let it open none for a time.",
    "paizhuo-server admin block 203.0.113.7 3600",
    "paizhuo-server admin block 2001:db8:7:1::1 0",
    settings=True,
)
_command(
    admin,
    "drain",
    "admin:drain",
    "Send all players of a server to others and let nobody in, without ending it.",
    "paizhuo-server admin drain",
    settings=True,
)
_command(
    admin,
    "backup",
    "admin:backup",
    "Copy the server's file of rooms while it is served; prints where the copy is.",
    "paizhuo-server admin backup",
    settings=True,
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
    "bots",
    "bench_bots:bots",
    "How much better one bot plays than two of another, on duplicate deals, and how long it thinks.",
    "paizhuo-server bench bots chuo-pai --candidate easy --reference random",
    "paizhuo-server bench bots paohuzi --candidate easy --reference random --deals 5000 --until-certain --processes 2",
)
_command(
    bench,
    "ladder",
    "bench_ladder:ladder",
    "Every level of every game against two of each level below it, as a page in Markdown; half an hour of CPU time.",
    "paizhuo-server bench ladder --processes 2 >docs/ladder.md",
    "paizhuo-server bench ladder --deals 50",
)
_command(
    bench,
    "loop",
    "bench_loop:loop",
    "How long single callbacks hold up the event loop of a busy server, and how long its bots think.",
    "paizhuo-server bench loop",
    "paizhuo-server bench loop --rooms 100 --seconds 30 --bots hard --json",
)
_command(
    bench,
    "server",
    "bench_server:server",
    "What a move costs a server, beside one that only sends frames of the same sizes.",
    "paizhuo-server bench server",
    "paizhuo-server bench server --rooms 30 --seconds 30 --store valkey:/tmp/bench --game paohuzi --json",
)


def main() -> None:
    """Run one command and exit with its code (`protocol.errors.ExitCode`)."""
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_COLLECTIONS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what is quoted need not fit the terminal's encoding
    code: int | str | None
    try:
        code = app() or ExitCode.OK
        if sys.stdout is not None:
            sys.stdout.flush()
    except CommandFailed as failed:
        code = _complain(failed.sentence, failed.exit_code)
    except ImportError as error:
        cause = error.__cause__ or error  # a command that is loaded only now has its reason behind it
        if not isinstance(cause, ImportError) or (cause.name or "").partition(".")[0] not in EXTRA:
            raise
        code = _complain(
            "hosting needs more than the client does: pip install '.[server]' in the project's folder", ExitCode.FAILURE
        )
    except BrokenPipeError:
        code = ExitCode.OK
    except SystemExit as ended:
        # The writer of the help turns a reader who stops (`| head`) into an exit of its own.
        code = ExitCode.OK if isinstance(ended.__context__, BrokenPipeError) else ended.code
    except OSError as error:
        if error.filename is not None:
            raise
        code = _complain(f"the output cannot be written: {error.strerror or error}", ExitCode.FAILURE)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    with suppress(OSError, AttributeError):
        sys.stdout.flush()
        sys.exit(code)
    # What is still buffered must not raise again when Python closes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _complain(sentence: str, code: ExitCode) -> ExitCode:
    print(f"paizhuo-server: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
