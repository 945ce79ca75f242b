"""What nodes tell each other about a room beside its log: who is connected, and what was said. Nothing here is kept."""

import msgspec
from msgspec import Struct


class Here(Struct, frozen=True, tag="here"):
    """The seats whose players are connected to `node`. `asking`: the others should tell theirs."""

    node: str
    seats: tuple[int, ...]
    asking: bool = False


class Spoken(Struct, frozen=True, tag="spoken"):
    """Chat; `seat` is None for a spectator. `emote`: its kind, where it is one; `text` says the same in English."""

    name: str
    text: str
    seat: int | None = None
    emote: str = ""


Words = Here | Spoken

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Words)


def encode_words(words: Words) -> bytes:
    return _encoder.encode(words)


def decode_words(heard: bytes) -> Words | None:
    """None for words that this version does not know."""
    try:
        return _decoder.decode(heard)
    except msgspec.MsgspecError:
        return None
