"""Planted faults of calendars: asked too early, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.dispatch import dispatcher, due_plan, range_ends, range_rows
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_items import Known
from onthedot.registry import calendar_edits, unclaimed_slots
from onthedot.schedule import calendar_times
from onthedot.schedule.time.zones import zone
from onthedot.work import decision_table
from tests.simulation.mutants.mutant import Mutant, Patch


def disobeyed() -> list[Patch]:
    """The worker goes by the claim: a calendar that was put over it since is not asked."""
    return [(decision_table, "closing", lambda *_: "")]


def recorded() -> list[Patch]:
    """A blackout to come is recorded slot by slot, and no row can be taken back."""
    return [
        (due_plan, "_blackout", lambda *_: None),
        (due_plan, "_before_blackout", lambda _, slots, after, __: (slots, after)),
    ]


def unread() -> list[Patch]:
    """A dispatcher plans as if there were no calendars, and workers skip what it claims."""
    return [(dispatcher, "blackouts", lambda _task_ids: {})]


def of_one_kind() -> list[Patch]:
    """What an edit records of many slots is all that the first of them is."""
    original = unclaimed_slots._ranges  # noqa: SLF001  # planted in the flow

    def ranges(known: Known, slots: Sequence[int], now: int) -> list[Run]:
        first, *_, last = original(known, slots, now) * 2
        return [replace(first, range_to=last.range_to, range_count=len(slots))]

    return [(unclaimed_slots, "_ranges", ranges)]


def missed_though_closed() -> list[Patch]:
    """What an edit records of many slots forgets what a calendar closes."""
    original = unclaimed_slots._ranges  # noqa: SLF001  # planted in the flow

    def ranges(known: Known, slots: Sequence[int], now: int) -> list[Run]:
        return [_missed(each) for each in original(known, slots, now)]

    return [(unclaimed_slots, "_ranges", ranges)]


def closed_by_utc() -> list[Patch]:
    """A calendar's cron is read by the clock of UTC."""
    return [(calendar_times, "zone", lambda _timezone: zone("UTC"))]


def _missed(run: Run) -> Run:
    end = replace(run.life.its_end, note="")
    life = replace(run.life, status=Status.MISSED, reason=Reason.UNACCOUNTED, end=end)
    return replace(run, life=life)


def said_otherwise() -> list[Patch]:
    """Who has written a calendar is told that it has changed meanwhile."""
    there: Any = calendar_edits
    original = there._together  # noqa: SLF001  # planted in the flow
    return [(there, "_together", lambda written: not original(written))]


def never_lifted() -> list[Patch]:
    """A blackout that was recorded ahead stays as long as it was, whatever an edit says."""
    return [(range_ends, "shorten", lambda *_, **__: None)]


def lifted_whole() -> list[Patch]:
    """An edit takes the part of a blackout away that has passed, too."""
    return [(range_ends, "_slots", lambda _run, _schedule, _until: [])]


def lifted_unseen() -> list[Patch]:
    """A dispatcher whose cursor is refused leaves the range that it has just put."""
    return [(range_rows, "_edited", lambda _due: None)]


CALENDARS = (
    Mutant(
        "lifted unseen",
        "0188: a range that comes after the edit is shortened, too",
        lifted_unseen,
        ("lifted beside",),
    ),
    Mutant(
        "never lifted",
        "0188: a lifted calendar shortens its range",
        never_lifted,
        ("calendars", "asked calendars"),
    ),
    Mutant(
        "lifted whole",
        "0188: what has passed in a blackout stays on record",
        lifted_whole,
        ("calendars", "asked calendars"),
    ),
    Mutant(
        "calendar said otherwise",
        "a calendar's writer is told whether it is written",
        said_otherwise,
        ("asked calendars",),
    ),
    Mutant(
        "no calendar",
        "a calendar is asked when the slot is due",
        disobeyed,
        ("calendars",),
    ),
    Mutant("blackout rows", "a blackout to come may be lifted", recorded, ("calendars",), seed=8),
    Mutant(
        "calendar unread",
        "what a calendar closes is a range, not a row a slot",
        unread,
        ("closed late",),
    ),
    Mutant(
        "calendar over all",
        "what an edit leaves behind is told slot by slot from what a calendar closes",
        of_one_kind,
        ("closed books",),
    ),
    Mutant(
        "closed by utc",
        "a calendar closes by the walls of its zone",
        closed_by_utc,
        ("closed spring", "closed autumn late"),
    ),
    Mutant(
        "missed though closed",
        "what a calendar closes is skipped, in the ranges of an edit too",
        missed_though_closed,
        ("closed books",),
    ),
)
