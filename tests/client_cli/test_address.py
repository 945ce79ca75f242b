"""Rooms and servers are found by whatever people paste."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import InvalidURI
from websockets.uri import parse_uri

from client_cli.address import (
    RoomAddress,
    how_to_join,
    page_url,
    room_address,
    server_name,
    server_url,
    spaced_code,
    tidy_code,
)
from client_cli.failure import CommandFailed
from protocol.errors import ExitCode

PIN = "ABCDEFGHJKMNPQRSTVWXYZ0123456789ABCDEFGHJKMNPQRSTVWX"
SHORT = "ABCD-EFGH-JKMN-PQRS"


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        (("K7QF-2MXR@192.168.1.5",), "ws://192.168.1.5:8470/ws"),
        (("k7qf2mxr@cards.example.org:9000",), "wss://cards.example.org:9000/ws"),
        (("K7QF2MXR@cards.example.org",), "wss://cards.example.org/ws"),
        (("K7QF2MXR@81.2.69.160:8470",), "wss://81.2.69.160:8470/ws"),
        (("K7QF2MXR@[2a00:1450::1]",), "wss://[2a00:1450::1]/ws"),
        (("K7QF2MXR@card-table.local",), "ws://card-table.local:8470/ws"),
        ((f"K7QF2MXR@192.168.1.5#{SHORT}",), f"wss://192.168.1.5:8470/ws#{PIN[:16]}"),
        ((f"K7QF2MXR@cards.example.org:9000#{SHORT.lower()}",), f"wss://cards.example.org:9000/ws#{PIN[:16]}"),
        ((f"https://192.168.1.5:8470/j/K7QF2MXR#{PIN}",), f"wss://192.168.1.5:8470/ws#{PIN}"),
        ((f"wss://192.168.1.5:8470/ws#{PIN}", "K7QF-2MXR"), f"wss://192.168.1.5:8470/ws#{PIN}"),
        (("K7 QF 2M XR@localhost",), "ws://localhost:8470/ws"),
        (("K7QF2MXR@[::1]:9000",), "ws://[::1]:9000/ws"),
        (("http://192.168.1.5:8470/j/K7QF2MXR",), "ws://192.168.1.5:8470/ws"),
        (("https://cards.example.org/j/k7qf-2mxr",), "wss://cards.example.org/ws"),
        (("https://example.org/cards/j/K7QF2MXR",), "wss://example.org/cards/ws"),
        (("ws://192.168.1.5:8470/ws", "K7QF-2MXR"), "ws://192.168.1.5:8470/ws"),
        (("wss://cards.example.org/ws", "k7qf2mxr"), "wss://cards.example.org/ws"),
        (("192.168.1.5:9000", "k7qf2mxr"), "ws://192.168.1.5:9000/ws"),
        (("K7QF-2MXR@wss://cards.example.org:9000/ws",), "wss://cards.example.org:9000/ws"),
        ((f"k7qf2mxr@wss://192.168.1.5:8470/ws#{SHORT}",), f"wss://192.168.1.5:8470/ws#{PIN[:16]}"),
    ],
)
def test_a_room_is_found_by_every_way_of_writing_it(typed: tuple[str, ...], url: str) -> None:
    assert room_address(*typed) == (url, "K7QF2MXR")


@pytest.mark.parametrize(
    "typed",
    [
        *("", "K7QF2MXR", "@host", "K7QF2MXR@", "K7QF2MXR@host:port", "K7QF2MXR@host:99999", "K7@u:p@"),
        *("http://host/K7QF2MXR", "ftp://host/j/K7QF2MXR", "\u4e00@host", "ABCDEFGHIJKLMNOPQ@host", "http://[bad/j/X"),
        *("K7QF-2MX@host", "K7QF-2MXRS@host", "ws://host/ws K7QF-2MX", "http://host/j/K7QF2MX"),
        *(f"http://host/j/K7QF2MXR#{PIN}", f"K7QF2MXR#{PIN}", f"K7QF2MXR#{PIN}@host"),
    ],
)
def test_what_is_no_room_is_a_usage_error_that_quotes_it(typed: str) -> None:
    with pytest.raises(CommandFailed, match="is not understood") as failed:
        room_address(typed)
    assert failed.value.exit_code == ExitCode.USAGE


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_a_usage_error(text: str) -> None:
    for read in (room_address, server_url, tidy_code):
        with suppress(CommandFailed):
            read(text)


@given(st.text(max_size=40))
def test_an_address_that_is_taken_can_be_connected_to_or_is_told_to_be_none(text: str) -> None:
    with suppress(CommandFailed, InvalidURI):
        parse_uri(server_url(text))


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "\ufffd", "a b"])
def test_a_name_that_no_machine_can_have_is_no_server(host: str) -> None:
    with pytest.raises(CommandFailed, match="a server is HOST") as failed:
        server_url(host)
    assert failed.value.exit_code == ExitCode.USAGE


@given(st.text("ABCDEFGHJKMNPQRSTVWXYZ0123456789", min_size=1, max_size=16))
def test_a_code_reads_the_same_after_it_was_shown(code: str) -> None:
    assert tidy_code(spaced_code(code)) == code
    assert tidy_code(spaced_code(code).lower()) == code


@pytest.mark.parametrize("host", ["h#", "h#ABCD", f"h#{PIN}0", f"ws://h:8470/ws#{PIN}", f"http://h#{PIN}"])
def test_a_fingerprint_is_long_enough_and_of_a_server_with_tls(host: str) -> None:
    if host == "h#":
        assert server_url(host) == "ws://h:8470/ws"
        return
    with pytest.raises(CommandFailed, match="fingerprint") as failed:
        server_url(host)
    assert failed.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("url", "way", "name"),
    [
        (f"wss://192.168.1.5:8470/ws#{PIN}", f"K7QF-2MXR@192.168.1.5#{SHORT}", "192.168.1.5"),
        (f"wss://192.168.1.5:9000/ws#{PIN}", f"K7QF-2MXR@192.168.1.5:9000#{SHORT}", "192.168.1.5:9000"),
        ("wss://cards.example.org/ws", "K7QF-2MXR@cards.example.org", "cards.example.org"),
        (
            "ws://cards.example.org:8470/ws",
            "ws://cards.example.org:8470/ws K7QF-2MXR",
            "ws://cards.example.org:8470/ws",
        ),
        (f"wss://h/deep/ws#{PIN}", f"wss://h/deep/ws#{PIN} K7QF-2MXR", "wss://h/deep/ws"),
    ],
)
def test_the_way_to_a_room_has_a_fingerprint_to_type_and_its_page_all_of_it(url: str, way: str, name: str) -> None:
    assert (how_to_join(url, "K7QF2MXR"), server_name(url)) == (way, name)
    found = room_address(*way.split())
    assert url.startswith(found.url)
    assert len(found.url.partition("#")[2]) in (0, 16, 52)
    assert room_address(page_url(url, "K7QF2MXR")) == (url, "K7QF2MXR")


@pytest.mark.parametrize(
    "url",
    [
        *(
            "ws://192.168.1.5:8470/ws",
            "wss://cards.example.org/ws",
            "ws://h:1/deep/ws",
            "ws://cards.example.org:8470/ws",
        ),
        *("wss://h/ws", "wss://192.168.1.5:8470/ws", "wss://cards.example.org:443/ws", "ws://h/ws"),
    ],
)
def test_what_is_shown_as_the_way_to_a_room_leads_there(url: str) -> None:
    assert room_address(*how_to_join(url, "K7QF2MXR").split()) == (url, "K7QF2MXR")
    assert server_url(server_name(url)) == url


def test_a_code_alone_is_looked_for_on_the_usual_server() -> None:
    assert room_address("k7qf-2mxr", server="cards.example.org") == ("wss://cards.example.org/ws", "K7QF2MXR")
    assert room_address("k7qf-2mxr@h", server="cards.example.org") == ("ws://h:8470/ws", "K7QF2MXR")
    with pytest.raises(CommandFailed, match="a room is CODE@HOST"):
        room_address("k7qf-2mxr", server="")


@pytest.mark.parametrize(
    "pasted",
    [
        "K7QF-2MXR@192.168.1.5",
        " k7qf 2mxr @ 192.168.1.5 ",
        "K7QF-2MXR 192.168.1.5",
        "k7qf 2mxr 192.168.1.5",
        "http://192.168.1.5:8470/j/K7QF2MXR",
        "ws://192.168.1.5:8470/ws k7qf-2mxr",
        "paizhuo join K7QF-2MXR@192.168.1.5",
        "paizhuo join ws://192.168.1.5:8470/ws K7QF-2MXR",
        "Others join with: paizhuo join ws://192.168.1.5:8470/ws K7QF-2MXR",
        "ws://192.168.1.5:8470/ws K7QF-2MXR (or see http://192.168.1.5:8470/j/K7QF2MXR)",
        "Others join with: paizhuo join K7QF-2MXR@192.168.1.5 (or see http://192.168.1.5:8470/j/K7QF2MXR)",
        "Come!\n\n  <http://192.168.1.5:8470/j/K7QF2MXR>, at eight.",
    ],
)
def test_a_room_is_found_in_what_was_pasted(pasted: str) -> None:
    assert room_address(pasted) == RoomAddress("ws://192.168.1.5:8470/ws", "K7QF2MXR")


@pytest.mark.parametrize(
    "pasted",
    [
        f"Others join with: paizhuo join K7QF-2MXR@10.0.0.2#{SHORT} (or see https://10.0.0.2:8470/j/K7QF2MXR#{PIN})",
        f"k7qf 2mxr 10.0.0.2#{SHORT}",
        f"<https://10.0.0.2:8470/j/K7QF2MXR#{PIN}>.",
    ],
)
def test_a_fingerprint_is_found_in_what_was_pasted(pasted: str) -> None:
    room = room_address(pasted)
    assert room.code == "K7QF2MXR"
    assert room.url in (f"wss://10.0.0.2:8470/ws#{PIN}", f"wss://10.0.0.2:8470/ws#{PIN[:16]}")


def test_a_code_alone_is_looked_for_at_the_usual_server() -> None:
    assert room_address("k7qf 2mxr", server="cards.example.org") == RoomAddress(
        "wss://cards.example.org/ws", "K7QF2MXR"
    )
    assert room_address("k7qf2mxr localhost", server="cards.example.org").url == "ws://localhost:8470/ws"


@pytest.mark.parametrize(
    "pasted", ["", "K7QF2MXR", "hello", "@", "@h", "K7QF-2MXR@", "a@b@c", "http://h/", "ws://h/ws"]
)
def test_what_names_no_room_is_refused(pasted: str) -> None:
    with pytest.raises(CommandFailed):
        room_address(pasted)


@given(st.text(max_size=60))
def test_whatever_is_pasted_leads_to_a_room_or_a_sentence(pasted: str) -> None:
    with suppress(CommandFailed):
        assert room_address(pasted, server="h").code.isalnum()
