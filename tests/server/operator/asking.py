"""Requests to an operator's listener, made apart from the loop that answers them."""

import asyncio
from collections.abc import Callable, Mapping
from http.client import HTTPConnection
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Answered(NamedTuple):
    """`headers`: their names in lower case."""

    status: int
    headers: dict[str, str]
    text: str


async def ask(
    port: int, path: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answered:
    def blocking() -> Answered:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, named, response.read().decode())
        finally:
            connection.close()

    return await off_the_loop(blocking)


async def off_the_loop(blocking: Callable[[], T]) -> T:
    return await asyncio.to_thread(blocking)
