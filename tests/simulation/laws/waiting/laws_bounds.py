"""Laws of what bounds a tenant's requests and tasks, and of schedules that code declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from onthedot.api.door.authentication import PER_MINUTE
from onthedot.records.access.api_key import TASKS_MAX, tenant_key
from onthedot.records.attributes import plain_item
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.definition import fields_of
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.machine.journal import SKEW_MS, Journal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask
from tests.simulation.users.deployments import TENANT, Deployment

# A new limit of requests holds after so long: docs/api.md.
_KNOWN_MS = 12_000
_MINUTE_MS = 60_000
_OTHERWISE = {"requests_per_min": PER_MINUTE, "tasks_max": TASKS_MAX}
_FOR_EVER = float("inf")
_ENDED = frozenset({"deleted", "cancelled"})
_REFUSALS = frozenset({"name_taken", "quota_exceeded"})
_NAMED = frozenset({"create", "put", "edit", "task", "tasks"})
# What makes tasks, and how many one request makes at most.
_MAKES = frozenset({"create", "put", "task", "tasks", "orders", "deploy"})
_BATCH_MAX = 4
# Answers that say nothing of what was left of the minute.
_UNCOUNTED = frozenset({0, 401, 429, 503})


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    yield from _rationed(asks)
    yield from _housed(journal, asks)
    yield from _deployed(stage, journal)
    if asks:
        yield from _tallied(stage, journal)
        yield from _turned_away(stage, journal, asks)


def _in_force(asks: Sequence[Ask], field: str, *, since_ms: float, until_ms: float) -> list[int]:
    """Returns every value that the operator's limit may have had in between."""
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
    """Checks that in no minute is more let in than the limit; and nobody is sent away while half
    is left.
    """
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
    """Checks that no schedule is registered beyond the tenant's number of tasks."""
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
            and not any(v.task.status in _ENDED and v.at_ms <= at_ms for v in others)
        ]
        if len(alive) > max(limits):
            yield f"too many: {task_id} is one of {len(alive)} tasks, {max(limits)} may be"


def _tallied(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what a tenant is said to use is what it has, but for requests that something
    befell.
    """
    key = tenant_key(TENANT)
    item = stage.world.store.table("access").rows.items.get((key["pk"], key["sk"]))
    found = plain_item(item) if item else {}
    most = found.get("tasks_max", TASKS_MAX)
    used = most - found.get("tasks_left", most)
    last = [one[-1].task.status for one in journal.versions.values() if one[0].writer]
    alive = sum(status not in _ENDED for status in last)
    # Those that were taken back count again once all are recounted.
    again = sum(status == "cancelled" for status in last) if "recounted_ms" in found else 0
    slack = _BATCH_MAX * len(befallen(stage))
    if not alive - slack <= used <= alive + again + slack:
        yield f"miscounted: {used} tasks are said to be there, {alive} are"


def _turned_away(stage: Stage, journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that nobody is told that a name is taken, or that the room is, while it is free."""
    hurt = befallen(stage)
    for ask in asks:
        for told in ask.told if ask.name in _NAMED else ():
            between = ask.tries[told.process], told.at_ms
            if told.code == "name_taken":
                name = (ask.body or {}).get("name") or ask.route.rpartition("/")[2]
                living = _living(journal, *between)
                if not any(one.name == name for one in living if one.task_id != ask.task_id):
                    yield f"refused in vain: the name {name} is nobody's"
            elif told.code == "quota_exceeded" and not hurt:
                yield from _full(stage, journal, asks, between)


def _full(
    stage: Stage, journal: Journal, asks: Sequence[Ask], between: tuple[float, float]
) -> Iterator[str]:
    """Checks that as many tasks are there, or are just being made, as may be."""
    since_ms, until_ms = between
    limit = min(_in_force(asks, "tasks_max", since_ms=since_ms, until_ms=until_ms))
    # The request itself is one of those that make some.
    making = sum(
        one.began_ms < until_ms and not 0 < one.acked_ms < since_ms
        for one in stage.acts
        if one.name in _MAKES
    )
    back = sum(one[-1].task.status == "cancelled" for one in journal.versions.values())
    there = len({one.task_id for one in _living(journal, since_ms, until_ms)})
    if there + _BATCH_MAX * making + back <= limit:
        yield f"refused in vain: {there} tasks are there, {limit} may be"


def _living(journal: Journal, since_ms: float, until_ms: float) -> list[Task]:
    """Returns each version that was there, not deleted, for some of the time."""
    found = []
    for versions in journal.versions.values():
        ends = [*(one.at_ms for one in versions[1:]), _FOR_EVER]
        for version, end in zip(versions, ends, strict=True):
            there = version.at_ms <= until_ms and end >= since_ms
            if there and version.task.status not in _ENDED:
                found.append(version.task)
    return found


def _deployed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that after a deployment that ended, the schedules of code are those that it
    declares.
    """
    done = [act for act in stage.acts if isinstance(act, Deployment)]
    if not done or not done[-1].acked_ms:
        return
    last = {task_id: versions[-1].task for task_id, versions in journal.versions.items()}
    declared = [
        task
        for task in last.values()
        if task.status != "deleted" and _is_of_code(task) and task.tenant_id == TENANT
    ]
    hurt = befallen(stage)
    for act in done:
        if act.acked_ms and act.by not in hurt:
            yield from _told(journal, act)
    beside = _living(journal, done[-1].began_ms, done[-1].acked_ms)
    taken = {task.name for task in beside if not _is_of_code(task)}
    wanted = {name: one for name, one in done[-1].wanted.items() if name not in taken}
    declared = [task for task in declared if task.name not in taken]
    found = Counter(task.name for task in declared)
    if found != Counter(wanted.keys()):
        yield f"deployed otherwise: {sorted(found.elements())}, not {sorted(wanted)}"
    for task in declared:
        fields = fields_of(task)
        for name, value in wanted.get(task.name, {}).items():
            if fields[name] != value:
                yield f"deployed otherwise: {task.name} has {name} {fields[name]!r}, not {value!r}"


def _told(journal: Journal, act: Deployment) -> Iterator[str]:
    """Checks that a deployment says what it has done: made, changed, ended, and what it left."""
    found: Counter[str] = Counter()
    for versions in journal.versions.values():
        for place, version in enumerate(versions):
            if version.writer is None or version.writer.name != act.by:
                continue
            ended = version.task.status == "deleted"
            found["created" if not place else "ended" if ended else "changed"] += 1
    kept = {name: act.said.get(name, 0) for name in ("created", "ended", "changed")}
    if kept != {name: found[name] for name in kept}:
        yield f"miscounted: {act.by} says {dict(act.said)}, and has done {dict(found)}"
    if sum(act.said.values()) - kept["ended"] != len(act.wanted):
        yield f"miscounted: {act.by} says {dict(act.said)} of {len(act.wanted)}"


def _is_of_code(task: Task) -> bool:
    return str(task.shown.get("managed_by", "")).startswith("code:")
