"""Spans by OpenTelemetry, sent to a collector: the extra `tracing`. Its own variables (`OTEL_*`) say where to."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import context
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from server import __version__, tracing


class OpenTelemetry:
    """A `tracing.Tracer`."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("paizhuo", __version__)

    def span(self, name: str, under: object, attributes: Mapping[str, str]) -> AbstractContextManager[tracing.Span]:
        started: AbstractContextManager[tracing.Span] = self._tracer.start_as_current_span(
            name,
            context=Context() if under is tracing.ROOT else under if isinstance(under, Context) else None,
            attributes=attributes,
            record_exception=False,  # its text may quote a card
            set_status_on_exception=False,
        )
        return started

    def here(self) -> object:
        return context.get_current()


@contextmanager
def traced(processor: SpanProcessor | None = None) -> Iterator[None]:
    """Trace until the block ends. `processor`: who gets the spans; by default they are sent in batches."""
    about = {SERVICE_VERSION: __version__}
    if "OTEL_SERVICE_NAME" not in os.environ:
        about[SERVICE_NAME] = "paizhuo-server"
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
    tracing.use(OpenTelemetry(provider))
    try:
        yield
    finally:
        tracing.use(None)
        # A collector out of reach may take longer than a server that stops has.
        last = threading.Thread(target=provider.shutdown, name="last-spans", daemon=True)
        last.start()
        last.join(tracing.FLUSH_S)
