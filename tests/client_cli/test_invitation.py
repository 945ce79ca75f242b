"""Whoever opens a room is told how others join it."""

from client_cli import words
from client_cli.frontend import JoinPage
from client_cli.invitation import Invitation
from tests.client_cli.tables import CODE

URL = "ws://10.0.0.2:8470/ws"
PAGE = f"http://10.0.0.2:8470/j/{CODE}"


def test_it_is_a_sentence_and_a_code_only_on_request() -> None:
    assert Invitation(URL).lines(CODE) == [words.invitation(URL, CODE)]
    said, page = Invitation(URL, qr=True).lines(CODE)
    assert said == words.invitation(URL, CODE)
    assert page == PAGE
    assert isinstance(page, JoinPage)
