"""Laws of runs: one final outcome, one holder of a lease, each attempt once, never early."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import nominal
from tests.simulation.laws.running.purge_remains import kept
from tests.simulation.laws.waiting.laws_gate import asked_last_ms, behind_unsent, freed_too_late
from tests.simulation.machine.journal import SKEW_MS, Change, Journal, Move, Seen
from tests.simulation.stage import Stage

_QUIET_MS = 300_000
# Between the time that an edit goes by and its last write.
_EDIT_MS = 8_000
# The messages that SQS gives up on before a run ends by that.
_BURIALS = 4
_RECEIPTS_MS, _FIRST_MS = 10 * 20_000, 10_000
_GIVEN_UP_MS = _BURIALS * _RECEIPTS_MS - _FIRST_MS


def sound_writes(journal: Journal) -> Iterator[str]:
    """Checks that a final row never changes, attempts count up by one, and only their holder ends
    them.
    """
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None and before is not None and _lifted(journal, change, before):
            continue
        if after is None:
            yield f"gone: the row of {change.run_id} was deleted"
            continue
        if after.mortal and not after.final:
            yield f"mortal: {change.run_id} is open and has an end of life"
        most = min((one.task.max_attempts for one in journal.versions[change.task_id]), default=3)
        if after.reason == "undeliverable" and after.attempt < most and _buried(after) < 3:
            yield f"buried alive: {change.run_id} at attempt {after.attempt}"
        if after.reason == "undeliverable" and after.attempt < most and _hasty(change, after):
            yield f"hasty: {change.run_id} was given up before SQS can have given up on it"
        if before is not None:
            yield from _moved(change, before, after)
            if _buried(after) > _buried(before) and _buried_soon(change, after):
                yield f"hasty: {change.run_id} was buried before SQS can have given up on it"


def _lifted(journal: Journal, change: Change, before: Seen) -> bool:
    """Tells whether it told of a blackout to come, which an edit has lifted, perhaps by a later
    try.
    """
    told = bool(before.range_to) and before.reason == "calendar"
    governed = any(
        one.task.schedule_version > before.schedule_version
        and one.task.effective_from * 1000 <= before.due_ms
        for one in journal.versions[change.task_id]
    )
    return told and (governed or change.at_ms < before.due_ms + _EDIT_MS)


def _buried_soon(change: Change, after: Seen) -> bool:
    """Tells whether SQS cannot have given up on that many messages yet, one after another."""
    return change.at_ms < after.due_ms + _buried(after) * _RECEIPTS_MS - _FIRST_MS


def _moved(change: Change, before: Seen, after: Seen) -> Iterator[str]:
    if before.final and before.life != after.life and not _purged(before, after):
        yield f"changed: {change.run_id} was {before.status} and became {after.status}"
    elif change.started:
        yield from _begun(change)
    elif before.attempt != after.attempt:
        yield f"attempt: {change.run_id} went from {before.attempt} to {after.attempt}"
    elif before.status == "running" and before.owner != after.owner:
        yield f"fence: attempt {before.attempt} of {change.run_id} was settled by another"
    elif before.status == "retrying" and after.status == "claimed":
        yield f"back: {change.run_id} is claimed again"


def _purged(before: Seen, after: Seen) -> bool:
    """Tells whether it only lost what a purge takes."""
    return after.purged and not before.purged and kept(before.life) == kept(after.life)


def _hasty(change: Change, after: Seen) -> bool:
    """SQS gives up on a message after ten receipts of a lease each, and bury does after four."""
    return change.at_ms < after.due_ms + _GIVEN_UP_MS


def _buried(seen: Seen) -> int:
    """Returns how often bury has sent it afresh."""
    return int(seen.life["buried"]["N"]) if "buried" in seen.life else 0


def given_up(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a run ends as undeliverable once SQS has given up on it as often as it may, and
    no sooner.
    """
    ends = [one for one in journal.changes if one.after and one.after.reason == "undeliverable"]
    if not ends:
        return
    world = stage.world
    # Nobody sends messages of it besides.
    others = stage.outside.strangers or any(one.kind == "audit" for one in world.processes)
    hurt = any(entry[5] and entry[1] and entry[1].kind == "bury" for entry in world.trace)
    alone = not (others or hurt or world.chooser.faults or world.profile.double_message)
    story = next(one for one in world.queues.queues.values() if one.name == "dead").story
    for change in ends:
        before, after = change.before, change.after
        most = min((one.task.max_attempts for one in journal.versions[change.task_id]), default=3)
        if after is None or after.attempt >= most or (before is not None and before.final):
            continue
        of_run = [at for at, what, body in story if what == "received" and change.run_id in body]
        received = sum(at_us / 1000 <= change.at_ms for at_us in of_run)
        if received < _BURIALS:
            yield f"given up: {change.run_id} after {received} messages of {_BURIALS}"
        if len(of_run) > _BURIALS and alone:
            yield f"given up late: {change.run_id} took {len(of_run)} messages of {_BURIALS}"


