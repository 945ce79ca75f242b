"""How the cards of a deal come about: who is waited for, for how long, and what is shown of it when."""

import time
from random import Random

import msgspec
import pytest

from protocol import fair
from protocol.errors import ErrorCode
from protocol.messages import Autopilot, Contribution, Leave, Ready, Remove, Start
from protocol.view import Fairness, Happening, Proof, Round
from server.games.base import SEATS, Seat
from server.games.registry import game_named
from server.rooms.commands import ByClient, DealCards, Regrant, VoidRound
from server.rooms.due import Due, Timing, dues
from server.rooms.events import Contributed, RoundOpened, RoundVoided, decode_commit
from server.rooms.pace import WAKE_MS
from server.rooms.records import finished_deal
from server.rooms.rounds import PATIENCE_MS, seed_of
from tests.server.rooms.driven import CODE, DrivenRoom, replayed

SECRETS = (b"1" * 32, b"2" * 32)
FRESH = b"3" * 32
TIMING = Timing(grace_ms=30_000, beat_ms=700)


def part(seat: Seat, deal: int, attempt: int = 1) -> bytes:
    return bytes([seat, deal, attempt]) * 10 + b"xx"


def pledge(shown: Round, seat: Seat) -> Contribution:
    committed = bytes.fromhex(shown.commitment)
    pledged = fair.pledge(CODE, shown.deal, shown.attempt, seat, committed, part(seat, shown.deal, shown.attempt))
    return Contribution(shown.deal, shown.attempt, pledge=pledged.hex())


def reveal(shown: Round, seat: Seat) -> Contribution:
    return Contribution(shown.deal, shown.attempt, part=part(seat, shown.deal, shown.attempt).hex())


class FairRoom(DrivenRoom):
    """Whose players' programs do what they must when they are told to."""

    @property
    def fair(self) -> Fairness:
        shown = [self.view(viewer).fair for viewer in (*SEATS, None)]
        assert shown[0] is not None
        assert shown == [shown[0]] * 4
        return shown[0]

    @property
    def following(self) -> Round:
        return self.fair.rounds[0]

    def contribute(self, seat: Seat, *given: Contribution) -> tuple[object, ...]:
        return self.do(ByClient(seat, self.state.seats[seat].connection, given))

    def pledge_all(self) -> None:
        for seat in SEATS:
            self.contribute(seat, pledge(self.following, seat))

    def reveal_all(self) -> None:
        """And pledge for the deal after that, where there is one."""
        for seat in SEATS:
            self.contribute(seat, *self.on_the_way(seat))

    def on_the_way(self, seat: Seat) -> tuple[Contribution, ...]:
        return (reveal(self.following, seat), *(pledge(later, seat) for later in self.fair.rounds[1:]))

    def void(self) -> tuple[object, ...]:
        return self.do(VoidRound(self.following.deal, self.following.attempt, FRESH))

    def next_due(self) -> Due:
        return dues(self.state, {}, TIMING)[0]


def lobby(deals: int = 3) -> FairRoom:
    room = FairRoom()
    room.open(deals=deals, secrets=SECRETS).sit("Bea", "Cem", contributes=True)
    return room


def started(deals: int = 3) -> FairRoom:
    """All have pledged in the lobby."""
    room = lobby(deals)
    room.pledge_all()
    room.ask(0, Start)
    return room


def honestly_dealt(room: FairRoom) -> None:
    key = seed_of(room.state)
    room.do(DealCards(*fair.dealt(game_named(room.state.game).pack, key), key, bytes([room.state.deal + 3]) * 32))


def between_deals() -> FairRoom:
    room = started()
    room.reveal_all()
    honestly_dealt(room)
    room.play_out(Random(1))
    assert room.state.phase == "between"
    return room


def check(proof: Proof, parts: tuple[bytes, ...]) -> None:
    assert list(fair.faults(proof, voided=bool(proof.missing))) == []
    assert proof.parts == tuple(each.hex() for each in parts)


