"""What a client asks of the node, over real sockets in both subprotocols."""

import pytest

from protocol.codec import MSGPACK, SUBPROTOCOLS
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    AskHint,
    Because,
    Create,
    DealRecord,
    Done,
    Emote,
    Export,
    Hello,
    Hint,
    ListRooms,
    Ready,
    Refused,
    Rooms,
    Said,
    Say,
    Seated,
    Table,
    Watch,
    Watching,
    Welcome,
    Why,
)
from protocol.view import Reason
from tests.server.gateway.fakes import RECORD, TICKET, table
from tests.server.gateway.gateways import ANN, BOB, Gateway


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_both_subprotocols_carry_the_same_conversation(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol) as client:
        await client.send(ANN, ListRooms(), Create("chuo-pai"), Act(1, 7, "pass"), Say("\x1b[31m好"), Ready(2))
        received = [await client.receive() for _ in range(7)]
    assert [type(message) for message in received] == [Welcome, Rooms, Seated, Table, Done, Said, Done]
    assert received[3] == Table(table())
    assert received[5] == Said("Ann", "[31m好")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_an_emote_reaches_the_table_with_words_for_older_clients(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), Emote("oops"))
        assert (await client.until(Said))[-1] == Said("Ann", "Oops!", emote="oops")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_hint_is_answered_and_one_for_an_older_question_refused(
    open_gateway: Gateway, subprotocol: str
) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), AskHint(7), AskHint(6))
        assert (await client.until(Hint))[-1] == Hint(7, "pass", (Reason("forced"),))
        assert await client.receive() == Refused(ErrorCode.STALE_PROMPT, "That question has been settled already.")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_reason_is_given_and_refused_about_an_older_question(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, ANN) as client:
        await client.send(Create("chuo-pai"), Why(7, "66"), Why(6, "66"))
        assert (await client.until(Because))[-1] == Because(7, Reason("not_in_hand", ("66",)))
        assert await client.receive() == Refused(ErrorCode.STALE_PROMPT, "That question has been settled already.")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_a_finished_deal_is_exported_and_another_is_not(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol, BOB) as client:
        await client.send(Watch("ABCD2345"), Export(1), Export(2))
        assert (await client.until(DealRecord))[-1] == DealRecord(1, RECORD)
        assert await client.receive() == Refused(ErrorCode.DEAL_NOT_OVER, "Deal 2 is not over.")


async def test_a_spectator_watches_and_a_ticket_brings_a_seat_back(open_gateway: Gateway) -> None:
    async with open_gateway.client(MSGPACK, BOB) as client:
        await client.send(Watch("abcd-2345"))
        assert await client.until(Table) == [Watching("abcd-2345"), Table(table())]
    async with open_gateway.client(MSGPACK, Hello("Ann", TICKET)) as client:
        assert await client.until(Table) == [Seated("ABCD2345", 0, TICKET), Table(table())]
