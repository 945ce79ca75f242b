"""What a client makes of fair deals, and of servers that cheat: real sessions at a room, with a hand in between."""

from collections.abc import Callable
from random import Random

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from client_cli.fairness import Fairness, KeptRound, Unshown, Verdict, Wrong
from client_cli.session import Session
from protocol import fair
from protocol.messages import (
    Autopilot,
    ClientMessage,
    Contribute,
    Notice,
    Ready,
    Seated,
    Start,
    Table,
    Watch,
    Watching,
    Welcome,
)
from protocol.notation import Card
from protocol.record import Record, write
from protocol.view import Fairness as Shown
from protocol.view import Proof, Round
from server.games.base import SEATS, Seat
from server.rooms.commands import ByClient, ByPlayer, CloseRoom, DealCards, VoidRound
from server.rooms.events import decode_commit
from server.rooms.records import finished_deal
from server.rooms.rounds import PATIENCE_MS, seed_of
from server.rooms.state import rules
from tests.server.rooms.driven import CODE, DrivenRoom

SECRETS = (b"1" * 32, b"2" * 32)
NAMES = ("Ann", "Bea", "Cem")
GAMES = ("chuo-pai", "paohuzi")
Tamper = Callable[[Seat | None, Table], Table]
Dealer = Callable[[tuple[Card, ...]], tuple[Card, ...]]


class Person:
    def __init__(self, seat: Seat | None, kept: tuple[KeptRound, ...] = ()) -> None:
        fairness = Fairness(kept, draw=Random(f"part of {seat}").randbytes)
        self.seat = seat
        if seat is None:
            self.session = Session("Dan", Watch(CODE), fairness=fairness)
            self.session.received(Watching(CODE))
        else:
            self.session = Session.resuming(NAMES[seat], CODE, seat, "ticket", fairness)
            self.session.received(Seated(CODE, seat, "ticket"))

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for verdict in self.session.fairness.news() if isinstance(verdict, Verdict)]


class Match:
    """Three people and somebody who looks on. `tamper`: what the server shows instead; `dealer`: what it deals."""

    def __init__(
        self,
        game: str = "chuo-pai",
        *,
        deals: int = 1,
        secrets: tuple[bytes, bytes] = SECRETS,
        tamper: Tamper = lambda _seat, table: table,
        dealer: Dealer = lambda deck: deck,
        ann: Person | None = None,
        contribute: bool = True,
    ) -> None:
        self.room = DrivenRoom()
        self.room.open(game, deals=deals, secrets=secrets).sit("Bea", "Cem", contributes=contribute)
        self.people = [ann or Person(0), *(Person(seat) for seat in (1, 2, None))]
        self.silent: set[Seat] = set() if contribute else {1, 2}
        self.sent: list[ClientMessage] = []
        self._tamper = tamper
        self._dealer = dealer
        self.show()

    def show(self) -> None:
        """What has just happened, to all; and what their programs answer, until they are content."""
        happened = self.room.happenings
        answers = [(each, self.tell(each, Table(self.room.view(each.seat), happened))) for each in self.people]
        for person, messages in answers:
            for message in messages:
                self.take(person, message)

    def tell(self, person: Person, table: Table) -> list[ClientMessage]:
        return person.session.received(self._tamper(person.seat, table))

    def take(self, person: Person, message: ClientMessage) -> None:
        self.sent.append(message)
        assert person.seat is not None
        if person.seat not in self.silent:
            connection = self.room.state.seats[person.seat].connection
            assert isinstance(message, Contribute)
            if self.room.do(ByClient(person.seat, connection, message.contributions)):
                self.show()

    def start(self) -> "Match":
        self.room.ask(0, Start)
        self.show()
        return self

    def deal(self) -> "Match":
        state = self.room.state
        key = seed_of(state)
        deck, first = fair.dealt(rules(state).pack, key)
        secret = bytes([state.deal + 3]) * 32
        assert self.room.do(DealCards(self._dealer(deck), first, key, secret))
        self.show()
        return self

    def play(self, seed: int = 1, *, watch: bool = True) -> "Match":
        rng = Random(seed)
        while self.room.state.phase == "playing":
            self.room.step(rng)
            if watch:
                self.show()
        self.show()
        return self

    def ready(self) -> "Match":
        for person in self.people[:3]:
            (command,) = person.session.issue(Ready(person.session.next_n))
            assert isinstance(command, Ready)
            assert person.seat is not None
            self.room.do(ByPlayer(person.seat, NAMES[person.seat], command))
            person.session.in_flight = None
            self.show()
        return self

    def void(self) -> "Match":
        self.room.now_ms += PATIENCE_MS
        following = self.room.state.rounds[0]
        assert self.room.do(VoidRound(following.deal, following.attempt, b"3" * 32))
        self.show()
        return self

    def verdicts(self) -> list[list[Verdict]]:
        return [person.verdicts for person in self.people]