def test_a_room_shows_commitments_to_its_first_two_deals_and_no_secret() -> None:
    room = lobby()
    one, two = room.fair.rounds
    assert (one.deal, one.attempt, two.deal, two.attempt) == (1, 1, 2, 1)
    assert one.commitment == fair.commitment(CODE, 1, 1, SECRETS[0]).hex()
    assert two.commitment == fair.commitment(CODE, 2, 1, SECRETS[1]).hex()
    assert (one.pledges, one.closed, room.fair.proofs) == (("", "", ""), False, ())


def test_a_match_of_one_deal_has_one_round() -> None:
    assert len(lobby(deals=1).fair.rounds) == 1


def test_a_room_without_secrets_shows_nothing_and_deals_as_ever() -> None:
    room = DrivenRoom().open(fill="easy").deal()
    assert room.view(0).fair is None
    assert room.state.phase == "playing"


def test_pledges_show_at_once_and_stay_as_they_are() -> None:
    room = lobby()
    assert len(room.contribute(1, pledge(room.following, 1))) == 1
    shown = room.following.pledges
    assert shown[1]
    assert (shown[0], shown[2]) == ("", "")
    assert room.contribute(1, pledge(room.following, 2)) == ()
    assert room.following.pledges == shown


def test_what_no_round_waits_for_is_passed_over() -> None:
    room = lobby()
    other = Contribution(1, 2, pledge="0a" * 32)
    early = reveal(room.following, 0)
    assert room.contribute(0, other, early) == ()
    room.pledge_all()
    assert room.contribute(0, early) == ()


def test_only_the_connection_that_has_the_seat_contributes() -> None:
    room = lobby()
    stranger = ByClient(0, "somebody else", (pledge(room.following, 0),))
    assert room.refused(stranger).code is ErrorCode.NOT_SEATED


def test_who_leaves_the_lobby_takes_their_pledge_along() -> None:
    room = lobby()
    room.pledge_all()
    room.ask(0, Remove, seat=1)
    assert [bool(each) for each in room.following.pledges] == [True, False, True]
    room.ask(2, Leave)
    assert [bool(each) for each in room.following.pledges] == [True, False, False]


def test_once_all_have_pledged_nobody_may_pledge_and_parts_are_waited_for() -> None:
    room = started()
    assert room.state.phase == "dealing"
    assert room.following.closed
    assert room.next_due() == Due(room.now_ms + PATIENCE_MS, "void")
    assert room.do(DealCards((), 0, seed_of(room.state))) == ()
    room.reveal_all()
    assert room.next_due() == Due(room.now_ms, "deal")


def test_a_start_waits_for_pledges_that_are_on_their_way() -> None:
    room = lobby()
    room.contribute(0, pledge(room.following, 0))
    room.ask(0, Start)
    pledging = room.following
    assert not pledging.closed
    assert room.next_due().kind == "void"
    assert room.contribute(0, reveal(room.following, 0)) == ()
    for seat in (1, 2):
        room.now_ms += 1_000
        room.contribute(seat, pledge(room.following, seat))
    assert room.following.closed
    assert room.next_due() == Due(room.now_ms + PATIENCE_MS, "void")


def test_bots_and_players_who_contribute_nothing_are_not_waited_for() -> None:
    room = FairRoom()
    room.open(secrets=SECRETS).sit("Bea")
    room.contribute(0, pledge(room.following, 0))
    room.ask(0, Autopilot, on=True)
    room.ask(0, Start, fill="easy")
    assert room.following.closed
    assert room.following.pledges[1:] == ("", "")
    room.contribute(0, reveal(room.following, 0))
    assert room.next_due().kind == "deal"


@pytest.mark.parametrize("gone", ["away", "autopilot"])
def test_who_is_played_by_a_bot_is_not_waited_for_unless_they_have_pledged(gone: str) -> None:
    room = lobby()
    room.contribute(0, pledge(room.following, 0))
    room.contribute(2, pledge(room.following, 2))
    room.ask(0, Start)
    room.away(1) if gone == "away" else room.ask(1, Autopilot, on=True)
    assert room.following.closed
    assert room.contribute(1, pledge(room.following, 1)) == ()


def test_a_part_that_was_not_pledged_is_no_part() -> None:
    room = started()
    assert room.contribute(0, Contribution(1, 1, part="0a" * 32)) == ()
    assert room.contribute(1, reveal(room.following, 0)) == ()


