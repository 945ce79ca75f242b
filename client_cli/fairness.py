"""This client's part in the cards of each deal, and whether they came about as they must; see `protocol.fair`. Pure.

It draws a part for each deal, remembers what it was shown before it gave that away, and holds what the server reveals
after the deal against it.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from client_cli.fair_sight import DEALINGS, Sight
from protocol import fair
from protocol.messages import Contribution, Table
from protocol.record import BadRecord, read
from protocol.view import Proof, Round, SeatView, TableView

Wrong = Literal["proof", "commitment", "left_out", "pledges", "reused", "cards", "no_proof"]
"""What a server was caught at: what it reveals does not fit together; its commitment is another one than it had shown;
the own part is not in it; the pledges are others than it had shown; it has used a secret twice; the cards are not
those that follow; it reveals nothing.
"""

ROUNDS_KEPT = 8
MOST_CODE = 16

Key = tuple[int, int]
"""Deal and attempt."""


class KeptRound(msgspec.Struct, frozen=True):
    """What this client has drawn for a round and was shown of it. `pledges`: when the own part was revealed.

    `shown`: the server had shown the own pledge.
    """

    deal: int
    attempt: int
    commitment: str
    part: str
    shown: bool = False
    pledges: tuple[str, str, str] | None = None


class Verdict(NamedTuple):
    """Of a deal that is over, or of a voided round where something is wrong. `own`: this client's part is in it."""

    deal: int
    own: bool
    wrong: tuple[Wrong, ...]


class Unshown(NamedTuple):
    """The server shows nothing that the cards of this room could be checked by. `offered`: though it says that it does.

    It proves nothing against a server: one that is too old shows nothing, and so does one of now in an older room.
    """

    offered: bool


