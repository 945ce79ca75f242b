"""One simulated course of events, from its seed: machines and people, what befalls them, and what must hold in the end.

The same seed gives the same course, byte by byte, on every machine.
"""

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

from protocol.messages import Create, Join, Watch
from protocol.view import Pace
from server.games.registry import GAMES
from server.rooms.events import decode_commit
from server.rooms.fold import fold
from server.rooms.state import RoomState
from server.store.base import EMPTY, Corrupt, Position, unseal
from server.store.redis import log_of
from tests import history
from tests.simulation.database import Database
from tests.simulation.loop import Livelock, Timeline
from tests.simulation.network import Network
from tests.simulation.node import Node
from tests.simulation.people import Person, Plan

NODES = ("a", "b", "c")

BACK_S = 20.0
"""After everything is healed everybody is back within this time."""

GOES_ON_S = 60.0
"""And play has gone on within this."""

SHOWN_S = 3.0
"""What was written is shown to everybody within this, also where what was published is lost."""

FOUND_S = 8.0
"""But a node that heard of no other node in the room, since that was lost as well, learns of them by a heartbeat first,
and then compares."""

QUIET_S = 120.0


class Mix(NamedTuple):
    """What a course is made of."""

    rooms: int
    chaos_s: float
    every_s: float
    """Between two blows of fate, on the average."""
    deaf: float
    unruly: float
    failovers: int
    """How many times as likely as another blow it is that the store loses entries."""
    whole: bool
    """Is a deal played to its end?"""


class Outcome(NamedTuple):
    """`faults`: what should not have been. The rest counts what there was of it.

    `proved`: how often a player found a deal fair that they had added something to.
    """

    seed: int
    faults: tuple[str, ...]
    trace: tuple[str, ...]
    commits: int
    deals: int
    blows: dict[str, int]
    proved: int = 0


def mixed(rng: Random) -> Mix:
    return Mix(
        rooms=rng.choice((1, 1, 1, 2)),
        chaos_s=rng.uniform(0.5, 2.0),
        every_s=rng.uniform(0.1, 0.4),
        deaf=rng.choice((0.0, 0.2)),
        unruly=rng.choice((0.0, 0.0, 0.1)),
        failovers=4 if rng.random() < 0.1 else 0,
        whole=rng.random() < 0.03,
    )


def simulate(seed: int, *, traced: bool = False, mix: Mix | None = None) -> Outcome:
    """The whole course of one seed, which also says what it is made of, unless that is given."""
    state = random.getstate()
    random.seed(seed)  # redis-py draws its waits from here
    try:
        with _errors_logged() as errors:
            world = World(seed, traced, errors, mix)
            try:
                world.play()
            except Livelock as livelock:
                world.faults.append(f"livelock {livelock}")
            finally:
                world.end()
    finally:
        random.setstate(state)
    return world.outcome()


