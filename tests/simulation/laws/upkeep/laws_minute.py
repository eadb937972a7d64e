"""Laws of the audit's minute: its acts, its sign of life, its figures, and pauses to the second."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.keys import row_of
from onthedot.upkeep import minute_tally, pulse
from tests.simulation.laws.timing.reigns import act_of, clocks_off_sec, end_of
from tests.simulation.machine.journal import Journal
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage

# As docs/api.md says, and what the acts between the look and the sign of life take.
_OK_SEC, _STOPPED_SEC, _EDGE_SEC = 90, 180, 30
_SAMPLE_SEC = 20
# A pause is ended a second before its end, and this long after that at most.
_ON_TIME_SEC = 1.5
# Nobody can end a pause that was made later than so before its end.
_KNOWN_SEC = 90
# A run that ended later may be on a list that is looked at after the end.
_COUNTED_SEC = 20 * 60
# Between the clock that a write reads and the store that takes it.
_WRITTEN_MS = 150.0
_PARTS = ("p50", "p95", "p99", "max")
_COUNTED = ("succeeded", "dead", "missed", "skipped", "cancelled")


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each law of it."""
    yield from _alive(stage)
    yield from _on_time(stage, journal)
    if stage.auditor.calm:
        yield from _counted(stage, journal)
        yield from _measured(stage, journal)


def _audits(stage: Stage) -> Iterator[tuple[Process, list[Process]]]:
    for process in stage.world.processes:
        if process.kind == "audit" and "/" not in process.name:
            yield process, process.parts


def _acted(stage: Stage) -> dict[Process, float]:
    """Returns when each process did something last, in true time."""
    start = stage.world.start.timestamp()
    return {
        entry[1]: start + entry[0] / 1_000_000
        for entry in stage.world.trace
        if entry[1] is not None
    }


def _alive(stage: Stage) -> Iterator[str]:
    """Checks that health says ok of an audit that looks each minute, and stopped of one that has
    ceased to.
    """
    acted = _acted(stage)
    looked = sorted(
        acted[parts[1]]
        for _, parts in _audits(stage)
        if len(parts) > 1 and parts[1].done and not parts[1].dead and parts[1].error is None
        if parts[1] in acted
    )
    kept = [
        (at_us / 1_000_000, plain_item(item))
        for at_us, (partition, _), item in _puts(stage)
        if partition == minute_tally.MINUTES
    ]
    off = clocks_off_sec(stage)
    now, over = stage.world.start.timestamp(), stage.world.epoch_us() / 1_000_000
    while now < over:
        now += _SAMPLE_SEC
        items = [item for at, item in kept if at <= now]
        newest = max(items, key=lambda item: item["scheduled_for"], default=None)
        said = pulse.health(pulse.read(None, newest), int(now * 1000))["audit"]
        last = max((at for at in looked if at <= now), default=0.0)
        ago = now - last
        if said == "ok" and ago > _OK_SEC + _EDGE_SEC + off:
            yield f"said to be well: the audit, {ago:.0f} s after its last look"
        if said != "ok" and _steady(looked, now, off) and stage.auditor.calm:
            yield f"said to be {said}: the audit, {ago:.0f} s after its last look"
        if said not in ("stopped", "unknown") and ago > _STOPPED_SEC + _EDGE_SEC + off:
            yield f"not said to be stopped: the audit, {ago:.0f} s after its last look"


def _steady(looked: list[float], now: float, off: float) -> bool:
    return any(_EDGE_SEC <= now - at <= _OK_SEC - off - 5 for at in looked)


def _puts(stage: Stage) -> Iterator[tuple[int, Any, Any]]:
    """Yields each item that was put into the table of runs, in order."""
    rows = stage.world.store.table("runs").rows
    following = dict(rows.items)
    found = []
    for at_us, key, before in reversed(rows._log):  # noqa: SLF001  # the store's own log
        if key[0] == minute_tally.MINUTES and key in following:
            found.append((at_us, key, following[key]))
        if before is None:
            following.pop(key, None)
        else:
            following[key] = before
    yield from reversed(found)


