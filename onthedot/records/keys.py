"""Names and keys of the items: which shard, which row, which manifest, and the id a person sees."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from hashlib import sha256

from onthedot.schedule.time.instants import EPOCH, nominal

SHARDS = 256
CURSOR, SPEC, GATE = "cursor", "spec", "#gate"
# Each minute the audit asks all of half an hour's: few, but more than one may be written at once.
MANIFESTS = 4
# A row's key without its dashes and colons, behind the task's id.
_RUN_ID = re.compile(
    r"([0-9A-Za-z_-]{1,64})\."
    r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2}"
    r"(?:\.[0-9]{3})?Z(?:~[0-9A-Za-z]{1,64})?)"
)


def shard_of(task_id: str) -> int:
    """Spread tasks over the shards of the index; Python's own hash is salted."""
    return int.from_bytes(sha256(task_id.encode()).digest()[:4], "big") % SHARDS


def slot_key(slot: int) -> str:
    """Sort key of a slot's run: one slot has one row, for all who claim it."""
    return nominal(slot)


def moment_key(now_ms: int, kind: str, token: str) -> str:
    """Sort key of a run without a slot of its own: manual (m), replay (r)."""
    return f"{nominal(now_ms // 1000)[:-1]}.{now_ms % 1000:03}Z~{kind}{token}"


def backfill_key(slot: int, number: int) -> str:
    """Sort key of the n-th backfill of a slot; the slot's own row keeps its outcome."""
    return f"{nominal(slot)}~b{number}"


def range_key(first: int, version: int) -> str:
    """Sort key of the row that stands for many slots: who plans the same finds the same."""
    return f"{nominal(first)}~g{version}"


def payload_key(key: str) -> str:
    """Sort key of the payload that a run has instead of its task's."""
    return f"{key}^payload"


def lies_beside(key: str) -> bool:
    """Tell what lies beside a run from a run."""
    return "^" in key


def is_slot_key(key: str) -> bool:
    """Tell a slot's own row from manual runs, replays, backfills and ranges."""
    return "~" not in key and "#" not in key


def run_id(task_id: str, key: str) -> str:
    """Write the id of a run: task and sort key, fit for a URL."""
    return f"{task_id}.{key.replace('-', '').replace(':', '')}"


def is_run_id(text: str) -> bool:
    """Tell whether a text has the form of a run's id; only such a one can name a row."""
    return _RUN_ID.fullmatch(text) is not None


def row_of(run: str) -> tuple[str, str]:
    """Read a run's id back into its row's key, so that a run is one GetItem away."""
    parts = _RUN_ID.fullmatch(run)
    if parts is None:
        raise ValueError(f"'{run[:200]}' is no id of a run")
    task_id, year, month, day, hour, minute, rest = parts.groups()
    return task_id, f"{year}-{month}-{day}T{hour}:{minute}:{rest}"


def instant_ms(key: str) -> int:
    """Read the instant that a run's sort key begins with."""
    written = datetime.fromisoformat(key.partition("~")[0])
    return (written - EPOCH) // timedelta(milliseconds=1)


def manifest_key(check_ms: int, dispatch_id: str) -> str:
    """Partition of the manifests to be looked at in that minute, spread over a few."""
    spread = sha256(dispatch_id.encode()).digest()[0] % MANIFESTS
    return f"check#{nominal(check_ms // 1000)[:16]}#{spread}"


def recent_key(minute: str) -> str:
    """Partition of what was listed lately and has been looked at: an hour by when it was due."""
    return f"recent#{minute[:13]}"


def manifest_keys(minute_sec: int) -> list[str]:
    """All partitions of a minute."""
    return [f"check#{nominal(minute_sec)[:16]}#{spread}" for spread in range(MANIFESTS)]