class World:
    """All of it."""

    def __init__(self, seed: int, traced: bool, errors: list[str], mix: Mix | None) -> None:
        self.seed = seed
        self.faults: list[str] = []
        self._lines: list[str] = []
        self._traced = traced
        self._errors = errors
        self._rng = Random(f"fate/{seed}")
        self._mix = mix or mixed(self._rng)
        self._timeline = Timeline(Random(f"turns/{seed}"))
        self._network = Network(self._timeline, Random(f"network/{seed}"))
        self._database = Database(self._timeline, Random(f"store/{seed}"))
        self._database.unruly, self._database.deaf = self._mix.unruly, self._mix.deaf
        self._network.hosts["store"] = self._database
        self._nodes = {name: Node(name, self._timeline, self._network, Random(f"{name}/{seed}")) for name in NODES}
        self._network.hosts |= self._nodes
        self._people: list[Person] = []
        self._plans: list[Plan] = []
        self._blows: dict[str, int] = {}
        self._known: dict[str, tuple[Position, RoomState]] = {}
        self._resets = not self._mix.failovers and Random(f"resets/{seed}").random() < 0.2
        """Is the store's clock set back and forth?"""
        self._healed = self._clock_set = False
        self._commits = self._deals = 0

    # The course

    def play(self) -> None:
        for node in self._nodes.values():
            node.start()
        self._timeline.run(0.05)
        for number in range(self._mix.rooms):
            self._invite(number)
        self._next_blow()
        self._timeline.run(self._mix.chaos_s)
        self._heal()
        if not self._until(lambda: not self._missing(), BACK_S):
            self.faults += [f"{who} is not back {BACK_S:.0f} s after everything was healed" for who in self._missing()]
            return
        versions = {plan.code: self._version(plan.code) for plan in self._plans}
        if not self._until(lambda: not self._stuck(versions), GOES_ON_S):
            self.faults += [f"room {code} is stuck at version {versions[code]}" for code in self._stuck(versions)]
            return
        if self._mix.whole:
            self._until(lambda: all(self._over(plan.code) for plan in self._plans), 600.0)
        self._come_to_rest()
        self._judge()

    def end(self) -> None:
        if not self._mix.failovers:
            self.faults += self._errors
        for node in self._nodes.values():
            node.end()
            self.faults += node.faults

    def outcome(self) -> Outcome:
        proved = sum(person.proved for person in self._people)
        return Outcome(
            self.seed, tuple(self.faults), tuple(self._lines), self._commits, self._deals, dict(self._blows), proved
        )

    def _trace(self, text: str) -> None:
        if self._traced:
            self._lines.append(f"{self._timeline.now_s:9.4f} {text}")

    def _until(self, done: Callable[[], bool], limit_s: float) -> bool:
        until_s = self._timeline.now_s + limit_s
        while not done():
            if self._timeline.now_s >= until_s:
                return False
            self._timeline.run(self._timeline.now_s + 0.25)
        return True

    # People

    def _invite(self, number: int) -> None:
        rng = self._rng
        pace: Pace = rng.choice(("none", "none", "fast", "normal"))
        create = Create(
            rng.choice(tuple(GAMES)),
            deals=rng.choice((1, 1, 2)),
            pace=pace,
            fill=rng.choice((None, None, "random")),
            listed=rng.random() < 0.3,
            secret=f"{rng.getrandbits(128):032x}",
        )
        players = 1 if create.fill else rng.choice((1, 2, 3, 3))
        plan = Plan(create, players)
        self._plans.append(plan)
        for seat in range(players):
            self._person(f"player{number}{seat}", plan, None if seat == 0 else "join")
        if rng.random() < 0.3:
            self._person(f"watcher{number}", plan, "watch")

    def _person(self, name: str, plan: Plan, way: str | None) -> None:
        rng = Random(f"{name}/{self.seed}")
        trace = self._trace if self._traced else None
        person = Person(name, plan, self._timeline, self._network, self._open_nodes, rng, trace)
        self._people.append(person)
        if way is None:
            person.entry = plan.create
            person.may_leave = rng.random() < 0.1
            self._timeline.after(rng.random() * 0.3, person.come)
        else:
            person.may_leave = rng.random() < 0.3
            self._timeline.after(0.1, self._come_when_open, person, way)

    def _come_when_open(self, person: Person, way: str) -> None:
        code = person.plan.code
        if not code:
            self._timeline.after(0.1, self._come_when_open, person, way)
            return
        secret = f"{person.rng.getrandbits(128):032x}"
        person.entry = Join(code, secret) if way == "join" else Watch(code)
        person.come()

    def _open_nodes(self) -> list[str]:
        return list(NODES)

    # What befalls them

    def _next_blow(self) -> None:
        self._timeline.after(self._rng.expovariate(1 / self._mix.every_s), self._strike)

    def _strike(self) -> None:
        if self._healed:
            return
        rng = self._rng
        node, person = self._nodes[rng.choice(NODES)], rng.choice(self._people)
        blow, strike = rng.choice(self._possible(node, person))
        if strike is not None:
            self._blows[blow] = self._blows.get(blow, 0) + 1
            self._trace(f"*** {blow} {node.name if strike.__name__.startswith('_node') else ''}")
            strike(node, person)
        self._next_blow()

    def _possible(self, node: Node, person: Person) -> list[tuple[str, Callable[[Node, Person], None] | None]]:
        blows: list[tuple[str, Callable[[Node, Person], None] | None]] = [
            ("crash", self._node_crash),
            ("crash", self._node_crash),
            ("freeze", self._node_freeze),
            ("drain", self._node_drain),
            ("cut from the store", self._node_cut_from_store),
            ("store links break", self._node_links_break),
            ("store links break", self._node_links_break),
            ("person cut off", self._person_cut_off),
            ("person hops", self._person_hops),
            ("person hops", self._person_hops),
            ("person leaves for a while", self._person_goes),
            ("second window", self._second_window),
            ("slow network", self._slow_network),
            ("scripts flushed", self._flush_scripts),
            ("slow disk", self._slow_disk),
        ]
        if self._database.up:
            blows += [("store clock set", self._store_clock_set)] * (2 * self._resets)
            blows += [("store killed", self._store_killed)] * 2 + [("store refuses", self._store_refuses)]
            blows += [("store fails over", self._store_fails_over)] * self._mix.failovers
        return blows

    def _crash(self, node: Node) -> None:
        logged = len(self._errors)
        node.crash()
        del self._errors[logged:]  # nobody reads what a dead machine writes

    def _node_crash(self, node: Node, person: Person) -> None:
        self._crash(node)
        self._timeline.after(self._rng.uniform(0.1, 2.0), self._start, node, node.boots)

    def _start(self, node: Node, boots: int) -> None:
        if node.boots == boots:
            self._trace(f"*** {node.name} starts")
            node.start()

    def _node_freeze(self, node: Node, person: Person) -> None:
        node.loop.freeze()
        loop = node.loop
        self._timeline.after(self._rng.choice((0.2, 1.0, 4.0)) * self._rng.random(), loop.thaw)

    def _node_drain(self, node: Node, person: Person) -> None:
        node.drain()
        boots = node.boots
        self._timeline.after(self._rng.uniform(0.5, 3.0), self._replace, node, boots)

    def _replace(self, node: Node, boots: int) -> None:
        if node.boots == boots:
            self._crash(node)
            self._start(node, boots)

    def _node_cut_from_store(self, node: Node, person: Person) -> None:
        self._network.cut(node.name, "store")
        self._heal_later()

    def _node_links_break(self, node: Node, person: Person) -> None:
        for link in self._network.of(node.name):
            if "store" in link.machines and self._rng.random() < 0.7:
                link.reset()

    def _person_cut_off(self, node: Node, person: Person) -> None:
        self._network.cut(person.name, node.name)
        self._heal_later()

    def _heal_later(self) -> None:
        self._timeline.after(self._rng.choice((0.3, 2.0, 6.0)) * self._rng.random(), self._network.heal)

    def _person_hops(self, node: Node, person: Person) -> None:
        person.hop()

    def _person_goes(self, node: Node, person: Person) -> None:
        person.go_away(abruptly=self._rng.random() < 0.5)
        self._timeline.after(self._rng.choice((0.5, 3.0, 8.0)) * self._rng.random(), person.come)

    def _second_window(self, node: Node, person: Person) -> None:
        person.log_in_again()

    def _slow_network(self, node: Node, person: Person) -> None:
        self._network.slow_s = self._rng.choice((0.05, 0.3))
        self._heal_later()

    def _store_clock_set(self, node: Node, person: Person) -> None:
        self._database.set_by_us += self._rng.choice((-10, -5, -3, -1, 5)) * 1_000_000
        self._clock_set = True

    def _flush_scripts(self, node: Node, person: Person) -> None:
        self._database.model.scripts.clear()

    def _slow_disk(self, node: Node, person: Person) -> None:
        self._database.disk_s = self._rng.choice((0.0002, 0.02, 0.5))

    def _store_killed(self, node: Node, person: Person) -> None:
        self._database.kill()
        self._timeline.after(self._rng.uniform(0.05, 2.0), self._store_starts, self._database.kills)

    def _store_starts(self, kills: int) -> None:
        if not self._database.up and self._database.kills == kills:
            self._trace("*** store starts")
            self._database.start(self._rng.choice((0.0, 0.5)))

    def _store_refuses(self, node: Node, person: Person) -> None:
        self._database.refusing = self._rng.choice(
            (
                "MISCONF Errors writing to the AOF file: No space left on device",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "READONLY You can't write against a read only replica.",
                "ERR Error running script (call to f_6b1bf486): -READONLY You can't write against a read only replica.",
                "BUSY Redis is busy running a script.",
                "NOREPLICAS Not enough good replicas to write.",
            )
        )
        self._timeline.after(self._rng.uniform(0.05, 2.0), self._store_relents)

    def _store_relents(self) -> None:
        self._database.refusing = None

    def _store_fails_over(self, node: Node, person: Person) -> None:
        """To a replica that lacks the last entries; the node that does not notice at once may go on from them."""
        self._database.fail_over(self._rng.choice((0, 1, 1, 2, 3, 6)))
        self._node_freeze(node, person)

    # The end

    def _heal(self) -> None:
        self._trace("*** everything is healed")
        self._healed = True
        self._network.heal()
        database = self._database
        database.refusing, database.disk_s = None, 0.0002
        if not database.up:
            database.start(0.0)
        for node in self._nodes.values():
            node.loop.thaw()
            if not node.serving:
                self._crash(node)
                node.start()
        for person in self._people:
            person.lively = False
            person.impatience = 1.0
            if person.entry is not None:
                person.come()

    def _missing(self) -> list[str]:
        return [person.name for person in self._people if person.entry is None or not person.settled]

    def _stuck(self, versions: dict[str, int]) -> list[str]:
        seated = {person.plan.code for person in self._people if person.seated}
        return [
            code
            for code, version in versions.items()
            if code in seated and not self._over(code) and self._version(code) <= version + 1
        ]

    def _come_to_rest(self) -> None:
        for person in self._people:
            person.quiet = True
        changed_s = self._timeline.now_s
        until_s, versions = changed_s + QUIET_S, self._versions()
        shown_s = FOUND_S if self._mix.deaf else SHOWN_S
        while self._timeline.now_s < min(until_s, changed_s + shown_s):
            self._timeline.run(self._timeline.now_s + 0.25)
            if self._versions() != versions:
                changed_s, versions = self._timeline.now_s, self._versions()
        self._at_rest = self._timeline.now_s < until_s

    def _versions(self) -> dict[str, int]:
        return {code: self._version(code) for code in self._codes()}

    def _codes(self) -> list[str]:
        return [key.decode()[1:-5] for key in self._database.model.logs()]

    def _log(self, code: str) -> list[bytes]:
        return self._database.model.log(log_of(code).encode())

    def _version(self, code: str) -> int:
        return len(self._log(code))

    def _over(self, code: str) -> bool:
        """Is there nothing more to be played?"""
        entries = self._log(code)
        known = self._known.get(code)
        position, state = known or (EMPTY, None)
        if known is not None and (
            len(entries) < position.version or not entries[position.version - 1].startswith(position.chain)
        ):
            position, state = EMPTY, None  # rolled back
        try:
            for entry in entries[position.version :]:
                payload, position = unseal(position, entry)
                state = fold(state, decode_commit(payload))
        except Corrupt:
            return True  # which `_judge` will say
        if state is None:
            return True
        self._known[code] = position, state
        return state.closed or state.phase == "over"

    def _judge(self) -> None:
        for code in self._codes():
            entries = self._log(code)
            histories = [told for person in self._people if person.plan.code == code for told in person.histories]
            lossy = self._mix.failovers > 0
            for fault in history.check(entries, histories, at_rest=self._at_rest, lossy=lossy):
                # of two windows one may send again what the other has done long since, under its old number
                overtaken = fault.kind == "refused" and " as number_used " in fault.text
                if not overtaken and not (lossy and fault.kind == "lost"):
                    self.faults.append(f"room {code}: {fault.kind}: {fault.text}")
            course = history.Course(entries)
            self._commits += course.version
            self._deals += len(course.records)
            self.faults += self._of_nodes(code, course)
            if not self._clock_set:  # else the store's is not the clock by which deadlines are
                self.faults += self._of_time(code, course)

    def _of_nodes(self, code: str, course: history.Course) -> Iterator[str]:
        """All nodes that have the room open hold the state that its log stands for."""
        for node in self._nodes.values():
            room = None if node.hub is None else node.hub._rooms.get(code)
            if room is not None and room.state != course.state and self._at_rest:
                yield f"room {code}: node {node.name} holds another state than the log"

    def _of_time(self, code: str, course: history.Course) -> Iterator[str]:
        """No deadline struck early, or twice for one question."""
        written_us = self._database.written_us.get(log_of(code).encode(), [])
        struck: set[tuple[int, int, int]] = set()
        for version, (before, commit) in enumerate(zip(course.states, course.commits, strict=False)):
            for event in commit.events:
                if type(event).__name__ != "Acted" or getattr(event, "by", "") != "clock" or before is None:
                    continue
                its = before.seats[event.seat]  # type: ignore[union-attr]
                if its.deadline_ms is None or written_us[version] // 1000 < its.deadline_ms:
                    yield f"room {code}: version {version + 1} was written before the deadline"
                key = (event.seat, its.prompt, before.deal)  # type: ignore[union-attr]
                if key in struck:
                    yield f"room {code}: a deadline struck twice"
                struck.add(key)


@contextmanager
def _errors_logged() -> Iterator[list[str]]:
    """What the product logs as an error; nothing else of its log goes anywhere."""
    errors: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            errors.append(f"logged: {record.getMessage()}")

    logger, keeper = logging.getLogger("server"), Keeper(logging.ERROR)
    propagate, level, logger.propagate = logger.propagate, logger.level, False
    logger.setLevel(logging.ERROR)
    logger.addHandler(keeper)
    try:
        yield errors
    finally:
        logger.removeHandler(keeper)
        logger.setLevel(level)
        logger.propagate = propagate
