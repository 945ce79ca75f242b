"""Bad input against a game that is being played: each is answered with its code, and nobody else notices."""

import json
from collections.abc import Iterator

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorCode
from protocol.messages import MAX_FRAME_BYTES, Act, Create, Hello, Join, Ready, Refused, Remove, Seated, Start, Table
from protocol.notation import CHUO_PAI_CARDS
from tests.e2e.clients import Client, act, client, hand, most, open_room, start, turns
from tests.e2e.conftest import Servers
from tests.e2e.logs import read_log

pytestmark = pytest.mark.slow

NO_MESSAGES: dict[str, tuple[bytes, ...]] = {
    JSON: (
        b"",
        b"play",
        b"null",
        b"[]",
        b"{",
        b"[" * 2000,
        b'{"n":1}',
        b'{"type":1}',
        b'{"type":"deal","n":1}',
        b'{"type":"act","n":1,"prompt":1}',
        b'{"type":"act","n":"1","prompt":1,"action":"pass"}',
        b'{"type":"act","n":1.5,"prompt":1,"action":"pass"}',
        b'{"type":"act","n":0,"prompt":1,"action":"pass"}',
        b'{"type":"act","n":9007199254740992,"prompt":1,"action":"pass"}',
        b'{"type":"act","n":1,"prompt":-1,"action":"pass"}',
        b'{"type":"act","n":1,"prompt":1,"action":["pass"]}',
        b'{"type":"act","n":1,"prompt":1,"action":"pass","seat":0}',
        b'{"type":"remove","n":1,"seat":3}',
        b'{"type":"say","text":"\\ud800"}',
    ),
    MSGPACK: (
        b"",
        b"\xc1",
        b"\xc0",
        b"\x80",
        b"\x81\xa4type\xa4deal",
        b"\x82\xa4type\xa3say\xa4text\xa2\xff\xfe",
        b"\x82\xa4type\xa3say\xa4text\x01",
        b"\x83\xa4type\xa3say\xa4text\xa2hi\xa4seat\x00",
        b"\x82\xa4type\xa3say\xa4text\xdb\xff\xff\xff\xff",
        b"\x91" * 2000,
    ),
}


async def assert_refused(player: Client, frame: bytes, code: ErrorCode) -> None:
    answer = await player.answer_to(frame)
    assert isinstance(answer, Refused)
    assert answer.code == code, frame


def refusals(player: Client) -> Iterator[tuple[bytes, ErrorCode]]:
    """What the host of a running match, who is asked for the second time, cannot do: as frames, with the codes."""
    prompt, n = player.prompt, player.next_n
    assert player.view.you is not None
    lacking = next(card for card in CHUO_PAI_CARDS if not hand(player.view, player.view.you.seat)[card])
    for message, code in (
        (Act(n, prompt.id, f"play {lacking}"), ErrorCode.ILLEGAL_ACTION),
        (Act(n, prompt.id, "play 99"), ErrorCode.ILLEGAL_ACTION),
        (Act(n, prompt.id, prompt.actions[0] + " "), ErrorCode.ILLEGAL_ACTION),
        (Act(n, prompt.id, ""), ErrorCode.ILLEGAL_ACTION),
        (Act(n, prompt.id - 1, prompt.actions[0]), ErrorCode.STALE_PROMPT),
        (Act(n, prompt.id + 1, prompt.actions[0]), ErrorCode.NOT_ASKED),
        (Hello("Ann"), ErrorCode.ALREADY_GREETED),
        (Create("chuo-pai"), ErrorCode.IN_A_ROOM),
        (Join(player.view.room.code), ErrorCode.IN_A_ROOM),
        (Start(n, "easy"), ErrorCode.ALREADY_STARTED),
        (Remove(n, 1), ErrorCode.ALREADY_STARTED),
        (Ready(n), ErrorCode.NOT_BETWEEN_DEALS),
    ):
        yield player.codec.encode(message), code


@pytest.mark.parametrize("subprotocol", [JSON, MSGPACK])
async def test_bad_input_gets_its_code_and_the_deal_goes_on_for_everyone(servers: Servers, subprotocol: str) -> None:
    url = servers.first.url
    async with (
        client(url, "Ann", subprotocol=subprotocol) as rude,
        client(url, "Bo", subprotocol=subprotocol) as calm,
    ):
        code = await open_room(rude, calm)
        await start(rude)
        bad = [(frame, ErrorCode.MALFORMED) for frame in NO_MESSAGES[subprotocol]]
        refused = 0
        async for player in turns({0: rude, 1: calm}):
            frames = len(calm.frames)
            attack = bad[refused : refused + 4]
            if player is rude:
                attack += refusals(rude) if rude.prompt.id == 2 else []
            else:
                attack.append((rude.codec.encode(Act(rude.next_n, 10_000, "pass")), ErrorCode.NOT_ASKED))
            for frame, expected in attack:
                await assert_refused(rude, frame, expected)
            refused += 4
            await act(player, most)
            assert not any(isinstance(calm.codec.decode(_wire(calm, each)), Refused) for each in calm.frames[frames:])
        assert refused >= len(bad)
    await _good_record(servers, code)
    assert "Traceback" not in servers.first.log


@pytest.mark.parametrize("subprotocol", [JSON, MSGPACK])
async def test_a_frame_of_the_wrong_size_or_encoding_costs_the_connection_but_not_the_seat(
    servers: Servers, subprotocol: str
) -> None:
    url = servers.first.url
    too_large = json.dumps({"type": "say", "text": "x" * MAX_FRAME_BYTES}).encode()
    ends = [(too_large, True, 1009), (too_large, False, 1009), (b'{"type":"say","text":"\xff"}', True, 1007)]
    async with client(url, "Ann", subprotocol=subprotocol) as rude, client(url, "Bo") as calm:
        code = await open_room(rude, calm)
        ticket = rude.seated.ticket
        await start(rude)
        for frame, text, close_code in ends:
            async with client(url, ticket=ticket, subprotocol=subprotocol) as back:
                await back.until(Seated)
                await back.until(Table)
                await act(await anext(turns({0: back, 1: calm})), most)
                await back.connection.send(frame, text=text)
                assert await back.close_code() == close_code
        async with client(url, ticket=ticket, subprotocol=subprotocol) as back:
            await back.until(Table)
            async for player in turns({0: back, 1: calm}):
                await act(player, most)
    await _good_record(servers, code)


def _wire(viewer: Client, frame: bytes) -> bytes | str:
    return frame.decode() if viewer.codec.text else frame


async def _good_record(servers: Servers, code: str) -> None:
    log = await read_log(servers.store, code)
    log.verify()
    assert log.state.phase == "over"
