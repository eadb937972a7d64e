"""Laws of ticks: each counts what it did, as the stores have it, and does first what is on time.

Judged by the answers that the tick was given, where it met no fault.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from onthedot.dispatch.tick import Tick
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.machine.journal import RUN_NAMED, SENDS, Change, Journal
from tests.simulation.machine.process import Process
from tests.simulation.machine.trace import Entry
from tests.simulation.stage import Stage

_COUNTED = ("due", "claimed", "suppressed", "advanced")
# What lies inside a range is sent or ended with it, and counts as the range.
_FIRED, _RANGED = ("taken_over", "sent"), ("missed", "skipped")
# What is overdue by one clock may be on time by another.
_BOTH_SEC = 10
# What another was first to do: no mishap.
_REFUSED = frozenset({"DuplicateItem", "ConditionalCheckFailed"})


def counted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Each that came to its end."""
    true, hurt = _true(stage, journal)
    for process in stage.world.processes:
        tick = process.result
        if process.kind != "dispatch" or process.name in hurt or not isinstance(tick, Tick):
            continue
        figures = true[process.name]
        ranged = any(tick.counts.get(name) for name in _RANGED)
        for name in (*_COUNTED, *_FIRED, *_RANGED):
            said, was = tick.counts.get(name, 0), figures[name]
            # A range that a dead tick has put is told by the one that goes on behind it.
            high = name in _RANGED and said > was
            low = name in _FIRED and ranged and said < was
            if said != was and not high and not low:
                yield f"miscounted: {process.name} says {said} {name}, and it was {was}"


def in_turn(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no tick catches up on what is overdue before it has claimed all that is on
    time.
    """
    seen = _overdue(stage)
    caught_up: dict[str, str] = {}
    for change in journal.changes:
        if change.before is not None or change.writer is None or change.writer.kind != "dispatch":
            continue
        name = change.writer.name.partition("/")[0]
        overdue = seen[name].get(change.task_id)
        if overdue == {True}:
            caught_up.setdefault(name, change.run_id)
        elif overdue == {False} and name in caught_up:
            yield f"out of turn: {name} claims {change.run_id} after {caught_up[name]}"


def _overdue(stage: Stage) -> dict[str, dict[str, set[bool]]]:
    """Tells of each task that a tick read: overdue, on time, or both where that is in doubt."""
    start, began = stage.world.start.timestamp(), dict[str, float]()
    found: dict[str, dict[str, set[bool]]] = defaultdict(lambda: defaultdict(set))
    # A tick that stood still has read its clock before that.
    stood = {
        entry[1].name.partition("/")[0]
        for entry in stage.world.trace
        if entry[1] is not None and entry[2] == "stalls"
    }
    for at_us, process, _, request, answer, _ in stage.world.trace:
        name = process.name.partition("/")[0] if process is not None else ""
        if process is None or process.kind != "dispatch" or name in stood:
            continue
        since = began.setdefault(name, start + at_us / 1_000_000) - LATE_SEC
        if request.get("IndexName") != "due" or not isinstance(answer, dict):
            continue
        for item in answer["Items"]:
            due = parse_nominal(item["next_run_at"]["S"])
            doubtful = abs(due - since) < _BOTH_SEC
            told = {True, False} if doubtful else {due < since}
            found[name][item["task_id"]["S"]] |= told
    return found


def _true(stage: Stage, journal: Journal) -> tuple[dict[str, Counter[str]], set[str]]:
    """What each of them did, and those to which something happened."""
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    hurt = {process.name for process in stage.world.processes if _is_broken(process)}
    # Of two at the same microsecond nobody can say who wrote what.
    names_at: dict[int, str] = {}
    for entry in stage.world.trace:
        process = entry[1]
        if process is None:
            continue
        name = process.name.partition("/")[0]
        if names_at.setdefault(entry[0], name) != name:
            hurt |= {name, names_at[entry[0]]}
        if process.kind != "dispatch":
            continue
        if entry[5] or entry[2] == "stalls":
            hurt.add(name)
        figures[name].update(_of_call(entry))
        if figures[name]["hurt"]:
            hurt.add(name)
    for change in journal.changes:
        if change.writer is not None and change.writer.kind == "dispatch":
            figures[change.writer.name.partition("/")[0]].update(_of_write(change))
    return figures, hurt


def _is_broken(process: Process) -> bool:
    return process.dead or not process.done or process.error is not None


def _of_call(entry: Entry) -> Counter[str]:
    _, _, operation, request, answer, _ = entry
    if not isinstance(answer, dict):
        return Counter()
    if request.get("IndexName") == "due":
        return Counter(due=len(answer["Items"]))
    if operation in SENDS:
        failed = {one["Id"] for one in answer.get("Failed", ())}
        bodies = [one["MessageBody"] for one in request["Entries"] if one["Id"] not in failed]
        return Counter(sent=sum(len(RUN_NAMED.findall(body)) for body in bodies))
    counts: Counter[str] = Counter()
    if operation != "batch_execute_statement":
        return counts
    for statement, said in zip(request["Statements"], answer["Responses"], strict=True):
        code = said.get("Error", {}).get("Code", "")
        text = statement["Statement"]
        counts["suppressed"] += text.startswith("INSERT") and code == "DuplicateItem"
        counts["advanced"] += text.startswith('UPDATE "tasks"') and not code
        counts["hurt"] += bool(code) and code not in _REFUSED
    return counts


def _of_write(change: Change) -> Counter[str]:
    """A range counts for the slots it stands for."""
    before, after = change.before, change.after
    if after is None:
        return Counter()
    if after.range_to:
        # One that was there already ends sooner by now.
        return Counter({after.status: 0 if before else after.range_count})
    # Outside workers find theirs by the index: no message is sent of it.
    found = after.fetched and after.status == "claimed"
    return Counter(claimed=before is None, taken_over=before is not None, sent=found)
