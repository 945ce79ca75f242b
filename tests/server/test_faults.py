"""What is logged of a fault: where it was, and nothing that it may quote."""

import asyncio

import pytest

from server.faults import kind_and_place, log_for_nobody

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
