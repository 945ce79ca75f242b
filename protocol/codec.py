"""Messages as bytes. The two subprotocols carry the same structs: msgpack in binary frames, JSON in text frames."""

from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from protocol import VERSION
from protocol.messages import ClientMessage, ServerMessage

MSGPACK = f"paizhuo.v{VERSION}.msgpack"
JSON = f"paizhuo.v{VERSION}.json"
SUBPROTOCOLS = (MSGPACK, JSON)

In = TypeVar("In")
Out = TypeVar("Out")


class Malformed(ValueError):
    """Bytes that are no message of this protocol. The text says what is wrong with them."""


class Codec(Generic[In, Out]):
    """Reads one direction and writes the other, in one of `SUBPROTOCOLS`."""

    def __init__(self, subprotocol: str, reads: Any) -> None:
        self.text = subprotocol == JSON
        self._encode = (msgspec.json.Encoder() if self.text else msgspec.msgpack.Encoder()).encode
        self._json: msgspec.json.Decoder[In] = msgspec.json.Decoder(reads)
        self._msgpack: msgspec.msgpack.Decoder[In] = msgspec.msgpack.Decoder(reads)

    def encode(self, message: Out) -> bytes:
        """One frame's payload: UTF-8 JSON for a text frame, msgpack for a binary one."""
        return self._encode(message)

    def decode(self, frame: bytes | str) -> In:
        """Raises `Malformed` for anything that is not exactly one valid message in the right kind of frame."""
        if isinstance(frame, str) is not self.text:
            raise Malformed(f"expected a {'text' if self.text else 'binary'} frame")
        try:
            return self._json.decode(frame) if isinstance(frame, str) else self._msgpack.decode(frame)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            raise Malformed(str(error) or "not a message") from None


@cache
def server_codec(subprotocol: str) -> Codec[ClientMessage, ServerMessage]:
    """For a server: reads what clients send."""
    return Codec(subprotocol, ClientMessage)


@cache
def client_codec(subprotocol: str) -> Codec[ServerMessage, ClientMessage]:
    """For a client: reads what servers send."""
    return Codec(subprotocol, ServerMessage)
