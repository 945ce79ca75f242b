"""How a connection can misbehave before any message is read: in its bytes, headers, frames and timing.

Each behaviour is a coroutine over one connection, or a few. It returns what is wrong with how the server took it, or
nothing; most ask only that the server goes on, which everybody else at it finds out.
"""

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterator
from random import Random

from protocol.codec import MSGPACK, SUBPROTOCOLS, client_codec
from protocol.errors import CloseCode
from protocol.messages import AskHint, Create, Hello, ListRooms, Say
from tests.fuzz.values import HOSTILE, MARK
from tests.fuzz.wire import (
    BINARY,
    CLOSE,
    CONTINUATION,
    FIN,
    PING,
    PONG,
    TEXT,
    Address,
    Wire,
    dialled,
    framed,
    opened,
    request,
)

ANSWER_S = 60.0
PROTOCOL_ERROR, INVALID_DATA, TOO_BIG = 1002, 1007, 1009
RSV1, RSV2, RSV3 = 0x40, 0x20, 0x10

_write = client_codec(MSGPACK).encode
HELLO = framed(_write(Hello("Mallory")), BINARY)
ROOMS = framed(_write(ListRooms()), BINARY)
SAYING = framed(_write(Say(MARK)), BINARY)
HINT = framed(_write(AskHint(1)), BINARY)
CREATE = framed(_write(Create("paohuzi", fill="random")), BINARY)

Behaviour = Callable[[Address, Random], Awaitable[str | None]]


# What is not even HTTP, or not the right one


async def junk(address: Address, rng: Random) -> str | None:
    """Bytes that are no request."""
    wire = await dialled(address)
    wire.write(
        rng.choice(
            (
                rng.randbytes(rng.choice((1, 100, 10_000))),
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(505),  # TLS
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
                b"SSH-2.0-" + MARK.encode() + b"\r\n",
                b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + request(address, MSGPACK),
                b"\r\n\r\n\r\n\r\n",
                b"\x00" * 5000,
                b"*1\r\n$4\r\nPING\r\n",
                b"GET /ws\r\n\r\n",
                b"GET  /ws  HTTP/1.1\r\n\r\n",
                b"GET /ws HTTP/9.9\r\n\r\n",
                MARK.encode() + b" /ws HTTP/1.1\r\n\r\n",
                HELLO,
            )
        )
    )
    return await _no_websocket(wire, rng)


