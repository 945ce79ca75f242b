"""How a server ends the conversations with its clients."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from protocol.codec import MSGPACK, client_codec, server_codec
from protocol.errors import CloseCode
from protocol.messages import Notice
from server.gateway.conversations import LEAST_RETRY_MS, MOST_RETRY_MS, RETRY_MS_EACH, Conversation, Conversations
from server.gateway.outbox import Outbox
from tests.moved_clock import settled


def told(conversation: Conversation) -> list[object]:
    found: list[object] = []
    while (frame := conversation.outbox.pop()) is not None:
        found.append(client_codec(MSGPACK).decode(frame))
    return found


@contextmanager
def several(conversations: Conversations, count: int) -> Iterator[list[Conversation]]:
    """Conversations that end when they are told to."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(conversations.one(Outbox(server_codec(MSGPACK).encode, lambda: None)))
            for _ in range(count)
        ]


async def test_clients_that_wait_for_nothing_are_told_and_closed() -> None:
    conversations = Conversations()
    with several(conversations, 3) as opened:
        draining = asyncio.create_task(conversations.drain(60))
        await settled()
        for conversation in opened:
            assert told(conversation) == [Notice("draining", LEAST_RETRY_MS + 3 * RETRY_MS_EACH)]
            assert conversation.outbox.code is CloseCode.RESTART
        assert not draining.done()
    await draining


async def test_what_is_under_way_is_finished_first() -> None:
    conversations = Conversations()
    with several(conversations, 1) as (conversation,), conversation.busy():
        draining = asyncio.create_task(conversations.drain(60))
        await settled()
        assert [type(message) for message in told(conversation)] == [Notice]
        assert not conversation.outbox.closing.is_set()
    conversation.go_on()
    assert conversation.outbox.code is CloseCode.RESTART
    await draining


async def test_what_takes_too_long_is_broken_off() -> None:
    conversations = Conversations()
    with several(conversations, 1) as (conversation,), conversation.busy():
        conversation.reading = asyncio.create_task(asyncio.Event().wait())  # type: ignore[arg-type]
        draining = asyncio.create_task(conversations.drain(0))
        with pytest.raises(asyncio.CancelledError):
            await conversation.reading
        assert conversation.outbox.code is CloseCode.RESTART
    await draining


async def test_one_that_has_just_begun_ends_as_the_others_do() -> None:
    conversations = Conversations()
    await conversations.drain(60)
    with several(conversations, 1) as (late,):
        assert [type(message) for message in told(late)] == [Notice]
        assert late.outbox.code is CloseCode.RESTART


async def test_the_more_clients_there_are_the_longer_they_are_to_spread_out() -> None:
    conversations = Conversations()
    with several(conversations, 5_000) as opened:
        draining = asyncio.create_task(conversations.drain(60))
        await settled()
        assert told(opened[0]) == [Notice("draining", MOST_RETRY_MS)]
    await draining
