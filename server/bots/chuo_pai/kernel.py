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
_LOWEST: dict[Tops, Tops] = {}
"""For some identities of one family: the lowest, or one of two lowest."""


def _fill_ranks() -> None:
    for family in FAMILIES:
        ranks = [sum(_TOP[card] for card in rank) for rank in family]
        tops = [_TOP[card] for rank in family for card in rank]
        place = {_TOP[card]: number for number, rank in enumerate(family) for card in rank}
        for top in tops:
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

_JUNK: list[Tops] = sorted(_TOP.values(), key=lambda top: (-_ABOVE[_SETS[1][top]].bit_count(), top))


def answer(hand: Hand, highest: Number, following: Hand) -> Number:
    """The play with which `hand` beats the highest one; `NOTHING` where it cannot. `following`: who acts after it."""
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
    if following:
        left = beating & ~_BELOW[(following + _LIFT[size]) & above]
        if left:
            beating = left
    if size < 4:
        exact = beating & ~(hand + _LIFT[size + 1])
        if exact:
            beating = exact
    return _SETS[size][_LOWEST[beating]]


def lead(x: Hand, y: Hand, z: Hand, max_combination: int) -> Number:
    """The play with which `x` leads.

    The largest play that nobody beats and that spends no card which nobody beats alone; else the lowest card that
    somebody beats; else the largest play of all.
    """
    lift = _LIFT[1]
    held = (x + lift) & _TOPS
    others = ((y + lift) | (z + lift)) & _TOPS
    masters = held & ~(_BELOW[others & _LONG] | _BELOW[others & _YAO] | _BELOW[others & _BLACK] | _BELOW[others & _RED])
    if held == masters:
        size = min(_LARGEST[0][x & _HEAVEN_NINE], max_combination)
        if size > 1:
            return _CHOICE[0][x & _HEAVEN_NINE][size]
        copies = 4
        while copies > 1:
            held = masters & (x + _LIFT[copies])
            if held:
                return _SETS[copies][held & -held]
            copies -= 1
        return _SETS[1][masters & -masters]
    size = 0
    rank = 0
    earth = _LARGEST[1][x & _EARTH_EIGHT]
    man = _LARGEST[2][x & _MAN_SEVEN]
    harmony = _LARGEST[3][x & _HARMONY_FIVE]
    if earth or man or harmony:
        most = max(_LARGEST[0][y & _HEAVEN_NINE], _LARGEST[0][z & _HEAVEN_NINE])
        earth = min(earth, max_combination)
        if earth > most:
            size = earth
            rank = 1
        if man or harmony:
            most = max(most, _LARGEST[1][y & _EARTH_EIGHT], _LARGEST[1][z & _EARTH_EIGHT])
            man = min(man, max_combination)
            if man > most and man > size:
                size = man
                rank = 2
            if harmony:
                most = max(most, _LARGEST[2][y & _MAN_SEVEN], _LARGEST[2][z & _MAN_SEVEN])
                harmony = min(harmony, max_combination)
                if harmony > most and harmony > size:
                    size = harmony
                    rank = 3
    copies = 4
    while copies > size and copies > 1:
        lift = _LIFT[copies]
        held = (x + lift) & _TOPS & ~masters
        if held:
            others = ((y + lift) | (z + lift)) & _TOPS
            if others:
                held &= ~(
                    _BELOW[others & _LONG] | _BELOW[others & _YAO] | _BELOW[others & _BLACK] | _BELOW[others & _RED]
                )
            if held:
                return _SETS[copies][held & -held]
        copies -= 1
    if size:
        return _CHOICE[rank][x & _PARTS[rank]][size]
    held = (x + _LIFT[1]) & _TOPS & ~masters
    alone = held & ~(x + _LIFT[2])
    if alone:
        held = alone
    for top in _JUNK:
        if held & top:
            return _SETS[1][top]
    return NOTHING


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
