"""What waits for a client, without a socket."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import MSGPACK, client_codec, server_codec
from protocol.errors import CloseCode
from protocol.messages import Done, Notice, Said, Seated, ServerMessage, Table, Unseated
from protocol.view import Happening, TableView
from server.gateway.outbox import AT_ONCE_BYTES, MAX_BYTES, MAX_HAPPENINGS, MAX_MESSAGES, Outbox
from tests.server.gateway.fakes import happening, table

DECODE = client_codec(MSGPACK).decode
SEATED = Seated("ABCD2345", 0, "t")


def outbox() -> Outbox:
    return Outbox(server_codec(MSGPACK).encode, lambda: None)


def code_of(box: Outbox) -> CloseCode | None:
    return box.code


def everything(box: Outbox) -> list[ServerMessage]:
    return [DECODE(frame) for frame in iter(box.pop, None)]


def test_messages_keep_their_order() -> None:
    box = outbox()
    box.place(SEATED)
    box.show(table(), ())
    box.tell(Done(1))
    assert everything(box) == [SEATED, Table(table()), Done(1)]


def test_only_the_newest_table_waits_with_all_that_happened() -> None:
    box = outbox()
    for number in range(3):
        box.show(table(deal=number), (happening(number),))
        box.tell(Done(number + 1))
    assert everything(box) == [
        Done(1),
        Done(2),
        Table(table(deal=2), tuple(happening(number) for number in range(3))),
        Done(3),
    ]


def test_happenings_pile_up_to_a_bound_and_then_some_are_missed() -> None:
    box = outbox()
    for number in range(MAX_HAPPENINGS):
        box.show(table(), (happening(number),))
    (full,) = everything(box)
    assert isinstance(full, Table)
    assert not full.missed
    for number in range(MAX_HAPPENINGS + 1):
        box.show(table(), (happening(number),))
    box.show(table(), ())
    (overfull,) = everything(box)
    assert isinstance(overfull, Table)
    assert overfull.missed
    assert overfull.happened == tuple(happening(number) for number in range(1, MAX_HAPPENINGS + 1))


def test_a_view_that_says_nothing_new_is_not_sent() -> None:
    box = outbox()
    box.show(table(remaining_ms=20_000), ())
    assert len(everything(box)) == 1
    box.show(table(remaining_ms=19_000), ())
    assert everything(box) == []
    box.show(table(remaining_ms=18_000), (happening(1),))
    assert everything(box) == [Table(table(remaining_ms=18_000), (happening(1),))]
    box.show(table(deal=2), ())
    box.show(table(), ())
    assert everything(box) == []


def test_more_time_to_answer_is_news() -> None:
    box = outbox()
    box.show(table(remaining_ms=20_000), ())
    assert len(everything(box)) == 1
    box.renew()
    box.show(table(remaining_ms=10_000), ())
    assert everything(box) == [Table(table(remaining_ms=10_000))]
    box.show(table(remaining_ms=9_000), ())
    assert everything(box) == []


def test_the_first_view_in_a_room_is_sent_even_if_it_equals_the_last_of_the_room_before() -> None:
    box = outbox()
    for _ in range(2):
        box.place(SEATED)
        box.show(table(), ())
    assert everything(box) == [SEATED, Table(table()), SEATED, Table(table())]


def test_the_view_after_a_notice_is_sent_even_if_it_equals_the_one_before() -> None:
    box = outbox()
    box.show(table(), ())
    everything(box)
    box.tell(Notice("reset"))
    box.show(table(), ())
    assert everything(box) == [Notice("reset"), Table(table())]


def test_the_last_table_of_a_room_comes_before_the_news_that_it_is_gone() -> None:
    box = outbox()
    box.show(table(), (happening(1),))
    box.unseat("closed")
    box.place(SEATED)
    box.show(table(deal=2), ())
    assert everything(box) == [
        Table(table(), (happening(1),)),
        Unseated("closed"),
        SEATED,
        Table(table(deal=2)),
    ]


def test_whoever_does_not_read_is_given_up_at_the_bound_of_messages() -> None:
    box = outbox()
    for number in range(MAX_MESSAGES):
        box.tell(Done(number + 1))
    assert code_of(box) is None
    box.tell(Done(MAX_MESSAGES + 1))
    assert code_of(box) is CloseCode.TOO_SLOW
    assert box.pop() is None


def test_whoever_does_not_read_is_given_up_at_the_bound_of_bytes() -> None:
    box = outbox()
    saying = Said("Ann", "x" * (MAX_BYTES // 4))
    box.show(table(), ())
    for _ in range(3):
        box.tell(saying)
    assert code_of(box) is None
    box.tell(saying)
    assert code_of(box) is CloseCode.TOO_SLOW
    assert box.pop() is None


def test_what_was_read_no_longer_counts() -> None:
    box = outbox()
    saying = Said("Ann", "x" * (MAX_BYTES // 2))
    for _ in range(10):
        box.tell(saying)
        assert everything(box) == [saying]
    assert code_of(box) is None


def test_a_table_shown_a_thousand_times_never_fills_the_outbox() -> None:
    box = outbox()
    for number in range(1000):
        box.show(table(deal=number), (happening(number),))
    assert code_of(box) is None
    assert len(everything(box)) == 1


def test_a_replaced_connection_gets_what_waits_and_nothing_after() -> None:
    box = outbox()
    box.tell(Done(1))
    box.replace()
    box.tell(Done(2))
    box.show(table(), ())
    box.close(CloseCode.NORMAL)
    assert everything(box) == [Done(1)]
    assert code_of(box) is CloseCode.REPLACED
    assert box.closing.is_set()


def test_whoever_takes_it_out_is_stirred_by_a_view_a_message_and_the_end() -> None:
    stirred: list[bool] = []
    box = Outbox(server_codec(MSGPACK).encode, lambda: stirred.append(True))
    stirs: tuple[tuple[Callable[[], None], list[ServerMessage]], ...] = (
        (lambda: box.show(table(), ()), [Table(table())]),
        (lambda: box.tell(Done(1)), [Done(1)]),
        (lambda: box.close(CloseCode.NORMAL), []),
    )
    for number, (stir, expected) in enumerate(stirs, 1):
        stir()
        assert len(stirred) == number
        assert [DECODE(frame) for frame in box.take()] == expected


def test_a_reader_takes_what_waits_at_once_up_to_a_size() -> None:
    box = outbox()
    said = Said("Ann", "x" * (AT_ONCE_BYTES // 3))
    for _ in range(4):
        box.tell(said)
    box.close(CloseCode.NORMAL)
    assert [DECODE(frame) for frame in box.take()] == [said] * 3
    assert [DECODE(frame) for frame in box.take()] == [said]
    assert box.take() == []


OPERATIONS = st.lists(
    st.tuples(st.just("show"), st.integers(1, 3), st.integers(0, 3))
    | st.tuples(st.sampled_from(["tell", "pop", "place", "unseat", "notice"]), st.just(0), st.just(0)),
    max_size=60,
)


@given(OPERATIONS)
def test_whenever_a_client_reads_it_learns_every_happening_once_and_the_newest_view_last(
    operations: list[tuple[str, int, int]],
) -> None:
    box, read, shown, happened, told = outbox(), list[ServerMessage](), list[TableView](), list[Happening](), 0
    for operation, deal, count in operations:
        if operation == "show":
            shown.append(table(deal=deal))
            news = tuple(happening(len(happened) + number) for number in range(count))
            happened += news
            box.show(shown[-1], news)
        elif operation == "tell":
            told += 1
            box.tell(Done(told))
        elif operation == "place":
            box.place(SEATED)
        elif operation == "unseat":
            box.unseat("left")
        elif operation == "notice":
            box.tell(Notice("live"))
        elif (frame := box.pop()) is not None:
            read.append(DECODE(frame))
    read += everything(box)
    tables = [message for message in read if isinstance(message, Table)]
    assert [news for message in tables for news in message.happened] == happened
    assert [message for message in read if isinstance(message, Done)] == [Done(n + 1) for n in range(told)]
    assert [message.view for message in tables][-1:] == shown[-1:]
