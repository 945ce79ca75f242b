"""`paizhuo doctor`: what works on this machine and on the way to a server, and what to do about the rest."""

import asyncio
import os
import sys
from typing import Annotated

from cyclopts import Parameter

from client_cli import words_doctor
from client_cli.address import server_url
from client_cli.commands.host import routable_address
from client_cli.commands.seating import run
from client_cli.console import write_json, write_line
from client_cli.doctor import (
    Check,
    exit_is_clean,
    lan_check,
    parts_check,
    python_check,
    reach_checks,
    sample_rows,
    seats_check,
    server_check,
    settings_checks,
    store_check,
    terminal_checks,
)
from client_cli.failure import CommandFailed
from client_cli.settings import Settings
from client_cli.settings_file import config_path, read_settings
from client_cli.terminal import Terminal, ambiguous_width, this_terminal
from client_cli.tickets import seats_directory
from protocol.errors import ExitCode

PATIENCE_S = 1.0
"""Here a terminal may take its time."""


def doctor(server: str | None = None, /, *, json: Annotated[bool, Parameter(negative="")] = False) -> ExitCode:
    """Look at everything that a game needs.

    Parameters
    ----------
    server
        A server to look at too (HOST, HOST:PORT or its address). Without it: the server of your settings.
    json
        One JSON array with an object for each check: check, state (ok, warning, failure), found, remedy.
    """
    try:
        settings = read_settings().settings
    except CommandFailed:
        settings = Settings()  # what is wrong with them is one of the things to be said
    server = server or settings.server
    url = server_url(server) if server else None
    terminal = _asked_terminal()
    checks = [
        python_check(),
        parts_check(),
        *terminal_checks(terminal, sys.stdout.encoding or "", is_terminal=sys.stdout.isatty()),
        *settings_checks(config_path(), os.environ),
        seats_check(seats_directory()),
    ]
    return run(_doctor(checks, settings, url, as_json=json))


async def _doctor(checks: list[Check], settings: Settings, url: str | None, *, as_json: bool) -> ExitCode:
    found = await asyncio.gather(server_check(), store_check(), lan_check(routable_address(), settings))
    checks = [*checks, *found, *(await reach_checks(url) if url else [])]
    if as_json:
        write_json(checks, sys.stdout)
    else:
        titles = words_doctor.titles()
        for check in checks:
            state = words_doctor.state(check.state)
            write_line(words_doctor.check_line(titles[check.check], state, check.found, check.remedy), sys.stdout)
        write_line(words_doctor.by_eye(), sys.stdout)
        for row in sample_rows():
            write_line(row, sys.stdout)
    return ExitCode.OK if exit_is_clean(checks) else ExitCode.FAILURE


def _asked_terminal() -> Terminal:
    """What was typed meanwhile is not for this program, which reads nothing."""
    if sys.stdin is None:
        return this_terminal(None, sys.stdout)
    probed = ambiguous_width(sys.stdin.fileno(), sys.stdout.fileno(), within_s=PATIENCE_S)
    return this_terminal(probed.cells, sys.stdout)
