"""Makes the names and keys of items: shards, rows, manifests, and the ids that users see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from onthedot.schedule.time.instants import EPOCH, nominal

SHARDS = 256
CURSOR, SPEC, GATE = "cursor", "spec", "#gate"
# The audit reads all partitions of half an hour each minute. A few allow parallel writes.
MANIFESTS = 4
# The task's id, then a row's key without dashes and colons.
_RUN_ID = re.compile(
    r"([0-9A-Za-z_-]{1,64})\."
    r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2}"
    r"(?:\.[0-9]{3})?Z(?:~[0-9A-Za-z]{1,64})?)"
)


def shard_of(task_id: str) -> int:
    """Spreads tasks over the shards of the index. Python's own hash differs in each process."""
    return int.from_bytes(sha256(task_id.encode()).digest()[:4], "big") % SHARDS


def item_key(partition: str, sort: str) -> dict[str, str]:
    """Returns the key of an item of the table `runs`: a run, a gate, a list, a tally."""
    return {"task_id": partition, "scheduled_for": sort}


def key_of(item: Mapping[str, str]) -> dict[str, str]:
    """Returns the key of an item of the table `runs` that was read."""
    return item_key(item["task_id"], item["scheduled_for"])


def part_key(task_id: str, part: str) -> dict[str, str]:
    """Returns the key of an item of the table `tasks`."""
    return {"task_id": task_id, "part": part}


def slot_key(slot: int) -> str:
    """Returns the sort key of a slot's run. One slot has one row, for all who claim it."""
    return nominal(slot)


def moment_key(now_ms: int, kind: str, token: str) -> str:
    """Returns the sort key of a run without a slot of its own: manual (m), replay (r)."""
    return f"{nominal(now_ms // 1000)[:-1]}.{now_ms % 1000:03}Z~{kind}{token}"


def backfill_key(slot: int, number: int) -> str:
    """Returns the sort key of the n-th backfill of a slot. The slot's own row keeps its outcome."""
    return f"{nominal(slot)}~b{number}"


def range_key(first: int, version: int) -> str:
    """Returns the sort key of a range. Two writers with the same plan get the same key."""
    return f"{nominal(first)}~g{version}"


def payload_key(key: str) -> str:
    """Returns the sort key of the payload that a run has instead of its task's."""
    return f"{key}^payload"


def lies_beside(key: str) -> bool:
    """Tells whether the key belongs to an item beside a run, not to a run."""
    return "^" in key


def is_slot_key(key: str) -> bool:
    """Tells whether the key is a slot's own. Other runs and ranges have other keys."""
    return "~" not in key and "#" not in key


def run_id(task_id: str, key: str) -> str:
    """Writes the id of a run: task and sort key, in letters that a URL can carry."""
    return f"{task_id}.{key.replace('-', '').replace(':', '')}"


def is_run_id(text: str) -> bool:
    """Tells whether a text has the form of a run's id. Only such a text can name a row."""
    return _RUN_ID.fullmatch(text) is not None


def row_of(run: str) -> tuple[str, str]:
    """Returns the row's key from a run's id, so that a run is one GetItem away."""
    parts = _RUN_ID.fullmatch(run)
    if parts is None:
        raise ValueError(f"'{run[:200]}' is no id of a run")
    task_id, year, month, day, hour, minute, rest = parts.groups()
    return task_id, f"{year}-{month}-{day}T{hour}:{minute}:{rest}"


def instant_ms(key: str) -> int:
    """Returns the instant at the start of a run's sort key."""
    written = datetime.fromisoformat(key.partition("~")[0])
    return (written - EPOCH) // timedelta(milliseconds=1)


def manifest_key(check_ms: int, dispatch_id: str) -> str:
    """Returns the partition of the manifests to check in that minute, one of a few."""
    spread = sha256(dispatch_id.encode()).digest()[0] % MANIFESTS
    return f"check#{nominal(check_ms // 1000)[:16]}#{spread}"


def recent_key(minute: str) -> str:
    """Returns the partition of checked manifests, one for each hour of the runs' due times."""
    return f"recent#{minute[:13]}"


def manifest_keys(minute_sec: int) -> list[str]:
    """Returns all manifest partitions of a minute."""
    return [f"check#{nominal(minute_sec)[:16]}#{spread}" for spread in range(MANIFESTS)]


LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_LETTERS = 10
CHANCE_LETTERS = 16


def ulid(now_ms: int, chance: str) -> str:
    """Writes a ULID. `chance` is its sixteen random letters."""
    time = "".join(LETTERS[now_ms >> 5 * place & 31] for place in reversed(range(_TIME_LETTERS)))
    return time + chance
