"""`paizhuo-server serve`: runs a server until it is told to stop."""

import logging
import signal
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

from cyclopts import Parameter

from protocol.errors import ExitCode
from server import app, eventloop, logs
from server.certificate import Unusable
from server.commands import CommandFailed
from server.exposure import Exposed
from server.faults import kind_and_place
from server.gateway.websocket import CannotListen
from server.settings import ServerSettings
from server.store.base import Refused, Unfit
from server.store.urls import UnknownStore
from server.systemd import Unexpected

logger = logging.getLogger(__name__)


def serve(settings: Annotated[ServerSettings | None, Parameter(name="*")] = None) -> ExitCode:
    """Serve rooms to players, until SIGTERM or Ctrl-C. The log goes to stderr."""
    settings = settings or ServerSettings()
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise CommandFailed(ExitCode.USAGE, "a certificate and its key go together: give both --tls-cert and --tls-key")
    logs.configure(settings.log_level, settings.log_format)
    try:
        with _traced() if settings.tracing else nullcontext():
            ended_by = eventloop.run(app.serve(settings, _announce))
    except CommandFailed:
        raise
    except UnknownStore as unknown:
        raise CommandFailed(ExitCode.USAGE, str(unknown)) from None
    except (Unfit, Refused) as unusable:
        raise CommandFailed(ExitCode.STORE_UNAVAILABLE, str(unusable)) from None
    except Exposed as exposed:
        raise CommandFailed(ExitCode.USAGE, str(exposed)) from None
    except app.UnusableToken as unusable:
        raise CommandFailed(ExitCode.USAGE, str(unusable)) from None
    except (CannotListen, Unexpected, Unusable) as unusable:
        raise CommandFailed(ExitCode.FAILURE, str(unusable)) from None
    except (OSError, ImportError):  # the program has a sentence for what it cannot write or lacks
        raise
    except Exception as fault:  # noqa: BLE001 - the edge of the program: its text may quote a card
        logger.critical("the server ends: %s", kind_and_place(fault))
        raise CommandFailed(ExitCode.FAILURE, "a fault of the server ended it; it has been logged") from None
    return ExitCode.INTERRUPTED if ended_by == signal.SIGINT else ExitCode.OK


def _traced() -> AbstractContextManager[None]:
    try:
        from server.operator.spans import traced  # noqa: PLC0415 of an extra
    except ImportError:
        raise CommandFailed(
            ExitCode.USAGE, "--tracing needs more: pip install '.[server,tracing]' in the project's folder"
        ) from None
    return traced()


def _announce(url: str) -> None:
    print(f"listening on {url}", flush=True)
