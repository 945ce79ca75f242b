"""Spans of what the server does, for whoever asked for them (`--tracing`); without that they cost a look at a variable.

Nothing here knows a tracing library: `operator.spans` puts one in. Attributes are words of the protocol and of the
server, never what a player sent, a card or a ticket.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Span(Protocol):
    """One that is under way."""

    def set_attribute(self, key: str, value: str, /) -> None: ...


class Tracer(Protocol):
    """Makes spans. `under`: what `here` returned elsewhere, `ROOT` for none; None for where the caller is."""

    def span(self, name: str, under: object, attributes: Mapping[str, str]) -> AbstractContextManager[Span | None]: ...

    def here(self) -> object: ...


ROOT = object()

FLUSH_S = 0.5
"""How long spans that are not sent yet may hold up the end of the process."""

_NONE: AbstractContextManager[None] = nullcontext()
_tracer: Tracer | None = None


def use(tracer: Tracer | None) -> None:
    """From now on; None for nobody."""
    global _tracer  # noqa: PLW0603 - one process has one tracer, as it has one log
    _tracer = tracer


def span(name: str, under: object = None, **attributes: str) -> AbstractContextManager[Span | None]:
    """A span for the length of the block. What is raised through it is not recorded."""
    return _NONE if _tracer is None else _tracer.span(name, under, attributes)


def here() -> object:
    """Where the caller is, for spans that other tasks begin on its behalf."""
    return None if _tracer is None else _tracer.here()
