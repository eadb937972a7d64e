"""Profiles of what keeps slots from firing for long: closed days, late ticks, rows in between."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from onthedot.dispatch.due_tasks import BUDGET_MIN
from tests.simulation.auditor import Auditor
from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.scene import FAULTS_UNTIL_SEC, UNTIL_CALM, Scene, quiet
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course
from tests.simulation.users import foresight

_DAYS = (
    "day begins",
    "day ends",
    "days meet",
    "days within",
    "day elsewhere",
    "day and minute",
    "day latest",
)
_NIGHT = ("night before", "night after", "night over", "night hour", "night walls")
_CAPPED = ("capped", "capped latest", "capped queue", "elapsed")
# Three minutes before the year begins in Berlin.
_EVE = datetime(2026, 12, 31, 22, 57, tzinfo=UTC)
# Three minutes before the clock goes on by an hour in Berlin, and before it goes back.
_SPRING = datetime(2027, 3, 28, 0, 57, tzinfo=UTC)
_AUTUMN = datetime(2027, 10, 31, 0, 57, tzinfo=UTC)
_LATE = Course(gap=(1, 420), ticks_until=660, sec=1_800, dispatch_limit_sec=240, rows_max=2)

CLOSED = (
    # Calendars of whole days, in their zone: one begins or ends, and some lie side by side.
    Scene(
        name="closed days",
        kinds=_DAYS,
        drawn=3,
        faults=replace(UNTIL_CALM, faults_max=6),
        course=Course(dispatchers=2),
        start=_EVE,
    ),
    # And nothing has ticked since before midnight.
    Scene(
        name="closed days late",
        kinds=_DAYS,
        drawn=3,
        faults=quiet(crash_before=0.01, crash_after=0.02),
        course=_LATE,
        start=_EVE,
    ),
    # Calendars that close some minutes, on the two nights on which the clock is changed.
    *(
        Scene(
            name=f"closed {night}",
            kinds=_NIGHT,
            drawn=3,
            faults=replace(UNTIL_CALM, faults_max=6),
            course=course,
            start=start,
        )
        for season, start in (("spring", _SPRING), ("autumn", _AUTUMN))
        for night, course in ((season, Course(dispatchers=2)), (f"{season} late", _LATE))
    ),
    # Users edit what has not been dispatched for minutes, of which a calendar closes some.
    Scene(
        name="closed books",
        kinds=("closed minute", "closed twenty", "minute"),
        faults=quiet(crash_before=0.01, crash_after=0.01),
        course=replace(_LATE, rows_max=9),
        calls=("pause", "half", "delete", "close", "open", "resume"),
        calls_max=3,
        calls_between=(200, 410),
    ),
    # More tasks are overdue in a shard than a page shows: some wait until others are caught up on.
    Scene(
        name="late pages",
        kinds=("latest", "all", "none", "minute", "strict", "three latest", "jitter"),
        drawn=6,
        faults=Profile(faults_until_sec=700, faults_max=3, crash_after=0.01, double_tick=0.2),
        sizes=Sizes(page=2, batch=3, shards=1),
        course=replace(_LATE, gap=(1, 300), budget_min=BUDGET_MIN - 1),
    ),
    # Ranges over claims of the dispatcher before, and over runs that users asked for.
    Scene(
        name="late beside",
        kinds=("latest", "none", "strict", "three latest"),
        drawn=2,
        faults=Profile(
            faults_until_sec=700,
            faults_max=5,
            crash_before=0.01,
            crash_after=0.02,
            stall_after=0.01,
            stall_sec=(5.0, 40.0),
            late_tick_ms=(0, 45_000),
        ),
        aims=(Aim("dispatch#0", "batch_execute_statement", 0, Fault.CRASH_AFTER),),
        course=replace(_LATE, dispatchers=2),
        calls=("trigger", "trigger", "replay"),
        calls_max=6,
        calls_between=(60, 400),
    ),
    # A calendar moves that more tasks name than may follow within a minute.
    Scene(
        name="many named",
        kinds=("kept minute", "kept twenty", "kept open", "kept half"),
        drawn=4,
        faults=Profile(faults_until_sec=FAULTS_UNTIL_SEC, faults_max=3, crash_after=0.01),
        sizes=Sizes(per_minute=1, followed=2),
        calls=("move lunch", "close", "close", "open"),
        calls_max=5,
        course=Course(ticks_until=480),
    ),
    # Slots whose jitter is cut off at the next one, and multiples of a time that no minute has.
    Scene(
        name="capped",
        kinds=_CAPPED,
        drawn=2,
        faults=quiet(crash_before=0.01, crash_after=0.02, double_message=0.1),
        calls=("pause", "resume", "payload", "half", "faster"),
        calls_max=4,
    ),
    Scene(
        name="capped late",
        kinds=_CAPPED,
        drawn=2,
        faults=quiet(crash_before=0.01, crash_after=0.02),
        calls=("pause", "delete", "resume"),
        calls_max=2,
        calls_between=(200, 410),
        course=replace(_LATE, rows_max=9),
    ),
    # Each run is due one second behind its slot.
    Scene(
        name="a second behind",
        kinds=("by one", "by one queue", "one later"),
        drawn=2,
        faults=quiet(crash_before=0.01, crash_after=0.02),
        calls=("pause", "resume", "payload", "half"),
        calls_max=2,
    ),
    # A user asks when schedules will fire, days ahead.
    Scene(
        name="foretold",
        kinds=("minute", "closed minute", "jitter"),
        drawn=1,
        faults=quiet(crash_before=0.005, crash_after=0.005, lost=0.01, skew_ms=1_000),
        course=Course(auditor=Auditor(prepared=foresight.prepared)),
    ),
)