class Fairness:
    """Of one sitting. `kept`: from an earlier one at the same seat. `draw`: that many random bytes."""

    def __init__(self, kept: Iterable[KeptRound] = (), *, draw: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self.verdict: Verdict | None = None
        """The newest, or the first that was bad."""

        self.offered = False
        """A server has said that deals can be contributed to."""

        self._news: list[Verdict | Unshown] = []
        self._kept = {(round_.deal, round_.attempt): round_ for round_ in kept}
        self._draw = draw
        self._sent: set[Contribution] = set()
        self._shown: dict[Key, str] = {}  # commitments, whether or not we add anything
        self._secrets: dict[str, Key] = {}
        self._checked: dict[Key, Proof | None] = {}  # None: none came in time
        self._sight = Sight()
        self._deal = 0
        self._doubtful: set[Key] = set()
        self._unshown = False

    @property
    def kept(self) -> tuple[KeptRound, ...]:
        """What must not be lost before the rounds are over."""
        return tuple(self._kept.values())

    def opened(self) -> None:
        """A connection stands: whatever was sent before may be lost."""
        self._sent.clear()

    def reset(self) -> None:
        """The store has lost its newest entries: rounds that this client was shown may be made anew."""
        self._sent.clear()
        self._shown.clear()
        self._checked.clear()
        self._secrets.clear()
        self._sight = Sight()
        self._doubtful = set(self._kept)

    def news(self) -> Sequence[Verdict | Unshown]:
        """Since this was asked last. `Unshown` comes once."""
        news, self._news = self._news, []
        return news

    def received(self, table: Table, seat: int | None) -> Sequence[Contribution]:
        """Take in a view; what is to be sent for it by itself."""
        view = table.view
        if len(view.room.code) > MOST_CODE:
            return ()
        if view.room.deal != self._deal:
            self._deal, self._sight = view.room.deal, Sight()
        if view.deal is not None and view.room.phase != "dealing":
            self._sight.see(view, table.happened, seat)
        if view.fair is not None:
            for round_ in view.fair.rounds:
                self._note(view.room.code, round_, seat)
        self._check(view, seat)
        if seat is None or (view.room.phase == "between" and _will_say_ready(view.seats[seat])):
            return ()
        return self.due(view, seat)

    def due(self, view: TableView, seat: int) -> Sequence[Contribution]:
        """What the rounds want of this client and has not been sent: as if it is sent now."""
        if view.fair is None or view.room.phase == "over":
            return ()
        wanted = [
            given
            for first, round_ in enumerate(view.fair.rounds)
            if (given := self._given(view.room.code, round_, seat, is_next=not first)) is not None
        ]
        unsent = [given for given in wanted if given not in self._sent]
        self._sent.update(unsent)
        return unsent

    def differs(self, deal: int, line: str) -> bool:
        """Has the record of a deal another proof than this client was shown, or none? What it has not seen fits."""
        try:
            record = read(line)
            found = () if record.fair is UNSET else record.fair
        except BadRecord:
            found = ()
        saved = {(proof.deal, proof.attempt): proof for proof in found}
        shown = {key: commitment for key, commitment in self._shown.items() if key[0] == deal}
        checked = {key: proof for key, proof in self._checked.items() if key[0] == deal}
        over = any(proof is None or not proof.missing for proof in checked.values())  # then it has seen all of them
        return (
            any(key not in saved or saved[key].commitment != commitment for key, commitment in shown.items())
            or any(saved.get(key) != proof for key, proof in checked.items())
            or (over and len(found) != len(checked))
        )

    def _note(self, room: str, round_: Round, seat: int | None) -> None:
        key = round_.deal, round_.attempt
        self._shown.setdefault(key, round_.commitment)
        self._forget_lost(key, round_.commitment, round_.pledges)
        kept = self._kept.get(key)
        if kept is not None and seat is not None and round_.pledges[seat] == _pledge(room, kept, seat):
            self._kept[key] = replace(kept, shown=True)

    def _forget_lost(self, key: Key, commitment: str, pledges: tuple[str, str, str]) -> None:
        """What was lost with entries of a store proves nothing against what stands in its place."""
        kept = self._kept.get(key)
        if kept is not None and key in self._doubtful:
            if commitment != kept.commitment or kept.pledges not in (None, pledges):
                del self._kept[key]
            else:
                self._kept[key] = replace(kept, shown=False)

    def _given(self, room: str, round_: Round, seat: int, *, is_next: bool) -> Contribution | None:
        key = round_.deal, round_.attempt
        kept, pledged = self._kept.get(key), round_.pledges[seat]
        if not pledged and not round_.closed and seat not in round_.without:
            if kept is None or kept.commitment != round_.commitment:
                # A store that has lost entries makes the round anew; what was drawn for the old one is spent.
                kept = KeptRound(*key, round_.commitment, self._draw(fair.BYTES).hex())
                self._keep(key, kept)
            return Contribution(*key, pledge=_pledge(room, kept, seat))
        if is_next and round_.closed and kept is not None and kept.commitment == round_.commitment:
            if pledged != _pledge(room, kept, seat):
                return None
            if kept.pledges is None:
                kept = self._kept[key] = replace(kept, pledges=round_.pledges)
            # Others have changed their pledges since: they may know what we have given away.
            return Contribution(*key, part=kept.part) if kept.pledges == round_.pledges else None
        return None

    def _keep(self, key: Key, kept: KeptRound) -> None:
        self._kept[key] = kept
        self._shown[key] = kept.commitment
        while len(self._kept) > ROUNDS_KEPT:
            del self._kept[next(iter(self._kept))]

    # Afterwards

    def _check(self, view: TableView, seat: int | None) -> None:
        proofs = view.fair.proofs if view.fair is not None else ()
        for proof in proofs:
            key = proof.deal, proof.attempt
            if key not in self._checked:
                self._checked[key] = proof
                self._judge(view, seat, proof)
            elif self._checked[key] not in (None, proof):  # one of them would pass unjudged
                self._checked[key] = None
                self._say(Verdict(proof.deal, key in self._kept, ("proof",)))
        deal = view.room.deal
        if view.result is None:
            return
        # Each round that was shown ends in the deal or in nothing. One that is passed over may have been the better.
        for key in [key for key in self._shown if key[0] == deal and key not in self._checked]:
            self._checked[key] = None
            self._say(Verdict(deal, key in self._kept, ("no_proof",)))
        if all(proof is not None and proof.missing for key, proof in self._checked.items() if key[0] == deal):
            self._miss(deal)

    def _miss(self, deal: int) -> None:
        """The deal is over, and no round is shown that its cards could have followed from."""
        if self._shown or self._checked:  # in a room with rounds there is one
            self._checked[deal, 0] = None
            self._say(Verdict(deal, own=False, wrong=("no_proof",)))
        elif not self._unshown:
            self._unshown = True
            self._news.append(Unshown(self.offered))

    def _judge(self, view: TableView, seat: int | None, proof: Proof) -> None:
        key = proof.deal, proof.attempt
        self._forget_lost(key, proof.commitment, proof.pledges)
        kept = self._kept.pop(key, None)
        own = kept is not None and seat is not None and proof.parts[seat] == kept.part
        wrong: list[Wrong] = []
        if list(fair.faults(proof, voided=bool(proof.missing))):
            wrong.append("proof")
        if self._shown.get(key, proof.commitment) != proof.commitment or proof.room != view.room.code:
            wrong.append("commitment")
        if kept is not None and seat is not None:
            wrong += _of_own(view.room.code, kept, seat, proof)
        if self._secrets.setdefault(proof.secret, key) != key:
            wrong.append("reused")
        pack = fair.pack_of(view.room.game)
        if not (wrong or proof.missing or pack is None) and proof.deal == view.room.deal:
            deck, first = fair.deal_of(proof, pack)
            if view.room.game in DEALINGS and not self._sight.agrees(view, seat, deck, first):
                wrong.append("cards")
        if wrong or not proof.missing:
            self._say(Verdict(proof.deal, own, tuple(wrong)))

    def _say(self, verdict: Verdict) -> None:
        if self.verdict is None or not self.verdict.wrong:
            self.verdict = verdict
        self._news.append(verdict)


def _will_say_ready(own: SeatView) -> bool:
    """Then what is due rides on that."""
    return not (own.ready or own.away or own.autopilot)


def _pledge(room: str, kept: KeptRound, seat: int) -> str:
    committed, part = bytes.fromhex(kept.commitment), bytes.fromhex(kept.part)
    return fair.pledge(room, kept.deal, kept.attempt, seat, committed, part).hex()


def _of_own(room: str, kept: KeptRound, seat: int, proof: Proof) -> list[Wrong]:
    wrong: list[Wrong] = []
    if kept.commitment != proof.commitment:
        wrong.append("commitment")
    is_in = proof.pledges[seat] == _pledge(room, kept, seat)
    given = kept.pledges is not None and not proof.missing
    if (kept.shown and not is_in) or (given and proof.parts[seat] != kept.part):
        wrong.append("left_out")
    if kept.pledges is not None and kept.pledges != proof.pledges:
        wrong.append("pledges")
    return wrong
