"""Profiles of the audit's minute and hour: events, health, sweeps, and what befalls the audit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Answer, Dead, Done
from onthedot.targets.call import Call
from tests.simulation.auditor import Auditor, Law
from tests.simulation.faults.faults import CALM, Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.laws.timing import laws_restored, laws_retimed
from tests.simulation.laws.upkeep import (
    laws_figures,
    laws_health,
    laws_minute,
    laws_steps,
    laws_swept,
    laws_told,
)
from tests.simulation.machine.world import START
from tests.simulation.profiles.upkeep.profiles_upkeep import UPKEEP
from tests.simulation.scene import Scene
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course, Stage
from tests.simulation.users import bucket_sweep, restore_act, zone_change

_TOLD = (laws_told.obeyed, laws_told.sick, laws_minute.obeyed)
_KINDS = ("sickly", "fragile", "latest", "none", "minute", "queue")
_LONG = 2_400


def _course(**given: Any) -> Course:
    """Returns a course in which minutes without a tick make runs late and slots missed."""
    auditor = replace(Auditor(told=True, laws=_TOLD), **given)
    return Course(
        gap=(100, 460), ticks_until=900, sec=_LONG, dispatch_limit_sec=240, auditor=auditor
    )


def _restored(*laws: Law) -> Auditor:
    """All stands still for some minutes, tables are set back, and an operator mends."""
    return Auditor(
        look_back_min=30,
        gap=(restore_act.STOPPED, restore_act.AGAIN),
        prepared=restore_act.prepared,
        laws=laws,
        alone=True,
    )


def _heals(stage: Stage) -> None:
    """Lets runs die for some minutes, and work again when they are probed an hour later."""

    def answer(_call: Call) -> Answer:
        return Dead(Reason.PERMANENT) if stage.world.now_us < 500_000_000 else Done()

    stage.answer = answer


_SCENE = Scene(name="told", kinds=_KINDS, drawn=3, failing=0.4, course=_course(calm=True))
# All shards are asked what has not fired, what ends is completed, and two hours end.
_FIGURES = replace(
    _SCENE,
    name="figures",
    kinds=("sickly", "fragile", "latest", "all", "last two", "last queue", "three"),
    start=START.replace(minute=40),
    sizes=Sizes(shards=2),
    takes_sec=30,
    course=replace(_course(calm=True, laws=(*_TOLD, laws_figures.obeyed)), sec=5_100),
)


def _never_heals(stage: Stage) -> None:
    """Lets every run die."""
    stage.answer = lambda _call: Dead(Reason.PERMANENT)


# What befalls some of the audits costs the events of a run a few of its looks.
_ROUGH = Profile(
    faults_until_sec=1_200,
    faults_max=14,
    crash_before=0.004,
    crash_after=0.006,
    lost=0.003,
    throttled=0.003,
    repeated=0.003,
    double_tick=0.2,
    drop_tick=0.1,
)
# Payloads lie in the bucket, and seven minutes past the hour they are looked through.
_SWEPT = Scene(
    name="swept",
    kinds=("minute", "all", "twenty", "sickly"),
    drawn=3,
    faults=Profile(faults_until_sec=400, faults_max=2, lost=0.003, throttled=0.003),
    course=Course(
        ticks_until=200,
        sec=900,
        auditor=Auditor(prepared=bucket_sweep.prepared, laws=(laws_swept.obeyed,)),
    ),
)
AUDITS = (
    _SCENE,
    _FIGURES,
    # Workers die of some runs, which lose their leases.
    replace(
        _FIGURES,
        name="figures lost",
        kinds=("minute", "latest", "all", "twenty"),
        failing=0.0,
        killing=0.05,
        course=_course(calm=True, laws=(laws_figures.obeyed,)),
    ),
    # Acts are refused some of what they ask for, and one what it asks of a single schedule.
    replace(
        _FIGURES,
        name="acts refused",
        start=START,
        aims=tuple(Aim(f"audit#{number}/7", "query", 4, Fault.THROTTLED) for number in range(20)),
        faults=Profile(
            faults_until_sec=1_500, faults_max=60, throttled=0.01, refused=0.01, lost=0.01
        ),
        calls=("backfill", "pause for a while"),
        calls_max=3,
        course=_course(excused_sec=900, laws=()),
    ),
    # The health act is refused its read of one task.
    replace(
        _FIGURES,
        name="health refused",
        kinds=("sickly", "fragile", "minute"),
        failing=0.8,
        aims=tuple(
            Aim(f"audit#{number}/9", "batch_get_item", 0, Fault.THROTTLED) for number in range(20)
        ),
        course=_course(excused_sec=900, laws=()),
    ),
    # The bus refuses for ten minutes, then now and then one event, and one schedule's always.
    replace(
        _SCENE,
        name="told refused",
        course=_course(
            refuses=(300, 900), refuses_some=0.1, never_takes="SICKLY", calm=True, excused_sec=700
        ),
    ),
    # It refuses while more is to be told than fits into one call.
    replace(
        _SCENE,
        name="told refused much",
        crowd=12,
        course=_course(refuses=(300, 900), calm=True, excused_sec=900),
    ),
    # An audit dies, is refused, or comes twice, at any of its acts.
    replace(_SCENE, name="told rough", faults=_ROUGH, course=_course(excused_sec=900)),
    replace(
        _SCENE,
        name="told twice",
        faults=replace(_ROUGH, faults_max=4),
        course=_course(at_once=2, excused_sec=600),
    ),
    replace(
        _SCENE, name="audit late", course=_course(late_sec=600, look_back_min=14, excused_sec=700)
    ),
    # SQS does not say how many messages wait: that is one act of twelve.
    replace(
        _SCENE,
        name="uncounted",
        faults=Profile(outages=(Outage(queue="low", from_sec=90, for_sec=2_200),)),
    ),
    # Lists cannot be read for some minutes: that is no audit, and all else goes on.
    replace(
        _SCENE,
        name="unlooked",
        faults=Profile(
            outages=(
                Outage(partition="check#", reads=True, writes=False, from_sec=500, for_sec=400),
            )
        ),
        course=_course(look_back_min=10, excused_sec=500),
    ),
    # The look at the runs takes more than a minute, and pauses end beside it.
    Scene(
        name="slow look",
        kinds=("minute", "twenty"),
        drawn=1,
        aims=tuple(
            Aim(f"audit#{number}/1", "query", 1, Fault.STALL_BEFORE, stall_sec=70)
            for number in range(16)
        ),
        calls=("pause for a while",),
        calls_max=3,
        calls_between=(5, 500),
        course=Course(ticks_until=900, sec=1_300, auditor=Auditor(laws=(laws_minute.obeyed,))),
    ),
    # The first step of each minute takes longer than all may: the others wait for another minute.
    Scene(
        name="slow steps",
        kinds=("twenty", "jitter"),
        drawn=2,
        aims=tuple(
            Aim(f"audit#{number}/8", "query", 1, Fault.STALL_BEFORE, stall_sec=17)
            for number in range(20)
        ),
        calls=("backfill",),
        calls_max=4,
        calls_between=(5, 80),
        course=Course(
            ticks_until=480, sec=1_300, auditor=Auditor(calm=True, laws=(laws_steps.obeyed,))
        ),
    ),
    # One act never ends: it is left behind, minute after minute.
    replace(
        _SCENE,
        name="hung act",
        drawn=1,
        aims=tuple(
            Aim(f"audit#{number}/7", "query", 0, Fault.STALL_BEFORE, stall_sec=1_000)
            for number in range(40)
        ),
    ),
    Scene(
        name="probed",
        kinds=("sickly", "minute"),
        drawn=2,
        faults=Profile(faults_until_sec=4_600, faults_max=10, crash_before=0.004, lost=0.004),
        course=Course(
            ticks_until=480,
            sec=6_900,
            auditor=Auditor(told=True, laws=_TOLD, prepared=_heals, excused_sec=900),
        ),
    ),
    # A person resumes what was paused, and it goes on dying: it is paused again.
    Scene(
        name="probed in vain",
        kinds=("sickly",),
        drawn=1,
        calls=("resume", "resume", "pause"),
        calls_max=2,
        calls_between=(600, 2_400),
        course=Course(
            ticks_until=4_600,
            sec=5_700,
            auditor=Auditor(laws=(laws_health.obeyed,), prepared=_never_heals),
        ),
    ),
    # No audit for three quarters of an hour, and all messages are gone: the look at the last day.
    Scene(
        name="audit gone",
        kinds=("minute", "fragile", "queue", "three"),
        drawn=2,
        faults=Profile(faults_until_sec=300, faults_max=6, crash_before=0.02, purge=1.0),
        takes_sec=20,
        course=Course(
            ticks_until=330,
            sec=7_900,
            auditor=Auditor(look_back_min=30, whole=True, gap=(40, 2_760)),
        ),
    ),
    # Workers die over runs, and SQS gives up on the messages: bury sends or ends the runs.
    Scene(
        name="given up",
        kinds=("fragile", "sickly", "minute"),
        drawn=2,
        faults=Profile(faults_until_sec=500, faults_max=12, crash_before=0.02, crash_after=0.02),
        takes_sec=30,
        course=Course(
            ticks_until=600,
            sec=1_800,
            receives_max=1,
            auditor=Auditor(told=True, laws=_TOLD, excused_sec=600),
        ),
    ),
    # Handlers kill their workers, nobody audits, and each message is given up on after one receipt.
    Scene(
        name="buried late",
        kinds=("minute", "queue", "skip", "all"),
        drawn=2,
        killing=0.25,
        forged=True,
        course=Course(ticks_until=240, sec=3_600, audited=False, receives_max=1),
    ),
    # Tables are set back by minutes, both or one, while everything stands still.
    Scene(
        name="restored",
        kinds=("minute", "twenty", "all", "latest", "none", "fragile", "queue"),
        drawn=3,
        faults=Profile(faults_until_sec=1_400, faults_max=3, crash_after=0.001, lost=0.001),
        calls=("pause for a while", "pause for a while", "resume", "other", "trigger"),
        calls_max=4,
        calls_between=(150, 850),
        failing=0.1,
        takes_sec=60,
        course=Course(
            gap=(restore_act.STOPPED, restore_act.AGAIN),
            ticks_until=2_200,
            sec=3_000,
            auditor=_restored(laws_restored.obeyed),
        ),
    ),
    # What fires no more when tables are set back, or since, is noted all the same.
    Scene(
        name="restored ended",
        kinds=("last early", "last long", "last long queue"),
        drawn=2,
        takes_sec=20,
        course=Course(
            gap=(restore_act.STOPPED, restore_act.AGAIN),
            ticks_until=2_200,
            sec=2_600,
            auditor=_restored(laws_restored.obeyed, laws_restored.fired, laws_restored.noted),
        ),
    ),
    # What was paused for longer than all of it takes stays paused.
    Scene(
        name="restored asleep",
        kinds=("minute", "twenty", "all"),
        drawn=2,
        calls=("pause for long",),
        calls_max=2,
        calls_between=(10, 400),
        course=Course(
            gap=(restore_act.STOPPED, restore_act.AGAIN),
            ticks_until=2_200,
            sec=3_000,
            auditor=_restored(laws_restored.obeyed, laws_restored.asleep),
        ),
    ),
    _SWEPT,
    # Hour after hour, while some of what lies there grows old.
    replace(
        _SWEPT, name="swept again", drawn=2, faults=CALM, course=replace(_SWEPT.course, sec=8_100)
    ),
    # Each sweep takes too long over its second page, and the next one goes on behind it.
    replace(
        _SWEPT,
        name="swept on",
        faults=CALM,
        aims=tuple(
            Aim(f"audit#{7 + 60 * hour}/12", "list_objects_v2", 1, Fault.STALL_BEFORE, stall_sec=12)
            for hour in range(3)
        ),
        course=replace(_SWEPT.course, sec=8_100),
    ),
    # A deployment brings new data of the zones, by which slots come earlier or later.
    Scene(
        name="retimed",
        kinds=("minute",),
        drawn=0,
        faults=Profile(faults_until_sec=460, faults_max=1, crash_before=0.002, crash_after=0.002),
        course=Course(
            ticks_until=1_800,
            sec=2_000,
            auditor=Auditor(
                prepared=zone_change.prepared,
                undone=zone_change.undone,
                laws=(laws_retimed.obeyed,),
                alone=True,
            ),
        ),
    ),
    *UPKEEP,
)