def _on_time(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a pause that nobody else ended is ended at its second, whatever other acts do
    meanwhile.
    """
    hurt, begun, off = _hurt(stage), _begun(stage), clocks_off_sec(stage)
    well = [
        begun[process.name]
        for process, parts in _audits(stage)
        if parts and not {parts[0], process} & hurt and not process.dead and process.name in begun
    ]
    for task in stage.tasks:
        versions = journal.versions[task.task_id]
        for before, version in pairwise(versions):
            end = end_of(before.task)
            if version.task.status != "active" or act_of(stage, version) is not None:
                continue
            awake = any(end - 65 <= at <= end - 5 for at in well)
            late = version.at_ms / 1000 - end - off
            if awake and before.at_ms / 1000 < end - _KNOWN_SEC and late > _ON_TIME_SEC:
                yield f"ended late: the pause of {task.name}, by {late:.1f} s"


def _begun(stage: Stage) -> dict[str, float]:
    """Returns when each process did something first, by its name."""
    start = stage.world.start.timestamp()
    found: dict[str, float] = {}
    for entry in stage.world.trace:
        if entry[1] is not None:
            found.setdefault(entry[1].name.partition("/")[0], start + entry[0] / 1_000_000)
    return found


def _hurt(stage: Stage) -> set[Process]:
    """Returns whom a fault befell, or a stall."""
    found = {entry[1] for entry in stage.world.trace if entry[5] or entry[2] == "stalls"}
    return {each for each in found if each is not None}


def _counted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that all figures of a kind together are as many as runs ended so."""
    end_ms = stage.world.epoch_us() / 1000
    ended: dict[str, tuple[str, float]] = {}
    unlisted = set[str]()
    for change in journal.changes:
        if change.after is not None and change.after.final:
            ended.setdefault(change.run_id, (change.after.status, change.at_ms))
            # What a pause of the health act records as over stands on no list.
            if change.before is None and change.writer and change.writer.name.startswith("audit"):
                unlisted.add(change.run_id)
    sums: Counter[str] = Counter()
    for _, figures in stage.figures:
        sums.update({name: int(figures.get(name, 0)) for name in _COUNTED})
    least: dict[str, int] = defaultdict(int)
    most: dict[str, int] = defaultdict(int)
    for run_id, (status, at_ms) in ended.items():
        # An edit lists what is due soon once more, and each list is counted.
        most[status] += len(journal.versions[row_of(run_id)[0]])
        least[status] += run_id not in unlisted and at_ms < end_ms - _COUNTED_SEC * 1000
    for name in _COUNTED:
        if not least[name] <= sums[name] <= most[name]:
            yield f"miscounted: {sums[name]} {name}, of {least[name]} to {most[name]}"


def _measured(stage: Stage, journal: Journal) -> Iterator[str]:
    """Yields how late runs were, how soon picked up, how long at work, is told of runs that were
    so.
    """
    true_ms: dict[str, list[float]] = defaultdict(list)
    claimed_ms: dict[str, float] = {}
    started_ms: dict[str, float] = {}
    for change in journal.changes:
        after, before = change.after, change.before
        if after is None or after.range_to:
            continue
        if before is None:
            claimed_ms[change.run_id] = change.at_ms
        if change.started:
            started_ms[change.run_id] = change.at_ms
            true_ms["lag"].append(change.at_ms - after.due_ms)
            picked_ms = max(float(after.due_ms), claimed_ms.get(change.run_id, 0.0))
            true_ms["pickup"].append(change.at_ms - picked_ms)
        elif after.final and not (before and before.final) and change.run_id in started_ms:
            true_ms["duration"].append(change.at_ms - started_ms[change.run_id])
    off_ms = clocks_off_sec(stage) * 1000 + _WRITTEN_MS
    for _, figures in stage.figures:
        for name, measured in true_ms.items():
            told = [figures[each] for part in _PARTS if (each := f"{name}_{part}_ms") in figures]
            if told != sorted(told) or (told and not _is_among(told[-1], measured, off_ms)):
                yield f"mismeasured: {name} was told as {told}"


def _is_among(told_ms: float, measured: list[float], off_ms: float) -> bool:
    return any(abs(each - told_ms) <= off_ms for each in measured)