def held_alone(journal: Journal) -> Iterator[str]:
    """Checks that nobody takes a run over while its holder's own clock still shows a lease."""
    held: dict[str, Change] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or after.status != "running":
            continue
        if change.started and before and before.status == "running":
            left_ms = before.lease_ms - change.at_ms
            if last := held.get(change.run_id):
                left_ms -= last.skew_ms + _set_since(journal, last, change)
            if left_ms > 0:
                yield f"two hold: {change.run_id} was taken over {left_ms:.0f} ms too soon"
        held[change.run_id] = change


def _set_since(journal: Journal, last: Change, change: Change) -> float:
    """Returns by how much the clock of the last writer was set on, in milliseconds."""
    if last.writer is None:
        return 0.0
    then_us, now_us = ((one.at_ms - journal.start_ms) * 1000 for one in (last, change))
    return (last.writer.skew_at(int(now_us)) - last.writer.skew_at(int(then_us))) / 1000


def _begun(change: Change) -> Iterator[str]:
    """Starts times by the starter's clock; another's lease by the worst that it may be."""
    before, after = change.before, change.after
    if before is None or after is None:
        return
    # A clock that is behind is never early; one that is ahead may go uncorrected for a while.
    skew = min(max(0, change.skew_ms), SKEW_MS)
    if after.attempt != before.attempt + 1:
        yield f"attempt: {change.run_id} went from {before.attempt} to {after.attempt}"
    if before.status == "running":
        if change.at_ms < before.lease_ms + SKEW_MS:
            yield f"stolen: {change.run_id} was taken over while its lease may have lived"
    elif change.at_ms + skew < max(before.due_ms, after.due_ms):
        early = max(before.due_ms, after.due_ms) - change.at_ms - skew
        yield f"early: attempt {after.attempt} of {change.run_id} by {early:.0f} ms"


def calm_end(stage: Stage, journal: Journal, until_sec: float, *, audited: bool) -> Iterator[str]:
    """Checks that nothing is left open once everything has calmed down.

    But without the audit, what was never sent and is due after the last tick: the next would.
    """
    now_ms = stage.world.epoch_us() // 1000
    until_ms = (stage.world.start.timestamp() + until_sec) * 1000
    for run in stage.rows().values():
        if run.final or run.life.due_ms >= now_ms - _QUIET_MS:
            continue
        if run.task_id in stage.illegible and run.life.status == "claimed":
            continue
        if not audited and _excused(stage, journal, run, until_ms):
            continue
        yield f"open: {run.run_id} is {run.life.status} at attempt {run.life.starts}"


def _excused(stage: Stage, journal: Journal, run: Run, until_ms: float) -> bool:
    """Only the audit finds a claim that its maker never sent, once its task has moved on.

    The same holds for one whose caller got no answer. A slot after the last tick awaits the next.
    """
    task_id, key = run.task_id, run.key
    if pulled(run.queue):
        # It came to its place, or to its index, after the last outside worker had asked.
        handed_ms = journal.of_run(task_id, key)[-1].at_ms
        if handed_ms > asked_last_ms(stage) or freed_too_late(stage, journal, task_id):
            return True
    if behind_unsent(stage, journal, run):
        return True
    if run.run_id in journal.sent_ms:
        return False
    if not is_slot_key(key):
        return run.run_id not in stage.acked_runs
    if run.life.due_ms > until_ms:
        return True
    born = journal.of_run(task_id, key)[0]
    if any(_passed(move, born) for move in journal.moves if move.task_id == task_id):
        return True
    later = [one for one in journal.versions[task_id][1:] if one.at_ms > born.at_ms - 60_000]
    return any(_died_late(stage, born, version.at_ms) for version in later)


