"""Describes a backfill: past slots that run again, some each minute, until done or cancelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.bulk_operation import Loop, Named
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal, parse_nominal

RATE_MAX = 1_000
# Another run was the reason that it did not run. That is no outcome of the slot.
_TURNED_AWAY = frozenset({Reason.OVERLAP, Reason.QUEUE_FULL, Reason.PREVIOUS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """What is to run. `only_missing` leaves out slots that succeeded."""

    task_id: str
    first: int
    last: int
    only_missing: bool = True

    def wanted(self) -> dict[str, str | bool]:
        """Writes it for its bulk operation, whose cursor is the next slot to look at."""
        return {
            "task_id": self.task_id,
            "first": nominal(self.first),
            "last": nominal(self.last),
            "only_missing": self.only_missing,
        }

    def slots(self, schedule: Schedule, since: int) -> Iterator[int]:
        """Walks the slots that are left."""
        for slot in schedule.slots(max(self.first, since) - 1):
            if slot > self.last:
                return
            yield slot


def loop(wanted: Backfill, name: Named, *, per_minute: int = 60) -> Loop:
    """Returns the bulk operation that carries it out."""
    return Loop(
        loop_id=name.loop_id,
        tenant_id=name.tenant_id,
        kind="backfill",
        wanted=wanted.wanted(),
        cursor=nominal(wanted.first),
        per_minute=min(per_minute, RATE_MAX),
        by=name.by,
        began_ms=name.began_ms,
    )


def of(loop: Loop) -> Backfill:
    """Reads what a bulk operation is to run."""
    return Backfill(
        task_id=loop.wanted["task_id"],
        first=parse_nominal(loop.wanted["first"]),
        last=parse_nominal(loop.wanted["last"]),
        only_missing=loop.wanted["only_missing"],
    )


@dataclass(frozen=True, slots=True)
class Past:
    """The existing runs of some slots: their own rows, and their backfills by number."""

    own: Mapping[str, Run]
    earlier: Mapping[str, Mapping[int, Run]]

    @classmethod
    def of(cls, rows: Sequence[Run]) -> Past:
        """Sorts rows by their keys."""
        earlier: dict[str, dict[int, Run]] = {}
        for run in rows:
            slot, _, number = run.key.partition("~b")
            if number:
                earlier.setdefault(slot, {})[int(number)] = run
        return cls({run.key: run for run in rows if is_slot_key(run.key)}, earlier)

    def number(self, slot: int, *, only_missing: bool) -> int | None:
        """Returns the number of the backfill to make for a slot, or None if none is needed."""
        key = nominal(slot)
        return number(self.own.get(key), self.earlier.get(key, {}), only_missing=only_missing)

    def newest(self, slot: int) -> Run | None:
        """Returns the newest backfill of a slot."""
        found = self.earlier.get(nominal(slot), {})
        return found[max(found)] if found else None


def number(slot_row: Run | None, earlier: Mapping[int, Run], *, only_missing: bool) -> int | None:
    """Returns the number of the backfill to make for a slot, or None if none is needed.

    An open or successful backfill counts for the slot. After one that failed comes the next.
    """
    if only_missing and slot_row is not None and slot_row.life.status == Status.SUCCEEDED:
        return None
    if slot_row is not None and not slot_row.final:
        return None
    if not earlier:
        return 1
    newest = max(earlier)
    return newest + 1 if _to_nothing(earlier[newest]) else None


def turned_away(run: Run) -> bool:
    """Tells whether a run gave way to another run before it began."""
    return run.final and not run.life.attempt and run.life.reason in _TURNED_AWAY


def _to_nothing(run: Run) -> bool:
    return run.life.status in (Status.DEAD, Status.CANCELLED) or turned_away(run)
