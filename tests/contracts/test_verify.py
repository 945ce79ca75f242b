"""`paizhuo verify` and `paizhuo-server verify` say the same of a file, whatever is wrong with its proof or its form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client_cli.commands.verify import verify as by_client
from protocol.errors import ExitCode
from protocol.record import LONGEST_BYTES
from server.commands.verify import verify as by_server

RECORD: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden/fair/vectors.json").read_bytes())["records"][0]
LINE = json.dumps(RECORD)


def without(key: str) -> str:
    return json.dumps({name: value for name, value in RECORD.items() if name != key})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LINE, ExitCode.OK),
        (f"\n \n{LINE}\n{LINE}", ExitCode.OK),
        (LINE[:-1] + f', "deck": {json.dumps(RECORD["deck"])}}}', ExitCode.VERIFICATION_FAILED),
        (LINE.replace('"secret": ', '"secret": "", "secret": '), ExitCode.VERIFICATION_FAILED),
        (without("steps"), ExitCode.VERIFICATION_FAILED),
        (json.dumps(RECORD | {"options": 7}), ExitCode.VERIFICATION_FAILED),
        (json.dumps(RECORD | {"deal": RECORD["deal"] + 1}), ExitCode.VERIFICATION_FAILED),
        (json.dumps(RECORD | {"fair": []}), ExitCode.VERIFICATION_FAILED),
        (" " * LONGEST_BYTES + LINE, ExitCode.VERIFICATION_FAILED),
        ("", ExitCode.VERIFICATION_FAILED),
    ],
    ids=lambda value: str(value)[:40],
)
def test_both_judge_a_file_alike(text: str, code: ExitCode, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(text)
    verifiers: tuple[Callable[[str], ExitCode], ...] = (by_client, by_server)
    assert [verify(str(file)) for verify in verifiers] == [code, code]


def test_a_deal_without_a_proof_may_be_played_by_the_rules_and_is_not_proven_to_be_fair(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(without("fair"))
    assert by_server(str(file)) == ExitCode.OK
    assert by_client(str(file)) == ExitCode.VERIFICATION_FAILED
