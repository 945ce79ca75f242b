"""Frames that a client or a server may send, right and wrong: made from the messages of the protocol by reflection.

A seed gives the same frames everywhere, but for what `Known` says of whom they are for.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from protocol.codec import JSON, Malformed, client_codec, server_codec
from protocol.messages import MAX_FRAME_BYTES, ClientMessage, ServerMessage
from tests.fuzz.values import MARK, Known, fitting, of_no_such_type, past_a_bound

DEPTHS = (3, 40, 400, 1_300, 4_000)
ENDINGS = 0.003
"""How many frames are such that no connection outlives them."""


class Frame(NamedTuple):
    """`is_message`: it is taken for one, whether or not what it says is done. `ends`: with which code a connection to a
    server ends, where it must.
    """

    payload: bytes
    text: bool
    is_message: bool
    ends: int | None = None


class Kinds:
    """The messages of one direction, as they look in one subprotocol."""

    def __init__(self, subprotocol: str, known: Known | None = None, *, of_servers: bool = False) -> None:
        self.text = subprotocol == JSON
        self.messages = structs(ServerMessage if of_servers else ClientMessage)
        self._decode = client_codec(subprotocol).decode if of_servers else server_codec(subprotocol).decode
        self._known = known or {}
        self._encode = msgspec.json.encode if self.text else msgspec.msgpack.encode
        self._foreign_tags = [message.tag for message in structs(ClientMessage if of_servers else ServerMessage)]
        self._ways: tuple[tuple[int, Callable[[Random], bytes]], ...] = (
            (30, self._whole),
            (18, self._past_a_bound),
            (14, self._wrong_type),
            (4, self._without_a_field),
            (4, self._with_another_field),
            (4, self._with_a_field_twice),
            (4, self._wrong_tag),
            (6, self._cut),
            (3, self._with_a_tail),
            (6, self._damaged),
            (3, self._nested),
            (2, self._miscounted),
            (2, self._noise),
            (2, self._no_map),
        )
        self._weights = [weight for weight, _ in self._ways]

    def bounds(self, rng: Random) -> Iterator[Frame]:
        """Every field of every message just outside of each of its bounds."""
        for message in self.messages:
            for field in message.fields:
                for wrong in past_a_bound(field.type, rng):
                    yield self._frame(self._written(self._fields(message, rng) | {field.encode_name: wrong}, message))

    def whole(self, message: inspect.StructType, rng: Random) -> bytes:
        """A message as it should be."""
        return self._written(self._fields(message, rng), message)

    def any(self, rng: Random) -> Frame:
        """One frame of any way to be right or wrong."""
        if rng.random() < ENDINGS:
            return self._ending(rng)
        ((_, make),) = rng.choices(self._ways, self._weights)
        payload = make(rng)
        if len(payload) > MAX_FRAME_BYTES:
            return Frame(payload, self.text, False, 1009)
        text = self.text if rng.random() < 0.997 else not self.text
        return self._frame(payload, text)

    def _frame(self, payload: bytes, text: bool | None = None) -> Frame:
        text = self.text if text is None else text
        if len(payload) > MAX_FRAME_BYTES:
            return Frame(payload, text, False, 1009)
        try:
            self._decode(payload.decode() if text else payload)
        except UnicodeDecodeError:
            return Frame(payload, text, False, 1007)
        except Malformed:
            return Frame(payload, text, False)
        return Frame(payload, text, True)

    # Ways to be right or wrong

    def _fields(self, message: inspect.StructType, rng: Random) -> dict[str, Any]:
        """Those without a default, and others now and then."""
        return {
            field.encode_name: fitting(field.type, rng, self._known, field.name)
            for field in message.fields
            if field.required or rng.random() < 0.4
        }

    def _written(self, fields: dict[str, Any], message: inspect.StructType | None = None) -> bytes:
        return self._encode(fields if message is None else _tagged(message, fields))

    def _some(self, rng: Random) -> tuple[inspect.StructType, dict[str, Any]]:
        message = rng.choice(self.messages)
        return message, self._fields(message, rng)

    def _one_with_fields(self, rng: Random) -> tuple[inspect.StructType, dict[str, Any], inspect.Field]:
        message = rng.choice([message for message in self.messages if message.fields])
        return message, self._fields(message, rng), rng.choice(message.fields)

    def _whole(self, rng: Random) -> bytes:
        return self.whole(rng.choice(self.messages), rng)

    def _past_a_bound(self, rng: Random) -> bytes:
        message, fields, field = self._one_with_fields(rng)
        outside = past_a_bound(field.type, rng) or [of_no_such_type(rng, packed=not self.text)]
        return self._written(fields | {field.encode_name: rng.choice(outside)}, message)

    def _wrong_type(self, rng: Random) -> bytes:
        message, fields, field = self._one_with_fields(rng)
        return self._written(fields | {field.encode_name: of_no_such_type(rng, packed=not self.text)}, message)

    def _without_a_field(self, rng: Random) -> bytes:
        message, fields = self._some(rng)
        fields.pop(rng.choice(list(fields) or [""]), None)
        return self._written(fields, message)

    def _with_another_field(self, rng: Random) -> bytes:
        message, fields = self._some(rng)
        other = rng.choice(rng.choice(self.messages).fields or message.fields or (None,))
        name = MARK if other is None or rng.random() < 0.5 else other.encode_name
        return self._written(fields | {name: rng.choice((None, 1, MARK, {}))}, message)

    def _with_a_field_twice(self, rng: Random) -> bytes:
        """The type, too: what is read first decides, or what is read last does."""
        message, fields = self._some(rng)
        pairs = list(_tagged(message, fields).items())
        name, value = rng.choice(pairs)
        again = rng.choice((value, rng.choice(self.messages).tag, 1, None))
        pairs.insert(rng.randint(0, len(pairs)), (name, again))
        return self._map([(self._encode(key), self._encode(each)) for key, each in pairs])

    def _wrong_tag(self, rng: Random) -> bytes:
        message, fields = self._some(rng)
        tag = rng.choice(
            (*self._foreign_tags, "", MARK, 1, None, [message.tag], f"{message.tag} ", message.cls.__name__)
        )
        named = {} if rng.random() < 0.2 else {rng.choice(("type", "type", "Type", "t")): tag}
        return self._encode({**fields, **named} if rng.random() < 0.5 else {**named, **fields})

    def _cut(self, rng: Random) -> bytes:
        whole = self._whole(rng)
        return whole[: rng.randrange(len(whole))]

    def _with_a_tail(self, rng: Random) -> bytes:
        tails = (b"\0", b" ", b"\n", b"{}", b"\x80", self._whole(rng), b"\xc1", MARK.encode())
        return self._whole(rng) + rng.choice(tails)

    def _damaged(self, rng: Random) -> bytes:
        broken = bytearray(self._whole(rng))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(broken))
            byte = rng.randrange(128 if self.text else 256)
            match rng.randrange(3):
                case 0:
                    broken[at] = byte
                case 1:
                    broken.insert(at, byte)
                case _ if len(broken) > 1:
                    del broken[at]
        return bytes(broken)

    def _nested(self, rng: Random) -> bytes:
        depth = rng.choice(DEPTHS)
        if self.text:
            opened, closed = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
        else:
            opened, closed = rng.choice((b"\x91", b"\x81\xa1a", b"\xdc\x00\x01", b"\x81")), b""
        deep = (opened * depth + (b"1" if self.text else b"\x01"))[: MAX_FRAME_BYTES - 200]
        if rng.random() < 0.5:
            deep += closed * ((MAX_FRAME_BYTES - 200 - len(deep)) // max(1, len(closed)))
        if rng.random() < 0.3:
            return deep
        message, fields, field = self._one_with_fields(rng)
        inner = msgspec.Raw(deep)
        return self._written(fields | {rng.choice((field.encode_name, MARK)): inner}, message)

    def _miscounted(self, rng: Random) -> bytes:
        """A map that says that it has more pairs, or fewer, than it has."""
        message, fields = self._some(rng)
        pairs = [(self._encode(k), self._encode(v)) for k, v in _tagged(message, fields).items()]
        if self.text:
            return b"{" + b",".join(b":".join(pair) for pair in pairs) + rng.choice((b",}", b"", b"}}", b"]", b":}"))
        said = rng.choice((len(pairs) - 1, len(pairs) + 1, 0xFFFF, 0xFFFFFFFF))
        return b"\xdf" + said.to_bytes(4) + b"".join(k + v for k, v in pairs)

    def _noise(self, rng: Random) -> bytes:
        noise = rng.randbytes(rng.choice((0, 1, 2, 10, 100, 1000)))
        return bytes(byte & 0x7F for byte in noise) if self.text else noise

    def _no_map(self, rng: Random) -> bytes:
        value = of_no_such_type(rng, packed=not self.text)
        return self._encode(rng.choice((value, [value], [rng.choice(self.messages).tag, value])))

    def _map(self, pairs: list[tuple[bytes, bytes]]) -> bytes:
        if self.text:
            return b"{" + b",".join(b":".join(pair) for pair in pairs) + b"}"
        return b"\xde" + len(pairs).to_bytes(2) + b"".join(k + v for k, v in pairs)

    def _ending(self, rng: Random) -> Frame:
        if rng.random() < 0.5:
            size = rng.choice((MAX_FRAME_BYTES + 1, 2 * MAX_FRAME_BYTES, 70_000))
            return Frame((self._whole(rng) + MARK.encode() * size)[:size], self.text, False, 1009)
        wrong = rng.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe5\xbc"))
        return Frame(b'{"type":"say","text":"' + MARK.encode() + wrong + b'"}', True, False, 1007)


def _tagged(message: inspect.StructType, fields: dict[str, Any]) -> dict[str, Any]:
    assert message.tag_field is not None
    return {message.tag_field: message.tag, **fields}


def structs(union: Any) -> tuple[inspect.StructType, ...]:
    """The messages of one direction."""
    info = inspect.type_info(union)
    assert isinstance(info, inspect.UnionType)
    return tuple(each for each in info.types if isinstance(each, inspect.StructType))
