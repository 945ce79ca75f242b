"""A node logs an error only for a fault; a test that provokes one clears `caplog`."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_faults(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
