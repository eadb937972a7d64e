"""Law of what is shown: a run in a line is shown as waiting, with a reason that it can have.

Judged where nothing goes wrong, by where each run stood while a caller asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.timing.true_bounds import limit_of, waits
from tests.simulation.laws.waiting.run_standings import Standing
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

# An answer comes from several reads, and two clocks differ.
_EDGE_MS = 1_000


def obeyed(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Checks each run of each list, and of each answer about one run."""
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.route.startswith("GET ")]
    if not asks or not untroubled(stage):
        return
    standing = {run.run_id: run for run in runs}
    bounded = {one.tenant_id for one in journal.limits if one.most}
    for ask in asks:
        told = ask.told[-1] if ask.told else None
        if told is None or not ask.said:
            continue
        began_ms = ask.tries[told.process]
        for shown in _runs(ask.said):
            run = standing.get(shown["run_id"])
            if run is None:
                continue
            waiting = shown["status"] == "waiting"
            if not waiting and run.stood(began_ms - _EDGE_MS, told.at_ms + _EDGE_MS):
                yield f"shown: {run.run_id} is said to be {shown['status']}, and stood in a line"
            elif waiting and not run.due_ms - _EDGE_MS <= told.at_ms <= run.got_ms + _EDGE_MS:
                yield f"shown: {run.run_id} is said to wait, and did not"
            elif waiting and shown["reason"] not in _reasons(run, bounded):
                yield f"shown: {run.run_id} is said to wait for {shown['reason']}"


def _runs(said: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = said.get("data", [said])
    return [one for one in found if "run_id" in one and "status" in one]


def _reasons(run: Standing, bounded: set[str]) -> set[str]:
    """Gives the reasons for which it may wait, by what its user wrote."""
    limit = limit_of(run.task)
    may = {
        "overlap": waits(run.task),
        "concurrency_key": limit is not None and limit.most > 0,
        "rate": limit is not None and limit.count > 0,
        "tenant": run.task.tenant_id in bounded,
    }
    return {reason for reason, true in may.items() if true}
