"""Laws of waiting: nobody waits while a place is free, at a gate, a key, a quota or a rate.

A place is taken from the call of a target on; what a gate or a permit says counts for nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onthedot.records.runs.run_row import BEHIND
from onthedot.targets.attempt_outcome import Awaiting
from tests.simulation.faults.faults import Fault
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.timing.laws_lateness import FURTHER_SEC, steady_sec
from tests.simulation.laws.timing.true_bounds import Limit, guarded, limit_of, places, waits
from tests.simulation.laws.waiting.run_standings import FOR_EVER, Standing
from tests.simulation.machine.journal import Journal
from tests.simulation.machine.journal import Limit as Quota
from tests.simulation.stage import Delivery, Stage

_CALM_SEC = 30.0
_STOOD_MS = 1_000
# What a lost message or process costs: the audit brings back what it had; and each further one.
_LOSSY_SEC, _AGAIN_SEC = 150.0, 60.0
# What a full line costs one that finds no place in it, beyond what all may wait.
_OUTSIDE_SEC = 30.0
# Without the audit, SQS shows a message again, and then its worker's lease has to be over.
_SHOWN_AGAIN_SEC = 1_030.0
_PUT_BACK = "change_message_visibility_batch"
_CRASHES = frozenset({Fault.CRASH_BEFORE, Fault.CRASH_AFTER})
_UNDER_WAY = frozenset({"running", "awaiting"})
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """Places that runs share: who wants one, when each is taken, how many there are."""

    name: str
    waiting: list[Standing]
    taken: list[Span]
    calls: list[float]
    most: Callable[[float], float]
    # Those of a key's line, where that has an end.
    sharing: Sequence[Standing] = ()

    def outside_sec(self, first: Standing, since_ms: float, line_max: int) -> float:
        """Gives what it costs to find a line full: the run looks again a minute later."""
        receipts = (at for at in first.receipts if at <= since_ms)
        looked_ms = max(first.due_ms, max(receipts, default=0.0))
        # Those of one second come in any order.
        spans = [run.quiet for run in self.sharing if run.got_ms > looked_ms]
        inside = sum(
            any(begin < looked_ms + _STOOD_MS and end > looked_ms for begin, end in quiet)
            for quiet in spans
        )
        return _OUTSIDE_SEC if line_max and inside >= line_max else 0.0


def long(
    stage: Stage, journal: Journal, runs: Sequence[Standing], *, audited: bool
) -> Iterator[str]:
    """Checks each line, moment by moment; of a shifted run it counts which places it takes."""
    troubles = _Troubles.of(stage, audited=audited)
    end_ms = stage.world.epoch_us() / 1000
    bounded = {one.tenant_id for one in journal.limits if one.most}
    # Behind its own gate or key such a run may wait for its tenant's quota.
    own = [run for run in runs if run.task.tenant_id not in bounded]
    for line in (
        *_gates(own),
        *_keys(own, journal),
        *_quotas(stage, journal, runs),
        *_rates(own, journal),
    ):
        for since_ms, until_ms, first in _idle(line, end_ms):
            sec = (until_ms - since_ms) / 1000
            allowed_sec = troubles.allowed_sec(since_ms, until_ms)
            if sec > allowed_sec + line.outside_sec(first, since_ms, stage.sizes.line_max):
                name = f"{first.run_id} for {line.name}"
                yield f"waits in vain: {name}, which had room for {sec:.0f} s"


# In a task's own line, its tenant's or its key's; or behind late slots of its task.
_STOOD = ("line", BEHIND)


def said(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that where nothing goes wrong, the row of a run says whether it stood in a line."""
    if not untroubled(stage) or stage.acts:
        return
    rows = stage.rows()
    for run in runs:
        row = rows.get(run.run_id)
        if row is None or len(run.calls) != 1 or row.life.waited == "rate":
            continue
        if row.life.waited == "line" and sum(at < run.called_ms for at in run.receipts) < 2:
            yield f"said to wait: {run.run_id}, which was called by its first message"
        stood = run.joined_ms < run.called_ms - _STOOD_MS
        fetched = any(is_fetched(one.task) for one in journal.versions[run.task.task_id])
        told = row.life.waited in _STOOD or row.origin == "catchup"
        if stood and not told and not fetched:
            yield f"said not to wait: {run.run_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Troubles:
    """What befell a history, in true time, and what it may cost one that waits."""

    lost_ms: list[float]
    # Without the audit: when each worker died while it put messages back. They stay hidden.
    unshown_ms: list[float]
    longest_sec: float
    steady_sec: float
    returns_sec: float

    @staticmethod
    def of(stage: Stage, *, audited: bool) -> _Troubles:
        profile, start_ms = stage.world.profile, stage.world.start.timestamp() * 1000
        lost_ms = [start_ms + each.from_sec * 1000 for each in profile.outages]
        longest = [each.for_sec for each in profile.outages]
        unshown_ms = []
        for entry in stage.world.trace:
            note = entry[3].get("note", "")
            if entry[2] == "stalls":
                longest.append(float(note.split()[1]))
            elif not entry[5] and entry[2] != "purge" and (entry[2] != "killed" or "/" in note):
                continue
            lost_ms.append(start_ms + entry[0] / 1000)
            if not audited and entry[2] == _PUT_BACK and entry[5] in _CRASHES:
                unshown_ms.append(lost_ms[-1])
        unaudited_sec = FURTHER_SEC * bool(stage.auditor.gap[1])
        return _Troubles(
            lost_ms=sorted(lost_ms),
            unshown_ms=unshown_ms,
            longest_sec=max(longest, default=0.0),
            steady_sec=steady_sec(stage),
            returns_sec=(_LOSSY_SEC if audited else _SHOWN_AGAIN_SEC) + unaudited_sec,
        )

    def allowed_sec(self, since_ms: float, until_ms: float) -> float:
        """What was lost long before is in nobody's way any more."""
        felt_ms = since_ms - (self.returns_sec + self.longest_sec) * 1000
        lost = sum(felt_ms <= at <= until_ms for at in self.lost_ms)
        if not lost:
            return _CALM_SEC + self.steady_sec
        again = _AGAIN_SEC * (lost - 1)
        again += self.returns_sec * sum(felt_ms <= at <= until_ms for at in self.unshown_ms)
        return self.returns_sec + again + self.longest_sec + self.steady_sec


