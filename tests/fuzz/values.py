"""Values for the fields of messages, read off their types: within bounds, one past them, and of no such type.

What a type allows comes from `msgspec.inspect`, so a new message or field is tried as soon as it exists.
"""

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec
from msgspec import inspect

MARK = "qzjxkv"
"""Stands in most texts that are sent. No program of ours says it by itself: where it turns up, a client has spoken."""

HOSTILE = (
    "\x1b]52;c;AA\x07",
    "\x9b2J",
    "\r\n",
    "\u202e",
    "\u200b",
    "z\u0300\u0301\u0302\u0303",
    "\x00",
    "\x7f",
    "[red]",
    "%s%n{0}",
    "张三",
    "👨‍👩‍👧",
    "\ue000",
    "\U000e0001",
    "\ufdd0",
    " ",
    '"\\',
)
"""Pieces of text that do harm where they are shown raw, or are easily miscounted."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = (LETTERS, f"{LETTERS.upper()}{LETTERS}0123456789_-", "0123456789", "0123456789abcdef", "23456789ABCDEFGH")

MOST = 2**63 - 1
LONGEST = 400
"""Characters of a text without a bound, and four times as many items as a collection without one has."""

Known = Mapping[str, Callable[[Random], Any]]
"""Values by the name of their field that mean something to who reads them: codes of rooms, numbers, cards."""


class NothingFits(LookupError):
    """No value of a type was found: `ALPHABETS` has nothing that a new pattern matches."""


def fitting(of: inspect.Type, rng: Random, known: Known | None = None, name: str = "") -> Any:
    """A value that the type allows, often at a bound; of a struct, and of `name`, often one that is `known`.

    Raises `NothingFits`.
    """
    if known and name in known and rng.random() < 0.7:
        return known[name](rng)
    match of:
        case inspect.UnionType(types=types):
            return fitting(rng.choice(types), rng, known)
        case inspect.NoneType():
            return None
        case inspect.BoolType():
            return rng.random() < 0.5
        case inspect.IntType() | inspect.FloatType():
            least, most = _bounds(of)
            return rng.choice((least, most, min(most, least + 1), rng.randint(least, most)))
        case inspect.LiteralType(values=values):
            return rng.choice(values)
        case inspect.StrType(pattern=str(pattern)):
            return _matching(of, pattern, rng)
        case inspect.StrType():
            least, most = _lengths(of, LONGEST)
            return text(rng, rng.choice((least, most, rng.randint(least, most))))
        case inspect.BytesType():
            least, most = _lengths(of, LONGEST)
            return rng.randbytes(rng.choice((least, most)))
        case inspect.DictType(key_type=key, value_type=value):
            least, most = _lengths(of, 4)
            wanted = rng.choice((least, most, rng.randint(least, most)))
            return {f"{fitting(key, rng)[:-2]}{number:02}": fitting(value, rng) for number in range(wanted)}
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            least, most = _lengths(of, 4)
            return [fitting(item, rng, known) for _ in range(rng.choice((least, most)))]
        case inspect.TupleType(item_types=items):
            return [fitting(item, rng, known) for item in items]
        case inspect.StructType(fields=fields):
            return {field.encode_name: fitting(field.type, rng, known, field.name) for field in fields}
    raise TypeError(f"a message has a field of {of}, which is not tried yet")


def past_a_bound(of: inspect.Type, rng: Random) -> list[Any]:
    """Values of the right kind just outside of what is allowed; none for a type without bounds."""
    outside: list[Any] = []
    match of:
        case inspect.UnionType(types=types):
            outside += [value for each in types for value in past_a_bound(each, rng)]
        case inspect.IntType() | inspect.FloatType():
            least, most = _bounds(of)
            outside += [least - 1, most + 1] if most < MOST else []
        case inspect.LiteralType(values=values):
            some = str(rng.choice(values))
            outside += [f"{some} ", some[:-1], some.upper() + MARK, ""]
        case inspect.StrType():
            outside += [text(rng, length) for length in _wrong_lengths(of)]
            if of.pattern is not None:
                outside += [f"{fitting(of, rng)[:-1]}{wrong}" for wrong in ("\n", "é", " ")]
        case inspect.BytesType():
            outside += [rng.randbytes(length) for length in _wrong_lengths(of)]
        case inspect.DictType(key_type=key, value_type=value):
            outside += [{wrong: fitting(value, rng)} for wrong in past_a_bound(key, rng)]
            outside += [{"a": wrong} for wrong in past_a_bound(value, rng)]
            outside += [{f"{n}": fitting(value, rng) for n in range(length)} for length in _wrong_lengths(of)]
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            outside += [[wrong] for wrong in past_a_bound(item, rng)]
            outside += [[fitting(item, rng)] * length for length in _wrong_lengths(of)]
        case inspect.StructType(fields=fields):
            inside = fitting(of, rng)
            outside += [inside | {field.encode_name: w} for field in fields for w in past_a_bound(field.type, rng)]
    return outside


def of_no_such_type(rng: Random, *, packed: bool) -> Any:
    """Anything that some field may not be. `packed`: for msgpack, which says more, and has other ways to be wrong."""
    plain: tuple[Any, ...] = (
        None,
        True,
        -1,
        0,
        1.5,
        2**53,
        2**64 - 1,
        -(2**63),
        "",
        "1",
        MARK,
        [],
        [[]],
        {},
        {"type": MARK},
        [1, {"a": [None]}],
        {MARK: {MARK: MARK}},
    )
    return rng.choice((*plain, *(PACKED if packed else WRITTEN)))


PACKED = (
    b"",
    MARK.encode(),
    float("nan"),
    float("inf"),
    msgspec.msgpack.Ext(5, b"x" * 8),
    msgspec.msgpack.Ext(-1, bytes(4)),
    msgspec.msgpack.Ext(-1, b"\xff" * 12),
    *map(
        msgspec.Raw,
        (
            b"\xa2\xff\xfe",  # no UTF-8
            b"\xa3\xed\xa0\x80",  # half of a pair
            b"\xc1",  # no type at all
            b"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x01",
            b"\xd9\x00",  # text of no length, at length
            b"\xdb\xff\xff\xff\xff",  # 4 GB of text
            b"\xc6\xff\xff\xff\xff",
            b"\xdd\xff\xff\xff\xff",
            b"\xdf\xff\xff\xff\xff",
            b"\xc9\xff\xff\xff\xff\x01",
            b"\xce\x00\x00\x00\x01",  # 1, at length
            b"\xcf\x80\x00\x00\x00\x00\x00\x00\x00",
            b"\x81\xc0\x01",  # a map whose key is null
            b"\x81\x90\x01",  # or a list
        ),
    ),
)

WRITTEN = tuple(
    map(
        msgspec.Raw,
        (
            b"NaN",
            b"-Infinity",
            b"1e400",
            b"-0",
            b"1.0",
            b"1e2",
            b"01",
            b"9" * 400,
            b"-" + b"9" * 400,
            b"0." + b"0" * 300 + b"1",
            b'"\\ud800"',
            b'"\\udc00\\ud800"',
            b'"\\u0000"',
            b'"\\x41"',
            b'"\t"',
            b"'x'",
            b"tru",
            b"nulL",
            b"/**/1",
            b'{"a":1,"a":2}',
            b"[1,]",
            b"undefined",
        ),
    )
)


def text(rng: Random, length: int) -> str:
    """So many characters, most of them harmless."""
    made = MARK if rng.random() < 0.8 else ""
    while len(made) < length:
        made += rng.choice(HOSTILE) if rng.random() < 0.2 else rng.choice(LETTERS) * rng.randint(1, 40)
    return made[:length]


def _bounds(of: inspect.IntType | inspect.FloatType) -> tuple[int, int]:
    least = of.ge if of.ge is not None else -MOST - 1 if of.gt is None else of.gt + 1
    most = of.le if of.le is not None else MOST if of.lt is None else of.lt - 1
    return int(least), int(most)


def _lengths(of: Any, unbounded: int) -> tuple[int, int]:
    return of.min_length or 0, unbounded if of.max_length is None else of.max_length


def _wrong_lengths(of: Any) -> list[int]:
    """One less than the least, one more than the most, where there are such."""
    too_short = [of.min_length - 1] if of.min_length else []
    return too_short if of.max_length is None else [*too_short, of.max_length + 1]


def _matching(of: inspect.StrType, pattern: str, rng: Random) -> str:
    least, most = _lengths(of, LONGEST)
    length = rng.choice((least, most, rng.randint(least, most)))
    for alphabet in ALPHABETS:
        made = "".join(rng.choices(alphabet, k=length))
        if re.search(pattern, made):
            return made
    raise NothingFits(f"no text of {length} characters was found for {pattern}")
