"""The program `paizhuo-server`: names its commands and turns failures into exit codes."""

import sys

from cyclopts import App
from cyclopts.config import Env

from protocol.errors import ExitCode
from server import __version__
from server.commands import CommandFailed

app = App(
    name="paizhuo-server",
    help="Host rooms for Chinese traditional card games, and work with records of deals.",
    version=__version__,
    config=Env("PAIZHUO_", command=False),
    result_action="return_value",
)
bench = App(name="bench", help="Measure this machine.")
app.command("server.commands.serve:serve", help="Serve rooms to players.")
app.command("server.commands.record:record", help="Play deals with bots and print them as records.")
app.command("server.commands.verify:verify", help="Replay records and report every discrepancy.")
app.command(bench)
bench.command("server.commands.bench_engine:engine", help="Steps and playouts a second of a game's rules.")


def main() -> None:
    """Run one command and exit with its code (`protocol.errors.ExitCode`)."""
    try:
        code = app()
    except CommandFailed as failed:
        print(f"paizhuo-server: {failed.sentence}", file=sys.stderr)
        sys.exit(failed.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitCode.OK)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(code or ExitCode.OK)


if __name__ == "__main__":
    main()
