"""Deals of Chuo Pai played to their end as fast as plain integers and tables allow.

Plain functions over integers and tables, so that a compiler can take the file as it is. The rules are those of
`server.games.chuo_pai.game`: a test holds every step against them.

A hand is an integer of three bits to an identity. Adding `4 - copies` to each raises the third bit of every identity
that it has so often: one addition and one mask find all sets of a size that beat another. Some identities together
are such third bits, here `Tops`.
"""

from server.games.chuo_pai.cards import COMBINATIONS, FAMILIES, LANE, Hand, lanes
from server.games.chuo_pai.plays import COMBINATION, PLAYS

Tops = int
Number = int
"""Of a play, in the order of `PLAYS`."""

NOTHING: Number = -1

NUMBERS: dict[str, Number] = {action: number for number, action in enumerate(PLAYS)}

TAKEN: list[Hand] = [play.taken for play in PLAYS.values()]
SIZE: list[int] = [len(play.cards) for play in PLAYS.values()]
RANK: list[int] = [-play.rank if play.kind == COMBINATION else -1 for play in PLAYS.values()]
"""Of a combination, 0 the highest; -1 for a set."""

_NUMBERS: dict[Hand, Number] = {taken: number for number, taken in enumerate(TAKEN)}
_ONES: Hand = sum(1 << lane for lane in LANE.values())
_TOPS: Tops = _ONES << 2
_LIFT: list[Hand] = [(4 - copies) * _ONES for copies in range(5)]
"""For each size of a set."""

_TOP: dict[str, Tops] = {card: 4 << lane for card, lane in LANE.items()}
_LONG, _YAO, _BLACK, _RED = [sum(_TOP[card] for rank in family for card in rank) for family in FAMILIES]
_FAMILIES: list[Tops] = [_LONG, _YAO, _BLACK, _RED]
_PARTS: list[Hand] = [lanes((named, *matching)) for named, matching in COMBINATIONS]
_HEAVEN_NINE, _EARTH_EIGHT, _MAN_SEVEN, _HARMONY_FIVE = _PARTS

_SETS: list[dict[Tops, Number]] = [
    {} if not size else {top: _NUMBERS[size * (top >> 2)] for top in _TOP.values()} for size in range(5)
]
"""For each size and identity: the play."""
_ABOVE: list[Tops] = [0] * len(PLAYS)
"""For each set: the identities that beat it."""
_BELOW: dict[Tops, Tops] = {0: 0}
"""For some identities of one family: all that the highest of them beats."""
_UNDER: dict[Tops, Tops] = {}
"""For each identity: those that it beats."""
_LOWEST: dict[Tops, Tops] = {}
"""For some identities of one family: the lowest, or one of two lowest."""


def _fill_ranks() -> None:
    for family in FAMILIES:
        ranks = [sum(_TOP[card] for card in rank) for rank in family]
        tops = [_TOP[card] for rank in family for card in rank]
        place = {_TOP[card]: number for number, rank in enumerate(family) for card in rank}
        for top in tops:
            _UNDER[top] = sum(ranks[place[top] + 1 :])
            for size in range(1, 5):
                _ABOVE[_SETS[size][top]] = sum(ranks[: place[top]])
        for subset in range(1, 1 << len(tops)):
            chosen = [top for bit, top in enumerate(tops) if subset >> bit & 1]
            _LOWEST[sum(chosen)] = chosen[-1]
            _BELOW[sum(chosen)] = sum(ranks[place[chosen[0]] + 1 :])


_fill_ranks()

_LARGEST: list[dict[Hand, int]] = [{}, {}, {}, {}]
"""For each combination, by what a hand holds of its cards: its most cards, 0 for none."""
_CHOICE: list[dict[Hand, list[Number]]] = [{}, {}, {}, {}]
"""For each combination, by what a hand holds of its cards, and for each size: the play, or `NOTHING`."""


