"""What is logged of a fault: where it was, and nothing that it may quote."""

import asyncio
import logging

import pytest

from server.faults import kind_and_place, log_for_nobody, unquoted

SECRET = "hand of seat 1: 36 66"


def fail() -> None:
    raise ValueError(SECRET)


def test_each_fault_of_a_group_is_told_without_its_text() -> None:
    try:
        try:
            fail()
        except ValueError as fault:
            raise ExceptionGroup(SECRET, [fault]) from None
    except ExceptionGroup as group:
        told = kind_and_place(group)
    assert "ExceptionGroup" in told
    assert "ValueError" in told
    assert "in fail" in told
    assert SECRET not in told


def test_what_a_library_logs_of_a_fault_is_told_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    library = logging.getLogger("tests.server.library")
    library.addFilter(unquoted)
    library.error("%d fault", 1, exc_info=ValueError(SECRET))
    library.error("no fault")
    told, other = caplog.records
    assert told.getMessage() == "1 fault: ValueError"
    assert other.getMessage() == "no fault"
    assert SECRET not in caplog.text


async def test_a_fault_in_a_callback_or_in_a_task_that_nobody_awaits_is_told_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_for_nobody)

    async def failing() -> None:
        fail()

    loop.call_soon(lambda _: fail(), SECRET)
    task = asyncio.create_task(failing())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    assert len(caplog.records) == 2
    assert all("ValueError" in record.getMessage() for record in caplog.records)
    assert SECRET not in caplog.text
