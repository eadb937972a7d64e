"""Profiles of edits and creates that die between their effects, and whose callers try again."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault
from tests.simulation.profiles.running.profiles_history import HISTORY
from tests.simulation.scene import Scene, quiet
from tests.simulation.stage import Course

_DIES_BEHIND_ITS_WRITE = Aim("api#0", "transact_write_items", 0, Fault.CRASH_AFTER)

EDITS = (
    # No tick has come for minutes: an edit closes the books of what was due, and dies.
    Scene(
        name="unclosed",
        kinds=("minute", "twenty", "all", "none"),
        drawn=1,
        aims=(_DIES_BEHIND_ITS_WRITE,),
        course=Course(gap=(1, 420), ticks_until=660, sec=1_800, dispatch_limit_sec=240, rows_max=9),
        calls=("pause", "half", "other", "delete"),
        calls_max=1,
        calls_between=(200, 400),
    ),
    # Users trigger overdue schedules; the rows of the payloads lie among the missed slots.
    Scene(
        name="ranges laden",
        kinds=("latest", "none", "strict"),
        drawn=1,
        course=Course(gap=(1, 420), ticks_until=660, sec=1_200, dispatch_limit_sec=240, rows_max=2),
        calls=("trigger laden",),
        calls_max=2,
        calls_between=(160, 400),
    ),
    # A dispatcher dies over its claims, and an edit before it has sent them; its caller repeats it.
    Scene(
        name="unsent",
        kinds=("minute", "twenty"),
        drawn=1,
        aims=(
            Aim("dispatch#0", "batch_execute_statement", 0, Fault.CRASH_AFTER),
            _DIES_BEHIND_ITS_WRITE,
        ),
        course=Course(gap=(1, 420), ticks_until=660, sec=1_800, dispatch_limit_sec=240, rows_max=9),
        calls=("pause", "half", "other"),
        calls_max=1,
        calls_between=(3, 50),
    ),
    # Users register schedules that are due within the minute; one that dies over it tries again.
    Scene(
        name="creates",
        kinds=("minute", "queue"),
        drawn=1,
        faults=quiet(crash_before=0.02, crash_after=0.04, lost=0.02, conflict=0.05, slow=0.05),
        calls=("create", "create", "pause", "resume", "other", "delete", "trigger"),
        calls_max=6,
    ),
    Scene(
        name="created",
        kinds=("minute",),
        drawn=1,
        aims=(_DIES_BEHIND_ITS_WRITE,),
        calls=("create",),
        calls_max=1,
        calls_between=(61, 70),
    ),
    # An edit moves what is due by then, and stands still before it governs.
    Scene(
        name="moved late",
        kinds=("twenty",),
        drawn=1,
        aims=(Aim("api#0", "transact_write_items", 0, Fault.STALL_AFTER, stall_sec=2.5),),
        calls=("later", "much later"),
        calls_max=1,
        calls_between=(98.0, 98.8),
    ),
    # Runs half an hour too old for edits: the worker that starts one reads the task again.
    Scene(
        name="put off barely",
        kinds=("twenty",),
        drawn=1,
        aims=tuple(
            Aim(f"work#{n}", "batch_execute_statement", 0, Fault.STALL_BEFORE, stall_sec=7)
            for n in range(40)
        ),
        calls=("put off barely", "put off barely", "payload", "delete"),
        calls_max=9,
        calls_between=(90, 110),
    ),
    # Runs wait for each other until an edit lets them overlap.
    Scene(
        name="freed",
        kinds=("queue", "two", "last queue"),
        drawn=1,
        takes_sec=60,
        calls=("freed",),
        calls_max=1,
        calls_between=(50, 200),
    ),
    # What is due soon after an edit: nothing else goes wrong.
    Scene(
        name="near",
        kinds=("minute", "twenty"),
        drawn=1,
        calls=("faster", "other", "pause", "resume", "create"),
        calls_max=4,
    ),
    # What was sent before them.
    *HISTORY,
)
