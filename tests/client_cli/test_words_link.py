"""What is said of servers is short and true, whatever they call themselves."""

from client_cli import words_link

A, B = "ws://10.0.0.1:8470/ws", "ws://10.0.0.2:9000/ws"
STOP = "Press Ctrl-C, or type quit, to stop trying."


def test_a_loss_names_the_server_the_reason_and_the_next_attempt() -> None:
    assert words_link.lost(A, A, 0.1, "broken") == "The connection to 10.0.0.1 is lost. Trying again now."
    assert words_link.lost(A, A, 12.4, "broken") == "The connection to 10.0.0.1 is lost. Trying again in 12 s."
    assert words_link.lost(A, A, 2.0, "stopped") == f"10.0.0.1 stops or restarts. Trying again in 2 s. {STOP}"
    assert words_link.lost(A, B, 0.2, "stopped") == "10.0.0.1 stops or restarts. Going on at 10.0.0.2:9000."
    assert words_link.lost(A, A, 0.0, "slept") == "This machine slept, or the program stood still. Trying again now."


def test_silence_is_told_once_for_all_attempts() -> None:
    once = f"Trying again in 2 s, then at least every 30 s. {STOP}"
    assert words_link.lost(A, A, 2.0, "unanswered") == f"10.0.0.1 does not answer. {once}"
    assert words_link.lost(B, B, 2.0, "unanswered", alone=False) == f"No server answers. {once}"


def test_another_server_is_named_when_the_connection_is_back() -> None:
    assert words_link.back(None) == "Connected again."
    assert words_link.back(B) == "Connected again, at 10.0.0.2:9000."


def test_a_long_address_is_cut() -> None:
    assert len(words_link.back(f"wss://{'x' * 200}/ws")) < 70
