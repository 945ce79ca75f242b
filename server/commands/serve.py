"""`paizhuo-server serve`: runs a server until it is told to stop."""

import asyncio
import logging
import signal
import sys
from typing import Annotated

from cyclopts import Parameter

from protocol.errors import ExitCode
from server import app
from server.commands import CommandFailed
from server.gateway.websocket import CannotListen
from server.settings import ServerSettings
from server.store.base import Refused, Unfit
from server.store.urls import UnknownStore


def serve(settings: Annotated[ServerSettings | None, Parameter(name="*")] = None) -> ExitCode:
    """Serve rooms to players, until SIGTERM or Ctrl-C. The log goes to stderr."""
    settings = settings or ServerSettings()
    logging.basicConfig(
        stream=sys.stderr, level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        ended_by = asyncio.run(app.serve(settings, _announce))
    except Exception as fault:
        failed = _failure(fault)
        if failed is None:
            raise
        raise failed from None
    return ExitCode.INTERRUPTED if ended_by == signal.SIGINT else ExitCode.OK


def _failure(fault: Exception) -> CommandFailed | None:
    """What the operator is told instead of a traceback; None for a fault of the program."""
    while isinstance(fault, ExceptionGroup) and len(fault.exceptions) == 1:
        fault = fault.exceptions[0]  # task groups wrap what only passes through them
    match fault:
        case UnknownStore():
            return CommandFailed(ExitCode.USAGE, str(fault))
        case Unfit() | Refused():
            return CommandFailed(ExitCode.STORE_UNAVAILABLE, str(fault))
        case CannotListen():
            return CommandFailed(ExitCode.FAILURE, str(fault))
    return None


def _announce(url: str) -> None:
    print(f"listening on {url}", flush=True)
