"""Profiles of upkeep: lost rows, dead messages, the audit's look at the day before."""

from __future__ import annotations

from tests.simulation.auditor import Auditor
from tests.simulation.faults import lost_rows
from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.laws.running import laws_aside
from tests.simulation.laws.timing import laws_lost
from tests.simulation.laws.upkeep import laws_looks, laws_told
from tests.simulation.scene import Scene
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_CLAIMS = "batch_execute_statement"
_MANY = range(800)

UPKEEP = (
    # Claimed rows vanish: of slots, of slots of edited schedules, and of triggered runs.
    Scene(
        name="rows lost",
        kinds=("minute", "twenty", "jitter", "all"),
        calls=("trigger", "trigger", "put off", "other"),
        calls_max=4,
        calls_between=(60, 260),
        course=Course(
            ticks_until=330,
            sec=1_680,
            auditor=Auditor(
                told=True,
                calm=True,
                laws=(
                    laws_lost.obeyed,
                    laws_told.obeyed,
                    laws_aside.founded,
                    laws_lost.others_ran,
                ),
                prepared=lost_rows.prepared,
                alone=True,
            ),
        ),
    ),
    # A dispatcher dies after its list and before its claims; a range covers these slots later.
    Scene(
        name="listed in vain",
        kinds=("latest", "none", "twenty", "all", "eighth"),
        aims=(Aim("dispatch#0", _CLAIMS, 0, Fault.CRASH_BEFORE),),
        course=Course(gap=(1, 800), ticks_until=1_020, sec=1_900, rows_max=2),
    ),
    # The audit looks at the day before, too.
    Scene(
        name="looked further",
        kinds=("fragile",),
        drawn=1,
        course=Course(
            ticks_until=130,
            sec=580,
            auditor=Auditor(look_back_min=30, further=True, laws=(laws_looks.obeyed,)),
        ),
    ),
    # Workers die with the last runs of a line, and SQS gives up on each message at once.
    Scene(
        name="buried in line",
        kinds=("last queue", "last two", "last previous"),
        drawn=2,
        faults=Profile(faults_until_sec=300, faults_max=12, crash_before=0.04, crash_after=0.04),
        takes_sec=30,
        course=Course(ticks_until=480, sec=2_400, audited=False, receives_max=1),
    ),
    # Workers die before they look for their runs, and bury is refused some of what it writes.
    Scene(
        name="buried refused",
        kinds=("minute", "last queue"),
        drawn=1,
        aims=(
            *(Aim(f"work#{number}", "batch_get_item", 0, Fault.CRASH_BEFORE) for number in _MANY),
            *(
                Aim(f"bury#{number}", write, 0, Fault.THROTTLED)
                for number in _MANY
                for write in ("update_item", _CLAIMS)
                if number % 2
            ),
        ),
        course=Course(ticks_until=70, sec=12_000, audited=False),
    ),
    # Bury stands still before it writes, and users edit the schedules meanwhile.
    Scene(
        name="buried beside",
        kinds=("minute", "last queue"),
        drawn=1,
        calls=("payload",),
        calls_max=16,
        calls_between=(180, 900),
        aims=(
            *(Aim(f"work#{number}", "batch_get_item", 0, Fault.CRASH_BEFORE) for number in _MANY),
            *(
                Aim(f"bury#{number}", "update_item", 0, Fault.STALL_BEFORE, stall_sec=40)
                for number in _MANY
                if number % 2
            ),
        ),
        course=Course(ticks_until=70, sec=9_000, audited=False),
    ),
    # Strangers send messages about runs that outside workers fetch, and dead messages, too.
    Scene(
        name="forged pull",
        kinds=("pulled", "pulled queue", "pulled previous"),
        drawn=1,
        outside=True,
        forged=True,
        course=Course(ticks_until=210, sec=1_500),
    ),
    # A tenant has more tasks than a list reads.
    Scene(
        name="read too many",
        kinds=(),
        users=("create", "tasks", "task", "read", "read", "read", "read"),
        users_max=8,
        calls_between=(5, 300),
        course=Course(ticks_until=210, sec=600),
        sizes=Sizes(listed=2, read_max=2),
    ),
    # The last audit before a long pause begins in one minute and ends in the next.
    Scene(
        name="read slowly",
        kinds=(),
        users=("trigger", "trigger", "read", "read"),
        users_max=10,
        calls_between=(180, 700),
        aims=(Aim("audit#4/1", "query", 0, Fault.STALL_BEFORE, stall_sec=45),),
        course=Course(ticks_until=480, sec=800, auditor=Auditor(gap=(300, 1_400))),
    ),
)
