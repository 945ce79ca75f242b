import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.exceptions import BusyLoadingError, MovedError, ReadOnlyError, ResponseError

from server.store import pipeline as pipelines
from server.store.base import Refused, Unknown
from server.store.pipeline import Pipeline, Unreplicated, connection_to
from tests.faults.proxy import Proxy
from tests.valkey import Valkey
from tests.wires import Scripted

PLACE = "unix:///the/socket"


@pytest.fixture
async def wire(valkey: Valkey, short_path: Path) -> AsyncIterator[Proxy]:
    async with Proxy(valkey.socket, short_path / "wire") as wire:
        yield wire


@pytest.fixture
async def pipeline(wire: Proxy) -> AsyncIterator[Pipeline]:
    pipeline = Pipeline(connection_to(wire.url), PLACE)
    yield pipeline
    await pipeline.close()


async def test_replies_go_to_those_who_asked(pipeline: Pipeline) -> None:
    await pipeline.ask("SET", "key", b"\x00\xff")
    questions = (("GET", "key"), ("GET", "none"), ("STRLEN", "key"))
    assert await asyncio.gather(*(pipeline.ask(*question) for question in questions)) == [b"\x00\xff", None, 2]


async def test_an_error_of_one_command_is_its_own(pipeline: Pipeline) -> None:
    questions = (("SET", "key", "text"), ("LLEN", "key"), ("GET", "key"))
    first, second, third = await asyncio.gather(
        *(pipeline.ask(*question) for question in questions), return_exceptions=True
    )
    assert (first, third) == (b"OK", b"text")
    assert isinstance(second, ResponseError)


async def test_a_lost_reply_leaves_the_command_unknown_and_the_next_goes_on(pipeline: Pipeline, wire: Proxy) -> None:
    await pipeline.ask("PING")
    wire.cut_at_next_reply()
    with pytest.raises(Unknown, match="did not answer"):
        await pipeline.ask("RPUSH", "list", "once")
    assert await pipeline.ask("LRANGE", "list", 0, -1) == [b"once"]