def _idle(line: _Line, end_ms: float) -> Iterator[tuple[float, float, Standing]]:
    """Yields the spans in which somebody waits, a place is free, and nobody is called."""
    steps: dict[float, list[int]] = defaultdict(lambda: [0, 0, 0])
    for begin, end in map(_wants, line.waiting):
        if begin < end:
            steps[begin][0] += 1
            steps[end][0] -= 1
    for begin, end in line.taken:
        steps[begin][1] += 1
        steps[end][1] -= 1
    for at in line.calls:
        steps[at][2] += 1
    waiting = taken = 0
    since = 0.0
    for at in sorted(at for at in steps if at < end_ms):
        if since and steps[at][2]:
            yield since, at, _first(line, since)
            since = 0.0
        waiting += steps[at][0]
        taken += steps[at][1]
        idle = bool(waiting) and taken < line.most(at)
        if since and not idle:
            yield since, at, _first(line, since)
        since = (since or at) if idle else 0.0
    if since:
        yield since, end_ms, _first(line, since)


def _first(line: _Line, at_ms: float) -> Standing:
    """Gives who has waited longest at that moment."""
    waiting = [(_wants(run), run) for run in line.waiting]
    found = [(begin, run.run_id, run) for (begin, end), run in waiting if begin <= at_ms < end]
    return min(found, key=lambda each: each[:2])[2]


def _wants(run: Standing) -> Span:
    """From when it is due and in a worker's hands, until it is called or over."""
    return max(run.due_ms, run.received_ms), run.got_ms


def _holds(run: Standing) -> Span:
    """A gate's or a key's place: until the outcome, retries included."""
    return run.called_ms, run.over_ms


def _gates(runs: Sequence[Standing]) -> Iterator[_Line]:
    by_task: dict[str, list[Standing]] = defaultdict(list)
    for run in runs:
        if not run.shifted and waits(run.task) and not run.task.shown.get("concurrency_key"):
            by_task[run.task.task_id].append(run)
    for of_task in by_task.values():
        task = of_task[0].task
        yield _line(f"the gate of {task.name}", of_task, of_task, places(task))


