"""What all tests of the gateway on real sockets stand on."""

from collections.abc import AsyncIterator

import pytest

from tests.server.gateway.gateways import Gateway, gateway


@pytest.fixture
async def open_gateway() -> AsyncIterator[Gateway]:
    async with gateway() as opened:
        yield opened
