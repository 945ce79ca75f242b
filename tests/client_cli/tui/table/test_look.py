"""The table is drawn as the person's settings and the terminal have it."""

from client_cli.settings import Settings, choices
from client_cli.tui.table.hand import Order
from client_cli.tui.table.look import Look, look_of


def test_a_hand_can_be_sorted_in_all_ways_that_settings_name() -> None:
    assert tuple(Order) == choices("order")
    assert look_of(Settings(order="copies")).order is Order.COPIES


def test_without_wishes_the_table_looks_as_it_usually_does() -> None:
    assert look_of(Settings()) == Look()
