"""Laws of previews: they name the slots that brute force finds on the walls of the zone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from onthedot.records.tasks.task_fields import SCHEDULE
from onthedot.registry import definition
from onthedot.schedule.time.instants import nominal, parse_instant, parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

# How far brute force walks.
_WALKS_SEC = 6 * 3_600
_BESIDE_SEC = 60


def obeyed(stage: Stage) -> Iterator[str]:
    """Checks each that was asked about a night on which a clock is changed."""
    for act in stage.acts:
        if not isinstance(act, Ask) or act.name != "walls" or not act.said:
            continue
        given = {name: value for name, value in act.body.items() if name not in ("from", "count")}
        schedule = definition.compiled(SCHEDULE | given, "")
        since = parse_instant(act.body["from"], "from")
        found = true_slots.of(schedule, since, since + _WALKS_SEC)
        wanted = [nominal(slot) for slot in islice(found, act.body["count"])]
        shown = [each["at"] for each in act.said["fires"]]
        until = nominal(since + _WALKS_SEC)
        if [at for at in shown if at < until] != wanted:
            yield f"foreseen otherwise: {given} fires at {shown}, not {wanted}"
        # None of the rules that are asked about names a year.
        if len(shown) < act.body["count"]:
            yield f"foreseen otherwise: {given} fires at {shown}, and then no more"
        for at in (parse_nominal(each) for each in shown):
            if [*true_slots.of(schedule, at - _BESIDE_SEC, at + 1)][-1:] != [at]:
                yield f"foreseen otherwise: {given} does not fire at {nominal(at)}"
