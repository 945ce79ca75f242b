"""What all tests of the client stand on."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def interrupts_reach_programs() -> Iterator[None]:
    """A shell starts `make test &` with SIGINT ignored, and programs that tests start would inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
