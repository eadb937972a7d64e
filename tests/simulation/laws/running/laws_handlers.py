"""Laws of handlers in our workers: steps, checkpoints, other times, the end of their own time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping

from onthedot.records.keys import is_slot_key, row_of
from onthedot.records.keys import run_id as run_id_of
from onthedot.records.runs.run_row import Run
from onthedot.records.timings import ABANDON_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.targets.attempt_outcome import Again, Answer
from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.laws.running.laws_moved import moved
from tests.simulation.laws.running.laws_words import Attempt, disturbed, ends_of
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.outside.outside import Before, Report, Step
from tests.simulation.stage import Delivery, Stage

# A handler that is given up is settled within so long.
_SETTLED_MS = 2_000
# What a write that extends leases takes, from its look at how far each run is.
_SEEN_MS = 500
_TOLD_CHECKPOINTS = ("python", "pull")


def stepped(stage: Stage) -> Iterator[str]:
    """Checks that once a step's value was given, every attempt is given it, and none that follows
    redoes it.
    """
    begun = {(one.run_id, one.attempt): one.at_ms for one in stage.deliveries}
    of_run: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for step in stage.outside.steps:
        of_run[step.run_id, step.name].append(step)
        if step.knowing and step.done_ms:
            yield f"without a lease: a step of {step.run_id}, by attempt {step.attempt}"
    for (run_id, _), steps in of_run.items():
        values = {str(step.value) for step in steps if step.given_ms}
        if len(values) > 1:
            yield f"two values: a step of {run_id} gave {sorted(values)}"
        known_ms = min((step.given_ms for step in steps if step.given_ms), default=float("inf"))
        for step in steps:
            if step.done_ms and begun[run_id, step.attempt] > known_ms:
                yield f"done again: a step of {run_id}, by attempt {step.attempt}"


def told_before(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a handler is told of the newest success before its run, as of when it asks."""
    succeeded: dict[str, list[tuple[float, str]]] = defaultdict(list)
    due_ms: dict[str, int] = {}
    for change in journal.changes:
        if change.before is None and change.after:
            due_ms[change.run_id] = change.after.due_ms
        if change.after and change.after.status == "succeeded":
            succeeded[change.task_id].append((change.at_ms, change.key))
    rows = stage.rows()
    for before in stage.outside.befores:
        task_id, key = row_of(before.run_id)
        known = [(at_ms, other) for at_ms, other in succeeded[task_id] if other < key]
        told: set[str | None] = set()
        for moment_ms in _moments(before, known):
            newest = max((each for at, each in known if at <= moment_ms), default="")
            name = run_id_of(task_id, newest)
            told.add(_told_as(rows[name], due_ms[name]) if newest else None)
        if before.slot not in told:
            yield f"misled: {before.run_id} was told of {before.slot}, not of {told}"


def _moments(before: Before, known: list[tuple[float, str]]) -> list[float]:
    """Returns each moment between question and answer at which there was another newest one."""
    return [before.asked_ms, *(at for at, _ in known if before.asked_ms < at <= before.told_ms)]


