"""Laws of executions: a target is called again only for a cause that lies outside our code.

Judged by what the target saw and what happened to each process, never by what rows say.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from onthedot.records.timings import HEARTBEAT_SEC, LEASE_SEC, MARGIN_SEC
from onthedot.targets.attempt_outcome import Again, Awaiting, Stopped
from tests.simulation.machine.journal import SKEW_MS, Journal
from tests.simulation.machine.trace import Entry
from tests.simulation.outside.states import came_of
from tests.simulation.stage import Delivery, Stage

# A lease is granted for so long, and asked for again so often: less than this costs none.
PATIENCE_MS = (LEASE_SEC - HEARTBEAT_SEC - 2) * 1000
# A call of a store takes less, unless its process stalls.
_WRITE_MS = 100
_WRITES = frozenset({"batch_execute_statement", "put_item", "update_item", "transact_write_items"})
_UNHEARD = frozenset({"answer lost", "part done, answer lost", "crash after"})
_PASSING = frozenset({"ThrottlingError", "InternalServerError", "TransactionConflict"})


@dataclass(slots=True)
class _Fate:
    """What the world did to one process, in true time."""

    last_ms: float = 0.0
    stalls: list[tuple[float, float]] = field(default_factory=list)
    # When it asked to write, and whether it heard that any of it was taken.
    writes: list[tuple[float, bool]] = field(default_factory=list)

    def stalled(self, since_ms: float, until_ms: float) -> bool:
        """Tells whether it stood still for so long that a lease may end over it."""
        return any(
            end - begin >= PATIENCE_MS and begin < until_ms and end > since_ms
            for begin, end in self.stalls
        )

    def refused(self, since_ms: float, until_ms: float) -> bool:
        """Tells whether it tried to write for so long, and nothing was taken all the while."""
        begin_ms = 0.0
        for at_ms, taken in self.writes:
            if not since_ms <= at_ms <= until_ms:
                continue
            if taken:
                begin_ms = 0.0
            elif not begin_ms:
                begin_ms = at_ms
            elif at_ms - begin_ms >= PATIENCE_MS:
                return True
        return False


def repeated(stage: Stage, journal: Journal) -> Iterator[str]:
    """Each further execution of a run has its cause: a failed answer, or what befell its worker.

    The history keeps the count: first ones, and further ones by their cause.
    """
    stage.executions = Counter(first=len({delivery.run_id for delivery in stage.deliveries}))
    for delivery, cause in _further(stage, journal):
        stage.executions[cause or "no cause"] += 1
        if not cause:
            yield f"repeated: {delivery.run_id} was called again by attempt {delivery.attempt}"


def told(executions: Counter[str]) -> str:
    """Says how many executions there were, and why."""
    counts = ", ".join(f"{number} {cause}" for cause, number in executions.most_common())
    return f"executions: {counts or 'none'}"


def granted(journal: Journal) -> Iterator[str]:
    """Another worker starts a run a whole lease and the margin after its last sign of life.

    By true time: two clocks may be off, each by its two seconds.
    """
    signs: dict[str, float] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or after.status != "running":
            continue
        taken_over = change.started and before and before.status == "running"
        if taken_over and change.run_id in signs:
            least_ms = signs[change.run_id] + (LEASE_SEC + MARGIN_SEC) * 1000 - 2 * SKEW_MS
            if change.at_ms < least_ms:
                early = (least_ms - change.at_ms) / 1000
                yield f"too soon: {change.run_id} was taken over {early:.1f} s before its time"
        if change.started or (before and before.lease_ms != after.lease_ms):
            signs.pop(change.run_id, None)
            # One that stalled over its write, or is bound by a permit, has less than a lease left.
            if after.lease_ms - change.at_ms >= LEASE_SEC * 1000 - SKEW_MS - _WRITE_MS:
                signs[change.run_id] = change.at_ms


def sent_once(stage: Stage) -> Iterator[str]:
    """Checks that each run is in one first message only, where no dispatcher dies and no tick is
    doubled.
    """
    sent: Counter[str] = Counter()
    for entry in stage.world.trace:
        process, operation, request, outcome = entry[1:5]
        if operation != "send_message_batch" or process is None or process.kind != "dispatch":
            continue
        taken = {one["Id"] for one in outcome.get("Successful", ())}
        for each in request["Entries"]:
            if each["Id"] in taken and '"why":"start"' in each["MessageBody"]:
                sent.update(run["run_id"] for run in json.loads(each["MessageBody"])["runs"])
    for run_id, times in sent.items():
        if times > 1:
            yield f"sent twice: {run_id} is in {times} first messages"


def _further(stage: Stage, journal: Journal) -> Iterator[tuple[Delivery, str]]:
    """Yields each execution after the first of its run, and its cause."""
    fates = _fates(stage)
    begun = {
        (change.run_id, change.after.attempt): change.at_ms
        for change in journal.changes
        if change.started and change.after
    }
    by_run: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in stage.deliveries:
        by_run[delivery.run_id].append(delivery)
    for of_run in by_run.values():
        for before, later in pairwise(sorted(of_run, key=lambda one: one.attempt)):
            # From the starts on: a worker may stall before it calls the target.
            since_ms = begun.get((before.run_id, before.attempt), before.at_ms)
            until_ms = begun.get((later.run_id, later.attempt), later.at_ms)
            yield later, _cause(stage, fates[before.process], before, (since_ms, until_ms))


def _cause(stage: Stage, fate: _Fate, before: Delivery, between: tuple[float, float]) -> str:
    worker = next(each for each in stage.world.processes if each.name == before.process)
    task = stage.task_of(before.run_id)
    if worker.kind == "worker":
        # Outside workers are judged by what the API answered them: laws_words.
        return "outside worker"
    came = came_of(stage, before.run_id, between[1])
    said = stage.outside.said(before.run_id, before.attempt)
    # A handler that is told to stop has not failed: why was its lease lost?
    if any(_failed(answer) for answer in (before.answer, *said, *came)):
        return "failed answer"
    open_still = before.answer is None or isinstance(before.answer, Awaiting | Stopped)
    if open_still and between[1] - between[0] >= task.timeout_sec * 1000 - 2 * SKEW_MS:
        return "out of time"
    if worker.dead and fate.last_ms <= between[1]:
        return "dead worker"
    if fate.stalled(*between):
        return "stalled worker"
    if _took_too_long(stage, before, between[1]):
        return "timed out"
    refused = fate.refused(*between) or _refused_alone(stage, before, between)
    return "refused store" if refused else ""


def _failed(answer: object) -> bool:
    return isinstance(answer, Again) and answer.outcome != "lost"


def _refused_alone(stage: Stage, before: Delivery, between: tuple[float, float]) -> bool:
    """Tells whether the store took nothing of this run for so long, whatever it took of others."""
    start_ms = stage.world.start.timestamp() * 1000
    for outage in stage.world.profile.outages:
        names = outage.partition in before.run_id or outage.partition.startswith("permit#")
        if not (outage.partition and outage.writes and names and outage.share >= 1):
            continue
        begin_ms = max(start_ms + outage.from_sec * 1000, between[0])
        end_ms = min(start_ms + (outage.from_sec + outage.for_sec) * 1000, between[1])
        if end_ms - begin_ms >= PATIENCE_MS:
            return True
    return False


def _took_too_long(stage: Stage, before: Delivery, until_ms: float) -> bool:
    """Tells whether the handler was still at work when its attempt's time was over."""
    task_id = before.run_id.partition(".")[0]
    task = next(each for each in stage.tasks if each.task_id == task_id)
    over_ms = before.at_ms + task.timeout_sec * 1000 - 2 * SKEW_MS
    return until_ms > over_ms and (not before.ended_ms or before.ended_ms > over_ms)


