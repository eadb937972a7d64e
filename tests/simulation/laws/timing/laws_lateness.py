"""Laws of lateness: each slot is started, or has its outcome, by its due time and what faults cost.

Measured in true time against the schedule; what a row says of its due time counts for nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from onthedot.records.keys import is_slot_key
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import CLAIM_SEC, LEASE_SEC, LOOK_AHEAD_SEC, MARGIN_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store.clock import CORRECTED_MAX_MS
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import Reign, slots_within
from tests.simulation.laws.timing.true_bounds import guarded
from tests.simulation.machine.journal import Journal
from tests.simulation.machine.process import Process
from tests.simulation.machine.trace import Entry
from tests.simulation.stage import Stage

# What each fault of a worker or of the audit may cost a run, in seconds. Those that are not named
# leave its message to the audit, which sends it again; without the audit, SQS shows it again.
_COSTS_SEC = {"done twice": 2.5, "in two halves": 0.5}
# The audit looks at a list of claims when its last slot is over, and a first tick claims 150 s.
_AUDITED_SEC = 195.0
_SHOWN_AGAIN_SEC = 970.0
_CREATES = frozenset({"create", "put", "deploy"})
# What half an hour without an audit leaves behind is found in the hour after.
FURTHER_SEC = 7_200.0
# A tick claims so far ahead, and that may be late.
_HANDED_BACK_SEC = LOOK_AHEAD_SEC + 90
# Who finds a key's line full comes back after so long.
_CROWDED_SEC = 60.0
# Where nothing goes wrong: two loads, a start, and a poll of the queue.
_CALM_SEC = 0.3
# An edit stamps its runs before it sends messages.
_TOLD_SEC = 0.5
# Before any start, a worker checks whether a range covers a run that is 90 s late.
_COVERED_SEC = 0.5
# So many calls of a start may be slow ones.
_CALLS_MAX = 8
# An index that is behind hides a cursor from one tick.
_TICK_SEC = 60.0
# Who ends pauses comes each minute, somewhat late, and takes a moment.
_ENDED_SEC = 65.0
# What is told by somebody outside is told again after a second, if its process dies.
_SAID_AGAIN_SEC = 1.5
# A batch is fetched so long before its runs are due, at most, and a fault is felt for a lease.
_FETCHED_SEC = 12.0
_FELT_SEC = float(LEASE_SEC + MARGIN_SEC + 5)
# The permit of a dead worker is free once its lease is over, and nobody calls the line then.
_LAPSED_SEC = 120.0
# A worker asks for more a second after its last start, and no sooner than a second later again.
_KEPT_SEC = 3.0
_WORKERS = frozenset({"work", "audit", "bury"})
_CLAIMERS = frozenset({"dispatch", "api", "pauses", "loops", "deploy"})


@dataclass(slots=True)
class _Troubles:
    """What went wrong in a history, in true time."""

    steady_sec: float
    # From when to when a fault is felt, and what it may cost one run.
    costs: list[tuple[float, float, float]] = field(default_factory=list)
    # When each tick began and ended that nothing befell.
    sound: list[tuple[float, float]] = field(default_factory=list)
    # When each process began that may have left claims behind.
    harmed: list[float] = field(default_factory=list)

    # When a process went on that had stood still.
    thawed: list[float] = field(default_factory=list)

    def tick_after(self, since: float) -> float:
        """Gives when the first tick has ended that sees all from then on, and meets no claim."""
        for began, ended in self.sound[bisect_left(self.sound, (since, 0.0)) :]:
            # One that began a moment later may have claimed first.
            near = (other for other in self.harmed if other <= ended)
            if not any(began - other <= CLAIM_SEC + MARGIN_SEC for other in near):
                return ended
        return float("inf")

    def cost_sec(self, since: float, until: float) -> float:
        """Adds up what all that went wrong in between may cost one run."""
        return sum(sec for begin, end, sec in self.costs if begin <= until and end >= since)


@dataclass(slots=True)
class _Places:
    """When a bounded task got runs back: the next tick gives them to other slots."""

    back: list[float] = field(default_factory=lambda: [0.0])
    # It had used up all of them, so ticks had passed it by.
    opened: list[float] = field(default_factory=list)

    def given(self, due: float, at: float) -> list[float]:
        return [one for one in self.back if one < min(due, at)] + [
            one for one in self.opened if one < at
        ]


def kept_sec(stage: Stage) -> float:
    """Returns what a run may wait for workers that slow runs keep, where there are no others."""
    return _KEPT_SEC * bool(stage.sizes.places)


def late(
    stage: Stage, journal: Journal, ruled: Sequence[Reign], until_sec: float, *, audited: bool
) -> Iterator[str]:
    """Checks each slot that a task has beyond doubt, and that no calendar closes.

    A run that waits for others counts from when the last of them ended, or a quota was raised.
    A run that may have waited, and was cancelled before its start, is left out.
    """
    troubles = _read(stage, audited=audited, bounded=bool(journal.limits))
    decided, ended, cancelled = _decided(journal), _ended(journal), _cancelled(journal)
    places, end = _places(journal), stage.world.start.timestamp() + until_sec
    raised = [act.acked_ms / 1000 for act in stage.acts if act.name == "limit"]
    shared = bool(journal.limits) or bool(raised)
    for reign in ruled:
        task = reign.task
        if task.status != "active" or _is_held_back(stage, task):
            continue
        since, freed = reign.since + _handed_back_sec(journal, task), _freed(journal, task)
        keyed = "concurrency_key" in task.shown
        # Late slots of a task wait for each other, too.
        ends = [*ended[task.task_id], *freed] if guarded(task) or task.misfire == "all" else []
        if shared or keyed:
            # A worker that stood still may have held a permit all the while.
            ends = [*raised, *troubles.thawed, *freed, *chain.from_iterable(ended.values())]
        for slot, due in slots_within(task, since, min(reign.until, end)):
            at = _first(decided[task.task_id], nominal(slot))
            if true_slots.closing(task, slot) or at == float("inf"):
                continue
            waits = guarded(task) or shared or keyed
            if waits and (task.task_id, nominal(slot)) in cancelled:
                continue
            given = places[task.task_id].given(due, at)
            tick = max(_ticked(stage, troubles, task, due), *map(troubles.tick_after, given))
            ready = max(due, tick, *(one for one in ends if one < at))
            allowed = troubles.steady_sec + troubles.cost_sec(due - _FETCHED_SEC, at)
            allowed += _TOLD_SEC * any(one < at for one in freed) + _COVERED_SEC * (tick > due)
            allowed += _extra_sec(stage, journal, task, due)
            if at > ready + allowed:
                most = ready - due + allowed
                yield f"late: {task.name} {nominal(slot)} by {at - due:.1f} s, {most:.1f} s may be"


def _extra_sec(stage: Stage, journal: Journal, task: Task, due: float) -> float:
    """Returns what a full line and a pause that ended in haste may cost."""
    crowded = stage.sizes.line_max and "concurrency_key" in task.shown
    return _CROWDED_SEC * bool(crowded) + _ENDED_SEC * _hurried(journal, task, due)


def _ticked(stage: Stage, troubles: _Troubles, task: Task, due: float) -> float:
    """Returns when the first tick that sees the slot has ended."""
    tick = troubles.tick_after(due - LOOK_AHEAD_SEC)
    # This tick may miss the cursor, or stop at the next blackout; and the tick after it may
    # never have come.
    twice = stage.world.profile.stale or task.closed
    return troubles.tick_after(tick) if twice else tick


def _freed(journal: Journal, task: Task) -> list[float]:
    """Returns when an edit let its runs overlap: the edit calls the runs that waited."""
    return [
        after.at_ms / 1000
        for before, after in pairwise(journal.versions[task.task_id])
        if guarded(task) and guarded(before.task) and not guarded(after.task)
    ]


def _is_held_back(stage: Stage, task: Task) -> bool:
    """Tells whether something else than its time and other runs tells when a run may start."""
    key = task.shown.get("concurrency_key") or {}
    fetched = is_fetched(task)
    # One that is asked to stop while it is called is awaited for as long as it may take.
    called = task.overlap == "cancel_previous" and "complete" in task.target
    # Who has its share under way waits: `laws_room` tells for whom.
    shared = bool(stage.sizes.of_tenant)
    return "rate" in key or fetched or called or shared or task.name in stage.poisoned


def _handed_back_sec(journal: Journal, task: Task) -> float:
    """Returns how long what outside workers had of it may wait until one of them asks for it."""
    fetched = any(
        is_fetched(one.task) and one.task.version < task.version
        for one in journal.versions[task.task_id]
    )
    return _HANDED_BACK_SEC * fetched


def _first(decided: list[tuple[str, str, float]], key: str) -> float:
    """Returns when the slot, or a range that it lies in, first had something come of it."""
    return min((at for first, last, at in decided if first <= key <= last), default=float("inf"))


def _decided(journal: Journal) -> dict[str, list[tuple[str, str, float]]]:
    """Returns when each run first started, or had its outcome without a start; ranges, too."""
    found: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or not (after.attempt or after.final):
            continue
        if before is not None and (before.attempt or before.final):
            continue
        if after.range_to:
            first = change.key.partition("~")[0]
            found[change.task_id].append((first, after.range_to, change.at_ms / 1000))
        elif is_slot_key(change.key):
            found[change.task_id].append((change.key, change.key, change.at_ms / 1000))
    return found


def _hurried(journal: Journal, task: Task, due: float) -> bool:
    """Tells whether it follows a pause whose end an edit moved to less than a minute ahead.

    Such a pause ends with the next minute.
    """
    return any(
        end <= due < end + _ENDED_SEC and end < after.at_ms / 1000 + _ENDED_SEC
        for before, after in pairwise(journal.versions[task.task_id])
        if before.task.status == "paused" and (end := pause_ends.end_of(after.task))
    )


def _cancelled(journal: Journal) -> set[tuple[str, str]]:
    """Returns task and slot of each run that was cancelled before it started."""
    ended = (one for one in journal.changes if one.after and one.after.status == "cancelled")
    return {(one.task_id, one.key) for one in ended if one.after and not one.after.attempt}


def _places(journal: Journal) -> dict[str, _Places]:
    """Returns what bounded tasks got back, by slots that ended without a run."""
    found: dict[str, _Places] = defaultdict(_Places)
    bounded = {
        task_id
        for task_id, versions in journal.versions.items()
        if any(one.task.max_runs is not None for one in versions)
    }
    for change in journal.changes:
        before, after = change.before, change.after
        if change.task_id in bounded and before and after and after.final and not after.attempt:
            found[change.task_id].back.append(change.at_ms / 1000)
    for move in journal.moves:
        if "due_shard" in move.after and "due_shard" not in move.before:
            found[move.task_id].opened.append(move.at_ms / 1000)
    return found


def _ended(journal: Journal) -> dict[str, list[float]]:
    """Returns when attempts of each task ended, or runs that had not started."""
    found: dict[str, list[float]] = defaultdict(list)
    for change in journal.changes:
        before, after = change.before, change.after
        if before and after and after.status not in (before.status, "running"):
            found[change.task_id].append(change.at_ms / 1000)
    return found


def _lists_ahead(stage: Stage) -> bool:
    """All that a create claims stands in one list, which is looked at after the last of it."""
    return any(act.name in _CREATES for act in stage.acts)


def _read(stage: Stage, *, audited: bool, bounded: bool) -> _Troubles:
    """Goes through the story of each process once."""
    found = _Troubles(steady_sec(stage))
    returns = _AUDITED_SEC if audited else _SHOWN_AGAIN_SEC
    returns += LOOK_AHEAD_SEC * (audited and _lists_ahead(stage))
    returns += FURTHER_SEC * bool(stage.auditor.gap[1])
    # Then a permit is free, and nobody says so to those who wait for one.
    lapses = [lapsed_ms / 1000 for lapsed_ms in stage.outside.lapses()]
    felt_sec = _LAPSED_SEC if bounded else _FELT_SEC
    found.costs += [(at, at + felt_sec, returns) for at in lapses]
    lived: dict[Process, list[float]] = defaultdict(list)
    hurt: set[Process] = set()
    edited: set[Process] = set()
    pausing = any(act.name.startswith("pause") for act in stage.acts)
    for at, part, entry in _steps(stage):
        if entry[2] == "purge":
            found.costs.append((at, at + LOOK_AHEAD_SEC + _FETCHED_SEC, 2 * returns))
        if part is None:
            continue
        lived[part].append(at)
        if abs(part.skew_us) > CORRECTED_MAX_MS * 1000:
            # Such a machine claims nothing.
            hurt.add(part)
        edited |= {part} if entry[2] == "transact_write_items" else set()
        if sec := _cost_sec(stage, entry, returns):
            hurt.add(part)
            found.thawed += [at + sec - returns] if entry[2] == "stalls" else []
            found.costs += _sent_late(at, part, entry, sec - returns)
            found.costs += _felt(at, part, (sec, sec - returns + felt_sec), pausing=pausing)
    # One that ends pauses, and ended none, has claimed nothing.
    acted = {
        part: times for part, times in lived.items() if part.kind != "pauses" or part in edited
    }
    _tell_sound_ticks(found, acted, hurt, shared="lambda" in stage.world.called)
    return found


def _felt(
    at: float, part: Process, cost: tuple[float, float], *, pausing: bool
) -> Iterator[tuple[float, float, float]]:
    """Yields what a fault of a process costs the runs of others: how much, and for how long."""
    sec, for_sec = cost
    if part.kind in _WORKERS or part.name.startswith("audit"):
        yield (at, at + for_sec, sec)
    if part.kind == "said":
        yield (at, at + _SAID_AGAIN_SEC, _SAID_AGAIN_SEC)
    if part.kind == "pauses" or (pausing and part.name.startswith("audit")):
        # Pauses that it was to end are ended by the next one, a minute later.
        yield (at, at + _ENDED_SEC, _ENDED_SEC)


def _sent_late(
    at: float, part: Process, entry: Entry, stood_sec: float
) -> list[tuple[float, float, float]]:
    """Returns what a process costs that stands still before it sends a message."""
    sends = entry[2] == "stalls" and entry[3]["note"].endswith("send_message_batch")
    if not sends or part.kind not in _CLAIMERS:
        return []
    return [(at, at + stood_sec + LOOK_AHEAD_SEC, stood_sec)]


def _tell_sound_ticks(
    found: _Troubles, lived: dict[Process, list[float]], hurt: set[Process], *, shared: bool
) -> None:
    for part, times in lived.items():
        if part.kind == "dispatch" and part not in hurt and part.done and not part.dead:
            found.sound.append((times[0], times[-1]))
        elif part.kind in _CLAIMERS:
            found.harmed.append(times[0])
    if shared:
        # Each of several saw to a part of the shards: the tick is sound if all of them are.
        found.sound = [one for one in found.sound if not _beside(one[0], found.harmed)]
    found.sound.sort()


def _beside(began: float, harmed: Sequence[float]) -> bool:
    return any(abs(began - other) < _TICK_SEC / 2 for other in harmed)


def _steps(stage: Stage) -> Iterator[tuple[float, Process | None, Entry]]:
    """Yields each step in true time, with whom it befell."""
    world = stage.world
    start = world.start.timestamp()
    named = {process.name: process for process in world.processes}
    for entry in world.trace:
        part = entry[1]
        if entry[2] == "killed":
            part = named[entry[3]["note"].partition(":")[0].partition("/")[0]]
        yield start + entry[0] / 1_000_000, part, entry


def _cost_sec(stage: Stage, entry: Entry, returns: float) -> float:
    """Returns what befell a process with this step, in seconds for one of its runs."""
    what, note, fault = entry[2], entry[3].get("note", ""), entry[5]
    if what == "stalls":
        return returns + float(note.split()[1])
    if what == "killed":
        # A part that ends with its whole, or because its lease is lost, harms nobody else.
        return 0.0 if "/" in note.partition(":")[0] else returns
    if fault:
        return _COSTS_SEC.get(fault, returns)
    for outage in stage.world.profile.outages:
        if 0 <= entry[0] / 1_000_000 - outage.from_sec <= outage.for_sec + 2:
            return returns + outage.for_sec
    return 0.0


def steady_sec(stage: Stage) -> float:
    """Returns what the profile's clocks, slow calls, late messages and old reads cost each run."""
    profile = stage.world.profile
    sec = kept_sec(stage) + _CALM_SEC + 2 * profile.skew_ms / 1000 + profile.pickup_ms[1] / 1000
    if profile.slow:
        sec += _CALLS_MAX * profile.slow_ms[1] / 1000
    if profile.late_message:
        # Where they are minutes late, so is the one that calls the next in line.
        late_sec = profile.late_message_ms[1] / 1000
        sec += late_sec * (2 if late_sec > _TICK_SEC else 1)
    if profile.stale:
        sec += _TICK_SEC + profile.stale_ms[1] / 1000
    if profile.index_lag_ms[1]:
        sec += _TICK_SEC + profile.index_lag_ms[1] / 1000
    return sec