def _keys(runs: Sequence[Standing], journal: Journal) -> Iterator[_Line]:
    """Who waits at its own gate before is no concern of the key's."""
    for limit, of_key in _by_key(runs, journal):
        if limit.most:
            first = [run for run in of_key if not run.shifted and not guarded(run.task)]
            yield replace(_line("a key", first, of_key, limit.most), sharing=of_key)


def _by_key(runs: Sequence[Standing], journal: Journal) -> Iterator[tuple[Limit, list[Standing]]]:
    """One whose task was given another key may hold a place of each."""
    found: dict[str, list[Standing]] = defaultdict(list)
    limits: dict[str, Limit] = {}
    for run in runs:
        tasks = [one.task for one in journal.versions[run.task.task_id]] if run.shifted else []
        for limit in dict.fromkeys(limit_of(task) for task in tasks or [run.task]):
            if limit is not None:
                found[limit.place].append(run)
                limits[limit.place] = limit
    for place, of_key in found.items():
        yield limits[place], of_key


def _line(name: str, waiting: list[Standing], holding: list[Standing], most: int) -> _Line:
    return _Line(
        name=name,
        waiting=waiting,
        taken=[_holds(run) for run in holding if run.calls],
        calls=[run.called_ms for run in holding if run.calls],
        most=lambda _: most,
    )


def _quotas(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[_Line]:
    for tenant_id in dict.fromkeys(one.tenant_id for one in journal.limits):
        limits = [one for one in journal.limits if one.tenant_id == tenant_id]
        of_tenant = [one for one in runs if one.task.tenant_id == tenant_id]
        yield from _quota(stage, limits, of_tenant, _answered(journal))


def _answered(journal: Journal) -> dict[tuple[str, int], float]:
    """When each attempt was over that had asked its worker to wait for another's answer."""
    found: dict[tuple[str, int], float] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if before is None or before.status not in _UNDER_WAY:
            continue
        if after is None or after.status not in _UNDER_WAY or after.attempt != before.attempt:
            found[change.run_id, before.attempt] = change.at_ms
    return found


def _quota(
    stage: Stage,
    limits: Sequence[Quota],
    runs: Sequence[Standing],
    answered: Mapping[tuple[str, int], float],
) -> Iterator[_Line]:
    """A permit is taken for one attempt; a dead worker's is free when its lease is over."""
    calls = [call for run in runs for call in run.calls]
    changed = [one.at_ms for one in limits]

    def most(at_ms: float) -> float:
        place = bisect_right(changed, at_ms) - 1
        return (limits[place].most or FOR_EVER) if place >= 0 else FOR_EVER

    died = _died(stage)

    def over_ms(call: Delivery) -> float:
        if isinstance(call.answer, Awaiting):
            return answered.get((call.run_id, call.attempt), FOR_EVER)
        return call.ended_ms or died.get(call.process, FOR_EVER)

    yield _Line(
        name="the tenant's quota",
        waiting=[run for run in runs if run.free and not run.shifted],
        taken=[(call.at_ms, over_ms(call)) for call in calls],
        calls=[*(float(call.at_ms) for call in calls), *changed],
        most=most,
    )


def _died(stage: Stage) -> dict[str, float]:
    """Returns when each process took its last step."""
    world = stage.world
    start_ms = world.start.timestamp() * 1000
    return {
        entry[1].name.partition("/")[0]: start_ms + entry[0] / 1000
        for entry in world.trace
        if entry[1] is not None
    }


def _rates(runs: Sequence[Standing], journal: Journal) -> Iterator[_Line]:
    """A start takes a place of its key for as long as the rate's period is."""
    for limit, of_key in _by_key(runs, journal):
        if not limit.count:
            continue
        calls = [call.at_ms for run in of_key for call in run.calls]
        yield _Line(
            name="a rate",
            waiting=[run for run in of_key if not run.shifted],
            taken=[(at, at + limit.per_ms) for at in calls],
            calls=[float(at) for at in calls],
            most=lambda _, count=limit.count: count,  # type: ignore[misc]  # bound now
        )