def _fates(stage: Stage) -> dict[str, _Fate]:
    """Reads the story of each worker and of its handlers as one."""
    world = stage.world
    start_ms = world.epoch_us() / 1000 - world.now_us / 1000
    fates: dict[str, _Fate] = defaultdict(_Fate)
    for entry in world.trace:
        if entry[1] is None:
            continue
        fate = fates[entry[1].name.split("/", maxsplit=1)[0]]
        at_ms = start_ms + entry[0] / 1000
        fate.last_ms = at_ms
        if entry[2] == "stalls":
            seconds = float(entry[3]["note"].split()[1])
            fate.stalls.append((at_ms, at_ms + seconds * 1000))
        elif entry[2] in _WRITES:
            fate.writes.append((at_ms, _taken(entry)))
    return fates


def _taken(entry: Entry) -> bool:
    """Tells whether the writer heard that the store had seen to any part of it."""
    outcome, fault = entry[4], entry[5]
    if fault in _UNHEARD or not isinstance(outcome, dict):
        return False
    return not _all_passing(outcome.get("Responses", ()))


def _all_passing(responses: Sequence[object]) -> bool:
    codes = [one.get("Error", {}).get("Code") for one in responses if isinstance(one, dict)]
    return bool(codes) and all(code in _PASSING for code in codes)
