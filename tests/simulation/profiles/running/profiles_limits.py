"""Profiles of what bounds runs besides their tasks' own gates: keys, rates, a tenant's quota."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.scene import SLOW, UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

LIMITS = (
    # Tasks that share a key, and one under a rate.
    Scene(
        name="keys",
        kinds=("key", "key too", "key queue", "rated"),
        drawn=3,
        faults=SLOW,
        takes_sec=30,
        failing=0.15,
    ),
    # The store is slow, so that starts come late for their turns.
    *(
        Scene(
            name=name,
            kinds=("rated often", "rated pairs"),
            drawn=2,
            faults=Profile(slow=slow, slow_ms=(100, 1_500)),
            course=Course(ticks_until=150, sec=1_000),
            takes_sec=2,
            failing=0.1,
        )
        for name, slow in (("rates", 0.0), ("rates slow", 0.1))
    ),
    # A tenant that may have two runs under way at once, of tasks with gates and without.
    Scene(
        name="tenants",
        kinds=("minute", "twenty", "queue", "key", "jitter", "last two"),
        drawn=3,
        faults=replace(UNTIL_CALM, crash_before=0.01, crash_after=0.015, stall_before=0.01),
        calls=("trigger", "cancel"),
        calls_max=3,
        takes_sec=30,
        failing=0.15,
        running_max=2,
    ),
    # Workers stall between an outcome and the permit that they give back after it.
    Scene(
        name="permits",
        kinds=("twenty",),
        drawn=1,
        aims=tuple(
            Aim(f"work#{worker}", "batch_execute_statement", 3, Fault.STALL_BEFORE, stall_sec=33)
            for worker in range(12)
        ),
        takes_sec=40,
        failing=0.6,
        running_max=1,
    ),
    # A tenant that may call one handler has tasks that call another.
    Scene(
        name="targets",
        kinds=("own", "foreign", "foreign queue", "minute"),
        drawn=3,
        faults=UNTIL_CALM,
        calls=("trigger", "cancel"),
        calls_max=3,
        takes_sec=5,
        failing=0.1,
        running_max=3,
        targets=("python:own",),
    ),
    # The quota is raised, lowered and lifted while runs hold permits, wait for them, take them.
    Scene(
        name="quotas",
        kinds=("minute", "last two", "last queue", "skip", "all", "jitter"),
        drawn=3,
        faults=quiet(crash_before=0.004, crash_after=0.006, slow=0.03, double_message=0.1),
        course=Course(ticks_until=180),
        calls=("limit",),
        takes_sec=100,
        failing=0.1,
        running_max=3,
    ),
)