def _passed(move: Move, born: Change) -> bool:
    """Tells whether the cursor was beyond the slot when a stalled dispatcher claimed it."""
    due = nominal(born.after.due_ms // 1000) if born.after else ""
    return move.at_ms < born.at_ms and move.after["next_run_at"] > due


def _died_late(stage: Stage, born: Change, moved_ms: float) -> bool:
    """Tells whether the claim's maker lived on when the task moved, or its mover died over it.

    A call that was repeated until it was answered is excused for none of its tries.
    """
    start_ms = stage.world.epoch_us() / 1000 - stage.world.now_us / 1000
    last = max(
        (entry[0] / 1000 for entry in stage.world.trace if entry[1] is born.writer), default=0.0
    )
    unanswered = [act for act in stage.acts if act.task_id == born.task_id and not act.acked_ms]
    tries = {name for act in unanswered for name in act.tries}
    broken = any(
        process.name in tries and (process.dead or process.error is not None)
        for process in stage.world.processes
    )
    return broken or start_ms + last > moved_ms - 1_000


def once(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that an attempt is executed at most once; what succeeded was executed by its last
    attempt.
    """
    seen = Counter((delivery.run_id, delivery.attempt) for delivery in stage.deliveries)
    for (executed, attempt), count in seen.items():
        if count > 1:
            yield f"doubled: attempt {attempt} of {executed} was executed {count} times"
    for change in journal.changes:
        after = change.after
        if after is None or after.status != "succeeded" or (change.before and change.before.final):
            continue
        if not seen[change.run_id, after.attempt]:
            yield f"untrue: {change.run_id} succeeded by attempt {after.attempt}, never executed"


def alone(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no attempt is delivered before the one before it has lost its lease or was
    settled.
    """
    begun: dict[tuple[str, int], float] = {}
    for change in journal.changes:
        if change.started and change.after:
            begun[change.run_id, change.after.attempt] = change.at_ms
    for delivery in stage.deliveries:
        at_ms = begun.get((delivery.run_id, delivery.attempt))
        if at_ms is None or delivery.at_ms < at_ms - 1:
            yield f"unstarted: {delivery.run_id} was delivered without attempt {delivery.attempt}"


def attempts_bounded(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no run has more attempts than its task allows."""
    most: dict[str, int] = defaultdict(int)
    for task_id, versions in journal.versions.items():
        most[task_id] = max(version.task.max_attempts for version in versions)
    for run in stage.rows().values():
        if run.life.starts - run.life.released > most[run.task_id]:
            yield f"too often: {run.run_id} has {run.life.starts} attempts"


def all_succeed(stage: Stage) -> Iterator[str]:
    """Checks that where no handler fails and no process dies, nothing ends otherwise."""
    for run in stage.rows().values():
        if run.life.status != "succeeded" or run.life.starts != 1:
            yield f"not at once: {run.run_id} is {run.life.status} at attempt {run.life.starts}"


def spared(stage: Stage) -> Iterator[str]:
    """Checks that where nothing but some handlers kills workers, no other run dies of it."""
    if not stage.killers:
        return
    for run in stage.rows().values():
        if run.life.status == "dead" and run.run_id not in stage.killers:
            yield f"dragged along: {run.run_id} is dead({run.life.reason}) by another's fault"


def uncovered(journal: Journal) -> Iterator[str]:
    """Checks that no slot is claimed and run after a range that covers it was recorded.

    But for a blackout, which is recorded ahead of its slots: an edit may lift it.
    """
    spans: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    claimed: dict[tuple[str, str], float] = {}
    for change in journal.changes:
        after = change.after
        if after and after.range_to and change.before is None:
            if after.reason == "calendar":
                continue
            first = change.key.split("~", maxsplit=1)[0]
            spans[change.task_id].append((change.at_ms, first, after.range_to))
        elif change.before is None and is_slot_key(change.key):
            claimed[change.task_id, change.key] = change.at_ms
        elif change.started and after and after.attempt == 1 and is_slot_key(change.key):
            born = claimed.get((change.task_id, change.key), 0.0)
            for at_ms, first, last in spans[change.task_id]:
                if at_ms < born and first <= change.key <= last:
                    yield f"two outcomes: {change.run_id} ran inside a range recorded before"
