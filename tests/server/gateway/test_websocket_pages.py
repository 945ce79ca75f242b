"""Plain HTTP on the port of the players."""

import pytest

from protocol.errors import ErrorCode
from server.node.port import Refusal
from tests.server.gateway.gateways import Gateway


@pytest.mark.parametrize(
    ("target", "status", "text"),
    [
        ("/healthz", 200, "ok\n"),
        ("/readyz", 200, "ready\n"),
        ("/j/abcd2345", 200, "paizhuo join ABCD2345@127.0.0.1:"),
        ("/version", 200, '"paizhuo.v1.msgpack"'),
        ("/ws", 426, "WebSocket"),
        ("/", 404, "paizhuo"),
        ("/metrics", 404, "paizhuo"),
    ],
)
async def test_plain_http_is_answered(open_gateway: Gateway, target: str, status: int, text: str) -> None:
    response, body = await open_gateway.http("GET", target)
    assert response.status == status
    assert text in body


async def test_answers_are_not_stored_and_have_their_type(open_gateway: Gateway) -> None:
    for target, content_type in (("/version", "application/json"), ("/healthz", "text/plain; charset=utf-8")):
        response, _ = await open_gateway.http("GET", target)
        assert response.getheader("Cache-Control") == "no-store"
        assert response.getheader("Content-Type") == content_type


async def test_head_is_answered_like_get_without_the_body(open_gateway: Gateway) -> None:
    response, body = await open_gateway.http("HEAD", "/healthz")
    assert (response.status, response.getheader("Content-Length"), body) == (200, "3", "")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_other_methods_are_refused(open_gateway: Gateway, method: str) -> None:
    response, _ = await open_gateway.http(method, "/healthz")
    assert (response.status, response.getheader("Allow")) == (405, "GET, HEAD")


async def test_a_node_that_cannot_serve_is_not_ready_but_alive(
    open_gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    open_gateway.node.unready = RuntimeError("s3cr3t")
    response, body = await open_gateway.http("GET", "/readyz")
    assert response.status == 500
    assert "s3cr3t" not in body + caplog.text
    open_gateway.node.unready = Refusal(ErrorCode.STORE_UNAVAILABLE, "The store is out of reach.")
    response, body = await open_gateway.http("GET", "/readyz")
    assert (response.status, body) == (503, "The store is out of reach.\n")
    response, _ = await open_gateway.http("GET", "/healthz")
    assert response.status == 200
