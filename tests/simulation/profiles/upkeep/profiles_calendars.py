"""Profiles of what stops a schedule for a while: calendars, and pauses that end by themselves."""

from __future__ import annotations

from dataclasses import replace

from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

CALENDARS = (
    # Calendars are put over a task and lifted at any moment.
    Scene(
        name="calendars",
        kinds=("closed minute", "closed twenty", "minute"),
        faults=replace(UNTIL_CALM, faults_max=6),
        course=Course(dispatchers=2),
        calls=("close", "open", "pause", "resume"),
        calls_max=4,
    ),
    # Pauses that end by themselves, and users who come before; that process may die.
    Scene(
        name="pauses",
        kinds=("minute", "twenty", "all", "queue", "jitter"),
        faults=replace(UNTIL_CALM, faults_until_sec=400, crash_before=0.02, crash_after=0.03),
        course=Course(ticks_until=660, sec=1_500),
        calls=("pause for a while", "pause for a while", "pause", "resume", "payload", "other"),
        calls_max=4,
    ),
    # A slot is due in the last second of a pause.
    Scene(
        name="pauses past a slot",
        kinds=("minute", "twenty", "queue", "two"),
        faults=quiet(crash_before=0.01, crash_after=0.01),
        course=Course(ticks_until=660, sec=1_500),
        calls=("pause past a slot", "pause past a slot", "pause for a while", "payload"),
        calls_max=4,
    ),
)
