"""Laws of what a resume catches up on: its messages are sent before the answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.keys import is_slot_key
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask


def sent(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what an earlier try has claimed and not sent is sent by the one that is
    answered.
    """
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.name == "resume"]
    done = [ask for ask in asks if ask.done and ask.plan and ask.task_id in journal.versions]
    if not done:
        return
    first_ms: dict[tuple[str, str], float] = defaultdict(lambda: float("inf"))
    for run in stage.rows().values():
        if not is_slot_key(run.key) and run.slot:
            place = run.task_id, run.slot
            at_ms = journal.sent_ms.get(run.run_id, float("inf"))
            first_ms[place] = min(first_ms[place], at_ms)
    for ask in done:
        if ask.plan is None or is_fetched(journal.versions[ask.task_id][-1].task):
            continue
        for slot in ask.plan["effects"]["will_run"]:
            if first_ms[ask.task_id, slot] > ask.acked_ms:
                yield f"not sent: {ask.task_id} {slot}, and its resume was answered"