def test_no_view_shows_a_part_or_a_secret_before_the_deal_is_over() -> None:
    room = started()
    room.contribute(0, *room.on_the_way(0))
    secrets = [part(0, 1), part(0, 2), *SECRETS]
    while room.state.phase != "between":
        views = msgspec.json.encode([room.view(viewer) for viewer in (*SEATS, None)])
        assert not any(secret.hex().encode() in views for secret in secrets)
        if room.state.phase == "playing":
            assert room.view(0).fair is None
            room.step(Random(1))
        else:
            room.reveal_all()
            honestly_dealt(room)
            secrets.append(bytes([3]) * 32)
    (proof,) = room.fair.proofs
    check(proof, tuple(part(seat, 1) for seat in SEATS))
    views = msgspec.json.encode([room.view(viewer) for viewer in (*SEATS, None)])
    assert [secret.hex().encode() in views for secret in secrets] == [True, False, True, False, False]


def test_the_deck_follows_from_the_secret_and_all_parts() -> None:
    room = between_deals()
    record = finished_deal(map(decode_commit, room.log), 1)
    assert record is not None
    assert record.fair == room.fair.proofs
    assert fair.deal_of(room.fair.proofs[0], game_named("chuo-pai").pack) == (record.deck, record.first)


def test_pledges_and_parts_ride_on_ready_so_that_the_next_deal_waits_for_nothing() -> None:
    room = between_deals()
    assert [(each.deal, each.closed) for each in room.fair.rounds] == [(2, True), (3, False)]
    for seat in SEATS:
        room.ask(seat, Ready, contributions=room.on_the_way(seat))
    assert room.next_due() == Due(room.now_ms, "deal")
    honestly_dealt(room)
    room.play_out(Random(2))
    check(room.fair.proofs[-1], tuple(part(seat, 2) for seat in SEATS))
    assert [(each.deal, each.closed) for each in room.fair.rounds] == [(3, True)]
    for seat in SEATS:
        room.ask(seat, Ready, contributions=room.on_the_way(seat))
    honestly_dealt(room)
    room.play_out(Random(3))
    assert room.state.phase == "over"
    assert room.fair.rounds == ()
    check(room.fair.proofs[-1], tuple(part(seat, 3) for seat in SEATS))
    assert replayed(room.log) == room.state


def test_a_missing_part_voids_the_round_in_time_says_whose_and_reveals_it() -> None:
    room = started()
    for seat in (0, 2):
        room.contribute(seat, *room.on_the_way(seat))
    room.now_ms += PATIENCE_MS - 1
    assert room.void() == ()
    room.now_ms += 1
    assert room.next_due() == Due(room.now_ms, "void")
    assert room.void() == (RoundVoided((1,)), RoundOpened(1, 2, FRESH, (1,)))
    assert room.happenings == (Happening("void", 1, value=1),)
    (voided,) = room.fair.proofs
    check(voided, (part(0, 1), b"", part(2, 1)))
    assert (voided.missing, room.fair.voids) == ((1,), (0, 1, 0))
    assert [(each.deal, each.attempt, each.without) for each in room.fair.rounds] == [(1, 2, (1,)), (2, 1, ())]


def test_the_round_is_done_anew_without_the_seat_and_the_next_one_with_it() -> None:
    room = started()
    for seat in (0, 2):
        room.contribute(seat, *room.on_the_way(seat))
    room.now_ms += PATIENCE_MS
    room.void()
    assert room.contribute(1, pledge(room.following, 1)) == ()
    for seat in (0, 2):
        room.contribute(seat, pledge(room.following, seat))
    assert room.following.closed
    assert room.contribute(1, pledge(room.fair.rounds[1], 1))
    for seat in (0, 2):
        room.contribute(seat, reveal(room.following, seat))
    honestly_dealt(room)
    room.play_out(Random(1))
    voided, dealt = room.fair.proofs
    check(dealt, (part(0, 1, 2), b"", part(2, 1, 2)))
    assert voided.missing == (1,)
    assert all(room.following.pledges)
    record = finished_deal(map(decode_commit, room.log), 1)
    assert record is not None
    assert record.fair == (voided, dealt)
    for seat in SEATS:
        room.ask(seat, Ready, contributions=room.on_the_way(seat))
    honestly_dealt(room)
    assert room.state.voided == ()
    assert room.state.voids == (0, 1, 0)