def _fill_combinations() -> None:
    for rank, (named, (one, other)) in enumerate(COMBINATIONS):
        units = [1 << LANE[card] for card in (named, one, other)]
        for holding in range(125):
            copies = [holding // 25, holding // 5 % 5, holding % 5]
            matching = copies[1] + copies[2]
            largest = copies[0] + matching if copies[0] and matching else 0
            choice = [NOTHING] * 13
            for size in range(2, largest + 1):
                of_named = max(1, size - matching)
                of_one = min(copies[1], size - of_named)
                taken = of_named * units[0] + of_one * units[1] + (size - of_named - of_one) * units[2]
                choice[size] = _NUMBERS[taken]
            part = sum(count * unit for count, unit in zip(copies, units, strict=True))
            _LARGEST[rank][part] = largest
            _CHOICE[rank][part] = choice


_fill_combinations()

_PARTNERS: list[Tops] = [sum(_TOP[card] for card in (named, *matching)) for named, matching in COMBINATIONS]

# What a lead is worth, on a scale of its own: found by hill climbing, each step measured on duplicate deals with open
# hands against the policy before it and against one fitted to self-play.
_SURE_COMBINATION: list[float] = [0, 0, 2.6, 4.4, 5, 5, 5, 5, 5, 5, 5, 5, 5]
"""By size."""
_FEW = 12
"""So many cards in other hands are few."""
_COST_BELOW = 1.6
"""For each identity in other hands that the lead beats: it could still take a round of them."""


def _beaten(others: Tops) -> Tops:
    """All identities that some of these beat."""
    return _BELOW[others & _LONG] | _BELOW[others & _YAO] | _BELOW[others & _BLACK] | _BELOW[others & _RED]


def _partners(hand: Hand) -> Tops:
    """The identities that the hand can combine."""
    partners = 0
    if _LARGEST[0][hand & _HEAVEN_NINE]:
        partners = _PARTNERS[0]
    if _LARGEST[1][hand & _EARTH_EIGHT]:
        partners |= _PARTNERS[1]
    if _LARGEST[2][hand & _MAN_SEVEN]:
        partners |= _PARTNERS[2]
    if _LARGEST[3][hand & _HARMONY_FIVE]:
        partners |= _PARTNERS[3]
    return partners


def answer(hand: Hand, highest: Number, following: Hand) -> Number:
    """The play with which `hand` beats the highest one; `NOTHING` where it cannot. `following`: who acts after it.

    One that holds the round, if there is one; then one that parts no copies; then one that no combination needs; then
    the lowest.
    """
    size = SIZE[highest]
    rank = RANK[highest]
    if rank >= 0:
        while rank > 0:
            rank -= 1
            number = _CHOICE[rank][hand & _PARTS[rank]][size]
            if number >= 0:
                return number
        return NOTHING
    above = _ABOVE[highest]
    beating = (hand + _LIFT[size]) & above
    if not beating:
        return NOTHING
    if beating & (beating - 1):
        if following:
            some = beating & ~_BELOW[(following + _LIFT[size]) & above]
            if some:
                beating = some
        if size < 4:
            some = beating & ~(hand + _LIFT[size + 1])
            if some:
                beating = some
        if beating & (beating - 1):
            some = beating & ~_partners(hand)
            if some:
                beating = some
    return _SETS[size][_LOWEST[beating]]


def _surest(x: Hand, y: Hand, z: Hand, max_combination: int) -> Number:
    """The largest lead that nobody beats; `NOTHING` where each is beaten."""
    best = NOTHING
    most = beaten = 0
    for rank in range(4):
        size = min(_LARGEST[rank][x & _PARTS[rank]], max_combination)
        if size > most and size > beaten:
            most = size
            best = _CHOICE[rank][x & _PARTS[rank]][size]
        beaten = max(beaten, _LARGEST[rank][y & _PARTS[rank]], _LARGEST[rank][z & _PARTS[rank]])
    copies = 4
    while copies > most:
        lift = _LIFT[copies]
        tops = (x + lift) & _TOPS
        if tops:
            tops &= ~_beaten(((y + lift) | (z + lift)) & _TOPS)
            if tops:
                return _SETS[copies][tops & -tops]
        copies -= 1
    return best


def lead(x: Hand, y: Hand, z: Hand, max_combination: int) -> Number:
    """The play with which `x` leads: the worst single cards first, then what nobody beats, then what may be lost.

    But once the others hold few cards, what nobody beats comes first: what is left when they run out counts nothing.
    """
    rest = y + z
    if (rest & _ONES).bit_count() + 2 * (rest & _ONES << 1).bit_count() + 4 * (rest & _ONES << 2).bit_count() <= _FEW:
        number = _surest(x, y, z, max_combination)
        if number >= 0:
            return number
    one = (x + _LIFT[1]) & _TOPS
    two = (x + _LIFT[2]) & _TOPS
    others = ((y + _LIFT[1]) | (z + _LIFT[1])) & _TOPS
    unbeaten = one & ~_beaten(others)
    partners = _partners(x)
    free = ~partners
    best = NOTHING
    most = -99.0
    # A single card that stands alone and can be beaten.
    some = one & ~two & ~unbeaten & free
    if some:
        for family in _FAMILIES:
            tops = some & family
            if tops:
                top = _LOWEST[tops]
                worth = 8.5 - _COST_BELOW * (_UNDER[top] & others).bit_count()
                if worth > most:
                    most = worth
                    best = _SETS[1][top]
        if most > 7.9:
            return best
    three = four = sure_two = sure_three = sure_four = 0
    if two:
        sure_two = two & ~_beaten(((y + _LIFT[2]) | (z + _LIFT[2])) & _TOPS)
        three = (x + _LIFT[3]) & _TOPS
        if three:
            sure_three = three & ~_beaten(((y + _LIFT[3]) | (z + _LIFT[3])) & _TOPS)
            four = (x + _LIFT[4]) & _TOPS
            if four:
                sure_four = four & ~_beaten(((y + _LIFT[4]) | (z + _LIFT[4])) & _TOPS)
    if partners:
        beaten = 0
        for rank in range(4):
            size = _LARGEST[rank][x & _PARTS[rank]]
            if size:
                size = min(size, max_combination)
                worth = _SURE_COMBINATION[size] if size > beaten else -3.5
                if worth > most:
                    most = worth
                    best = _CHOICE[rank][x & _PARTS[rank]][size]
            beaten = max(beaten, _LARGEST[rank][y & _PARTS[rank]], _LARGEST[rank][z & _PARTS[rank]])
    whole_one = one & ~two
    whole_two = two & ~three
    whole_three = three & ~four
    beatable = ~unbeaten
    for copies, candidates, base in (
        (4, sure_four & beatable & free, 8.6),
        (2, whole_two & sure_two & beatable & partners, 7.9),
        (4, sure_four & beatable & partners, 6.3),
        (3, whole_three & sure_three & beatable & free, 6.3),
        (1, whole_one & unbeaten & free, 3.4),
        (3, whole_three & sure_three & beatable & partners, 2.8),
        (2, whole_two & sure_two & beatable & free, 2.6),
        (3, whole_three & unbeaten & free, 2.4),
        (2, whole_two & unbeaten & free, 2.4),
        (2, sure_two & three, 1.9),
        (1, whole_one & beatable & partners, 1.3),
        (2, whole_two & unbeaten & partners, 0.7),
        (1, two & unbeaten, 0.5),
        (4, four & unbeaten, -0.3),
        (2, whole_two & ~sure_two, -0.6),
        (3, whole_three & unbeaten & partners, -0.7),
        (4, four & ~sure_four, -0.8),
        (1, whole_one & unbeaten & partners, -1.5),
        (3, whole_three & ~sure_three, -2.3),
        (1, one & beatable, -3.0),
    ):
        if base <= most:
            break
        tops = candidates
        while tops:
            top = tops & -tops
            tops -= top
            worth = base - _COST_BELOW * (_UNDER[top] & others).bit_count()
            if worth > most:
                most = worth
                best = _SETS[copies][top]
    return best


def played(x: Hand, y: Hand, z: Hand, max_combination: int) -> tuple[int, int, int]:
    """The cards that each seat still wins, from a round that `x` leads, or the next who holds cards."""
    won_x = won_y = won_z = turned = 0
    while (x and (y or z)) or (y and z):
        if not x:
            x, y, z, won_x, won_y, won_z = y, z, x, won_y, won_z, won_x
            turned += 1
            continue
        highest = lead(x, y, z, max_combination)
        x -= TAKEN[highest]
        owner = 0
        if y:
            number = answer(y, highest, z)
            if number >= 0:
                y -= TAKEN[number]
                highest = number
                owner = 1
        if z:
            number = answer(z, highest, 0)
            if number >= 0:
                z -= TAKEN[number]
                highest = number
                owner = 2
        if owner == 0:
            won_x += SIZE[highest]
        elif owner == 1:
            won_y += SIZE[highest]
            x, y, z, won_x, won_y, won_z = y, z, x, won_y, won_z, won_x
            turned += 1
        else:
            won_z += SIZE[highest]
            x, y, z, won_x, won_y, won_z = z, x, y, won_z, won_x, won_y
            turned += 2
    turned %= 3
    if turned == 0:
        return won_x, won_y, won_z
    if turned == 1:
        return won_z, won_x, won_y
    return won_y, won_z, won_x


def tried(x: Hand, y: Hand, z: Hand, highest: Number, followers: int, max_combination: int) -> tuple[int, int, int]:
    """As `played`, from a play of `x`, which so many seats clockwise from it may yet beat in this round."""
    x -= TAKEN[highest]
    owner = 0
    if followers:
        number = answer(y, highest, z if followers > 1 else 0)
        if number >= 0:
            y -= TAKEN[number]
            highest = number
            owner = 1
    if followers > 1:
        number = answer(z, highest, 0)
        if number >= 0:
            z -= TAKEN[number]
            highest = number
            owner = 2
    if owner == 0:
        won_x, won_y, won_z = played(x, y, z, max_combination)
        return won_x + SIZE[highest], won_y, won_z
    if owner == 1:
        won_y, won_z, won_x = played(y, z, x, max_combination)
        return won_x, won_y + SIZE[highest], won_z
    won_z, won_x, won_y = played(z, x, y, max_combination)
    return won_x, won_y, won_z + SIZE[highest]
