"""Is this Redis fit to keep rooms? Each wrong setting is one sentence with its remedy."""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from server.store.base import Refused, Unfit

OLDEST = (6, 2)

_WANTED = {
    "appendonly": ("yes", "or a restart would lose the rooms"),
    "appendfsync": ("always", "or a crash would lose moves that players were told are saved"),
    "no-appendfsync-on-rewrite": ("no", "or a crash while it rewrites its log would do the same"),
    "maxmemory-policy": ("noeviction", "or rooms would be thrown out when memory runs short"),
}

_log = logging.getLogger(__name__)


async def inspect(ask: Callable[..., Awaitable[Any]], place: str) -> None:
    """Ask the server about itself; `ask` raises `Refused`. Raises `Unfit`; warns where settings may not be asked."""
    about = fields(await ask("INFO"))
    judge_server(about, place)
    for setting, (wanted, why) in _WANTED.items():
        found = await _setting(ask, setting, about)
        if found is None:
            _log.warning("%s does not show its setting %s: make sure that it is %s, %s", place, setting, wanted, why)
        elif found != wanted:
            raise Unfit(
                f"{place} has {setting} {found}, and must have {wanted}, {why}: "
                f"run CONFIG SET {setting} {wanted} and put it in its configuration file "
                f"(or start it with --{setting} {wanted})"
            )


def fields(text: bytes) -> dict[str, str]:
    """The fields of an answer to INFO."""
    return dict(line.split(":", 1) for line in text.decode(errors="replace").splitlines() if ":" in line)


def judge_server(about: dict[str, str], place: str) -> None:
    """Raises `Unfit` for a server that is too old, or in cluster mode."""
    version = about.get("redis_version", "")
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise Unfit(f"{place} is Redis {version or 'of an unknown version'}: use Redis 6.2 or later, or Valkey")
    if about.get("cluster_enabled", "0") != "0":
        raise Unfit(f"{place} runs in cluster mode, which is not served yet: use one with cluster-enabled no")


async def _setting(ask: Callable[..., Awaitable[Any]], setting: str, about: dict[str, str]) -> str | None:
    """The setting's value; where CONFIG is forbidden, as far as INFO tells; else None."""
    try:
        pair = await ask("CONFIG", "GET", setting)
    except Refused:
        pair = ()
    if len(pair) == 2:
        return bytes(pair[1]).decode()
    match setting, about:
        case "appendonly", {"aof_enabled": enabled}:
            return "yes" if enabled == "1" else "no"
        case "maxmemory-policy", {"maxmemory_policy": policy}:
            return policy
    return None