async def test_a_reply_that_takes_too_long_counts_as_lost(
    pipeline: Pipeline, wire: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pipeline.ask("PING")
    monkeypatch.setattr(pipelines, "REPLY_S", 0.05)
    wire.fall_silent()
    with pytest.raises(Unknown, match="no reply in time"):
        await pipeline.ask("PING")
    monkeypatch.undo()
    assert await pipeline.ask("PING") == b"PONG"


async def test_a_connection_that_was_closed_while_idle_is_made_anew_before_anything_is_sent(
    pipeline: Pipeline, valkey: Valkey
) -> None:
    await pipeline.ask("PING")
    valkey.run("CLIENT", "KILL", "TYPE", "normal")
    while not await pipeline._connection.can_read():  # noqa: ASYNC110 -- nothing tells of the end of an unread stream
        await asyncio.sleep(0)
    assert await pipeline.ask("RPUSH", "list", "once") == 1


async def test_nothing_listening_is_a_refusal_that_names_the_place(short_path: Path) -> None:
    pipeline = Pipeline(connection_to(f"unix://{short_path / 'nothing'}"), PLACE)
    with pytest.raises(Refused, match=r"unix:///the/socket cannot be reached .*: is it running"):
        await pipeline.ask("PING")
    await pipeline.close()


async def test_a_server_that_is_loading_refuses_each_command_of_a_batch(short_path: Path) -> None:
    async with Scripted(short_path / "socket", lambda *_: b"-LOADING the dataset\r\n") as server:
        pipeline = Pipeline(connection_to(server.url), PLACE)
        outcomes = await asyncio.gather(*(pipeline.ask("PING") for _ in range(3)), return_exceptions=True)
        await pipeline.close()
    assert [type(outcome) for outcome in outcomes] == [BusyLoadingError] * 3


async def test_after_an_answer_from_a_replica_the_next_command_connects_again(short_path: Path) -> None:
    def answer(connection: int, _: list[bytes]) -> bytes:
        return b"-READONLY You can't write against a read only replica.\r\n" if connection == 1 else b":1\r\n"

    async with Scripted(short_path / "socket", answer) as server:
        pipeline = Pipeline(connection_to(server.url), PLACE)
        with pytest.raises(ReadOnlyError):
            await pipeline.ask("RPUSH", "list", "once")
        assert await pipeline.ask("RPUSH", "list", "once") == 1
        await pipeline.close()


class Replicating:
    """Answers each command as its key is found here; `replicas` have all that was written."""

    def __init__(self, *here: bytes, replicas: int = 1) -> None:
        self.replicas = replicas
        self.heard: list[bytes] = []
        self._here = here

    def __call__(self, _: int, command: list[bytes]) -> bytes:
        self.heard.append(command[0])
        if command[0] == b"WAIT":
            return b":%d\r\n" % self.replicas
        if command[0] == b"ASKING":
            return b"+OK\r\n"
        key = command[3] if command[0] == b"EVAL" else command[1]
        return b":1\r\n" if key in self._here else b"-MOVED 1 127.0.0.1:1\r\n"


async def both(server: Scripted, *, asking: bool = False) -> list[object]:
    """What becomes of a push to A and one to B, in one batch."""
    pipeline = Pipeline(connection_to(server.url), PLACE, replicas=1)
    asked = [pipeline.ask("RPUSH", f"{{{tag}}}:log", "", tag=tag, durable=True, asking=asking) for tag in "AB"]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    await pipeline.close()
    return list(outcomes)


async def test_a_batch_ends_with_a_write_and_a_wait_for_it(short_path: Path) -> None:
    answer = Replicating(b"{A}:log", b"{B}:log")
    async with Scripted(short_path / "socket", answer) as server:
        assert await both(server) == [1, 1]
    assert answer.heard == [b"RPUSH", b"RPUSH", b"EVAL", b"WAIT"]


async def test_what_too_few_replicas_have_is_unknown_with_what_was_said(short_path: Path) -> None:
    async with Scripted(short_path / "socket", Replicating(b"{A}:log", b"{B}:log", replicas=0)) as server:
        outcomes = await both(server)
    assert [type(outcome) for outcome in outcomes] == [Unreplicated] * 2
    assert [outcome.reply for outcome in outcomes if isinstance(outcome, Unreplicated)] == [1, 1]


async def test_where_the_last_room_of_a_batch_is_gone_another_is_written_to(short_path: Path) -> None:
    answer = Replicating(b"{A}:log")
    async with Scripted(short_path / "socket", answer) as server:
        first, second = await both(server)
    assert (first, type(second)) == (1, MovedError)
    assert answer.heard == [b"RPUSH", b"RPUSH", b"EVAL", b"WAIT", b"EVAL", b"WAIT"]


async def test_where_nothing_was_done_there_is_nothing_to_doubt(short_path: Path) -> None:
    async with Scripted(short_path / "socket", Replicating(replicas=0)) as server:
        assert [type(outcome) for outcome in await both(server)] == [MovedError] * 2


async def test_what_is_on_its_way_here_is_asked_for_as_such_each_time(short_path: Path) -> None:
    answer = Replicating(b"{A}:log", b"{B}:log")
    async with Scripted(short_path / "socket", answer) as server:
        assert await both(server, asking=True) == [1, 1]
    assert answer.heard == [b"ASKING", b"RPUSH", b"ASKING", b"RPUSH", b"ASKING", b"EVAL", b"WAIT"]


@pytest.mark.parametrize("fault", [ValueError, RecursionError])
async def test_after_any_fault_the_connection_is_made_anew_and_no_late_reply_answers_another(
    fault: type[Exception], short_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = "".join(("36 ", "66"))  # not as it stands in the lines of the trace
    async with Scripted(short_path / "socket", lambda _, command: b"+%s\r\n" % command[1]) as server:
        pipeline = Pipeline(connection_to(server.url), PLACE)
        assert await pipeline.ask("ECHO", "first") == b"first"

        async def break_down(*_: object) -> None:
            raise fault(text)

        with monkeypatch.context() as breaking:
            breaking.setattr(pipeline, "_reply", break_down)
            with pytest.raises(Unknown):
                await pipeline.ask("ECHO", "second")
        assert await pipeline.ask("ECHO", "third") == b"third"
        await pipeline.close()
    assert fault.__name__ in caplog.text
    assert text not in caplog.text


async def test_when_closing_is_broken_off_the_connection_is_closed_at_once(short_path: Path) -> None:
    asked = asyncio.Event()

    def answer(*_: object) -> bytes:
        asked.set()
        return b""

    async with Scripted(short_path / "socket", answer) as server:
        pipeline = Pipeline(connection_to(server.url), PLACE)
        asking = asyncio.create_task(pipeline.ask("PING"))
        await asked.wait()
        closing = asyncio.create_task(pipeline.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(Unknown):
            await asking
        assert not pipeline._connection.is_connected