def fine(deal: int = 1) -> list[list[Verdict]]:
    """What three players who added something say, and who only looked on."""
    return [*[[Verdict(deal, own=True, wrong=())]] * 3, [Verdict(deal, own=False, wrong=())]]


def caught(match: Match, seat: Seat) -> tuple[Wrong, ...]:
    (verdict,) = match.people[seat].verdicts
    return verdict.wrong


def in_rounds(seat: Seat | None, change: Callable[[Round], Round]) -> Tamper:
    """Other rounds for one viewer, or for all."""

    def tamper(viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        if shown is None or (seat is not None and viewer != seat):
            return table
        changed = replace(shown, rounds=tuple(map(change, shown.rounds)))
        return replace(table, view=replace(table.view, fair=changed))

    return tamper


def in_proofs(change: Callable[[Proof], Proof]) -> Tamper:
    def tamper(_viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        if shown is None:
            return table
        return replace(table, view=replace(table.view, fair=replace(shown, proofs=tuple(map(change, shown.proofs)))))

    return tamper


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_honest_deals_are_found_fair(game: str, seed: int) -> None:
    match = Match(game, deals=3, secrets=(bytes([seed + 100]) * 32, b"2" * 32)).start()
    for deal in (1, 2, 3):
        match.deal().play(seed, watch=deal != 2)
        assert match.verdicts() == fine(deal)
        if deal < 3:
            sent = len(match.sent)
            match.ready()
            assert len(match.sent) == sent, "what is due between deals rides on ready"
    assert all(person.session.fairness.kept == () for person in match.people)


def test_before_the_first_deal_each_program_sends_two_messages_and_later_none() -> None:
    match = Match(deals=2).start()
    assert [type(message) for message in match.sent] == [Contribute] * 6
    match.deal().play().ready().deal().play()
    assert len(match.sent) == 6


def test_no_part_is_sent_before_all_have_pledged() -> None:
    match = Match()
    pledges = [message for message in match.sent if isinstance(message, Contribute)]
    assert [given.part for message in pledges for given in message.contributions] == [None] * 3


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("one", "other"), [(0, 1), (0, 30), (29, 60), (20, 70), (40, 79)])
def test_two_cards_that_were_swapped_are_noticed(game: str, one: int, other: int) -> None:
    def swap(deck: tuple[Card, ...]) -> tuple[Card, ...]:
        cards = list(deck)
        while cards[one] == cards[other]:  # the same card would be no other deal
            cards[one], cards[one + 1] = cards[one + 1], cards[one]
        cards[one], cards[other] = cards[other], cards[one]
        return tuple(cards)

    def cheated(match: Match) -> bool:
        shown = match.start().deal().play().verdicts()
        return any(verdict.wrong == ("cards",) for verdicts in shown for verdict in verdicts)

    assert cheated(Match(game, dealer=swap)) == ((one, other) != (0, 1)), "within a hand it makes no difference"


def test_another_who_begins_is_noticed() -> None:
    match = Match().start()
    state = match.room.state
    deck, first = fair.dealt(rules(state).pack, seed_of(state))
    match.room.do(DealCards(deck, (first + 1) % 3, seed_of(state), b"3" * 32))
    match.show()
    match.play()
    assert [caught(match, seat) for seat in SEATS] == [("cards",)] * 3


def test_a_secret_that_is_used_twice_is_noticed() -> None:
    match = Match(deals=2, secrets=(SECRETS[0], SECRETS[0])).start().deal().play()
    assert match.verdicts() == fine()
    match.ready().deal().play()
    assert [caught(match, seat) for seat in SEATS] == [("reused",)] * 3


def played_without_ann(match: Match) -> None:
    """The deck follows from all parts but that of seat 0."""
    state = match.room.state
    first_round = state.rounds[0]
    committed = fair.commitment(CODE, 1, 1, first_round.secret)
    deck, first = fair.dealt(rules(state).pack, fair.seed(committed, first_round.secret, (b"", *first_round.parts[1:])))
    match.room.do(DealCards(deck, first, seed_of(state), b"3" * 32))
    match.show()
    match.play()


def test_a_contribution_that_is_left_out_is_noticed_by_whose_it_was() -> None:
    def without_ann(proof: Proof) -> Proof:
        return replace(proof, pledges=("", *proof.pledges[1:]), parts=("", *proof.parts[1:]))

    match = Match(tamper=in_proofs(without_ann)).start()
    played_without_ann(match)
    assert "left_out" in caught(match, 0)
    assert caught(match, 1) == ("pledges",)


def test_one_that_is_left_out_of_the_deck_alone_is_noticed_by_all() -> None:
    match = Match().start()
    played_without_ann(match)
    assert [caught(match, seat) for seat in SEATS] == [("cards",)] * 3


def test_two_commitments_to_two_players_are_noticed() -> None:
    other = fair.commitment(CODE, 1, 1, b"other".ljust(32)).hex()
    tamper = in_rounds(1, lambda shown: replace(shown, commitment=other) if shown.deal == 1 else shown)
    match = Match(tamper=tamper).start()
    # Bea's pledge fits what she was shown, so the server cannot use her part for the commitment of the others
    assert match.room.state.rounds[0].parts[1] == b""
    match.void()
    assert [person.verdicts for person in match.people[::2]] == [[], []]
    assert "commitment" in caught(match, 1)


def test_a_secret_that_was_chosen_afterwards_is_noticed() -> None:
    def change(proof: Proof) -> Proof:
        secret = b"better".ljust(32)
        return replace(proof, secret=secret.hex(), commitment=fair.commitment(CODE, proof.deal, 1, secret).hex())

    match = Match(tamper=in_proofs(change)).start().deal().play()
    for seat in SEATS:
        assert "commitment" in caught(match, seat)
    assert "commitment" in match.people[3].verdicts[0].wrong, "who only looks on was shown it, too"


def test_pledges_that_change_after_a_part_was_given_away_are_noticed() -> None:
    forged = fair.pledge(CODE, 1, 1, 2, b"c" * 32, b"p" * 32).hex()
    tamper = in_rounds(0, lambda shown: replace(shown, pledges=(*shown.pledges[:2], forged)))
    match = Match(tamper=tamper).start().deal().play()
    assert caught(match, 0) == ("pledges",)
    assert match.verdicts()[1:] == fine()[1:]


def test_a_part_is_kept_back_when_others_pledge_anew() -> None:
    shown: list[Round] = []

    def tamper(viewer: Seat | None, table: Table) -> Table:
        if viewer == 0 and table.view.fair is not None:
            shown.extend(table.view.fair.rounds[:1])
        return table

    match = Match(tamper=tamper).start()
    ann = match.people[0].session
    closed = shown[-1]
    again = replace(closed, pledges=(closed.pledges[0], closed.pledges[0], closed.pledges[2]))
    ann.fairness.opened()
    given = [ann.fairness.due(replace(ann.view, fair=Shown((each,))), 0) for each in (again, closed) if ann.view]
    assert [len(each) for each in given] == [0, 1]


def test_a_server_that_reveals_nothing_is_noticed() -> None:
    def tamper(_viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        silent = None if shown is None or table.view.result is None else replace(shown, proofs=())
        return replace(table, view=replace(table.view, fair=silent if table.view.result else shown))

    match = Match(tamper=tamper).start().deal().play()
    assert [caught(match, seat) for seat in SEATS] == [("no_proof",)] * 3


def test_so_it_is_where_nobody_pauses_and_the_next_deal_is_due_at_once() -> None:
    """As at a table where bots play for all."""

    def tamper(_viewer: Seat | None, table: Table) -> Table:
        return replace(table, view=replace(table.view, fair=None)) if table.view.result is not None else table

    match = Match(deals=2, tamper=tamper).start().deal()
    match.room.play_out(Random(1))
    for seat in SEATS:
        match.room.ask(seat, Ready)
    match.show()
    assert match.room.state.phase == "dealing"
    assert [caught(match, seat) for seat in SEATS] == [("no_proof",)] * 3


def test_a_round_that_is_passed_over_for_another_one_is_noticed() -> None:
    """As by a server that has learned all parts, and goes on with a round of its own that it had shown to nobody."""
    pack = fair.pack_of("chuo-pai")
    assert pack is not None
    _, begins = fair.dealt(pack, seed_of(Match().start().room.state))
    part, drawn = b"p" * 32, (bytes([number]) * 32 for number in range(256))
    for secret in drawn:
        committed = fair.commitment(CODE, 1, 2, secret)
        deck, first = fair.dealt(pack, fair.seed(committed, secret, (b"", b"", part)))
        if first == begins:
            break
    pledge = fair.pledge(CODE, 1, 2, 2, committed, part)
    own = Proof(CODE, 1, 2, committed.hex(), secret.hex(), ("", "", pledge.hex()), ("", "", part.hex()))
    match = Match(tamper=in_proofs(lambda _: own), dealer=lambda _: deck).start().deal().play()
    for seat in SEATS:
        passed_over = Verdict(1, own=True, wrong=("no_proof",))
        assert match.people[seat].verdicts == [Verdict(1, own=False, wrong=()), passed_over]


def test_a_second_proof_of_a_round_is_noticed() -> None:
    """The first alone is judged, and none of a voided round is held against the cards."""

    def tamper(_viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        if shown is None or not shown.proofs:
            return table
        (proof,) = shown.proofs
        twice = replace(shown, proofs=(replace(proof, missing=(2,)), proof))
        return replace(table, view=replace(table.view, fair=twice))

    match = Match(tamper=tamper, dealer=lambda deck: (deck[83], *deck[1:83], deck[0], *deck[84:]))
    match.start().deal().play()
    assert ("proof",) in [verdict.wrong for verdict in match.people[0].verdicts]


@pytest.mark.parametrize("field", ["secret", "commitment", "pledges", "parts", "attempt", "room"])
def test_each_field_of_what_is_revealed_counts(field: str) -> None:
    def change(proof: Proof) -> Proof:
        value = getattr(proof, field)
        wrong = {"attempt": 2, "room": "ZZZZZZZZ"}.get(field, "0" * 64 if isinstance(value, str) else ("0" * 64,) * 3)
        return replace(proof, **{field: wrong})

    match = Match(tamper=in_proofs(change)).start().deal().play()
    for seat in SEATS:
        assert "proof" in match.people[seat].verdicts[0].wrong


def test_one_who_adds_something_is_enough() -> None:
    match = Match(contribute=False).start()
    assert [bool(part) for part in match.room.state.rounds[0].parts] == [True, False, False]
    match.deal().play()
    assert [[each.own for each in verdicts] for verdicts in match.verdicts()] == [[True], [False], [False], [False]]


def test_a_voided_round_is_checked_and_the_next_one_is_as_good() -> None:
    match = Match()
    match.silent = {2}
    match.start().void()
    assert match.room.state.voids == (0, 0, 1)
    assert match.verdicts() == [[], [], [], []]
    match.deal().play()
    assert match.verdicts() == [
        [Verdict(1, own=True, wrong=())],
        [Verdict(1, own=True, wrong=())],
        [Verdict(1, own=False, wrong=())],
        [Verdict(1, own=False, wrong=())],
    ]


def test_who_missed_the_end_of_a_voided_round_and_of_its_deal_blames_nobody_when_the_room_ends() -> None:
    match = Match(deals=2)
    match.silent = {2}
    match.start()
    dan = match.people.pop()  # his connection is gone, and comes back while the next deal is drawn anew
    match.void().deal().play()
    for seat in SEATS:
        match.room.ask(seat, Ready)
    match.void()
    match.tell(dan, Table(match.room.view(None)))
    match.room.do(CloseRoom())
    match.tell(dan, Table(match.room.view(None)))
    assert dan.verdicts == [Verdict(1, own=False, wrong=())]


def test_a_voided_round_whose_secret_does_not_fit_is_noticed_at_once() -> None:
    match = Match(tamper=in_proofs(lambda proof: replace(proof, secret="0" * 64)))
    match.silent = {2}
    match.start().void()
    assert caught(match, 0) == ("proof",)


def test_who_starts_the_program_again_reveals_what_was_pledged_before() -> None:
    match = Match(deals=2).start().deal()
    match.people[0] = Person(0, match.people[0].session.fairness.kept)
    match.show()
    match.play()
    assert match.verdicts() == fine()
    match.ready().deal().play()
    assert match.verdicts() == fine(2)


def test_who_has_lost_what_they_drew_voids_the_round_and_takes_part_in_the_next() -> None:
    match = Match(deals=2).start().deal()
    match.people[0] = Person(0)
    match.show()
    match.play()
    assert match.verdicts()[0] == [Verdict(1, own=False, wrong=())]
    match.ready()
    match.room.now_ms -= PATIENCE_MS  # nobody waits for it
    match.void()
    assert match.room.state.voided[-1].missing == (0,)
    match.deal().play()
    assert [[verdict.own for verdict in verdicts] for verdicts in match.verdicts()] == [
        [False],
        [True],
        [True],
        [False],
    ]


def test_on_autopilot_the_program_goes_on_adding() -> None:
    match = Match(deals=2).start().deal().play()
    assert not match.room.state.rounds[0].parts[1]
    match.room.ask(1, Autopilot, on=True)
    match.show()
    assert match.room.state.rounds[0].parts[1]


def test_what_was_refused_for_now_is_sent_again() -> None:
    match = Match()
    session = Person(0).session
    view = DrivenRoom().open(secrets=SECRETS).view(0)
    first = session.received(Table(view))
    assert len(first) == 1
    assert session.received(Table(view)) == []
    session.opened()
    assert session.received(Table(view)) == first
    assert match.sent


def test_rounds_that_a_store_has_lost_are_no_fault_of_the_server() -> None:
    ann = Match().start().people[0]
    ann.session.received(Notice("reset"))
    assert Match(secrets=(b"8" * 32, b"9" * 32), ann=ann).start().deal().play().verdicts() == fine()


def test_an_unknown_game_is_checked_as_far_as_that_goes() -> None:
    view = Match().start().deal().play().room.view(0)
    fairness = Fairness()
    fairness.received(Table(replace(view, room=replace(view.room, game="go"))), 0)
    assert list(fairness.news()) == [Verdict(1, own=False, wrong=())]


@pytest.mark.parametrize("offered", [False, True])
def test_a_room_without_rounds_is_not_judged_and_that_is_said_once_a_match(*, offered: bool) -> None:
    session, room = Session("Dan", Watch(CODE)), DrivenRoom()
    session.received(Welcome("0.1.0", "Dan", (), fair=offered))
    room.open(deals=2).sit("Bea", "Cem").ask(0, Start)
    said: list[Verdict | Unshown] = []
    for _ in range(2):
        room.deal().play_out(Random(1))
        for _ in range(2):
            session.received(Table(room.view(None)))
            said += session.fairness.news()
        for seat in SEATS:
            if room.state.phase == "between":
                room.ask(seat, Ready)
    assert said == [Unshown(offered)]
    assert session.fairness.verdict is None


def test_a_server_that_shows_no_rounds_any_more_is_noticed() -> None:
    def tamper(_viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        if shown is None or table.view.room.deal == 2:
            return replace(table, view=replace(table.view, fair=None))
        rounds = tuple(round_ for round_ in shown.rounds if round_.deal == 1)
        return replace(table, view=replace(table.view, fair=replace(shown, rounds=rounds)))

    match = Match(deals=2, tamper=tamper).start().deal().play()
    assert match.verdicts() == fine()
    match.ready().deal().play()
    assert [caught(match, seat) for seat in SEATS] == [("no_proof",)] * 3


def test_a_server_that_shows_only_the_rounds_that_it_voided_is_noticed() -> None:
    """As by one that has seen the parts, voids the round, and draws the cards by itself."""

    def tamper(_viewer: Seat | None, table: Table) -> Table:
        shown = table.view.fair
        if shown is None:
            return table
        rounds = tuple(round_ for round_ in shown.rounds if round_.attempt == 1)
        proofs = tuple(proof for proof in shown.proofs if proof.missing)
        return replace(table, view=replace(table.view, fair=replace(shown, rounds=rounds, proofs=proofs)))

    match = Match(tamper=tamper)
    match.silent = {2}
    match.start().void().void().deal().play()
    assert [caught(match, seat) for seat in SEATS] == [("no_proof",)] * 3


def saved(match: Match, deal: int = 1) -> Record:
    record = finished_deal(map(decode_commit, match.room.log), deal)
    assert record is not None
    return record


def differ(match: Match, record: Record, deal: int = 1) -> list[bool]:
    return [person.session.fairness.differs(deal, write(record).decode()) for person in match.people]


def test_what_an_honest_server_saves_is_what_it_has_shown() -> None:
    match = Match(deals=3)
    match.silent = {2}
    match.start().void().deal().play().ready()
    assert differ(match, saved(match)) == [False] * 4
    match.deal()
    assert differ(match, saved(match)) == [False] * 4, "and so it is later"
    ann = match.people[0] = Person(0, match.people[0].session.fairness.kept)
    assert not ann.session.fairness.differs(1, "{}"), "one that was not there has nothing to compare it with"


@pytest.mark.parametrize("forge", ["secret", "pledges", "parts", "voided", "unvoided", "twice", "none", "no record"])
def test_another_proof_than_was_shown_is_noticed(forge: str) -> None:
    match = Match()
    match.silent = {2}
    match.start().void().deal().play()
    record = saved(match)
    assert record.fair is not UNSET
    voided, last = record.fair
    forged: dict[str, tuple[Proof, ...] | UnsetType] = {
        "secret": (voided, replace(last, secret="0" * 64)),
        "pledges": (voided, replace(last, pledges=("", "", ""))),
        "parts": (replace(voided, parts=(voided.parts[1], *voided.parts[1:])), last),
        "voided": (replace(voided, missing=(0,)), last),
        "unvoided": (last,),
        "twice": (voided, voided, last),
        "none": UNSET,
    }
    if forge in forged:
        assert differ(match, replace(record, fair=forged[forge])) == [True] * 4
    else:
        assert match.people[0].session.fairness.differs(1, "{}")


def test_who_missed_the_end_of_a_deal_compares_what_was_shown_before() -> None:
    match = Match(deals=2).start()
    dan = match.people.pop()
    match.deal().play()
    match.people.append(dan)
    assert differ(match, saved(match)) == [False] * 4
    secret = b"better".ljust(32)
    other = Proof(CODE, 1, 1, fair.commitment(CODE, 1, 1, secret).hex(), secret.hex())
    assert differ(match, replace(saved(match), fair=(other,))) == [True] * 4


def test_a_proof_that_comes_only_with_the_record_is_no_proof() -> None:
    def tamper(_viewer: Seat | None, table: Table) -> Table:
        return replace(table, view=replace(table.view, fair=None)) if table.view.result is not None else table

    match = Match(tamper=tamper).start().deal().play()
    assert caught(match, 0) == ("no_proof",)
    assert differ(match, saved(match)) == [True] * 4