def _told_as(run: Run, due_ms: int) -> str:
    """Returns its slot; one that stands for none is told by the second at which
    it was due first.
    """
    return (run.key if is_slot_key(run.key) else run.slot) or nominal(due_ms // 1000)


def handed_on(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what an attempt leaves for the next one is given to it, and
    to all that follow.
    """
    settled, first_words = ends_of(journal), _first_words(stage)
    by_run: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in stage.deliveries:
        if stage.task_of(delivery.run_id).target["type"] in _TOLD_CHECKPOINTS:
            by_run[delivery.run_id].append(delivery)
    for run_id, deliveries in by_run.items():
        left: list[object] = [None]
        for delivery in sorted(deliveries, key=lambda one: one.attempt):
            if delivery.checkpoint not in left:
                yield f"gone astray: what was left for attempt {delivery.attempt} of {run_id}"
            left = [delivery.checkpoint]
            if _heard(delivery, settled, first_words):
                # Of several words one was taken first.
                said: list[Answer | None] = [*stage.outside.said(run_id, delivery.attempt)]
                left = [one for word in said or [delivery.answer] for one in _left(word) or left]


def _left(answer: Answer | None) -> list[object]:
    """Returns what it left, if anything."""
    left = answer.checkpoint if isinstance(answer, Again) else None
    return [] if left is None else [left]


def spent(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no run dies before as many attempts failed as some version of its task allows.

    An attempt that was given back has not failed.
    """
    settled = ends_of(journal)
    first_words = _first_words(stage)
    heard = [one for one in stage.deliveries if _heard(one, settled, first_words)]
    answers = {(one.run_id, one.attempt): one.answer for one in heard}
    for run in stage.rows().values():
        if run.life.reason != "attempts_exhausted":
            continue
        back = sum(
            _released(answers.get((run.run_id, attempt)))
            for attempt in range(1, run.life.starts + 1)
        )
        versions = [one.task for one in journal.versions[run.task_id]]
        least = min(one.max_attempts for one in (stage.task_of(run.run_id), *versions))
        if run.life.starts - back < least:
            failed = run.life.starts - back
            yield f"died early: {run.run_id} after {failed} of {least} attempts"


def shown(stage: Stage, journal: Journal) -> Iterator[str]:
    """A row shows how far its handler last said that it was, from the next heartbeat on.

    Of tasks that no outside worker has had.
    """
    reports: dict[str, list[Report]] = defaultdict(list)
    for report in stage.outside.reports:
        reports[report.run_id].append(report)
    calm, elsewhere = untroubled(stage), moved(journal)
    for change in journal.changes:
        after, before = change.after, change.before
        if after is None or before is None or change.run_id not in reports:
            continue
        if change.task_id in elsewhere:
            continue
        if before.life == after.life or before.final:
            # Somebody asked it to stop, or has purged it.
            continue
        known = [one for one in reports[change.run_id] if one.at_ms <= change.at_ms]
        said = json.loads(after.life["progress"]["S"]) if "progress" in after.life else None
        may_be = [None, *(one.progress for one in known)]
        # A handler of an older attempt may still report, and nobody listens.
        mine = [one for one in known if one.attempt == after.attempt]
        seen = sum(one.at_ms <= change.at_ms - _SEEN_MS for one in mine)
        if calm and seen and not change.started:
            may_be = [one.progress for one in mine[seen - 1 :]]
        if said not in may_be:
            yield f"shown: {change.run_id} is said to be at {said}"


def remembered(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that when a worker writes the end of an attempt, the row shows the
    handler's last report.
    """
    last: dict[Attempt, Report] = {}
    for each in stage.outside.reports:
        last[each.run_id, each.attempt] = each
    for (run_id, attempt), end in ends_of(journal).items():
        report, delivery = last.get((run_id, attempt)), stage.delivery(run_id, attempt)
        if report is None or delivery is None or end.after is None or end.writer is None:
            continue
        answered = 0 < delivery.ended_ms <= end.at_ms and end.after.reason != "timed_out"
        if not answered or end.writer.name != delivery.process:
            continue
        said = json.loads(end.after.life["progress"]["S"]) if "progress" in end.after.life else None
        if said != report.progress:
            yield f"forgotten: {run_id} ended at {report.progress}, its row shows {said}"


def explained(stage: Stage, journal: Journal) -> Iterator[str]:
    """A row says what each attempt that failed has raised, and where the newest one did.

    Not judged once the run is purged.
    """
    settled, rows = ends_of(journal), stage.rows()
    first_words = _first_words(stage)
    for delivery in stage.deliveries:
        answer = delivery.answer
        if not isinstance(answer, Again) or not answer.error:
            continue
        if not _heard(delivery, settled, first_words) or rows[delivery.run_id].purged_ms:
            continue
        raised = {name: one for name, one in answer.error.items() if name != "stack"}
        records = rows[delivery.run_id].life.attempts
        for record, following in zip(records, (*records[1:], None), strict=True):
            if record["attempt"] != delivery.attempt:
                continue
            error = record.get("error", {})
            if {name: error.get(name) for name in raised} != raised:
                yield f"unexplained: attempt {delivery.attempt} of {delivery.run_id} raised {error}"
            # What a takeover adds leaves all records before it as they are.
            lost = following is not None and following["outcome"] == "lost"
            if not lost and ("stack" in error) != (following is None):
                yield f"unexplained: attempt {delivery.attempt} of {delivery.run_id} where it did"


def in_time(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that an attempt runs out of time at its end, and where nothing goes wrong ends soon
    after it.
    """
    began = {
        (change.run_id, change.after.attempt): change.at_ms
        for change in journal.changes
        if change.started and change.after and not change.asked
    }
    calm = not disturbed(stage)
    for (run_id, attempt), end in ends_of(journal).items():
        task = stage.task_of(run_id)
        ours = task.target.get("type") in _TOLD_CHECKPOINTS and (run_id, attempt) in began
        if not ours or end.after is None:
            continue
        took_ms = end.at_ms - began[run_id, attempt]
        over_ms = took_ms - task.timeout_sec * 1000
        if end.after.reason == "timed_out" and over_ms < -2 * SKEW_MS:
            yield f"timed out early: {run_id} after {took_ms / 1000:.1f} s"
        if calm and over_ms > ABANDON_SEC * 1000 + _SETTLED_MS:
            yield f"not given up: {run_id} after {took_ms / 1000:.1f} s"


def _first_words(stage: Stage) -> dict[Attempt, float]:
    """Returns when an outside worker first said what came of an attempt, and was not refused."""
    found: dict[Attempt, float] = {}
    for word in stage.outside.words:
        if word.answer is not None and (word.taken or not word.answered_ms):
            found.setdefault((word.run_id, word.attempt), word.began_ms)
    return found


def _heard(
    delivery: Delivery, settled: Mapping[Attempt, Change], first_words: Mapping[Attempt, float]
) -> bool:
    """Whether its answer came before its attempt was given up; a later one counts for nothing.

    Who took a word first may have died over its answer.
    """
    attempt = (delivery.run_id, delivery.attempt)
    end = settled.get(attempt)
    ended_ms = min(delivery.ended_ms, first_words.get(attempt, delivery.ended_ms))
    if end is None or end.after is None or ended_ms > end.at_ms:
        return False
    if not isinstance(delivery.answer, Again):
        return True
    return end.after.status == "retrying" and end.after.reason != "timed_out"


def _released(answer: Answer | None) -> bool:
    return isinstance(answer, Again) and answer.released
