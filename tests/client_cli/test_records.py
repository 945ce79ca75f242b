"""What is wanted of finished deals is asked for once, when it can be had."""

from client_cli.records import Fetched, Records, Wanted
from protocol.messages import DealRecord, Export
from protocol.view import Result, TableView
from tests.client_cli.tables import view

OVER = Result((3, 1, 2), (0,))


def second_deal(result: Result | None = None) -> TableView:
    return view(deal=2, deals=3, result=result)


def test_a_deal_that_is_over_is_asked_for_once_however_often_it_is_wanted() -> None:
    records = Records()
    records.want(1, "deal.jsonl")
    records.want(1, None)
    assert records.ask(second_deal()) == [Export(1)]
    assert records.ask(second_deal()) == []
    assert records.received(DealRecord(1, "{}")) == [Fetched("{}", "deal.jsonl"), Fetched("{}", None)]
    assert records.wanted == ()


def test_a_deal_that_is_played_is_asked_for_when_it_is_over() -> None:
    records = Records()
    records.want(2, None)
    assert records.ask(second_deal()) == []
    assert records.ask(second_deal(OVER)) == [Export(2)]


def test_the_last_file_that_was_named_counts() -> None:
    records = Records()
    records.want(2, "a")
    records.want(2, "b")
    assert records.wanted == (Wanted(2, "b"),)


def test_a_lost_answer_is_asked_for_again_and_a_refused_one_is_not() -> None:
    records = Records()
    records.want(1, None)
    records.want(2, "later")
    records.ask(second_deal())
    records.ask_again()
    assert records.ask(second_deal()) == [Export(1)]
    records.refused()
    assert records.ask(second_deal(OVER)) == [Export(2)]


def test_what_nobody_asked_for_is_no_answer() -> None:
    records = Records()
    records.want(1, None)
    assert records.received(DealRecord(1, "{}")) == []
    records.ask(second_deal())
    assert records.received(DealRecord(2, "{}")) == []
    assert records.wanted == (Wanted(1, None, asked=True),)
