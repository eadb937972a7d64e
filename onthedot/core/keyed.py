"""Concurrency keys: runs of any task that share a key share its places and its rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from onthedot.core import templates
from onthedot.core.gate import Enter, Gate, Have, Wait
from onthedot.core.keys import GATE
from onthedot.core.task import Task
from onthedot.core.writes import Clause, Insert, Update, Write

TABLE = "runs"
RATE = "#rate"
# Every change of the gate pays for its whole line: beyond this, runs wait in the queue.
LINE_MAX = 200
# A start this much later than it was booked for books anew: others may be booked by now.
KEPT_MS = 10_000
# So many starts are remembered; a larger number a period is kept as its share of the period.
_STARTS_MAX = 100
_NO_RATE = {"count": 0, "per_sec": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a key allows; zero is no limit. `place` is the partition of its items."""

    place: str
    most: int = 0
    count: int = 0
    per_ms: int = 0


def limit_of(task: Task, fields: Mapping[str, Any]) -> Limit | None:
    """Give the limit that a run of the task is under."""
    wanted = task.shown.get("concurrency_key")
    if not wanted:
        return None
    digest = sha256(_key(wanted["key"], fields)).hexdigest()[:32]
    rate = wanted.get("rate") or _NO_RATE
    count, per_ms = rate["count"], rate["per_sec"] * 1000
    if count > _STARTS_MAX:
        count, per_ms = _STARTS_MAX, per_ms * _STARTS_MAX // count
    return Limit(
        place=f"key#{task.tenant_id}#{digest}",
        most=wanted.get("max_running") or 0,
        count=count,
        per_ms=per_ms,
    )


def _key(template: str, fields: Mapping[str, Any]) -> bytes:
    """Fill the key in; runs whose key would be too large share one place, and none is stuck."""
    try:
        key = templates.text(template, fields, templates.Room())
    except templates.TooLarge:
        key = template
    # Half of a surrogate pair can be written nowhere.
    return key.encode("utf-8", "replace")


def enter(gate: Gate, run_id: str, most: int) -> Have | Enter | Wait | None:
    """Decide over a run at its key's gate, whose lists name open runs; None: come back later."""
    if run_id in gate.holders:
        return Have()
    first = not gate.waiting or gate.waiting[0] == run_id
    if len(gate.holders) < most and first:
        return Enter(gate.entered(run_id))
    if run_id in gate.waiting:
        return Wait(gate)
    if len(gate.waiting) >= LINE_MAX:
        return None
    return Wait(replace(gate, waiting=(*gate.waiting, run_id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """The latest starts under a key, those to come included; `rev` guards every change."""

    place: str
    rev: int = 0
    at_ms: tuple[int, ...] = ()

    def booked(self, limit: Limit, now_ms: int) -> Starts:
        """Book the next start that the rate allows, behind all that are booked already."""
        latest = self.at_ms[-limit.count :]
        at_ms = max([now_ms, *latest[-1:]])
        if len(latest) >= limit.count:
            at_ms = max(at_ms, latest[0] + limit.per_ms)
        return replace(self, at_ms=(*latest, at_ms)[-_STARTS_MAX:])

    def write(self, wanted: Starts) -> Write:
        """Compare and set."""
        if not self.rev:
            item = {**rate_key(self.place), "rev": 1, "starts": list(wanted.at_ms)}
            return Insert(TABLE, item, ("task_id", "scheduled_for"))
        return Update(
            TABLE,
            tuple(rate_key(self.place).items()),
            (("starts", list(wanted.at_ms)), ("rev", self.rev + 1)),
            (Clause.equal("rev", self.rev),),
        )


def starts(place: str, item: Mapping[str, Any] | None) -> Starts:
    """Read them; where there are none, none have been."""
    if item is None:
        return Starts(place=place)
    return Starts(place=place, rev=item["rev"], at_ms=tuple(item["starts"]))


def rate_key(place: str) -> dict[str, str]:
    """Give the key of a place's starts."""
    return {"task_id": place, "scheduled_for": RATE}


def gate_key(place: str) -> dict[str, str]:
    """Give the key of a place's gate."""
    return {"task_id": place, "scheduled_for": GATE}
