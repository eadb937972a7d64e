"""Laws of outcomes: how each run ended, and for what reason, is what the true events ask for.

The policy is a parameter: what misfire and cancel mean may change, the laws stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.targets.attempt_outcome import Answer, Dead, Done, Skipped
from tests.simulation.laws.running.laws_targets import doom_of
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Change, Journal, Move, Seen
from tests.simulation.outside.states import came_of
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

# An outcome that only the audit records, of what nobody else has accounted for in so long.
_FOUND_MISSING_SEC = 600
_NO_EDITS = frozenset({"trigger", "put off", "replay", "limit", "cancel", "backfill"})
# What edits tasks that it does not name.
_OF_MANY = frozenset({"deploy", "calendar"})
Ends = dict[str, list[tuple[str, str, Change]]]
# One dispatcher writes in several calls.
_ONE_WRITE_MS = 1_000
# An edit closes the books before it is written; it may die in between, and the next one does both.
_ONE_EDIT_MS = 130_000
# A circuit opens when this many ticks in a row have seen a growing backlog.
_GROWING_TICKS = 5
# Slots that were never to fire.
_CLOSED = frozenset({"coalesced", "calendar", "dst_gap"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the laws hold the flows to."""

    # Who is late by no more is simply late: no misfire policy is asked.
    late_sec: int = 90
    # How a run may end that was running when its cancel was answered: what its handler then says.
    cancelled_running: frozenset[str] = frozenset({"cancelled", "succeeded", "dead", "skipped"})
    # How long before its takeover of a lost run a worker may have read that no cancel was asked.
    read_before_sec: float = 4.0

    def missed_after_sec(self, task: Task) -> int:
        """Returns how late a slot must be for its grace to be over."""
        return max(self.late_sec, task.misfire_grace_sec)


TODAY = Policy()
# What is promised: a cancel that was answered lets no further attempt begin.
STRICT = Policy(read_before_sec=0.0)


def founded(stage: Stage, journal: Journal, policy: Policy = TODAY) -> Iterator[str]:
    """Checks that each outcome has its ground in the schedule, the policy, an answer or a call."""
    answers = {(one.run_id, one.attempt): one.answer for one in stage.deliveries}
    ends = _ends(journal)
    poisoned = {task.task_id for task in stage.tasks if task.name in stage.poisoned}
    for change in journal.changes:
        after, before = change.after, change.before
        if after is None or not after.final or (before is not None and before.final):
            continue
        if change.task_id in poisoned:
            continue
        said = [
            answers.get((change.run_id, after.attempt)),
            *stage.outside.said(change.run_id, after.attempt),
            *came_of(stage, change.run_id, change.at_ms),
            *doom_of(stage, change),
        ]
        told = any(_answered(journal, change, after, answer) for answer in said)
        if after.status == "missed" or after.reason == "coalesced":
            told = _passed(stage, journal, change, ends, policy=policy)
        elif after.reason == "undeliverable":
            told = _harmed(stage) >= (stage.world.queues.queue("normal").receives_max or 0)
        elif (after.status, after.reason) == ("cancelled", "user"):
            told = any(_names(act, change) for act in stage.acts if act.name == "cancel")
        if not told:
            yield f"unfounded: {change.run_id} is {after.status}({after.reason})"


def _harmed(stage: Stage) -> float:
    """Returns how many workers something befell: who is well is done with what it receives."""
    if stage.world.profile.outages:
        return float("inf")
    hurt = {
        entry[1].name.partition("/")[0]
        for entry in stage.world.trace
        if entry[1] is not None and (entry[5] or entry[2] == "stalls")
    }
    died = {each.name for each in stage.world.processes if each.dead or each.error is not None}
    return len(hurt | died)


def stopped(stage: Stage, journal: Journal, policy: Policy = TODAY) -> Iterator[str]:
    """Checks that a cancel that was answered ends its run, and no further attempt begins."""
    of_run: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        of_run[change.run_id].append(change)
    for act in stage.acts:
        if act.name != "cancel" or not act.acked_ms or not act.run_id:
            continue
        changes = of_run[act.run_id]
        seen = next((one.after for one in reversed(changes) if one.at_ms <= act.acked_ms), None)
        later = [one for one in changes if one.at_ms > act.acked_ms]
        if any(_begins(one, act.acked_ms, policy) for one in later):
            yield f"cancelled in vain: {act.run_id} began another attempt"
        if seen is None or seen.final:
            continue
        allowed = policy.cancelled_running if seen.status == "running" else {"cancelled"}
        ended = [one.after.status for one in later if one.after and one.after.final]
        if any(status not in allowed for status in ended):
            yield f"cancelled in vain: {act.run_id} is {ended[0]}"


def _begins(change: Change, acked_ms: float, policy: Policy) -> bool:
    """Tells whether an attempt begins whose worker could know better."""
    taken_over = change.before is not None and change.before.status == "running"
    allowed_ms = policy.read_before_sec * 1000 if taken_over else 0
    return change.started and change.at_ms > acked_ms + allowed_ms


