"""Laws of what bounds a tenant's requests and tasks, and of schedules that code declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from onthedot.api.limits import PER_MINUTE
from onthedot.core.access import TASKS_MAX
from onthedot.core.definition import fields_of
from onthedot.core.task import Task
from tests.simulation.caller import Ask
from tests.simulation.deployments import TENANT, Deployment
from tests.simulation.journal import SKEW_MS, Journal
from tests.simulation.stage import Stage

# A new limit of requests holds after so long: docs/api.md.
_KNOWN_MS = 12_000
_MINUTE_MS = 60_000
_OTHERWISE = {"requests_per_min": PER_MINUTE, "tasks_max": TASKS_MAX}
_FOR_EVER = float("inf")
# Answers that say nothing of what was left of the minute.
_UNCOUNTED = frozenset({0, 401, 429, 503})


def heeded(stage: Stage, journal: Journal) -> Iterator[str]:
    """All of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    yield from _rationed(asks)
    yield from _housed(journal, asks)
    yield from _deployed(stage, journal)


def _in_force(asks: Sequence[Ask], field: str, *, since_ms: float, until_ms: float) -> list[int]:
    """Every value that the operator's limit may have had in between."""
    last, found = _OTHERWISE[field], []
    for ask in asks:
        if ask.name != "ration" or field not in ask.body:
            continue
        end = ask.acked_ms + _KNOWN_MS if ask.acked_ms else _FOR_EVER
        if ask.began_ms > until_ms:
            continue
        if end < since_ms:
            last = ask.body[field]
        else:
            found.append(ask.body[field])
    return [last, *found]


def _rationed(asks: Sequence[Ask]) -> Iterator[str]:
    """In no minute is more let in than the limit; and nobody is sent away while half is left."""
    let_in: Counter[int] = Counter()
    all_told: Counter[int] = Counter()
    sent_away: set[int] = set()
    for ask in asks:
        if ask.tenant_id != TENANT:
            continue
        for told in ask.told:
            began_ms = ask.tries[told.process]
            minute = int(began_ms // _MINUTE_MS)
            for near in {int((began_ms + by) // _MINUTE_MS) for by in (-SKEW_MS, 0, SKEW_MS)}:
                all_told[near] += 1
            if told.code == "rate_limited":
                sent_away.add(minute)
            inside = SKEW_MS < began_ms % _MINUTE_MS < _MINUTE_MS - SKEW_MS
            let_in[minute] += inside and told.status not in _UNCOUNTED
    for minute in {*let_in, *sent_away}:
        since_ms = minute * _MINUTE_MS - SKEW_MS
        until_ms = since_ms + _MINUTE_MS + 2 * SKEW_MS
        limits = _in_force(asks, "requests_per_min", since_ms=since_ms, until_ms=until_ms)
        if let_in[minute] > max(limits):
            yield f"beyond its rate: {let_in[minute]} requests let in, {max(limits)} may be"
        if minute in sent_away and all_told[minute] < min(limits) / 2:
            yield f"sent away: {all_told[minute]} requests in a minute of {min(limits)}"


def _housed(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """No schedule is registered beyond the tenant's number of tasks."""
    asking = {name: ask for ask in asks for name in ask.tries}
    for task_id, versions in journal.versions.items():
        ask = asking.get(versions[0].writer.name) if versions[0].writer else None
        if ask is None or not task_id.startswith("sch_"):
            continue
        at_ms = versions[0].at_ms
        limits = _in_force(asks, "tasks_max", since_ms=ask.began_ms, until_ms=at_ms)
        alive = [
            one
            for one, others in journal.versions.items()
            if others[0].at_ms <= at_ms
            and not any(v.task.status == "deleted" and v.at_ms <= at_ms for v in others)
        ]
        if len(alive) > max(limits):
            yield f"too many: {task_id} is one of {len(alive)} tasks, {max(limits)} may be"


def _deployed(stage: Stage, journal: Journal) -> Iterator[str]:
    """After a deployment that ended, the schedules of code are those that it declares."""
    done = [act for act in stage.acts if isinstance(act, Deployment)]
    if not done or not done[-1].acked_ms:
        return
    last = {task_id: versions[-1].task for task_id, versions in journal.versions.items()}
    declared = [
        task
        for task in last.values()
        if task.status != "deleted" and _is_of_code(task) and task.tenant_id == TENANT
    ]
    wanted = done[-1].wanted
    found = Counter(task.name for task in declared)
    if found != Counter(wanted.keys()):
        yield f"deployed otherwise: {sorted(found.elements())}, not {sorted(wanted)}"
    for task in declared:
        fields = fields_of(task)
        for name, value in wanted.get(task.name, {}).items():
            if fields[name] != value:
                yield f"deployed otherwise: {task.name} has {name} {fields[name]!r}, not {value!r}"


def _is_of_code(task: Task) -> bool:
    return str(task.shown.get("managed_by", "")).startswith("code:")
