"""Is this Redis fit to keep rooms? Each wrong setting is one sentence with its remedy."""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from server.store.base import Refused, Unfit

OLDEST = (6, 2)

_WANTED = {
    "appendonly": ("yes", "or a restart would lose the rooms"),
    "appendfsync": ("always", "or a crash would lose moves that players were told are saved"),
    "no-appendfsync-on-rewrite": ("no", "or a crash while it rewrites its log would do the same"),
    "maxmemory-policy": ("noeviction", "or rooms would be thrown out when memory runs short"),
}

_log = logging.getLogger(__name__)


NEARLY_FULL = 0.8
"""Of maxmemory; the rest is for the rooms that there are."""


class Demands(NamedTuple):
    """What an operator asks of a server of rooms: the `replicas` that must have got what players are told is saved;
    whether rooms may be thrown out when memory runs short; how it is reached."""

    replicas: int = 0
    allow_eviction: bool = False
    in_cluster: bool = False
    by_sentinel: bool = False


STANDARD = Demands()


async def inspect(ask: Callable[..., Awaitable[Any]], place: str, demands: Demands = STANDARD) -> None:
    """Ask the server about itself; `ask` raises `Refused`. Raises `Unfit`; warns where settings may not be asked."""
    about = fields(await ask("INFO"))
    judge_server(about, place, demands)
    for setting, (wanted, why) in _WANTED.items():
        found = await _setting(ask, setting, about)
        if setting == "maxmemory-policy" and demands.allow_eviction:
            if found != wanted:
                _log.warning("%s may throw out running rooms when memory runs short, as was allowed", place)
            continue
        if found is None:
            _log.warning("%s does not show its setting %s: make sure that it is %s, %s", place, setting, wanted, why)
        elif found != wanted:
            raise Unfit(
                f"{place} has {setting} {found}, and must have {wanted}, {why}: "
                f"run CONFIG SET {setting} {wanted} and put it in its configuration file "
                f"(or start it with --{setting} {wanted})"
            )
    if (demands.by_sentinel or demands.in_cluster) and not demands.replicas and _replicas(about):
        _log.warning("%s may lose acknowledged moves in a failover: --wait-replicas 1 prevents it", place)
    if demands.by_sentinel and await _setting(ask, "min-replicas-to-write", about) == "0":
        _log.warning(
            "%s has min-replicas-to-write 0: with 1, a primary that is cut off from its replicas takes no writes that "
            "a failover would lose",
            place,
        )


def fields(text: Any) -> dict[str, str]:
    """The fields of an answer to INFO; none if it is something else."""
    if not isinstance(text, bytes):
        return {}
    return dict(line.split(":", 1) for line in text.decode(errors="replace").splitlines() if ":" in line)


def judge_server(about: dict[str, str], place: str, demands: Demands) -> None:
    """Raises `Unfit` for a server that is too old, is a node of a cluster or not against what its URL says, or has
    too few replicas."""
    version = about.get("redis_version", "")
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise Unfit(f"{place} is Redis {version or 'of an unknown version'}: use Redis 6.2 or later, or Valkey")
    clustered = about.get("cluster_enabled", "0") != "0"
    if clustered and not demands.in_cluster:
        raise Unfit(
            f"{place} is a node of a cluster: name the cluster as the store, cluster://HOST:PORT[,HOST:PORT...]"
        )
    if demands.in_cluster and not clustered:
        raise Unfit(f"{place} is no node of a cluster (cluster-enabled no): name it as redis://HOST:PORT")
    there = _replicas(about)
    if there < demands.replicas:
        raise Unfit(
            f"{place} has {there} of the {demands.replicas} replicas that --wait-replicas asks for: start the others "
            "(INFO replication shows which are there), or ask for fewer"
        )


def _replicas(about: dict[str, str]) -> int:
    """How many are connected and have all that was written before."""
    return sum(",state=online," in text for name, text in about.items() if re.fullmatch(r"slave\d+", name))


def is_nearly_full(about: dict[str, str]) -> bool:
    """By the fields of INFO memory; never where there is no limit."""
    limit, used = about.get("maxmemory", ""), about.get("used_memory", "")
    return limit.isdecimal() and used.isdecimal() and 0 < int(limit) * NEARLY_FULL < int(used)


async def _setting(ask: Callable[..., Awaitable[Any]], setting: str, about: dict[str, str]) -> str | None:
    """The setting's value; where CONFIG is forbidden, as far as INFO tells; else None."""
    try:
        answer = await ask("CONFIG", "GET", setting)
    except Refused:
        answer = ()
    match answer:
        case [_, bytes(value)]:
            return value.decode(errors="replace")
    match setting, about:
        case "appendonly", {"aof_enabled": enabled}:
            return "yes" if enabled == "1" else "no"
        case "maxmemory-policy", {"maxmemory_policy": policy}:
            return policy
    return None
