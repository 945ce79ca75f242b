"""Log lines as people and programs read them."""

import json
import logging
import re
from datetime import UTC, datetime

import pytest

from server.logs import FIELDS, JsonLines, TextLines, configure

SECRET = "hand of seat 1: 36 66"


def record(
    message: str = "answered", *arguments: object, fault: BaseException | None = None, **fields: object
) -> logging.LogRecord:
    raised = None if fault is None else (type(fault), fault, fault.__traceback__)
    made = logging.LogRecord("server.gateway", logging.WARNING, __file__, 1, message, arguments, raised)
    vars(made).update(fields)
    return made


def raised() -> BaseException:
    try:
        raise ValueError(SECRET)
    except ValueError as fault:
        return fault


def test_a_line_of_text_ends_with_what_it_is_about() -> None:
    line = TextLines().format(record(connection="c1", request="r2", seconds=0.25, code="ok", other="not named"))
    assert line.endswith(" WARNING server.gateway: answered connection=c1 request=r2 code=ok seconds=0.250000")


def test_a_room_that_is_in_the_words_is_not_named_twice_in_text() -> None:
    assert TextLines().format(record("room %s is over", "ABCD2345", room="ABCD2345")).count("ABCD2345") == 1
    assert json.loads(JsonLines().format(record("room %s is over", "ABCD2345", room="ABCD2345")))["room"] == "ABCD2345"


def test_a_line_of_json_is_one_object_on_one_line() -> None:
    line = JsonLines().format(record("%s\x1b[2J \u202e\n %s", "a", "b\ud800", connection="c1", code=1012))
    assert "\n" not in line
    assert line.isascii()
    assert line.isprintable()
    told = json.loads(line)
    at = datetime.fromisoformat(told.pop("time"))
    assert at.tzinfo is UTC
    assert told == {
        "level": "warning",
        "logger": "server.gateway",
        "message": "a\x1b[2J \u202e\n b\ud800",
        "connection": "c1",
        "code": 1012,
    }


@pytest.mark.parametrize("form", [TextLines(), JsonLines()])
def test_a_fault_is_told_by_kind_and_place_and_never_by_its_text(form: logging.Formatter) -> None:
    line = form.format(record("a library says", fault=raised()))
    assert "ValueError" in line
    assert "in raised" in line
    assert SECRET not in line


def test_what_is_configured_is_written_to_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.RootLogger(logging.WARNING)
    monkeypatch.setattr(logging, "root", root)
    configure("info", "json")
    root.info("ready")
    root.debug("not asked for")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == "ready"


def test_writes_to_connections_that_are_gone_are_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "root", logging.RootLogger(logging.WARNING))
    event_loop = logging.getLogger("asyncio")
    level = event_loop.level
    try:
        configure("debug", "text")
        assert not event_loop.isEnabledFor(logging.WARNING)
        assert event_loop.isEnabledFor(logging.ERROR)
    finally:
        event_loop.setLevel(level)


def test_fields_are_words() -> None:
    assert all(re.fullmatch("[a-z]+", name) for name in FIELDS)
