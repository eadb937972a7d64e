"""What stays of a run that is purged: that it died, and how each of its attempts ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.records.attributes import plain_item

# What a purge takes from the row and from the record of each attempt.
_GONE = frozenset({"error", "result", "progress", "checkpoint"})
_RECORDED = {
    "attempt": "attempt",
    "version": "version",
    "worker": "owner",
    "started_ms": "started_ms",
    "ended_ms": "ended_ms",
    "log": "log",
}


def kept(life: Mapping[str, Any]) -> dict[str, Any]:
    """Gives a stored life without what a purge takes, with all of its attempts as callers see them.

    While the error is there, it says how the newest one ended; afterwards a record must.
    """
    known = plain_item(life)
    attempts = [_without(one) for one in (*known.get("attempts", []), *_newest(known))]
    return _without(known) | ({"attempts": attempts} if attempts else {})


def _newest(life: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Gives the record of the newest attempt of a dead run, where its row has none."""
    number = life["attempt"]
    told = [one for one in life.get("attempts", []) if one["outcome"] != "stale"]
    if life["status"] != "dead" or not number or any(one["attempt"] == number for one in told):
        return
    error = life.get("error")
    outcome = "failed" if error else "lost"
    if error and error["type"] == "TimedOut":
        outcome = "timed_out"
    record = {name: life[ours] for name, ours in _RECORDED.items() if ours in life}
    yield {**record, "outcome": outcome}


def _without(known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in known.items() if name not in _GONE}
