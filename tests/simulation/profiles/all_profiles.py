"""The profiles of histories: each puts some rules of the protocol to the test."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.profiles.running.kinds import KINDS
from tests.simulation.profiles.running.profiles_late import LATE
from tests.simulation.profiles.running.profiles_limits import LIMITS
from tests.simulation.profiles.running.profiles_outages import OUTAGES
from tests.simulation.profiles.running.profiles_pull import OUTSIDE
from tests.simulation.profiles.running.profiles_room import ROOM
from tests.simulation.profiles.running.profiles_splits import SPLITS
from tests.simulation.profiles.running.profiles_strange import STRANGE
from tests.simulation.profiles.running.profiles_targets import SERVICES
from tests.simulation.profiles.running.profiles_world import WORLD
from tests.simulation.profiles.upkeep.profiles_apart import APART
from tests.simulation.profiles.upkeep.profiles_api import ASKED
from tests.simulation.profiles.upkeep.profiles_audit import AUDITS
from tests.simulation.profiles.upkeep.profiles_beside import BESIDE
from tests.simulation.profiles.upkeep.profiles_calendars import CALENDARS
from tests.simulation.profiles.upkeep.profiles_circuit import CIRCUIT
from tests.simulation.profiles.upkeep.profiles_closed import CLOSED
from tests.simulation.profiles.upkeep.profiles_edits import EDITS
from tests.simulation.profiles.upkeep.profiles_ending import ENDINGS
from tests.simulation.profiles.upkeep.profiles_judged import JUDGED
from tests.simulation.profiles.upkeep.profiles_told import TOLD
from tests.simulation.scene import FAULTS_UNTIL_SEC, SLOW, UNTIL_CALM, Scene, bare, has_twin, quiet
from tests.simulation.stage import Course

_API = ("pause", "resume", "half", "other", "faster", "delete", "trigger", "payload")
_LATE = Course(gap=(1, 420), ticks_until=660, sec=1_800, dispatch_limit_sec=240, rows_max=2)

SCENES = (
    Scene(
        name="calm",
        kinds=("minute", "twenty", "queue", "two", "once", "three", "jitter"),
        drawn=4,
        smooth=True,
    ),
    # The SDK tries again by itself: every second answer contradicts the first one.
    Scene(
        name="repeats",
        kinds=("minute", "twenty", "fragile", "queue", "once", "three", "jitter"),
        faults=quiet(repeated=0.1),
        smooth=True,
    ),
    Scene(name="crashes", faults=quiet(crash_before=0.02, crash_after=0.03)),
    Scene(
        name="answers",
        faults=quiet(
            lost=0.02,
            refused=0.02,
            repeated=0.02,
            throttled=0.02,
            partial=0.05,
            torn=0.02,
            split=0.05,
        ),
    ),
    Scene(
        name="messages",
        faults=quiet(
            double_message=0.2,
            late_message=0.2,
            shuffle=True,
            stale_handle_deletes=0.5,
            crash_after=0.01,
        ),
    ),
    Scene(
        name="stale",
        faults=quiet(stale=0.5, stale_ms=(10, 70_000), short_page=0.3, crash_after=0.01),
        course=Course(dispatchers=2),
    ),
    Scene(name="skew", faults=quiet(skew_ms=2_000, crash_after=0.02, double_message=0.1)),
    Scene(
        name="stalls",
        faults=quiet(stall_before=0.02, stall_after=0.02, skew_ms=2_000, double_message=0.1),
        course=Course(dispatch_limit_sec=240),
        takes_sec=8,
    ),
    Scene(
        name="two",
        faults=replace(UNTIL_CALM, crash_after=0.02, stall_before=0.02),
        course=Course(dispatchers=2, dispatch_limit_sec=240),
    ),
    Scene(name="ticks", faults=quiet(drop_tick=0.4, double_tick=0.3, crash_after=0.01)),
    Scene(
        name="misfires",
        kinds=("latest", "all", "none", "strict", "three", "minute"),
        faults=replace(
            UNTIL_CALM, faults_until_sec=640, stall_before=0.02, double_tick=0.5, skew_ms=2_000
        ),
        course=Course(gap=(1, 480), ticks_until=780, sec=2_100, dispatch_limit_sec=240, rows_max=4),
    ),
    # What a dead dispatcher had claimed has run by the time that its slots are planned again.
    Scene(
        name="bounded",
        kinds=("three latest", "two none", "three strict", "three"),
        drawn=1,
        faults=Profile(
            faults_until_sec=640,
            faults_max=8,
            crash_before=0.04,
            crash_after=0.06,
            lost=0.02,
            double_tick=0.3,
        ),
        course=Course(gap=(1, 300), ticks_until=780, sec=2_100, dispatch_limit_sec=240, rows_max=4),
    ),
    # And users set its cursor back and on meanwhile.
    Scene(
        name="recounted",
        kinds=("three latest", "three", "two none"),
        drawn=1,
        faults=quiet(crash_before=0.02, crash_after=0.03, lost=0.02, slow=0.05),
        calls=("pause", "resume", "half", "other", "faster", "close", "open"),
        calls_max=7,
    ),
    # What an edit drops of it, it gives back.
    Scene(
        name="unspent",
        kinds=("three latest", "three", "two none"),
        drawn=1,
        calls=("half", "other", "faster", "payload"),
        calls_max=7,
        course=Course(ticks_until=900, sec=1_500),
        unspent=True,
    ),
    # Of more runs than are claimed at once.
    Scene(
        name="unspent many",
        kinds=("twelve", "twelve latest"),
        drawn=1,
        calls=("half", "other", "faster", "payload"),
        calls_max=4,
        calls_between=(5, 150),
        course=Course(ticks_until=2_400, sec=2_600),
        unspent=True,
    ),
    # A range is recorded, and before the cursor moves the next dispatcher sees more slots missed.
    Scene(
        name="adopted",
        kinds=("latest", "none", "strict"),
        drawn=1,
        aims=(Aim("dispatch#1", "query", 2, Fault.STALL_BEFORE, stall_sec=70),),
        course=_LATE,
    ),
    # A slot that is to fire is claimed only after the next dispatcher recorded it as missed.
    Scene(
        name="covered",
        kinds=("latest",),
        drawn=1,
        aims=(Aim("dispatch#1", "batch_execute_statement", 0, Fault.STALL_BEFORE, stall_sec=70),),
        course=_LATE,
    ),
    # A dispatcher stalls over a range, and another one goes on.
    Scene(
        name="ranges",
        kinds=("latest", "none", "strict"),
        drawn=1,
        faults=Profile(
            faults_until_sec=700, faults_max=4, stall_before=0.04, stall_sec=(20.0, 130.0)
        ),
        course=replace(_LATE, dispatchers=2),
    ),
    Scene(
        name="edits",
        kinds=("minute", "twenty", "queue", "jitter"),
        faults=replace(UNTIL_CALM, faults_max=6),
        course=Course(rows_max=4),
        calls=_API,
    ),
    Scene(
        name="races",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(skew_ms=2_000, slow=0.1, crash_after=0.01, stale=0.2, split=0.1),
        calls=_API,
        calls_max=8,
    ),
    Scene(
        name="put off",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(slow=0.3, stall_before=0.02, stall_sec=(2.0, 12.0), crash_after=0.01),
        calls=("put off", "put off", "payload", "delete"),
        calls_max=9,
    ),
    # Workers stand still before their starts, and tasks are deleted or edited meanwhile.
    Scene(
        name="put off late",
        kinds=("twenty",),
        drawn=1,
        aims=tuple(
            Aim(f"work#{n}", "batch_execute_statement", 0, Fault.STALL_BEFORE, stall_sec=7)
            for n in range(40)
        ),
        calls=("put off", "put off", "payload", "delete"),
        calls_max=9,
        calls_between=(90, 110),
    ),
    Scene(
        name="gates",
        drawn=1,
        kinds=("skip", "queue", "previous", "two"),
        faults=SLOW,
        takes_sec=45,
        failing=0.1,
    ),
    Scene(
        name="retries",
        kinds=("minute", "twenty", "fragile", "queue", "skip"),
        faults=replace(UNTIL_CALM, crash_after=0.02),
        failing=0.5,
        takes_sec=10,
    ),
    Scene(
        name="killers",
        kinds=("minute", "twenty", "skip", "queue"),
        drawn=3,
        faults=quiet(double_message=0.05),
        killing=0.1,
    ),
    # One worker dies with a pack of long runs: each of them starts again by its time.
    Scene(
        name="deaths",
        kinds=("minute", "three", "twenty", "all", "latest", "none"),
        drawn=5,
        faults=Profile(
            faults_until_sec=FAULTS_UNTIL_SEC, faults_max=1, crash_before=0.03, crash_after=0.03
        ),
        takes_sec=90,
        resumed=True,
    ),
    # A dispatcher that dies after a while: the next tick is still ahead of time.
    Scene(
        name="late",
        kinds=("minute", "twenty"),
        aims=(
            Aim("dispatch#0", "query", 0, Fault.STALL_BEFORE, stall_sec=22),
            Aim("dispatch#0", "batch_execute_statement", 0, Fault.CRASH_AFTER),
        ),
        course=Course(ticks_until=240, sec=600),
    ),
    # The cursor comes back to where a stalled dispatcher saw it.
    Scene(
        name="aba",
        kinds=("minute",),
        drawn=1,
        aims=(
            Aim("dispatch#0", "batch_execute_statement", 1, Fault.STALL_BEFORE, stall_sec=57),
            Aim("api#0", "transact_write_items", 0, Fault.STALL_AFTER, stall_sec=30),
        ),
        course=Course(dispatch_limit_sec=240),
        calls=("faster",),
        calls_max=2,
        calls_between=(41, 56),
    ),
    # A dispatcher dies with its claims, and the task is moved before the next one comes.
    Scene(
        name="orphans",
        kinds=("minute", "twenty"),
        drawn=1,
        aims=(Aim("dispatch#0", "batch_execute_statement", 0, Fault.CRASH_AFTER),),
        calls=("pause", "half", "other", "close"),
        calls_between=(3, 58),
    ),
    # The same run twice in one batch.
    Scene(
        name="doubles",
        kinds=("minute", "twenty", "queue"),
        faults=quiet(
            double_message=0.5,
            double_after_ms=(0, 2_000),
            pickup_ms=(0, 2_500),
            shuffle=True,
            crash_after=0.01,
        ),
    ),
    # A caller repeats a call that died before it made its write govern.
    Scene(
        name="replays",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(crash_before=0.02, crash_after=0.02, lost=0.03, slow=0.2, skew_ms=2_000),
        calls=("pause", "resume", "other", "half", "delete"),
        calls_max=8,
    ),
    # A call dies between its write and its stamp, right before a slot; the second one finds it so.
    Scene(
        name="again",
        kinds=("twenty",),
        drawn=1,
        faults=quiet(slow=0.05),
        aims=(Aim("api#0", "transact_write_items", 0, Fault.CRASH_AFTER),),
        calls=("pause", "half"),
        calls_max=1,
        calls_between=(98.0, 99.5),
    ),
    # Workers stall over attempts that fail, and others take them over.
    Scene(
        name="zombies",
        drawn=1,
        kinds=("minute", "twenty"),
        faults=Profile(
            faults_until_sec=300,
            faults_max=20,
            stall_before=0.06,
            stall_after=0.06,
            stall_sec=(22.0, 50.0),
            double_message=0.3,
            skew_ms=2_000,
        ),
        failing=0.6,
        takes_sec=15,
    ),
    # Workers die while the last runs leave the gate: nobody comes later who could help.
    Scene(
        name="closing",
        kinds=("last queue", "last previous", "last two"),
        drawn=1,
        faults=Profile(
            faults_until_sec=300, faults_max=12, crash_before=0.02, crash_after=0.04, lost=0.01
        ),
        takes_sec=40,
    ),
    Scene(
        name="buried",
        faults=quiet(crash_before=0.03, crash_after=0.03, stall_before=0.02),
        course=Course(receives_max=2),
        takes_sec=30,
    ),
    Scene(
        name="triggers",
        kinds=("minute", "queue"),
        drawn=1,
        faults=quiet(crash_before=0.05, crash_after=0.05),
        calls=("trigger",),
        calls_max=4,
    ),
    # Runs besides the slots' own, and the end of any run at any moment.
    Scene(
        name="extras",
        kinds=("minute", "twenty", "queue", "two"),
        drawn=1,
        faults=quiet(crash_before=0.02, crash_after=0.03, repeated=0.02, double_message=0.1),
        calls=("trigger", "replay", "cancel", "backfill"),
        calls_max=8,
        failing=0.2,
        takes_sec=10,
    ),
    # Backfills where runs may not overlap, beside the slots that are due.
    Scene(
        name="backfills",
        kinds=("skip", "queue", "previous", "two"),
        drawn=1,
        faults=quiet(crash_before=0.02, crash_after=0.03, repeated=0.02, double_message=0.1),
        calls=("backfill",),
        calls_max=3,
        failing=0.1,
        takes_sec=4,
    ),
    *(*LIMITS, *ROOM),
    *(*JUDGED, *LATE, *OUTAGES),
    *SPLITS,
    *WORLD,
    *EDITS,
    *(*OUTSIDE, *SERVICES),
    *APART,
    *CALENDARS,
    *(*CLOSED, *CIRCUIT),
    *(*ENDINGS, *AUDITS, *TOLD),
    *STRANGE,
    *(*ASKED, *BESIDE),
    # One task is overdue, another one on time, and only the audit still knows what was sent.
    Scene(
        name="lists",
        kinds=("eighth", "latest"),
        faults=Profile(faults_until_sec=620, purge=1.0),
        course=Course(gap=(1, 480), ticks_until=780, sec=2_100),
    ),
    Scene(name="purge", faults=replace(UNTIL_CALM, purge=0.5), course=Course(sec=2_400)),
    Scene(
        name="rough",
        # What a tenant may not call is for a profile of its own.
        kinds=tuple(kind for kind in KINDS if not kind.startswith(("foreign", "wall"))),
        faults=UNTIL_CALM,
        course=Course(dispatchers=2),
        calls=("pause", "resume", "half", "trigger"),
        calls_max=1,
        failing=0.1,
        takes_sec=12,
    ),
)

ALL = {scene.name: scene for scene in SCENES}
ALL |= {bare(scene).name: bare(scene) for scene in SCENES if has_twin(scene)}
