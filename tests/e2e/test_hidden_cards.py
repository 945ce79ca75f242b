"""No byte that leaves a server tells a card that its reader may not see, and its log tells no card at all."""

import re
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from client_cli.fairness import Fairness
from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorCode
from protocol.messages import Contribute, Table
from protocol.notation import CHUO_PAI_CARDS, Card, groups_of
from protocol.record import Record
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import cards_of
from server.games.registry import game_named
from tests.e2e.clients import Client, act, client, least, look_on, open_room, start, turns
from tests.e2e.conftest import Servers
from tests.e2e.logs import Log, read_log

pytestmark = pytest.mark.slow

PACK = set(CHUO_PAI_CARDS)
Json = dict[str, Any]


def cards_in(value: object) -> Counter[Card]:
    """Every card that a piece of a message names, wherever it stands."""
    match value:
        case str():
            return Counter(word for word in re.findall(r"[0-9A-Za-z]+", value) if word in PACK)
        case dict() | list():
            parts = [*value, *value.values()] if isinstance(value, dict) else value
            return sum(map(cards_in, parts), Counter())
    return Counter()


class Truth:
    """One deal as it really was: after how many actions which card lay where."""

    def __init__(self, record: Record) -> None:
        game = game_named(record.game)
        states = [game.start(record.deck, record.first, record.options)]
        for step in record.steps:
            states.append(game.apply(states[-1], step.seat, step.action))
        self.history: tuple[str, ...] = states[-1].history
        self.hands = [[Counter(cards_of(state.hands[seat])) for seat in SEATS] for state in states]
        self.public = [Counter(record.deck) - sum(hands, Counter()) for hands in self.hands]

    def check(self, viewer: Seat | None, message: Json) -> None:
        """A message during the deal names no card but those that the viewer may see. Takes it apart on the way."""
        view = message.get("view", {})
        deal = view.get("deal")
        if deal is None:
            assert not cards_in(message)
            return
        history = deal.pop("history")
        assert tuple(history) == self.history[: len(history)]
        hands, public = self.hands[len(history)], self.public[len(history)]
        own = Counter[Card]() if viewer is None else hands[viewer]
        for zone in deal["zones"]:
            cards = cards_in(zone.pop("groups", []))
            if zone["name"] == "hand":
                assert cards == (own if zone["seat"] == viewer else Counter())
            else:
                assert cards <= public
            assert set(zone) <= {"name", "count", "seat"}
        for happening in message.pop("happened", []):
            assert cards_in(happening) <= public
        for fact in deal["facts"]:
            if fact["label"] == "highest":
                assert cards_in(fact.pop("value")) <= public
        prompt = view.pop("prompt")
        for action in prompt["actions"] if prompt else ():
            assert Counter(card for group in groups_of(action) for card in group) <= own
        assert not cards_in(message)


def seen_by(viewer: Client) -> list[Json]:
    decode = msgspec.json.decode if viewer.codec.text else msgspec.msgpack.decode
    return [decode(frame) for frame in viewer.frames]


async def contribute(players: list[Client], programs: list[Fairness], phase: str) -> None:
    """Each player's program adds what the room asks for in this phase, and the others see that it has."""
    for seat, (player, program) in enumerate(zip(players, programs, strict=True)):
        view = await player.seen(lambda view: view.room.phase == phase and view.fair is not None)
        given = tuple(program.received(Table(view), seat))
        assert given
        await player.send(Contribute(given))
    if phase == "open":
        await players[0].seen(lambda view: view.fair is not None and all(view.fair.rounds[0].pledges[:2]))


def revealed_in(log: Log) -> list[bytes]:
    """What is shown once the first deal is over, and not before: the server's secret for it, and the players' parts."""
    dealt = log.state.dealt
    assert dealt is not None
    found = [dealt.secret, *filter(None, dealt.parts)]
    assert len(found) == 3
    return found


def hidden_in(log: Log) -> list[bytes]:
    """What has not been shown by then: the secret for the second deal."""
    (following,) = log.state.rounds
    assert len([pledge for pledge in following.pledges if pledge]) == 2
    return [following.secret]


def assert_no_secret_too_early(viewer: Client, log: Log) -> None:
    over = False
    for frame, message in zip(viewer.frames, seen_by(viewer), strict=True):
        over = over or bool(message.get("view", {}).get("result"))
        assert not any(secret.hex().encode() in frame for secret in hidden_in(log))
        assert over or not any(secret.hex().encode() in frame for secret in revealed_in(log))
    assert all(any(secret.hex().encode() in frame for frame in viewer.frames) for secret in revealed_in(log))


async def test_nobody_is_sent_a_card_that_lies_in_another_hand(servers: Servers) -> None:
    url = servers.first.url
    async with AsyncExitStack() as links:
        players = [
            await links.enter_async_context(client(url, name, subprotocol=subprotocol))
            for name, subprotocol in (("Ann", MSGPACK), ("Bo", JSON))
        ]
        spectators = [
            await links.enter_async_context(client(url, "Cy", subprotocol=subprotocol))
            for subprotocol in (MSGPACK, MSGPACK, JSON, JSON)
        ]
        code = await open_room(*players, deals=2)
        for spectator in spectators:
            await look_on(spectator, code)
        programs = [Fairness(), Fairness()]
        await contribute(players, programs, "open")
        await start(players[0])
        await contribute(players, programs, "dealing")
        async for player in turns(dict(enumerate(players)), spectators):
            await act(player, least)
    log = await read_log(servers.store, code)
    (record,) = log.records
    truth = Truth(record)
    for viewer in (*players, *spectators):
        seat = players.index(viewer) if viewer in players else None
        results = []
        for message in seen_by(viewer):
            if message.get("code") == ErrorCode.RATE_LIMITED:
                continue  # how many milliseconds it says to wait may read like a card
            if result := message.get("view", {}).get("result"):
                results.append(tuple(result["scores"]))
            else:
                truth.check(seat, message)
        assert set(results) == {record.result.scores}
        assert_no_secret_too_early(viewer, log)
    first, second, *texts = (spectator.frames for spectator in spectators)
    assert first == second
    assert texts[0] == texts[1]
    assert [msgspec.json.encode(message) for message in seen_by(spectators[0])] == texts[0]
    for written in (servers.first.log, servers.second.log):
        assert "DEBUG" in written
        for line in written.splitlines():
            assert not any(secret.hex() in line for secret in (*revealed_in(log), *hidden_in(log)))
            _, _, words = line.split(" ", 2)
            assert not cards_in(words)
            for player in players:
                assert player.seated.ticket not in line
    for player in players:
        secret = player.seated.ticket.partition(".")[2].encode()
        assert [any(secret in frame for frame in viewer.frames) for viewer in (*players, *spectators)].count(True) == 1
