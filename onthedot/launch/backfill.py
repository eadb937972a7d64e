"""A backfill: slots of the past to be run again, so many a minute, until done or cancelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.bulk_operation import Loop, Named
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal, parse_nominal

RATE_MAX = 1_000
# It did not run because another did: that is no outcome of the slot.
_TURNED_AWAY = frozenset({"overlap", "queue_full", "previous"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """What is to be run; `only_missing` leaves what succeeded alone."""

    task_id: str
    first: int
    last: int
    only_missing: bool = True

    def wanted(self) -> dict[str, str | bool]:
        """Write it for its loop, whose cursor is the next slot to be looked at."""
        return {
            "task_id": self.task_id,
            "first": nominal(self.first),
            "last": nominal(self.last),
            "only_missing": self.only_missing,
        }

    def slots(self, schedule: Schedule, since: int) -> Iterator[int]:
        """Walk what is left of it."""
        for slot in schedule.slots(max(self.first, since) - 1):
            if slot > self.last:
                return
            yield slot


def loop(wanted: Backfill, name: Named, *, per_minute: int = 60) -> Loop:
    """Give the loop that carries it out."""
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
    """Read what a loop is to run."""
    return Backfill(
        task_id=loop.wanted["task_id"],
        first=parse_nominal(loop.wanted["first"]),
        last=parse_nominal(loop.wanted["last"]),
        only_missing=loop.wanted["only_missing"],
    )


@dataclass(frozen=True, slots=True)
class Past:
    """What there is of some slots: their own rows, and those of backfills, by number."""

    own: Mapping[str, Run]
    earlier: Mapping[str, Mapping[int, Run]]

    @classmethod
    def of(cls, rows: Sequence[Run]) -> Past:
        """Sort rows by their keys."""
        earlier: dict[str, dict[int, Run]] = {}
        for run in rows:
            slot, _, number = run.key.partition("~b")
            if number:
                earlier.setdefault(slot, {})[int(number)] = run
        return cls({run.key: run for run in rows if is_slot_key(run.key)}, earlier)

    def number(self, slot: int, *, only_missing: bool) -> int | None:
        """Which backfill of a slot is to be made; None for none."""
        key = nominal(slot)
        return number(self.own.get(key), self.earlier.get(key, {}), only_missing=only_missing)

    def newest(self, slot: int) -> Run | None:
        """The newest backfill of a slot."""
        found = self.earlier.get(nominal(slot), {})
        return found[max(found)] if found else None


def number(slot_row: Run | None, earlier: Mapping[int, Run], *, only_missing: bool) -> int | None:
    """Which backfill of a slot is to be made; None for none.

    An open or a succeeded one stands for the slot; after one that came to nothing comes the next.
    """
    if only_missing and slot_row is not None and slot_row.life.status == "succeeded":
        return None
    if slot_row is not None and not slot_row.final:
        return None
    if not earlier:
        return 1
    newest = max(earlier)
    return newest + 1 if _to_nothing(earlier[newest]) else None


def turned_away(run: Run) -> bool:
    """Tell whether a run gave way to another one before it began."""
    return run.final and not run.life.attempt and run.life.reason in _TURNED_AWAY


def _to_nothing(run: Run) -> bool:
    return run.life.status in ("dead", "cancelled") or turned_away(run)
