"""What a client may send, field by field. Every bound is tried on both sides."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import SUBPROTOCOLS, Malformed, server_codec
from protocol.messages import (
    EMOTES,
    MAX_DEALS,
    MAX_FRAME_BYTES,
    MAX_NAME_CHARACTERS,
    MAX_SAY_CHARACTERS,
    MAX_WHY_CHARACTERS,
    ClientMessage,
)
from protocol.view import MAX_INTEGER

SMALLEST: dict[str, dict[str, Any]] = {
    "hello": {"name": "Ann"},
    "create": {"game": "chuo-pai"},
    "join": {"code": "ABCD2345"},
    "watch": {"code": "ABCD2345"},
    "list_rooms": {},
    "fill": {"n": 1},
    "remove": {"n": 1, "seat": 0},
    "start": {"n": 1},
    "act": {"n": 1, "prompt": 1, "action": "pass"},
    "ready": {"n": 1},
    "contribute": {"contributions": [{"deal": 1, "attempt": 1}]},
    "autopilot": {"n": 1, "on": True},
    "auto_pass": {"n": 1, "on": True},
    "leave": {"n": 1},
    "export": {"deal": 1},
    "say": {"text": "hi"},
    "emote": {"kind": "hello"},
    "ask_hint": {"prompt": 1},
    "why": {"prompt": 0, "text": "66"},
}

COMMANDS = [kind for kind, fields in SMALLEST.items() if "n" in fields]

TWICE = [{"deal": MAX_DEALS, "attempt": 1000, "pledge": "0f" * 32}] * 2

LARGEST: list[tuple[str, str, Any]] = [
    ("ready", "contributions", TWICE),
    ("contribute", "contributions", TWICE),
    ("hello", "name", "x" * MAX_NAME_CHARACTERS),
    ("hello", "ticket", "x" * 64),
    ("create", "game", "x" * 32),
    ("create", "options", {f"{number:032}": -1000 for number in range(16)}),
    ("create", "deals", MAX_DEALS),
    ("join", "code", "x" * 16),
    *(("join", "secret", secret) for secret in ("Az09_-" * 4, "x" * 22, "x" * 43)),
    ("watch", "code", "x" * 16),
    ("export", "deal", MAX_DEALS),
    ("fill", "seat", 2),
    ("remove", "seat", 2),
    ("act", "prompt", MAX_INTEGER),
    ("act", "action", "x" * 200),
    ("say", "text", "字" * MAX_SAY_CHARACTERS),
    *(("emote", "kind", kind) for kind in EMOTES),
    ("ask_hint", "prompt", MAX_INTEGER),
    ("why", "prompt", MAX_INTEGER),
    ("why", "text", "字" * MAX_WHY_CHARACTERS),
    *((kind, "n", MAX_INTEGER) for kind in COMMANDS),
]

OUT_OF_BOUNDS: list[tuple[str, str, Any]] = [
    *(
        (kind, "contributions", wrong)
        for kind in ("ready", "contribute")
        for wrong in (
            [*TWICE, TWICE[0]],
            [{"deal": 0, "attempt": 1}],
            [{"deal": MAX_DEALS + 1, "attempt": 1}],
            [{"deal": 1, "attempt": 1001}],
            [{"deal": 1, "attempt": 0}],
            [{"deal": 1, "attempt": 1, "part": "0f" * 31}],
            [{"deal": 1, "attempt": 1, "part": "0F" * 32}],
            [{"deal": 1, "attempt": 1, "pledge": "0f" * 32 + "\n"}],
            [{"deal": 1, "attempt": 1, "secret": "0f" * 32}],
        )
    ),
    ("hello", "name", "x" * (MAX_NAME_CHARACTERS + 1)),
    ("hello", "ticket", ""),
    ("hello", "ticket", "x" * 65),
    ("create", "game", "x" * 33),
    ("create", "options", {str(number): 1 for number in range(17)}),
    ("create", "options", {"x" * 33: 1}),
    ("create", "options", {"max_combination": 1001}),
    ("create", "options", {"max_combination": -1001}),
    ("create", "deals", 0),
    ("create", "deals", MAX_DEALS + 1),
    ("create", "pace", "leisurely"),
    ("create", "fill", "godlike"),
    ("join", "code", ""),
    ("join", "code", "x" * 17),
    *(("join", "secret", wrong) for wrong in ("x" * 21, "x" * 44, "x" * 22 + "\n", "\n" + "x" * 22, "x" * 21 + "é")),
    ("watch", "code", ""),
    ("watch", "code", "x" * 17),
    ("export", "deal", 0),
    ("export", "deal", MAX_DEALS + 1),
    ("fill", "seat", -1),
    ("fill", "seat", 3),
    ("fill", "level", ""),
    ("remove", "seat", 3),
    ("act", "prompt", -1),
    ("act", "prompt", MAX_INTEGER + 1),
    ("act", "action", "x" * 201),
    ("say", "text", "x" * (MAX_SAY_CHARACTERS + 1)),
    ("emote", "kind", "Hello"),
    ("emote", "kind", "wave"),
    ("ask_hint", "prompt", -1),
    ("ask_hint", "prompt", MAX_INTEGER + 1),
    ("why", "prompt", -1),
    ("why", "text", "x" * (MAX_WHY_CHARACTERS + 1)),
    *((kind, "n", 0) for kind in COMMANDS),
    *((kind, "n", -1) for kind in COMMANDS),
    *((kind, "n", MAX_INTEGER + 1) for kind in COMMANDS),
    *((kind, "n", 2**64 - 1) for kind in COMMANDS),
]

WRONG_TYPES: list[tuple[str, str, Any]] = [
    *((kind, field, None) for kind, fields in SMALLEST.items() for field in fields),
    *((kind, field, []) for kind, fields in SMALLEST.items() for field in fields if field != "contributions"),
    ("contribute", "contributions", ["deal"]),
    *((kind, field, {"a": {}}) for kind, fields in SMALLEST.items() for field in fields),
    *((kind, "n", wrong) for kind in COMMANDS for wrong in ("1", True, 1.5)),
    ("autopilot", "on", 1),
    ("autopilot", "on", "true"),
    ("create", "options", [["max_combination", 4]]),
    ("create", "options", {"max_combination": "4"}),
    ("create", "options", {"max_combination": None}),
    ("create", "options", {"max_combination": {"a": 1}}),
    ("create", "options", {"max_combination": 4.5}),
    ("create", "listed", "yes"),
    ("say", "text", 5),
    ("hello", "name", True),
]


NUMBERS = st.integers(1, 10) | st.integers(-(2**63), 2**64 - 1)
OTHER_NUMBERS = {"prompt": NUMBERS, "seat": NUMBERS}


def decoded(subprotocol: str, kind: str, fields: Mapping[str, Any]) -> ClientMessage:
    codec = server_codec(subprotocol)
    message = {"type": kind, **fields}
    return codec.decode(msgspec.json.encode(message).decode() if codec.text else msgspec.msgpack.encode(message))


pytestmark = pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)


@pytest.mark.parametrize("kind", SMALLEST)
def test_fields_with_a_default_may_be_left_out(subprotocol: str, kind: str) -> None:
    message = decoded(subprotocol, kind, SMALLEST[kind])
    assert message.__struct_config__.tag == kind


@pytest.mark.parametrize("kind", SMALLEST)
def test_fields_without_a_default_may_not(subprotocol: str, kind: str) -> None:
    for field in SMALLEST[kind]:
        with pytest.raises(Malformed, match=field):
            decoded(subprotocol, kind, {name: value for name, value in SMALLEST[kind].items() if name != field})


@pytest.mark.parametrize("kind", SMALLEST)
def test_a_field_that_is_not_known_is_refused(subprotocol: str, kind: str) -> None:
    with pytest.raises(Malformed, match="unknown field"):
        decoded(subprotocol, kind, SMALLEST[kind] | {"seat_of_others": 1})


@pytest.mark.parametrize("kind", ["", "Hello", "welcome", "table", "fly", "hello ", 1, None])
def test_a_message_of_no_known_type_is_refused(subprotocol: str, kind: str) -> None:
    with pytest.raises(Malformed):
        decoded(subprotocol, kind, {"name": "Ann"})


@pytest.mark.parametrize(("kind", "field", "value"), LARGEST, ids=lambda value: str(value)[:20])
def test_what_is_just_within_bounds_is_read_and_fits_a_frame(
    subprotocol: str, kind: str, field: str, value: Any
) -> None:
    message = decoded(subprotocol, kind, SMALLEST[kind] | {field: value})
    assert msgspec.json.decode(msgspec.json.encode(getattr(message, field))) == value
    assert max(len(msgspec.json.encode(message)), len(msgspec.msgpack.encode(message))) <= MAX_FRAME_BYTES


@pytest.mark.parametrize(("kind", "field", "value"), OUT_OF_BOUNDS, ids=lambda value: str(value)[:20])
def test_what_is_out_of_bounds_is_refused(subprotocol: str, kind: str, field: str, value: Any) -> None:
    with pytest.raises(Malformed):
        decoded(subprotocol, kind, SMALLEST[kind] | {field: value})


@pytest.mark.parametrize(("kind", "field", "value"), WRONG_TYPES, ids=lambda value: str(value)[:20])
def test_a_value_of_the_wrong_type_is_refused(subprotocol: str, kind: str, field: str, value: Any) -> None:
    with pytest.raises(Malformed):
        decoded(subprotocol, kind, SMALLEST[kind] | {field: value})


@given(kind=st.sampled_from(COMMANDS), numbers=st.fixed_dictionaries({"n": NUMBERS}, optional=OTHER_NUMBERS))
def test_no_command_carries_a_number_that_json_readers_lose(
    subprotocol: str, kind: str, numbers: dict[str, int]
) -> None:
    try:
        message = decoded(subprotocol, kind, SMALLEST[kind] | numbers)
    except Malformed:
        return
    for value in msgspec.to_builtins(message).values():
        assert not isinstance(value, int) or abs(value) <= MAX_INTEGER