async def strange_request(address: Address, rng: Random) -> str | None:
    """HTTP, for something that nobody can have or in a way that nobody asks."""
    method = rng.choice(("GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "TRACE", "get", MARK, "PRI"))
    path = rng.choice(
        (
            "/",
            "/ws/",
            "/healthz",
            "/version",
            f"/j/{MARK}",
            "/j/../../etc/passwd",
            "/j/%00%0d%0aX:1",
            "//ws",
            "http://elsewhere.example/ws",
            "*",
            "/" + MARK * 2000,
            "/j/\x1b]52;c;AA\x07",
            "/ws?" + MARK,
            "[::1",
            "http://[/ws",
            "/\xff",
        )
    )
    more = rng.choice(
        (
            "Host: a.example",
            f"Host: {MARK}\x1b[2J",
            f"Host: {MARK}\r\nHost: b.example",
            "Content-Length: 5\r\n\r\nhello",
            "Content-Length: -1",
            f"Content-Length: {'9' * 400}",
            "Content-Length: 99999999999\r\nHost: a.example",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
            "Expect: 100-continue",
            "Connection: keep-alive",
        )
    )
    wire = await dialled(address)
    wire.write(f"{method} {path} HTTP/1.1\r\n{more}\r\n\r\n".encode("latin-1"))
    return await _no_websocket(wire, rng)


async def pipelined_requests(address: Address, rng: Random) -> str | None:
    wire = await dialled(address)
    wire.write(f"GET /{rng.choice(('healthz', 'readyz', 'j/ABCD2345'))} HTTP/1.1\r\nHost: a\r\n\r\n".encode() * 50)
    return await _no_websocket(wire, rng)


async def broken_headers(address: Address, rng: Random) -> str | None:
    """An opening with a line that is no header, or far too many of them, or far too long ones."""
    broken = rng.choice(
        (
            MARK,
            f"{MARK} : 1",
            f": {MARK}",
            f"{MARK}: \x00",
            f"{MARK}: a\n b",
            f" {MARK}: folded",
            f"X-{MARK}: {MARK * 10_000}",
            "\r\n".join(f"X-{MARK}-{number}: 1" for number in range(300)),
            f"{MARK * 20_000}",
            f"X: {MARK}\r",
        )
    )
    wire = await dialled(address)
    wire.write(request(address, MSGPACK, broken))
    wire.write(HELLO)
    await wire.until(lambda: wire.status is not None, ANSWER_S)
    _end(wire, rng)
    return None


async def endless_header(address: Address, rng: Random) -> str | None:
    wire = await dialled(address)
    wire.write(b"GET /ws HTTP/1.1\r\nX: ")
    for _ in range(40):
        wire.write(MARK.encode() * 1000)
        await asyncio.sleep(0)
    if not await wire.until(lambda: wire.ended or wire.status is not None, ANSWER_S) and not wire.ended:
        return "a header without end is read for ever"
    _end(wire, rng)
    return None


# Openings that are refused


async def foreign_origin(address: Address, rng: Random) -> str | None:
    """A web page of somebody else's, whatever it calls itself."""
    own = f"http://{address.host}:{address.port}"
    origin = rng.choice(
        (
            "http://evil.example",
            f"{own}.evil.example",
            f"http://evil.example/{address.host}",
            own,
            "null",
            "",
            "file://",
            f"{own}@evil.example",
            "https://",
            MARK,
            f"{own}, http://evil.example",
            "\x1b]52;c;AA\x07",
            "http://evil.example\r\nOrigin: null",
        )
    )
    wire = await opened(address, rng.choice(SUBPROTOCOLS), None, f"Origin: {origin}")
    found = wire.status
    _end(wire, rng)
    return f"a page of the origin {origin!r} was answered {found}" if found not in (403, 400, None) else None


async def wrong_subprotocol(address: Address, rng: Random) -> str | None:
    offered = rng.choice(
        (
            "paizhuo.v2.msgpack",
            "paizhuo.v1",
            "PAIZHUO.V1.JSON",
            "mqtt",
            "",
            ",",
            ", ".join([MARK] * 500),
            "paizhuo.v1.json.evil",
            "\x1b[2J",
            f"{MARK};q=1",
        )
    )
    wire = await opened(address, offered)
    found = wire.status
    _end(wire, rng)
    return f"the subprotocol {offered[:40]!r} was answered {found}" if found not in (400, None) else None


async def spoofed_address(address: Address, rng: Random) -> str | None:
    """Headers of proxies, from somebody who is none: they change nothing."""
    name = rng.choice(("X-Forwarded-For", "X-Real-IP", "Forwarded"))
    said = rng.choice(
        ("10.0.0.1", "127.0.0.1, 127.0.0.1", "::1", MARK, "", ", ".join(["1.2.3.4"] * 300), "\x1b[2J", "for=1")
    )
    wire = await opened(address, MSGPACK, None, *[f"{name}: {said}"] * rng.choice((1, 1, 20)))
    found = wire.status
    _end(wire, rng)
    return f"{name}: {said[:40]!r} was answered {found}" if found not in (101, 400, None) else None


async def broken_opening(address: Address, rng: Random) -> str | None:
    """The header lines of an opening, but for one that is missing, wrong or there twice."""
    lines = request(address, MSGPACK).decode().split("\r\n")[:-2]
    at = rng.randrange(len(lines))
    name = lines[at].partition(":")[0]
    wrong = rng.choice(("", "x", "8", "13, 13", "websocket, h2c", "keep-alive", MARK, "A" * 24, "====", "\x80"))
    match rng.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines[at] = f"{name}: {wrong}" if at else f"GET {wrong or '/'} HTTP/1.0"
        case _:
            lines.append(lines[at])
    wire = await dialled(address)
    wire.write("\r\n".join((*lines, "", "")).encode("latin-1"))
    wire.write(HELLO)
    await wire.until(lambda: wire.status is not None, ANSWER_S)
    _end(wire, rng)
    return None


async def compression(address: Address, rng: Random) -> str | None:
    """It is offered, and used although nobody agreed: a few bytes would become gigabytes."""
    offer = rng.choice(
        (
            "permessage-deflate",
            "permessage-deflate; client_max_window_bits",
            "permessage-deflate; server_max_window_bits=8; client_no_context_takeover",
            "permessage-deflate; client_max_window_bits=99",
            "x-webkit-deflate-frame",
            f"{MARK}; a=b",
            ",;=",
            "permessage-deflate, permessage-deflate; server_no_context_takeover",
        )
    )
    wire = await opened(address, MSGPACK, None, f"Sec-WebSocket-Extensions: {offer}")
    if wire.status == 101:
        if b"sec-websocket-extensions" in wire.head.lower():
            return f"{offer!r} was agreed to"
        wire.write(HELLO + framed(b"\xaa" * 100, BINARY, head=FIN | RSV1))
        return await _closed(wire, rng, PROTOCOL_ERROR)
    _end(wire, rng)
    return None


# Openings and frames that never end


async def silence(address: Address, rng: Random) -> str | None:
    """Nothing, or half of an opening, or no hello: for a while, or until the server has had enough."""
    wire = await dialled(address)
    opening = request(address, MSGPACK)
    wire.write(rng.choice((b"", opening[: rng.randrange(len(opening))], opening)))
    if rng.random() < 0.2 and not await wire.until(lambda: wire.ended, ANSWER_S):
        return "a connection on which nothing is said stands for ever" if not wire.ended else None
    await _pause(rng)
    _end(wire, rng)
    return None


async def dribble(address: Address, rng: Random) -> str | None:
    """Everything, a byte at a time."""
    wire = await dialled(address)
    for byte in request(address, MSGPACK) + HELLO + ROOMS:
        wire.write(bytes((byte,)))
        await asyncio.sleep(0)
    came = await wire.until(lambda: wire.status == 101, ANSWER_S)
    _end(wire, rng)
    return None if came or wire.ended else "who is slow was not answered"


async def half_a_frame(address: Address, rng: Random) -> str | None:
    wire = await opened(address, MSGPACK)
    frame = framed(MARK.encode() * rng.choice((1, 20, 600)), rng.choice((TEXT, BINARY, PING, CLOSE)))
    wire.write(HELLO + frame[: rng.randrange(1, len(frame))])
    await _pause(rng)
    _end(wire, rng)
    return None


async def half_open(address: Address, rng: Random) -> str | None:
    """The sending half is closed at some point, and the other stays."""
    wire = await dialled(address)
    said = request(address, MSGPACK) + HELLO + CREATE + ROOMS
    wire.write(said[: rng.randrange(len(said) + 1)])
    wire.half_close()
    await wire.until(lambda: wire.ended, rng.uniform(0, 1))
    _end(wire, rng)
    return None


async def reset(address: Address, rng: Random) -> str | None:
    """Broken off at some point, the moment after something was asked."""
    wire = await dialled(address)
    said = request(address, MSGPACK) + HELLO + rng.choice((CREATE, ROOMS))
    wire.write(said[: rng.randrange(len(said) + 1)])
    for _ in range(rng.randrange(4)):
        await asyncio.sleep(0)
    wire.reset()
    return None


async def stall(address: Address, rng: Random) -> str | None:
    """Asks a lot, and reads nothing of what comes."""
    wire = await opened(address, MSGPACK)
    wire.stop_reading()
    wire.write(HELLO + CREATE + (ROOMS + HINT) * 200)
    await _pause(rng)
    wire.read_on()
    _end(wire, rng)
    return None


async def churn(address: Address, rng: Random) -> str | None:
    """Many connections, none of them for long."""
    wires = [await dialled(address) for _ in range(rng.randint(5, 20))]
    for wire in wires:
        wire.write(request(address, MSGPACK)[: rng.choice((0, 40, 1000))])
    await asyncio.sleep(0)
    for wire in wires:
        _end(wire, rng)
    return None


# Floods


async def message_flood(address: Address, rng: Random) -> str | None:
    """Far more than anybody may say, of what is answered at once."""
    wire = await opened(address, MSGPACK)
    message = rng.choice((HELLO, HINT, SAYING, framed(b"", BINARY), framed(b"\xc1", TEXT)))
    wire.write(HELLO + message * 1000)
    # held up behind all others at no table, it may fail to answer a ping before it is caught
    return await _closed(wire, rng, CloseCode.RATE_LIMITED, INVALID_DATA, CloseCode.INTERNAL)


async def ping_flood(address: Address, rng: Random) -> str | None:
    """Frames that never become a message, and so are counted by nobody who counts messages."""
    wire = await opened(address, MSGPACK)
    wire.write(HELLO + framed(MARK.encode() * rng.randrange(20), rng.choice((PING, PONG))) * 2000)
    return await _closed(wire, rng, CloseCode.RATE_LIMITED)


async def fragments(address: Address, rng: Random) -> str | None:
    """One message in more pieces than it has bytes, with pings in between; together it may be too big."""
    wire = await opened(address, MSGPACK)
    piece = MARK.encode()[: rng.choice((0, 1, 6))]
    many = rng.choice((10, 500, 1500))
    frames = framed(piece, BINARY, head=0) + framed(piece, CONTINUATION, head=0) * many
    wire.write(HELLO + frames + framed(b"", PING) + framed(piece, CONTINUATION))
    if len(piece) * (many + 2) > 4096:
        return await _closed(wire, rng, TOO_BIG)
    await _pause(rng)
    _end(wire, rng)
    return None


# Frames against the standard: the connection ends, with the code that says so


async def wrong_frame(address: Address, rng: Random) -> str | None:
    mark = MARK.encode()
    frame, code = rng.choice(
        (
            (framed(mark, BINARY, masked=False), PROTOCOL_ERROR),
            (framed(mark, BINARY, head=FIN | RSV1), PROTOCOL_ERROR),
            (framed(mark, BINARY, head=FIN | RSV2), PROTOCOL_ERROR),
            (framed(mark, TEXT, head=FIN | RSV3), PROTOCOL_ERROR),
            (framed(mark, rng.choice((3, 4, 5, 6, 7, 11, 12, 13, 14, 15))), PROTOCOL_ERROR),
            (framed(mark, CONTINUATION), PROTOCOL_ERROR),
            (framed(mark, TEXT, head=0) + framed(mark, TEXT), PROTOCOL_ERROR),
            (framed(mark * 30, PING), PROTOCOL_ERROR),
            (framed(mark, PING, head=0), PROTOCOL_ERROR),
            (framed(b"\xff\xfe", TEXT), INVALID_DATA),
            (framed(b"\xe5", TEXT, head=0) + framed(b"\xbc", CONTINUATION), INVALID_DATA),
            (bytes((FIN | BINARY, 0x80 | 127)) + (2**63).to_bytes(8) + bytes(4), None),
            (bytes((FIN | BINARY, 0x80 | 127)) + (2**63 - 1).to_bytes(8) + bytes(4), TOO_BIG),
            (bytes((FIN | BINARY, 0x80 | 127)) + (2**32).to_bytes(8) + bytes(4) + mark, TOO_BIG),
            (framed(mark * 1000, BINARY), TOO_BIG),
        )
    )
    wire = await opened(address, MSGPACK)
    wire.write((HELLO if rng.random() < 0.5 else b"") + frame)
    return await _closed(wire, rng, *((PROTOCOL_ERROR, TOO_BIG) if code is None else (code,)))


async def long_lengths(address: Address, rng: Random) -> str | None:
    """A length said in more bytes than it needs: the standard forbids it, and nothing goes wrong where it is read."""
    wire = await opened(address, MSGPACK)
    hello = _write(Hello("Mallory"))
    long, size = rng.choice(((126, 2), (127, 8)))
    wire.write(bytes((FIN | BINARY, 0x80 | long)) + len(hello).to_bytes(size) + bytes(4) + hello + ROOMS)
    await _pause(rng)
    _end(wire, rng)
    return None


async def close_codes(address: Address, rng: Random) -> str | None:
    """A close frame with a code of any kind, and more behind it. Where it is none, that is said; else it is echoed."""
    code = rng.choice((0, 999, 1000, 1001, 1004, 1005, 1006, 1011, 1015, 2999, 3000, 4000, 4999, 5000, 65535))
    reason = rng.choice((b"", MARK.encode(), b"\xff\xfe", rng.choice(HOSTILE).encode(), MARK.encode() * 20))
    payload = rng.choice((b"", b"\x03", code.to_bytes(2) + reason, code.to_bytes(2) + reason))
    wire = await opened(address, MSGPACK)
    wire.write(HELLO + framed(payload, CLOSE) + ROOMS * 3)
    return await _closed(wire, rng, code, 1000, 1005, PROTOCOL_ERROR, INVALID_DATA)


# Ends


async def _closed(wire: Wire, rng: Random, *codes: int) -> str | None:
    """The server ends it, with one of these codes if it comes to say so."""
    await wire.until(lambda: wire.ended or wire.code is not None, ANSWER_S)
    code, ended = wire.code, wire.ended
    _end(wire, rng)
    if code is None and not ended and wire.status == 101:
        return "the server leaves it open"
    return f"was closed with {code}, not with one of {codes}" if code is not None and code not in codes else None


async def _no_websocket(wire: Wire, rng: Random) -> str | None:
    await wire.until(lambda: wire.ended or wire.status is not None, rng.choice((0.01, 0.5)))
    found = wire.status
    _end(wire, rng)
    return "was answered with a WebSocket" if found == 101 else None


async def _pause(rng: Random) -> None:
    await asyncio.sleep(rng.choice((0, 0.01, 0.1, 0.5, 1.5)))


def _end(wire: Wire, rng: Random) -> None:
    if rng.random() < 0.5:
        wire.reset()
    else:
        wire.close()


def _behaviours() -> Iterator[tuple[str, Behaviour]]:
    for name, found in vars(sys.modules[__name__]).items():
        if inspect.iscoroutinefunction(found) and found.__module__ == __name__ and name[0] != "_":
            yield name.replace("_", " "), found


BEHAVIOURS: dict[str, Behaviour] = dict(_behaviours())


async def misbehave(address: Address, rng: Random) -> tuple[str, str | None]:
    """One behaviour by lot: its name, and what was wrong with the server's answer."""
    name = rng.choice(sorted(BEHAVIOURS))
    try:
        return name, await BEHAVIOURS[name](address, rng)
    except ConnectionError:
        return name, None  # the server was free to break it off
    except OSError as error:
        return name, f"could not connect: {error}"