def test_the_voided_rounds_of_a_deal_that_is_over_are_shown_until_the_next_cards_are_dealt() -> None:
    room = started()
    for seat in (0, 2):
        room.contribute(seat, *room.on_the_way(seat))
    room.now_ms += PATIENCE_MS
    room.void()
    for give in (pledge, reveal):
        for seat in (0, 2):
            room.contribute(seat, give(room.following, seat))
    honestly_dealt(room)
    room.play_out(Random(1))
    for seat in SEATS:
        room.ask(seat, Ready)
    room.void()
    assert [(each.deal, each.attempt) for each in room.fair.proofs] == [(1, 1), (2, 1), (1, 2)]
    assert replayed(room.log) == room.state


def test_a_missing_pledge_voids_the_round_as_well() -> None:
    room = lobby()
    room.contribute(0, pledge(room.following, 0))
    room.ask(0, Start)
    room.now_ms += PATIENCE_MS
    assert room.void() == (RoundVoided((1, 2)), RoundOpened(1, 2, FRESH, (1, 2)))
    room.contribute(0, pledge(room.following, 0))
    room.contribute(0, reveal(room.following, 0))
    assert room.next_due().kind == "deal"


def test_nobody_waits_for_who_has_left_or_has_said_ready_without_a_part() -> None:
    for rude in (Leave, Ready):
        room = between_deals()
        for seat in (0, 2):
            room.ask(seat, Ready, contributions=room.on_the_way(seat))
        room.ask(1, rude)
        assert room.next_due() == Due(room.now_ms, "void")
        assert RoundVoided((1,)) in room.void()
        assert room.following.without == (1,)
        for seat in (0, 2):
            room.contribute(seat, pledge(room.following, seat))
        assert room.next_due() == Due(room.now_ms + PATIENCE_MS, "void")  # though both have said that they are ready


def test_who_is_away_is_not_waited_for_and_who_is_on_autopilot_is() -> None:
    room = between_deals()
    room.away(1)
    room.ask(2, Autopilot, on=True)
    room.ask(0, Ready, contributions=room.on_the_way(0))
    assert room.next_due().kind == "void"
    assert RoundVoided((1,)) in room.void()

    room = between_deals()
    room.ask(2, Autopilot, on=True)
    room.contribute(2, *room.on_the_way(2))
    for seat in (0, 1):
        room.ask(seat, Ready, contributions=room.on_the_way(seat))
    assert room.next_due().kind == "deal"


def test_who_could_not_answer_has_time_again() -> None:
    room = started()
    room.now_ms += PATIENCE_MS
    room.do(Regrant(room.now_ms - 1_500))
    assert room.void() == ()
    assert room.next_due() == Due(room.now_ms + PATIENCE_MS, "void")
    room.now_ms += PATIENCE_MS
    room.resume("Bea", woke=True)
    assert room.next_due() == Due(room.now_ms + PATIENCE_MS, "void")
    assert PATIENCE_MS >= WAKE_MS


def test_a_deal_costs_the_server_less_than_two_milliseconds() -> None:
    """All that it takes to make the cards together, six more entries of the log included."""
    deals, pack = 40, game_named("chuo-pai").pack
    began_s = time.process_time()
    for _ in range(deals):
        room = started(deals=1)
        room.reveal_all()
        fair.dealt(pack, seed_of(room.state))
    whole_s = time.process_time() - began_s
    began_s = time.process_time()
    for _ in range(deals):
        DrivenRoom().open().sit("Bea", "Cem").ask(0, Start)
    assert (whole_s - (time.process_time() - began_s)) / deals < 0.002


def test_a_repeat_of_what_was_contributed_changes_nothing() -> None:
    room = started()
    given = room.on_the_way(0)
    assert [type(event) for event in room.contribute(0, *given)] == [Contributed, Contributed]
    assert room.contribute(0, *given) == ()


def test_the_deal_of_another_seed_is_not_dealt() -> None:
    room = started()
    room.reveal_all()
    assert room.do(DealCards(*fair.dealt(game_named("chuo-pai").pack, b"?" * 32), b"?" * 32, FRESH)) == ()
