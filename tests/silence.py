"""What a server tells its operator and whoever it refuses, over many deals, held against cards, decks and tickets:
`python -m tests.silence --deals 1000`. The last line counts what was looked through; the exit code is 1 for a find.

Every room has two bots and a player on autopilot, who asks for what must be refused. The server logs all that it can
as JSON, and its operator's listener is asked all the time. What is open to all or to the player is not looked at here:
see `tests/e2e/test_hidden_cards.py`.
"""

import asyncio
import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families

from protocol.codec import JSON
from protocol.messages import MAX_DEALS, Act, Autopilot, Create, Export, Refused, Table
from protocol.notation import CARDS
from tests.e2e.clients import Client, client
from tests.e2e.processes import ServerProcess, serving
from tests.faults.fleet import EXEMPT

PACKS = frozenset(card for cards in CARDS.values() for card in cards)
GAMES = tuple(CARDS)

ROOMS_AT_ONCE = 12
SCRAPE_S = 0.5
MOST_SHOWN = 20
PATHS = ("/metrics", "/healthz", "/readyz", "/version", "/admin/rooms", "/admin/connections", "/admin/blocks")

WRONG = (
    b'{"type":"act","n":"one","prompt":0,"action":"play"}',
    b'{"type":"join","code":"ZZZZZZZZ"}',
    b'{"type":"fill","n":99,"seat":1,"level":"easy"}',
    b"\x00rubbish",
)


class Found(NamedTuple):
    """`finds`: what must not be there, and where it was."""

    deals: int
    lines: int
    answers: int
    refusals: int
    finds: tuple[str, ...]

    def __str__(self) -> str:
        looked = f"{self.lines} log lines, {self.answers} answers to the operator, {self.refusals} refusals"
        return f"{self.deals} deals: {looked}; {len(self.finds)} finds"


def words_in(value: object) -> Iterator[str]:
    """All that a piece of JSON says in words. Numbers count, and name nothing."""
    match value:
        case str():
            yield value
        case dict():
            for part in (*value, *value.values()):
                yield from words_in(part)
        case list():
            for part in value:
                yield from words_in(part)


def cards_in(value: object) -> list[str]:
    """Every card that a piece of JSON names in words."""
    return [word for words in words_in(value) for word in re.findall(r"[0-9A-Za-z]+", words) if word in PACKS]


def words_of_metrics(text: str) -> Iterator[str]:
    """All that metrics say but for numbers: those that count, and the bounds of what is counted in classes."""
    for family in text_string_to_metric_families(text):
        if family.name == "python_info":
            continue  # 3.11 is a version
        yield from (family.name, family.documentation)
        for sample in family.samples:
            yield from (value for label, value in sample.labels.items() if label not in {"le", "generation"})


def words_of(path: str, text: str) -> Iterator[str]:
    """What an answer to the operator says in words."""
    if path == "/metrics":
        return words_of_metrics(text)
    try:
        return words_in(json.loads(text))
    except ValueError:
        return iter((text,))


class Ear:
    """Collects what is told while the rooms are played."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []
        self.refusals: list[Refused] = []
        self.tickets: list[str] = []

    def finds(self, lines: list[str]) -> Iterator[str]:
        secrets = [secret for ticket in self.tickets for secret in forms(ticket)]
        for where, words in self._said(lines):
            if cards_in(words):
                yield f"a card {where}: {words}"
            yield from (f"a ticket {where}: {words}" for secret in secrets if secret in words)

    def _said(self, lines: list[str]) -> Iterator[tuple[str, str]]:
        for line in lines:
            told = json.loads(line)
            del told["time"]
            yield from (("in the log", words) for words in words_in(told))
        for path, text in self.answers:
            yield from ((f"at {path}", words) for words in words_of(path, text))
        yield from (("in a refusal", refusal.text) for refusal in self.refusals)


def forms(ticket: str) -> tuple[str, ...]:
    """A ticket as it might be written down: its secret part, and the hash by which the room's log knows it."""
    secret = ticket.partition(".")[2]
    digest = sha256(secret.encode()).digest()[:16]
    return secret, digest.hex(), repr(digest)[2:-1]


async def listen(port: int, ear: Ear) -> None:
    """Ask the operator's listener until cancelled."""

    def ask(path: str) -> str:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    while True:
        for path in PATHS:
            ear.answers.append((path, await asyncio.to_thread(ask, path)))
        await asyncio.sleep(SCRAPE_S)


async def play(url: str, game: str, deals: int, ear: Ear) -> None:
    """One room, from its opening to the end of its last deal."""
    async with client(url, subprotocol=JSON) as ann:
        await ann.send(Create(game, deals=deals, fill="easy"))
        await ann.until(Table)
        ear.tickets.append(ann.seated.ticket)
        await ann.do(Autopilot(ann.next_n, on=True))
        deal = 0
        while ann.view.room.phase != "over":
            if ann.view.room.deal != deal and ann.view.room.phase == "playing":
                deal = ann.view.room.deal
                await ask_in_vain(ann, ear)
            await ann.until(Table)


async def ask_in_vain(ann: Client, ear: Ear) -> None:
    wrong = [*WRONG, *(ann.codec.encode(each) for each in (Act(10**6, 10**6, "play"), Export(MAX_DEALS)))]
    for frame in wrong:
        answer = await ann.answer_to(frame)
        assert isinstance(answer, Refused)
        ear.refusals.append(answer)


async def look(home: Path, deals: int) -> Found:
    """Play so many deals on a server of its own, in this folder, and look through what it told."""
    ear, left = Ear(), deals
    matches: list[tuple[str, int]] = []
    each = min(MAX_DEALS, max(1, deals // ROOMS_AT_ONCE))
    while left > 0:
        matches.append((GAMES[len(matches) % len(GAMES)], min(each, left)))
        left -= matches[-1][1]
    places = asyncio.Semaphore(ROOMS_AT_ONCE)
    flags = ("--log-level", "debug", "--log-format", "json", "--admin-port", "0", *EXEMPT)

    with serving(f"sqlite:{home / 'rooms.sqlite3'}", home, *flags) as server:
        listening = asyncio.create_task(listen(admin_port(server), ear))

        async def one(game: str, its_deals: int) -> None:
            async with places:
                await play(server.url, game, its_deals, ear)

        await asyncio.gather(*(one(*match) for match in matches))
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
    lines = server.log.splitlines()
    return Found(deals, len(lines), len(ear.answers), len(ear.refusals), tuple(ear.finds(lines)))


def admin_port(server: ServerProcess) -> int:
    """Where the operator asks, as the server's log has it."""
    found = re.search(r"the operator's listener is at http://127\.0\.0\.1:([0-9]+)", server.log)
    assert found is not None, server.log
    return int(found[1])


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.silence", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--deals", type=int, default=1000)
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="paizhuo-") as home:
        found = asyncio.run(look(Path(home), asked.deals))
    for find in found.finds[:MOST_SHOWN]:
        print(find[:500])
    print(found)
    return 1 if found.finds else 0


if __name__ == "__main__":
    sys.exit(main())
