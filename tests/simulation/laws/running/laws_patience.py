"""Laws of patience: what a store refuses for a moment is done in the moment after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from botocore.exceptions import ClientError

from onthedot.records.runs.overlap_gate import guarded
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.running.laws_words import ends_of
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage
from tests.simulation.stores.operations import OPERATIONS

# A start in doubt is asked for again for four seconds: so long an outage costs it no delivery.
_SHORT_SEC = 3.0
# The longest pause between two tries, and some calls.
_AFTER_MS = 1_500
# What a client itself asks again before it says that a read was refused.
_READ_MS = 2_500
# Some runs of one worker, each with pauses of its own.
_A_SECOND_MAX = 40
# The first pause between two tries, and a call.
_FIRST_MS = 100
_WRITES = frozenset({"batch_execute_statement"})
# These do nothing else while they wait.
_ONE_AFTER_ANOTHER = frozenset({"dispatch", "api"})


def kept(stage: Stage, journal: Journal) -> Iterator[str]:
    """Starts, skips and ends that fall into a short time in which a table refuses."""
    outages = stage.world.profile.outages
    if len(outages) != 1 or outages[0].for_sec > _SHORT_SEC or not untroubled(stage, but=outages):
        return
    since_ms = journal.start_ms + outages[0].from_sec * 1000
    allowed_ms = _AFTER_MS + _READ_MS * outages[0].reads
    until_ms = since_ms + outages[0].for_sec * 1000
    ends, claimed = ends_of(journal), dict[str, Change]()
    for change in journal.changes:
        after = change.after
        if after is None or not _is_free(journal, change):
            continue
        if change.before is None:
            claimed[change.run_id] = change
        born = claimed.get(change.run_id)
        if _decides(change) and born and born.at_ms < since_ms:
            late_ms = change.at_ms - max(after.due_ms, until_ms) - allowed_ms
            if since_ms < after.due_ms < until_ms and late_ms > 0:
                what = "start" if change.started else "skip"
                yield f"given up: the {what} of {change.run_id} for {late_ms / 1000:.1f} s"
    for delivery in stage.deliveries:
        end = ends.get((delivery.run_id, delivery.attempt))
        if end is None or not since_ms < delivery.ended_ms < until_ms:
            continue
        late_ms = end.at_ms - until_ms - allowed_ms
        if late_ms > 0:
            yield f"given up: the end of {delivery.run_id} for {late_ms / 1000:.1f} s"


def slowed(stage: Stage) -> Iterator[str]:
    """Checks that who is refused by a store asks it again more and more rarely."""
    refused: Counter[tuple[str, int]] = Counter()
    for at_us, process, what, _, outcome, _ in stage.world.trace if _refuses(stage) else ():
        if process is not None and what in OPERATIONS and _is_refusal(outcome):
            refused[process.name, at_us // 1_000_000] += 1
    for (name, sec), times in refused.items():
        if times > _A_SECOND_MAX:
            yield f"hurries: {name} was refused {times} times in second {sec}"


def prompt(stage: Stage) -> Iterator[str]:
    """Checks that whose writes are refused a first time asks again at once: an outage may be very
    short.
    """
    refused: dict[str, int] = {}
    in_a_row: Counter[str] = Counter()
    for at_us, process, what, _, outcome, _ in stage.world.trace if _refuses(stage) else ():
        if process is None or process.kind not in _ONE_AFTER_ANOTHER or what not in _WRITES:
            continue
        name = process.name
        waited_ms = (at_us - refused[name]) / 1000 if in_a_row[name] == 1 else 0.0
        if waited_ms > _FIRST_MS:
            yield f"dawdles: {name} was refused once, and asked again after {waited_ms:.0f} ms"
        in_a_row[name] = in_a_row[name] + 1 if _refused_some(outcome) else 0
        refused[name] = at_us


def _refuses(stage: Stage) -> bool:
    return any(one.share >= 1 and not one.per_sec for one in stage.world.profile.outages)


def _is_refusal(outcome: object) -> bool:
    """Tells whether nothing of it was taken, for the store was busy."""
    if isinstance(outcome, ClientError):
        return "Throttl" in outcome.response["Error"]["Code"]
    responses = outcome.get("Responses", ()) if isinstance(outcome, dict) else ()
    codes = [one["Error"]["Code"] for one in responses if "Error" in one]
    return len(codes) == len(responses) and "ThrottlingError" in codes


def _refused_some(outcome: object) -> bool:
    """Tells whether the store refused a part: the next write of that part is a second try."""
    responses = outcome.get("Responses", ()) if isinstance(outcome, dict) else ()
    codes = [one["Error"]["Code"] for one in responses if "Error" in one]
    return _is_refusal(outcome) or "ThrottlingError" in codes


def _decides(change: Change) -> bool:
    """Tells whether this write starts a run's first attempt, or ends a run that never started."""
    before, after = change.before, change.after
    unstarted = after is not None and after.final and before is not None and not before.attempt
    return unstarted or (change.started and after is not None and after.attempt == 1)


def _is_free(journal: Journal, change: Change) -> bool:
    task = journal.versions[change.task_id][0].task
    bounded = guarded(task) or "concurrency_key" in task.shown or bool(journal.limits)
    return not bounded and not is_fetched(task)
