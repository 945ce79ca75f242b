"""What a tracer sees of a command. With the extra `tracing`: see `make tools`."""

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import JSON
from protocol.messages import Fill
from server import tracing
from tests.server.commands.test_serve import ended, serving, sqlite
from tests.server.node.nodes import running_nodes
from tests.server.test_app import PROMISED_S

pytest.importorskip("opentelemetry.sdk", reason="the extra tracing is not installed")

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from server.operator.spans import traced

SECRET = "hand of seat 1: 36 66"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    with traced(SimpleSpanProcessor(kept)):
        yield kept


def beneath(parent: ReadableSpan, all_spans: tuple[ReadableSpan, ...]) -> list[str]:
    assert parent.context is not None
    return [
        span.name for span in all_spans if span.parent is not None and span.parent.span_id == parent.context.span_id
    ]


async def test_a_command_is_decided_appended_and_told(spans: InMemorySpanExporter) -> None:
    async with running_nodes() as nodes:
        ann = await nodes.a.create()
        spans.clear()
        with tracing.span("command", under=tracing.ROOT, kind="fill"):
            await nodes.a.command(ann, Fill, seat=1, level="easy")
        found = spans.get_finished_spans()
    (command,) = (span for span in found if span.name == "command")
    assert command.parent is None
    assert command.attributes == {"kind": "fill"}
    assert sorted(beneath(command, found)) == ["append", "decide", "tell"]


async def test_what_a_room_does_by_itself_is_no_part_of_the_command_before(spans: InMemorySpanExporter) -> None:
    async with running_nodes() as nodes:
        with tracing.span("command", under=tracing.ROOT):
            await nodes.a.create(fill="easy")
        await nodes.move(1_000)
        found = spans.get_finished_spans()
    dues = [span for span in found if span.name == "due"]
    assert {"deal"} <= {str((span.attributes or {})["kind"]) for span in dues}
    assert all(span.parent is None for span in dues)
    assert sorted(beneath(dues[0], found)) == ["append", "decide", "tell"]


async def test_no_span_keeps_what_was_raised_through_it(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match=SECRET), tracing.span("decide"):
        raise ValueError(SECRET)
    (span,) = spans.get_finished_spans()
    assert SECRET not in span.to_json()
    assert not span.events


def test_without_a_tracer_nothing_is_begun() -> None:
    with tracing.span("command", kind="act") as span:
        assert span is None
    assert tracing.here() is None


@pytest.mark.slow
async def test_a_server_sends_its_spans_to_the_collector_that_the_environment_names(tmp_path: Path) -> None:
    sent: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        flags = ("--port", "0", "--tracing", "--store", sqlite(tmp_path))
        async with serving(*flags, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint) as (process, url):
            async with connect(url, subprotocols=[Subprotocol(JSON)], proxy=None) as client:
                await client.send('{"type":"hello","name":"Ann"}')
                await client.send('{"type":"create","game":"chuo-pai"}')
                while '"type":"table"' not in str(await client.recv()):
                    pass
            process.send_signal(signal.SIGTERM)
            code, _, err = await ended(process)
        collector.shutdown()
    assert code == 0, err
    assert {path for path, _ in sent} == {"/v1/traces"}
    names = b"".join(body for _, body in sent)
    for name in (b"command", b"decide", b"append", b"tell", b"paizhuo-server"):
        assert name in names


@pytest.mark.slow
async def test_a_collector_out_of_reach_holds_up_no_stop(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        flags = ("--port", "0", "--tracing", "--store", sqlite(tmp_path))
        async with serving(*flags, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint) as (process, url):
            async with connect(url, subprotocols=[Subprotocol(JSON)], proxy=None) as client:
                await client.send('{"type":"hello","name":"Ann"}')
                await client.send('{"type":"list_rooms"}')
                await client.recv()
                await client.recv()
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(PROMISED_S):
                code, _, err = await ended(process)
    assert code == 0, err