def _answered(journal: Journal, change: Change, after: Seen, answer: Answer | None) -> bool:
    """Tells whether the target said so, where it is the target that decides."""
    match after.status, after.reason:
        case "succeeded", _:
            return isinstance(answer, Done)
        case "skipped", "handler":
            return isinstance(answer, Skipped)
        case "dead", "attempts_exhausted":
            least = min(one.task.max_attempts for one in journal.versions[change.task_id])
            return after.attempt - int(after.life.get("released", {"N": 0})["N"]) >= least
        case "dead", "permanent" | "target_forbidden" | "payload_unreadable":
            return isinstance(answer, Dead) and answer.reason == after.reason
    return True


def _passed(stage: Stage, journal: Journal, change: Change, ends: Ends, *, policy: Policy) -> bool:
    """Tells whether a slot, or the last one of a range, may not have fired for that reason."""
    after = change.after
    if after is None or not is_slot_key(change.key.partition("~")[0]):
        return False
    slot = parse_nominal(after.range_to or change.key)
    off = clocks_off_sec(stage)
    for version in journal.versions[change.task_id]:
        task = version.task
        if version.at_ms > change.at_ms or not true_slots.is_slot(task, slot):
            continue
        late = change.at_ms / 1000 - true_slots.due_at(task, slot) + off
        match after.reason:
            case "outside_grace" | "circuit_open":
                told = late > policy.missed_after_sec(task)
                opened = after.reason == "outside_grace" or _may_be_open(stage, change)
                told = told and opened
            case "policy_none":
                told = task.misfire == "none" and late > policy.late_sec
            case "coalesced":
                told = task.misfire == "latest" and late > policy.late_sec
                until = change.at_ms / 1000 + off
                newer = _newer(task, slot, change, until=until, ends=ends)
                told = told and (newer or _spent(task, stage.rows()))
            case "quarantined":
                told = task.status == "invalid"
            case "unaccounted":
                edited = any(_edits(act, change) for act in stage.acts)
                edited = edited or _by_itself(journal, change)
                found = late > _FOUND_MISSING_SEC and _moved_on(journal, change, task, slot)
                told = late >= 0 and (edited or found)
            case _:
                told = False
        if told:
            return True
    return False


def _moved_on(journal: Journal, change: Change, task: Task, slot: int) -> bool:
    """Tells whether the cursor had passed the slot by then, so that no tick comes to it again."""
    due = nominal(true_slots.due_at(task, slot))
    stood = [one.after.get("next_run_at", "~") for one in journal.moves if _before(one, change)]
    return bool(stood) and stood[-1] > due


def _before(move: Move, change: Change) -> bool:
    return move.task_id == change.task_id and move.at_ms <= change.at_ms


def _may_be_open(stage: Stage, change: Change) -> bool:
    """Tells whether there were enough ticks for a backlog to grow over five of them."""
    until_us = change.at_ms * 1000 - stage.world.epoch_us() + stage.world.now_us
    ticks = {
        entry[1].name
        for entry in stage.world.trace
        if entry[1] is not None and entry[1].kind == "dispatch" and entry[0] <= until_us
    }
    return len(ticks) > _GROWING_TICKS


def _newer(task: Task, slot: int, change: Change, *, until: float, ends: Ends) -> bool:
    """Tells whether a newer slot was due by then, and was not passed over with this one.

    Another dispatcher may have passed over that one, too, later on: then for a newer one still.
    """
    for following in true_slots.slots(task, slot, until + 1):
        if true_slots.due_at(task, following) > until:
            break
        key = nominal(following)
        for first, last, end in ends[task.task_id]:
            later = end.at_ms > change.at_ms + _ONE_WRITE_MS
            fires = end.after is not None and end.after.reason not in _CLOSED
            if first <= key <= last and (fires or later):
                return True
    return False


def _ends(journal: Journal) -> Ends:
    """Returns the last that was written of each slot, and of each range."""
    last = {change.run_id: change for change in journal.changes}
    found: Ends = defaultdict(list)
    for change in last.values():
        first = change.key.partition("~")[0]
        if change.after and (change.after.range_to or is_slot_key(change.key)):
            found[change.task_id].append((first, change.after.range_to or first, change))
    return found


def _spent(task: Task, rows: Mapping[str, Run]) -> bool:
    """Tells whether as many ran as may: those of a dispatcher that died count when they are
    found.
    """
    ran = [run for run in rows.values() if run.task_id == task.task_id and run.life.attempt]
    return task.max_runs is not None and len(ran) >= task.max_runs


def _names(act: Act, change: Change) -> bool:
    return act.task_id == change.task_id and act.began_ms <= change.at_ms


def _by_itself(journal: Journal, change: Change) -> bool:
    """Tells whether the system edited the task about then: for its deaths, a pause, a calendar."""
    writer = change.writer.name.partition("#")[0] if change.writer else ""
    return writer in ("audit", "step") and any(
        abs(one.at_ms - change.at_ms) <= _ONE_EDIT_MS
        for one in journal.versions[change.task_id][1:]
    )


def _edits(act: Act, change: Change) -> bool:
    """Tells whether an edit of the task was under way then."""
    until_ms = act.acked_ms or float("inf")
    named = _names(act, change) or (act.name in _OF_MANY and act.began_ms <= change.at_ms)
    return named and change.at_ms <= until_ms and act.name not in _NO_EDITS
