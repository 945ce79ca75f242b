"""How others come into a room can be asked for wherever there is a way."""

from client_cli import words
from client_cli.frontend import JoinPage
from tests.client_cli.conversations import LEADING, sit_down
from tests.client_cli.tables import CODE


def test_the_way_into_a_room_is_shown_again_wherever_there_is_one() -> None:
    shared, private = sit_down(LEADING, hosting=True), sit_down(LEADING)
    (page,) = shared.typed("qr").lines
    assert isinstance(page, JoinPage)
    assert page == f"http://10.0.0.2:8470/j/{CODE}"
    assert shared.typed("invite").lines == (words.invitation("ws://10.0.0.2:8470/ws", CODE),)
    assert private.typed("qr").lines == private.typed("invite").lines == (words.no_invitation(),)
