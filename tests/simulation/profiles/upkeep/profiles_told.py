"""Profiles of webhooks beside a bus, and of more events than a minute tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.simulation.auditor import Auditor
from tests.simulation.faults.faults import Profile
from tests.simulation.laws.upkeep import laws_hook, laws_minute, laws_told
from tests.simulation.outside.hook import Hook
from tests.simulation.scene import Scene
from tests.simulation.stage import Course, Stage

_LAWS = (laws_told.obeyed, laws_told.sick, laws_minute.obeyed, laws_hook.obeyed)
_CALM = Auditor(told=True, laws=_LAWS, calm=True)
_LONG = 2_400


def _hooked(**when: tuple[float, float]) -> Callable[[Stage], None]:
    """Returns a history whose webhook is so in these seconds."""
    return lambda stage: Hook(stage, when).set_up()


def _course(auditor: Auditor) -> Course:
    return Course(
        gap=(100, 460), ticks_until=900, sec=_LONG, dispatch_limit_sec=240, auditor=auditor
    )


_SCENE = Scene(
    name="hooked",
    kinds=("sickly", "fragile", "latest", "none", "minute", "queue"),
    drawn=3,
    failing=0.4,
    course=_course(replace(_CALM, prepared=_hooked(), excused_sec=240)),
)
TOLD = (
    _SCENE,
    # It refuses, says nothing, takes its time; then what signs is no secret, or may not be read.
    replace(
        _SCENE,
        name="hooked refused",
        course=_course(
            replace(
                _CALM,
                prepared=_hooked(
                    **{
                        "refusing": (200, 260),
                        "silent": (660, 780),
                        "slow": (780, 920),
                        "no secret": (920, 980),
                        "unread": (1_160, 1_200),
                    }
                ),
                excused_sec=1_200,
            )
        ),
    ),
    # A minute tells of two, and the others wait for theirs.
    replace(
        _SCENE,
        name="hooked slowly",
        course=_course(replace(_CALM, prepared=_hooked(), tells_max=2, excused_sec=1_200)),
    ),
    # The minutes die over what they tell.
    replace(
        _SCENE,
        name="hooked rough",
        faults=Profile(
            faults_until_sec=1_200,
            faults_max=14,
            crash_before=0.004,
            crash_after=0.006,
            lost=0.006,
            throttled=0.003,
            double_tick=0.1,
        ),
        course=_course(
            replace(_CALM, calm=False, prepared=_hooked(), tells_max=3, excused_sec=1_200)
        ),
    ),
)
