"""`paizhuo-server serve` as a process."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import JSON
from protocol.errors import CloseCode, ExitCode
from server.commands import CommandFailed
from server.commands.serve import serve
from server.settings import ServerSettings
from tests.server.operator.asking import ask

pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-m", "server", "serve")


async def started(*flags: str, stdin: int = asyncio.subprocess.DEVNULL, **environment: str) -> Process:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAIZHUO_")}
    return await asyncio.create_subprocess_exec(
        *COMMAND, *flags, stdin=stdin, stdout=PIPE, stderr=PIPE, env={**kept, "COLUMNS": "400", **environment}
    )


async def ended(process: Process) -> tuple[int | None, str, str]:
    """Exit code, stdout and stderr."""
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@asynccontextmanager
async def serving(
    *flags: str, stdin: int = asyncio.subprocess.DEVNULL, **environment: str
) -> AsyncIterator[tuple[Process, str]]:
    """A server that is ready, and its URL."""
    process = await started(*flags, stdin=stdin, **environment)
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        announced = re.fullmatch(r"listening on (ws://127\.0\.0\.1:[0-9]+/ws)\n", line)
        if announced is None:
            process.kill()
            pytest.fail(f"announced {line!r}: {await ended(process)}")
        yield process, announced[1]
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def sqlite(path: Path) -> str:
    return f"sqlite:{path / 'rooms.sqlite3'}"


@pytest.mark.parametrize(
    ("number", "exit_code"),
    [(signal.SIGTERM, ExitCode.OK), (signal.SIGHUP, ExitCode.OK), (signal.SIGINT, ExitCode.INTERRUPTED)],
)
async def test_a_signal_sends_the_clients_away_and_ends_the_server(
    number: signal.Signals, exit_code: ExitCode, tmp_path: Path
) -> None:
    async with serving("--port", "0", "--store", sqlite(tmp_path)) as (process, url):
        async with connect(url, subprotocols=[Subprotocol(JSON)], proxy=None) as client:
            await client.send('{"type":"hello","name":"Ann"}')
            assert '"welcome"' in str(await client.recv())
            process.send_signal(number)
            assert '"draining","retry_ms":' in str(await client.recv())
            with pytest.raises(ConnectionClosed):
                await client.recv()
            assert client.close_code == CloseCode.RESTART
        code, out, err = await ended(process)
        assert (code, out) == (exit_code, ""), err
        assert "stopped: 0 appends, 0 conflicts" in err
        assert "Traceback" not in err


async def test_port_and_store_come_from_the_environment_and_flags_win(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with serving("--port", "0", PAIZHUO_PORT=port, PAIZHUO_STORE=sqlite(tmp_path)) as (_, url):
            assert f":{port}/" not in url
            assert (tmp_path / "rooms.sqlite3").exists()
        code, out, err = await ended(await started(PAIZHUO_PORT=port, PAIZHUO_STORE=sqlite(tmp_path)))
    assert (code, out) == (ExitCode.FAILURE, "")
    assert f"port {port} on 127.0.0.1 is taken" in err
    assert "--port" in err
    assert "Traceback" not in err


async def test_the_operator_has_a_listener_apart_if_a_port_is_named_for_it(tmp_path: Path) -> None:
    async with serving("--port", "0", "--admin-port", "0", "--store", sqlite(tmp_path)) as (process, _):
        assert process.stderr is not None
        where = None
        while where is None:
            line = (await process.stderr.readline()).decode()
            assert line, "it has ended"
            where = re.search(r"the operator's listener is at http://127\.0\.0\.1:([0-9]+)\n", line)
        metrics = await ask(int(where[1]), "/metrics")
        assert "paizhuo_appends_total 0.0\n" in metrics.text
        assert (await ask(int(where[1]), "/readyz")).status == 200
        process.send_signal(signal.SIGTERM)
        code, _, err = await ended(process)
    assert code == ExitCode.OK, err


async def test_the_log_can_be_json_that_names_connections_and_requests(tmp_path: Path) -> None:
    flags = ("--port", "0", "--log-format", "json", "--log-level", "debug", "--store", sqlite(tmp_path))
    async with serving(*flags) as (process, url):
        async with connect(url, subprotocols=[Subprotocol(JSON)], proxy=None) as client:
            for frame in ('{"type":"hello","name":"Ann"}', '{"type":"join","code":"ZZZZ2345"}'):
                await client.send(frame)
                await client.recv()
        process.send_signal(signal.SIGTERM)
        _, _, err = await ended(process)
    lines = [json.loads(line) for line in err.splitlines()]
    answered = [line for line in lines if line["message"] == "answered"]
    assert [(line["connection"], line["request"], line["kind"], line["code"]) for line in answered] == [
        ("c1", "r1", "hello", "ok"),
        ("c1", "r2", "join", "no_such_room"),
    ]
    assert [line["code"] for line in lines if line["message"] == "closed"] == [1000]
    assert "ZZZZ2345" not in err
    assert "Ann" not in err


async def test_an_admin_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, out, err = await ended(await started("--port", "0", "--admin-port", port, "--store", sqlite(tmp_path)))
    assert (code, out) == (ExitCode.FAILURE, "")
    assert f"port {port} on 127.0.0.1 is taken" in err
    assert "--admin-port" in err


async def test_a_certificate_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    flags = ("--tls-cert", str(tmp_path / "chain.pem"), "--tls-key", str(tmp_path / "key.pem"))
    code, out, err = await ended(await started("--port", "0", "--store", sqlite(tmp_path), *flags))
    assert (code, out) == (ExitCode.FAILURE, "")
    assert "chain.pem cannot be read" in err
    assert err.count("\n") == 1


async def test_with_the_risk_taken_it_tries_any_address(tmp_path: Path) -> None:
    flags = ("--port", "0", "--store", sqlite(tmp_path), "--host", "198.41.0.4", "--insecure")
    code, out, err = await ended(await started(*flags))
    assert (code, out) == (ExitCode.FAILURE, "")
    assert "198.41.0.4 is no address that this machine can listen on" in err


async def test_a_server_started_by_a_program_ends_with_its_stdin(tmp_path: Path) -> None:
    flags = ("--port", "0", "--store", sqlite(tmp_path), "--stop-with-stdin")
    async with serving(*flags, stdin=PIPE) as (process, _):
        assert process.stdin is not None
        process.stdin.close()
        code, out, err = await ended(process)
        assert (code, out) == (ExitCode.OK, ""), err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--prot", "0"], "Did you mean --port?"),
        (["--port", "65536"], "--port. Must be <= 65535"),
        (["--port", "http"], "unable to convert"),
        (["--grace-s", "-1"], "--grace-s. Must be >= 0"),
        (["--bot-workers", "0"], "--bot-workers. Must be >= 1"),
        (["--log-level", "loud"], "Choose from"),
        (["--trusted-proxy", "10.0.0.1/8"], "is neither an address nor a network"),
        (["--exempt", "here"], "is neither an address nor a network"),
        (["--max-connections", "0"], "--max-connections. Must be >= 1"),
        (["--host", ""], "Name an address of this machine"),
        (["--origin", "https://cards.example/play"], "scheme://host[:port]"),
        (["--tls-cert", "chain.pem"], "give both --tls-cert and --tls-key"),
        (["--tls-key", "key.pem"], "give both --tls-cert and --tls-key"),
        (["--host", "198.41.0.4"], "on 198.41.0.4 strangers could connect"),
        (["--store", "mongodb://localhost"], "sqlite:PATH"),
        (["--store", "sqlite:rooms.db", "--wait-replicas", "1"], "has neither replicas nor eviction"),
        (["--store", "redis://localhost", "--wait-replicas", "6"], "<= 5"),
        (["surplus"], "surplus"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
async def test_wrong_usage_is_told_in_a_sentence(flags: list[str], sentence: str) -> None:
    code, out, err = await ended(await started(*flags, PAIZHUO_PORT="0"))
    assert (code, out) == (ExitCode.USAGE, "")
    assert sentence in err
    assert err.count("\n") == 1


async def test_a_store_out_of_reach_is_told_in_a_sentence_without_its_password() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    code, out, err = await ended(await started("--port", "0", "--store", f"redis://me:s3cr3t@127.0.0.1:{port}/0"))
    assert (code, out) == (ExitCode.STORE_UNAVAILABLE, "")
    assert f"127.0.0.1:{port}" in err
    assert "s3cr3t" not in err
    assert "Traceback" not in err


async def test_a_file_that_is_no_store_is_told_in_a_sentence(tmp_path: Path) -> None:
    other = tmp_path / "letters.txt"
    other.write_text("Dear Ann, " * 1000)
    code, out, err = await ended(await started("--port", "0", "--store", f"sqlite:{other}"))
    assert (code, out) == (ExitCode.STORE_UNAVAILABLE, "")
    assert "letters.txt" in err
    assert "Traceback" not in err
    assert other.read_text().startswith("Dear Ann")


async def test_help_names_every_flag_with_its_variable_and_default() -> None:
    code, out, _ = await ended(await started("--help"))
    assert code == ExitCode.OK
    for word in ("--host", "--port", "--store", "--origin", "--beat-ms", "--grace-s", "PAIZHUO_PORT", "8470"):
        assert word in out
    assert f"{Path.home()}/" not in out  # the same for everybody


def test_what_tracing_lacks_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "server.operator.spans", None)
    with pytest.raises(CommandFailed, match="--tracing needs more: pip install") as failed:
        serve(ServerSettings(store=sqlite(tmp_path), tracing=True))
    assert failed.value.exit_code == ExitCode.USAGE


def test_a_fault_that_ends_the_server_is_logged_without_what_it_may_quote(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = "hand of seat 1: 36 66"

    async def failing(*_: object) -> int:
        raise ExceptionGroup(secret, [ValueError(secret)])

    monkeypatch.setattr("server.app.serve", failing)
    with pytest.raises(CommandFailed) as failed:
        serve(ServerSettings(store=sqlite(tmp_path)))
    assert failed.value.exit_code == ExitCode.FAILURE
    assert failed.value.__suppress_context__
    assert "ValueError" in caplog.text
    assert secret not in caplog.text + failed.value.sentence
