"""`paizhuo` alone: at a terminal the lobby, else the help."""

from client_cli.commands.seating import Visiting, has_full_screen, run
from client_cli.failure import CommandFailed
from client_cli.language import tr
from protocol.errors import ExitCode


def lobby(*, visiting: Visiting | None = None) -> ExitCode:
    """Play Chinese traditional card games, against bots or with friends."""
    settings = (visiting or Visiting()).settings
    if settings.plain or not has_full_screen():
        raise CommandFailed(
            ExitCode.USAGE, tr("the lobby needs a terminal; without one, name a command: paizhuo --help")
        )
    from client_cli.tui.app import run_full_screen  # noqa: PLC0415 - half a second that all else does without

    return run(run_full_screen(None, settings))
