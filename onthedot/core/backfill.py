"""A backfill: slots of the past to be run again, so many a minute, until done or cancelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.run import Run
from onthedot.core.schedule import Schedule
from onthedot.core.writes import Clause, Insert, Update

TABLE = "runs"
RUNNING = "backfill#running"
RATE_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """`cursor` is the next slot to be looked at; `only_missing` leaves what succeeded alone."""

    backfill_id: str
    task_id: str
    first: int
    last: int
    cursor: int
    only_missing: bool = True
    per_minute: int = 60

    def item(self) -> dict[str, Any]:
        """Write the item; while it is there, it runs."""
        return {
            "task_id": RUNNING,
            "scheduled_for": self.backfill_id,
            "of_task": self.task_id,
            "first": nominal(self.first),
            "last": nominal(self.last),
            "cursor": nominal(self.cursor),
            "only_missing": self.only_missing,
            "per_minute": self.per_minute,
        }

    def slots(self, schedule: Schedule) -> Iterator[int]:
        """Walk what is left of it."""
        for slot in schedule.slots(self.cursor - 1):
            if slot > self.last:
                return
            yield slot


def parse(item: Mapping[str, Any]) -> Backfill:
    """Read the item."""
    return Backfill(
        backfill_id=item["scheduled_for"],
        task_id=item["of_task"],
        first=parse_nominal(item["first"]),
        last=parse_nominal(item["last"]),
        cursor=parse_nominal(item["cursor"]),
        only_missing=item["only_missing"],
        per_minute=item["per_minute"],
    )


def begin(backfill: Backfill) -> Insert:
    """Put it, once."""
    return Insert(TABLE, backfill.item(), ("task_id", "scheduled_for"))


def moved(backfill: Backfill, cursor: int) -> Update:
    """Go on behind what was launched; whoever was first has moved it already."""
    return Update(
        TABLE,
        (("task_id", RUNNING), ("scheduled_for", backfill.backfill_id)),
        (("cursor", nominal(cursor)),),
        (Clause.equal("cursor", nominal(backfill.cursor)),),
    )


def number(slot_row: Run | None, earlier: Mapping[int, Run], *, only_missing: bool) -> int | None:
    """Which backfill of a slot is to be made; None for none.

    An open or a succeeded one stands for the slot; after a dead or a cancelled one comes the next.
    """
    if only_missing and slot_row is not None and slot_row.life.status == "succeeded":
        return None
    if slot_row is not None and not slot_row.final:
        return None
    if not earlier:
        return 1
    newest = max(earlier)
    ended = earlier[newest].life.status in ("dead", "cancelled")
    return newest + 1 if ended else None
