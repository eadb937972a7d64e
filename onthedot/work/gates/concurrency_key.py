"""Decides for runs that share a concurrency key: they share its places and its rate."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from onthedot.records.conditional_writes import Clause, Insert, Update, Write
from onthedot.records.keys import GATE, item_key
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Wait
from onthedot.records.tasks.task_spec import Task
from onthedot.targets import templates

TABLE = "runs"
RATE = "#rate"
_PLACE = "key#"
# Every change of the gate pays for its whole line. With more, runs wait in the queue.
LINE_MAX = 200
# Starts that are remembered. A larger count is kept as its share of the period.
_STARTS_MAX = 100
# Milliseconds. If a start is later than its turn by more, the rate's line is told.
PROMPT_MS = 50
_NO_RATE = {"count": 0, "per_sec": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a key allows. Zero means no limit. `place` is the partition of its items."""

    place: str
    most: int = 0
    count: int = 0
    per_ms: int = 0

    @property
    def apart_ms(self) -> int:
        """Returns the distance of turns, with room for starts that are a little late."""
        return self.per_ms + PROMPT_MS


def limit_of(task: Task, fields: Mapping[str, Any]) -> Limit | None:
    """Returns the limit of a run of the task."""
    wanted = task.shown.get("concurrency_key")
    if not wanted:
        return None
    digest = sha256(_key(wanted["key"], fields)).hexdigest()[:32]
    rate = wanted.get("rate") or _NO_RATE
    count, per_ms = rate["count"], rate["per_sec"] * 1000
    if count > _STARTS_MAX:
        count, per_ms = _STARTS_MAX, per_ms * _STARTS_MAX // count
    return Limit(
        place=f"{_PLACE}{task.tenant_id}#{digest}",
        most=wanted.get("max_running") or 0,
        count=count,
        per_ms=per_ms,
    )


def _key(template: str, fields: Mapping[str, Any]) -> bytes:
    """Fills the key in. Runs whose key would be too large share one, so none is stuck."""
    try:
        key = templates.text(template, fields, templates.Room())
    except templates.TooLarge:
        key = template
    # Half of a surrogate pair cannot be written.
    return key.encode("utf-8", "replace")


def enter(
    gate: Gate, run_id: str, most: int, order: Mapping[str, int]
) -> Have | Enter | Wait | None:
    """Decides about a run at its key's gate, which names open runs only. None: come back later.

    `order` has the due times: the run that has been due longest goes first.
    """
    if run_id in gate.holders:
        return Have()
    line = tuple(sorted({*gate.waiting, run_id}, key=lambda each: (order.get(each, 0), each)))
    if len(gate.holders) < most and line[0] == run_id:
        return Enter(gate.entered(run_id))
    if run_id not in gate.waiting and len(gate.waiting) >= LINE_MAX:
        return None
    return Wait(replace(gate, waiting=line))


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """The latest starts under a key, with those to come. `rev` guards every change.

    Bookings are in the line's own time, `behind_ms` behind the clock. A start that is late for its
    booking moves all later bookings by the same time.
    """

    place: str
    rev: int = 0
    at_ms: tuple[int, ...] = ()
    # The bookings whose turns were taken, and when. The rate limits these times.
    taken: tuple[tuple[int, int], ...] = ()
    behind_ms: int = 0

    def booked(self, limit: Limit, now_ms: int) -> tuple[Starts, int]:
        """Books the next start that the rate allows, after all bookings."""
        latest = self.at_ms[-limit.count :]
        # The time identifies a booking, so no two bookings have the same.
        at_ms = max([now_ms - self.behind_ms, *(last_ms + 1 for last_ms in latest[-1:])])
        if len(latest) >= limit.count:
            at_ms = max(at_ms, latest[0] + limit.apart_ms)
        return replace(self, at_ms=(*latest, at_ms)[-_STARTS_MAX:]).take(limit, at_ms, now_ms)

    def take(self, limit: Limit, at_ms: int, now_ms: int) -> tuple[Starts, int]:
        """Takes the turn that was booked for `at_ms` in the line's time, or returns when it comes.

        Two messages of a run may ask for it. It is still one turn.
        """
        for booked_ms, taken_ms in self.taken:
            if booked_ms == at_ms:
                return self, min(taken_ms, now_ms)
        latest = self.taken[-limit.count :]
        turn_ms = at_ms + self.behind_ms
        if turn_ms <= now_ms + _STARTS_MAX:
            # Bookings for one moment are a millisecond apart, up to this number.
            turn_ms = now_ms
        if len(latest) >= limit.count:
            turn_ms = max(turn_ms, latest[0][1] + limit.apart_ms)
        if turn_ms > now_ms:
            return replace(self, behind_ms=max(self.behind_ms, turn_ms - at_ms)), turn_ms
        # Another machine's clock may be ahead of ours.
        taken_ms = max([now_ms, *(last_ms for _, last_ms in latest[-1:])])
        return replace(self, taken=(*latest, (at_ms, taken_ms))[-limit.count :]), now_ms

    def begun(self, at_ms: Container[int], now_ms: int) -> Starts:
        """Moves turns to the time at which their runs really began."""
        late = [(booked, now_ms) for booked, _ in self.taken if booked in at_ms]
        others = [one for one in self.taken if one[0] not in at_ms]
        return replace(self, taken=tuple(sorted((*others, *late), key=lambda one: one[1])))

    def write(self, wanted: Starts) -> Write:
        """Writes the starts if `rev` is still the one that was seen."""
        sets = (
            ("starts", list(wanted.at_ms)),
            ("taken", [list(each) for each in wanted.taken]),
            ("behind", wanted.behind_ms),
            ("rev", self.rev + 1),
        )
        key = rate_key(self.place)
        if not self.rev:
            return Insert(TABLE, {**key, **dict(sets)}, ("task_id", "scheduled_for"))
        return Update(TABLE, tuple(key.items()), sets, (Clause.equal("rev", self.rev),))


def starts(place: str, item: Mapping[str, Any] | None) -> Starts:
    """Reads the starts. A missing item means that there were none."""
    if item is None:
        return Starts(place=place)
    return Starts(
        place=place,
        rev=item["rev"],
        at_ms=tuple(item["starts"]),
        # The former release wrote neither.
        taken=tuple((booked_ms, taken_ms) for booked_ms, taken_ms in item.get("taken", ())),
        behind_ms=item.get("behind", 0),
    )


def rate_key(place: str) -> dict[str, str]:
    """Returns the key of a place's starts."""
    return item_key(place, RATE)


def is_place(partition: str) -> bool:
    """Tells whether a partition is a key's, and not a task's."""
    return partition.startswith(_PLACE)


def gate_key(place: str) -> dict[str, str]:
    """Returns the key of a place's gate."""
    return item_key(place, GATE)
