"""Notices on the desktop: only where the terminal is known to show them."""

import pytest

from client_cli.attention import notice_sequence


@pytest.mark.parametrize(
    ("environment", "sequence"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "\x1b]9;Your turn.\x07"),
        ({"TERM": "foot"}, "\x1b]777;notify;Paizhuo;Your turn.\x07"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "linux"}, ""),
        ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/tmux"}, ""),
        ({"TERM_PROGRAM": "WezTerm", "TERM": "screen-256color"}, ""),
    ],
)
def test_a_notice_goes_only_to_terminals_that_show_it(environment: dict[str, str], sequence: str) -> None:
    assert notice_sequence("Your turn.", environment) == sequence
