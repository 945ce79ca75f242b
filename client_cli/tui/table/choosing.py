"""How a person comes to an answer: the cursor, the picked cards, numbers, Enter. Pure; answers are typed lines."""

from collections import Counter
from typing import NamedTuple

from client_cli.tui.table.choices import MOST_BY_KEY, Choice, choices
from client_cli.tui.table.hand import Spread
from client_cli.tui.table.picking import Offer, Picks, picks
from client_cli.tui.table.sight import Sight
from protocol.notation import Action, Card


class Stack(NamedTuple):
    """Identical cards that lie together, by the places of the first and the last one."""

    card: Card
    first: int
    last: int


def stacks(laid: Spread) -> list[Stack]:
    found: list[Stack] = []
    for place, card in enumerate(laid.cards):
        if found and found[-1].card == card and found[-1].last == place - 1:
            found[-1] = found[-1]._replace(last=place)
        else:
            found.append(Stack(card, place, place))
    return found


class Choosing:
    """What the person is about to answer. `confirm`: Enter must be pressed once more before anything is sent."""

    def __init__(self, *, confirm: bool = False) -> None:
        self.confirm = confirm
        self.armed: Action | None = None
        self._sight: Sight | None = None
        self.asked_id: int | None = None
        self._picked: Counter[Card] = Counter()
        self._cursor: Card | None = None
        self._offered: tuple[Offer, ...] = ()

    def look(self, sight: Sight) -> None:
        """Another view. Picks last as long as the question."""
        prompt_id = None if sight.prompt is None or sight.sent else sight.prompt.id
        if prompt_id != self.asked_id:
            self.asked_id, self._picked, self.armed = prompt_id, Counter(), None
        self._sight = sight
        self._offered = sight.offered if prompt_id is not None else ()

    @property
    def now(self) -> Picks:
        return picks(self._offered, self._picked)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered with the picked cards; nothing while nothing is asked."""
        return choices(self._sight, self.now) if self._sight is not None and self._offered else ()

    @property
    def asked(self) -> bool:
        return bool(self._offered)

    def cursor(self, laid: Spread) -> int | None:
        """The place of the card under the cursor; None while nothing is asked."""
        stack = self._stack(laid)
        return None if stack is None else stack.last

    def _stack(self, laid: Spread) -> Stack | None:
        if not self._offered:
            return None
        all_stacks = stacks(laid)
        bright = [stack for stack in all_stacks if self.now.bright[stack.card]]
        under = [stack for stack in all_stacks if stack.card == self._cursor]
        return next(iter(under or bright or all_stacks), None)

    def move(self, laid: Spread, across: int, down: int) -> None:
        """To the next card that can be picked in this direction, if there is one."""
        here = self._stack(laid)
        if here is None:
            return
        self.armed = None
        bright = [stack for stack in stacks(laid) if self.now.bright[stack.card]]
        spot = laid.spots[here.last]
        if across:
            following = [stack for stack in bright if (stack.last - here.last) * across > 0]
            target = (following[0] if across > 0 else following[-1]) if following else None
        else:
            lines = [stack for stack in bright if (laid.spots[stack.last].line - spot.line) * down > 0]
            target = min(
                lines,
                key=lambda stack: (
                    abs(laid.spots[stack.last].line - spot.line),
                    abs(laid.spots[stack.last].x - spot.x),
                ),
                default=None,
            )
        if target is not None:
            self._cursor = target.card

    def pick_under_cursor(self, laid: Spread) -> None:
        """One more copy of the card; after the last one that can be picked, none."""
        stack = self._stack(laid)
        if stack is None:
            return
        self.armed, self._cursor = None, stack.card
        now = self.now
        if now.picked[stack.card] >= now.bright[stack.card]:
            self._picked = now.picked.copy()
            del self._picked[stack.card]
        else:
            self._picked = now.toggled(stack.card, is_picked=False)

    def click(self, laid: Spread, place: int, *, is_picked: bool) -> None:
        """A card that lies at `place`: picked, or put back."""
        if not self._offered:
            return
        self.armed, self._cursor = None, laid.cards[place]
        self._picked = self.now.toggled(laid.cards[place], is_picked=is_picked)

    def beyond(self, laid: Spread, place: int, *, is_picked: bool) -> tuple[Card, ...]:
        """The picked cards with one more at `place`, where these lead to no offer; else none."""
        now, card = self.now, laid.cards[place]
        if not self._offered or is_picked or now.picked[card] < now.bright[card]:
            return ()
        return (*now.picked.elements(), card)

    def suggest(self, prompt_id: int, action: Action) -> None:
        """Pick the cards of an action, if that question still stands."""
        offer = next((offer for offer in self._offered if offer.action == action), None)
        if offer is not None and prompt_id == self.asked_id:
            self._picked, self.armed = offer.needs.copy(), None

    def clear(self) -> bool:
        """Put all cards back. False if there was nothing to put back."""
        had = bool(self._picked) or self.armed is not None
        self._picked, self.armed = Counter(), None
        return had

    def by_number(self, number: int) -> Action | None:
        """The action to send for a choice, by its number in the whole question."""
        if not 1 <= number <= len(self._offered):
            return None
        return self._sent(self._offered[number - 1].action)

    @property
    def numbers_are_keys(self) -> bool:
        """Is each choice one digit?"""
        return 0 < len(self._offered) <= MOST_BY_KEY

    def enter(self) -> Action | None:
        """The action that the picked cards mean, if it is one; or the one that waits to be confirmed."""
        meant = self.now.meant
        return None if meant is None else self._sent(meant.action)

    def _sent(self, action: Action) -> Action | None:
        if self.confirm and self.armed != action:
            self.armed = action
            return None
        self.armed = None
        return action
