"""What the wiring promises."""

from server.app import AFTER_DRAIN_S, POOL_S, STORE_S
from server.gateway.conversations import BREAK_OFF_S
from server.node.hub import GOODBYE_MS
from server.operator.listener import STOP_S
from server.settings import ServerSettings
from server.tracing import FLUSH_S

PROMISED_S = AFTER_DRAIN_S
"""After `--drain-s`, as its help and deploy/README.md have it."""


def test_all_that_may_hold_up_a_stop_takes_no_longer_than_is_promised() -> None:
    after_s = BREAK_OFF_S + GOODBYE_MS / 1000 + STORE_S + POOL_S + STOP_S + FLUSH_S
    assert after_s <= PROMISED_S
    assert ServerSettings(store="sqlite:unused").drain_s + after_s <= 10
