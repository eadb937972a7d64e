"""Profiles of what no flow of ours can read, or wrote, and of packs that come back in parts."""

from __future__ import annotations

from tests.simulation.auditor import Auditor
from tests.simulation.faults import ghosts
from tests.simulation.faults.faults import Aim, Fault
from tests.simulation.laws.running import laws_aside
from tests.simulation.scene import UNTIL_CALM, Scene, quiet
from tests.simulation.stage import Course

STRANGE = (
    # A pack comes back, and of its parts SQS takes some and refuses the others, time and again.
    Scene(
        name="refused",
        kinds=("minute", "twenty", "all", "none"),
        drawn=3,
        aims=(
            Aim("work#0", "change_message_visibility_batch", 0, Fault.CRASH_AFTER),
            *(Aim("work#1", "send_message_batch", nth, Fault.PARTIAL) for nth in range(3)),
            *(Aim("work#2", "send_message_batch", nth, Fault.PARTIAL) for nth in range(3)),
        ),
    ),
    Scene(name="poison", faults=UNTIL_CALM, poison=True),
    # Strangers write into the queues, about runs that are there and about nothing.
    Scene(
        name="forged",
        faults=quiet(crash_after=0.01, double_message=0.1),
        failing=0.2,
        takes_sec=12,
        forged=True,
    ),
    # And about runs that wait for others longer than a message may live.
    Scene(
        name="forged lines",
        kinds=("last queue", "last two", "key", "key too"),
        drawn=2,
        takes_sec=110,
        forged=True,
    ),
    # And about runs that never were, while nothing goes wrong: each is counted.
    Scene(
        name="ghosts",
        course=Course(auditor=Auditor(prepared=ghosts.prepared, laws=(laws_aside.counted,))),
    ),
    # Every other worker dies while it looks for the runs: what it was told is no message is gone.
    Scene(
        name="ghosts killed",
        aims=tuple(
            Aim(f"work#{number}", "batch_get_item", 0, Fault.CRASH_BEFORE)
            for number in range(0, 80, 2)
        ),
        course=Course(sec=2_400, auditor=Auditor(prepared=ghosts.prepared)),
    ),
    # A worker that takes a message dies before it has looked for its runs, until bury ends them.
    Scene(
        name="never looked for",
        kinds=("minute", "twenty", "queue"),
        drawn=1,
        aims=tuple(
            Aim(f"work#{number}", "batch_get_item", 0, Fault.CRASH_BEFORE) for number in range(800)
        ),
        course=Course(ticks_until=130, sec=2_400, audited=False),
    ),
)
