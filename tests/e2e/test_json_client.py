"""A client as anybody could write it from protocol/README.md: `websockets`, `json`, and nothing of ours on its side."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.e2e.logs import read_log
from tests.e2e.processes import serving

pytestmark = pytest.mark.slow

Json = dict[str, Any]


class JsonClient:
    """Shows nothing, plays the last action that it is offered, and waits where it is told to."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.sent: Json = {}
        self.seen: list[Json] = []
        self.played: list[str] = []
        self.answered = 0

    async def send(self, type: str, **fields: object) -> None:  # noqa: A002 - the wire's own word
        self.sent = {"type": type, **fields}
        await self.socket.send(json.dumps(self.sent))

    async def receive(self, *types: str) -> Json:
        """The next message of one of these types; others are noted."""
        while True:
            message: Json = json.loads(await self.socket.recv())
            self.seen.append(message)
            if message["type"] == "refused":
                assert message["code"] == "rate_limited", message
                await asyncio.sleep(message["retry_ms"] / 1000)
                await self.send(**self.sent)
            if message["type"] in types:
                return message

    async def play_deal(self) -> Json:
        """Answers questions until the deal is over; returns the view then."""
        while (view := (await self.receive("table"))["view"])["room"]["phase"] not in ("between", "over"):
            prompt = view["prompt"]
            if prompt and prompt["id"] > self.answered:
                self.answered = prompt["id"]
                self.played.append(prompt["actions"][-1])
                await self.send("act", n=view["you"]["n"] + 1, prompt=prompt["id"], action=prompt["actions"][-1])
        over: Json = view
        return over

    def happened(self, kind: str) -> list[Json]:
        tables = [message for message in self.seen if message["type"] == "table"]
        return [each for table in tables for each in table.get("happened", []) if each["kind"] == kind]


async def test_a_client_of_websockets_and_json_plays_a_match_of_two_deals(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.sqlite3'}"
    with serving(store, tmp_path) as server:
        async with connect(server.url, subprotocols=[Subprotocol("paizhuo.v1.json")], proxy=None) as socket:
            client = JsonClient(socket)
            await client.send("hello", name="Budi")
            assert "chuo-pai" in (await client.receive("welcome"))["games"]
            await client.send("create", game="chuo-pai", fill="easy", deals=2, options={"max_combination": 4})
            seated = await client.receive("seated")
            assert seated["seat"] == 0
            assert seated["ticket"].startswith(seated["code"] + ".")
            first = await client.play_deal()
            assert first["room"]["phase"] == "between"
            points = [fact["value"] for fact in first["deal"]["facts"] if fact["label"] == "points"]
            assert first["result"]["scores"] == points
            await client.send("ready", n=first["you"]["n"] + 1)
            await client.receive("done")
            second = await client.play_deal()
    assert second["room"]["phase"] == "over"
    totals = [a + b for a, b in zip(first["result"]["scores"], second["result"]["scores"], strict=True)]
    assert [seat["score"] for seat in second["seats"]] == totals
    assert [over["scores"] for over in client.happened("deal_over")] == [
        first["result"]["scores"],
        second["result"]["scores"],
    ]
    assert client.happened("match_over") == [{"kind": "match_over", "scores": totals}]
    log = await read_log(store, seated["code"])
    log.verify()
    assert log.actions(0, 1) + log.actions(0, 2) == client.played
