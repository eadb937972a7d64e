"""Profiles of what users do besides: names, old slots, orders, letters of one kind, admin keys."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.scene import Scene, quiet
from tests.simulation.sizes import Sizes
from tests.simulation.stage import Course

_LONG = Course(ticks_until=330, sec=1_100)
_HURT = quiet(crash_before=0.01, crash_after=0.02, lost=0.02, slow=0.05, conflict=0.03)
# Three minutes before the clock goes on by an hour in Berlin, and before it goes back.
_SPRING = datetime(2027, 3, 28, 0, 57, tzinfo=UTC)
_AUTUMN = datetime(2027, 10, 31, 0, 57, tzinfo=UTC)

BESIDE = (
    Scene(
        name="asked names",
        kinds=(),
        users=("rename", "rename", "create", "put", "delete", "ration"),
        users_max=9,
        course=_LONG,
    ),
    Scene(
        name="asked names crashes",
        kinds=(),
        users=("rename", "rename", "create", "put", "delete"),
        users_max=9,
        course=_LONG,
        faults=_HURT,
    ),
    # Schedules with `max_runs`, edited by plans; pauses are caught up on, or end by themselves.
    Scene(
        name="asked plans",
        kinds=(),
        users=("bounded", "bounded", "catch up", "catch up", "pause", "edit", "look"),
        users_max=8,
        course=_LONG,
    ),
    Scene(
        name="asked fills",
        kinds=(),
        users=("fill", "fill", "fill", "edit", "pause"),
        users_max=5,
        calls_between=(60, 300),
        course=_LONG,
        failing=0.2,
    ),
    Scene(
        name="asked fills crashes",
        kinds=(),
        users=("fill", "fill", "edit"),
        users_max=5,
        calls_between=(60, 300),
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.02, lost=0.02, double_tick=0.2),
        failing=0.2,
    ),
    # Tasks that run once, and long: each is taken back or moved before, while or after it runs.
    Scene(
        name="asked orders",
        kinds=(),
        users=("order", "order", "taken back", "taken back", "tasks"),
        users_max=7,
        calls_between=(2, 300),
        course=_LONG,
        takes_sec=60,
    ),
    Scene(
        name="asked orders crashes",
        kinds=(),
        users=("order", "order", "taken back", "taken back", "tasks"),
        users_max=7,
        calls_between=(2, 300),
        course=_LONG,
        faults=_HURT,
        takes_sec=60,
    ),
    # Some of the letters, some each minute, and nothing goes wrong.
    Scene(
        name="asked some letters",
        kinds=(),
        users=("some letters", "some letters", "trigger", "delete"),
        users_max=6,
        calls_between=(60, 300),
        course=_LONG,
        failing=0.9,
        raising=True,
        waits=(1,),
        sizes=Sizes(page=2),
    ),
    # What is paused is paused again, and then for as long as was said last.
    Scene(
        name="asked pauses",
        kinds=(),
        users=("pause again", "pause again", "pause", "resume", "catch up in time"),
        users_max=5,
        calls_between=(10, 250),
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.01, lost=0.01),
    ),
    # Each minute may come twice, and both look at the same letters.
    Scene(
        name="asked letters twice",
        kinds=(),
        users=("some letters", "some letters", "fill", "trigger"),
        users_max=6,
        calls_between=(60, 300),
        course=_LONG,
        faults=Profile(double_tick=0.5),
        failing=0.9,
        raising=True,
        waits=(1,),
    ),
    # A resume dies before it sends what it has claimed, and its caller tries again.
    Scene(
        name="asked on",
        kinds=(),
        users=("catch up",),
        users_max=4,
        course=_LONG,
        aims=tuple(
            Aim(f"api#{number}", "send_message_batch", 1, Fault.CRASH_BEFORE)
            for number in range(0, 120, 2)
        ),
    ),
    # A clock is changed while some are paused; and users ask when they would fire.
    *(
        Scene(
            name=f"asked {season}",
            kinds=(),
            users=("over night", "over night", "foresee", "foresee"),
            users_max=6,
            calls_between=(5, 200),
            start=start,
            course=_LONG,
        )
        for season, start in (("spring", _SPRING), ("autumn", _AUTUMN))
    ),
    # All slots of these schedules are in the hour of the clock change.
    *(
        Scene(
            name=f"asked over {season}",
            kinds=(),
            users=("over that hour",),
            users_max=5,
            calls_between=(3, 30),
            start=start,
            course=Course(ticks_until=330, sec=500),
        )
        for season, start in (("spring", _SPRING), ("autumn", _AUTUMN))
    ),
    # More slots pass during a pause than a resume may run.
    Scene(
        name="asked too much",
        kinds=(),
        users=("catch up", "catch up", "catch up in time"),
        users_max=4,
        calls_between=(5, 150),
        course=Course(ticks_until=330, sec=700),
        sizes=Sizes(caught_up=2),
    ),
    # Users want to make more tasks than their tenant may have.
    Scene(
        name="asked rooms",
        kinds=(),
        users=("fill up", "fill up", "taken back"),
        users_max=3,
        calls_between=(5, 100),
        course=Course(ticks_until=270, sec=500),
    ),
    # Schedules without a bound are given one.
    Scene(
        name="asked bind",
        kinds=(),
        users=("bind", "bind", "edit"),
        users_max=4,
        calls_between=(5, 120),
        course=Course(ticks_until=480, sec=900),
    ),
    # Users say how many deaths they bear, of schedules whose runs die.
    Scene(
        name="asked bear",
        kinds=(),
        users=("bear", "bear"),
        users_max=5,
        calls_between=(20, 300),
        course=_LONG,
        failing=0.9,
        waits=(1,),
    ),
    # Users look at schedules that will be paused soon.
    Scene(
        name="asked near",
        kinds=(),
        users=("look", "look", "look", "bear"),
        users_max=8,
        calls_between=(200, 860),
        course=Course(ticks_until=900, sec=1_100),
        failing=1.0,
        waits=(1,),
    ),
    # Deployments of what calendars close; lists come in small pages.
    Scene(
        name="asked deploys",
        kinds=(),
        users=("deploy closed", "deploy closed", "rename"),
        users_max=4,
        course=_LONG,
        sizes=Sizes(page=2),
    ),
    Scene(
        name="asked locks",
        kinds=(),
        users=("lock",),
        users_max=3,
        course=_LONG,
        faults=quiet(crash_before=0.01, crash_after=0.02, lost=0.02, conflict=0.1),
    ),
)
