"""Planted faults of the dispatcher: plan, claim, send, advance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.dispatch import dispatcher, due_plan, plan_effects, range_rows
from onthedot.dispatch.due_plan import Plan, plan
from onthedot.dispatch.due_tasks import Herd
from onthedot.dispatch.tick import Claim, Fate, Tick, fate_of
from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.keys import SPEC
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import task_cursor
from onthedot.schedule.blackouts import Blackout, calendars_of
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.work import late_starts, starts
from onthedot.work.decision_table import Decision, Skip, decide

Patch = tuple[Any, str, Any]


def ended() -> list[Patch]:
    """The last advance ends the task, and what is ended does not run."""
    original = task_cursor.advance

    def advance(due: task_cursor.Due, following: int | None, claimed: int, **last: Any) -> Update:
        if following is None:
            key = (("task_id", due.task_id), ("part", SPEC))
            clause = (Clause.equal("task_id", due.task_id),)
            conditional_writer.write_one(
                Update(task_cursor.TABLE, key, (("status", "ended"),), clause)
            )
        return original(due, following, claimed, **last)

    def decided(run: Any, task: Any, hint: Any, now_ms: int) -> Decision:
        if task and task.status == "ended" and run and not run.final and not run.life.attempt:
            return Skip(Status.SKIPPED, Reason.ENDED)
        return decide(run, task, hint, now_ms)

    return [(task_cursor, "advance", advance), (starts, "decide", decided)]


def late() -> list[Patch]:
    """A claim is good for 40 s from when it is made, however late that is."""
    original = plan_effects._row  # noqa: SLF001  # planted in the flow

    def row(due: Any, planned: Any, tick: Tick) -> Run:
        made = original(due, planned, tick)
        until = clock.now_ms() + 40_000
        claim = made.life.claim and replace(made.life.claim, until_ms=until)
        return replace(made, life=replace(made.life, claim=claim))

    return [(plan_effects, "_row", row)]


def unguarded() -> list[Patch]:
    """Nothing guards a range against a dispatcher that was stalled."""
    original = range_rows._put  # noqa: SLF001  # planted in the flow

    def put(due: Any, spanned: Any) -> int:
        original(due, spanned)
        return int(spanned.last)

    return [
        (range_rows, "_put", put),
        (range_rows, "_resolve_inside", lambda *_, **__: True),
        (late_starts, "covering", lambda _: None),
        (Tick, "over", property(lambda _: False)),
    ]


def own_end() -> list[Patch]:
    """A range that is there already is taken to end where one's own would."""
    original = range_rows._put  # noqa: SLF001  # planted in the flow

    def put(due: Any, spanned: Any) -> int:
        original(due, spanned)
        return int(spanned.last)

    return [(range_rows, "_put", put)]


def no_cover() -> list[Patch]:
    """However late a start is, no range is looked for."""
    return [(late_starts, "covering", lambda _: None)]


def mortal() -> list[Patch]:
    """A claim is given its end of life at once."""
    original = run_writes.insert

    def insert(run: Run, *, now_ms: int) -> Insert:
        made = original(run, now_ms=now_ms)
        ends = run.life.due_ms // 1000 + run_writes.HISTORY_SEC
        return replace(made, item={**made.item, "expires_at": ends})

    return [(run_writes, "insert", insert)]


def aba() -> list[Patch]:
    """The advance does not look at the version."""
    original = task_cursor.advance

    def advance(due: task_cursor.Due, following: int | None, claimed: int, **last: Any) -> Update:
        made = original(due, following, claimed, **last)
        return replace(made, clauses=made.clauses[:1])

    return [(task_cursor, "advance", advance)]


def advance_first() -> list[Patch]:
    """The cursor moves before the messages are sent."""
    original = plan_effects._send  # noqa: SLF001  # planted in the flow

    def carry_out(plans: Sequence[Plan], tick: Tick) -> list[task_cursor.Due]:
        wanted = [claim for each in plans for claim in plan_effects._claims(each, tick)]  # noqa: SLF001
        if wanted and not tick.over:
            plan_effects._list(wanted, tick)  # noqa: SLF001
            plan_effects._claim(wanted, tick)  # noqa: SLF001
        onward = plan_effects._advance(plans, wanted, tick)  # noqa: SLF001
        original(wanted, tick)
        return onward

    return [(dispatcher, "carry_out", carry_out)]


def losers() -> list[Patch]:
    """Somebody else's claim is as good as sent."""

    def fate(claim: Claim, seen: Any, dispatch_id: str, now_ms: int, *, force: bool) -> Fate:
        told = fate_of(claim, seen, dispatch_id, now_ms, force=force)
        return Fate.DONE if told is Fate.LEFT and seen else told

    return [(plan_effects, "fate_of", fate)]


def no_takeover() -> list[Patch]:
    """A claim is its maker's for ever."""

    def fate(claim: Claim, seen: Any, dispatch_id: str, now_ms: int, *, force: bool) -> Fate:
        told = fate_of(claim, seen, dispatch_id, now_ms, force=force)
        return Fate.LEFT if told is Fate.TAKE else told

    return [(plan_effects, "fate_of", fate)]


def planned_twice() -> list[Patch]:
    """An index page may show a task that an earlier page has shown."""
    original = Herd.add

    def add(self: Herd, items: Sequence[table_reads.Item], *, since: str) -> None:
        for item in items:
            known = self.on_time.pop(item["task_id"], None)
            original(self, [item], since=since)
            if known:
                self.on_time[f"{item['task_id']} as it was"] = known

    return [(Herd, "add", add)]


def no_quarantine() -> list[Patch]:
    """What cannot be planned stays in the index, and raises."""

    def planned(item: table_reads.Item, closed: Sequence[Blackout], tick: Tick) -> Plan | None:
        due = task_cursor.parse(item, calendars_of(closed))
        planned = plan(due, tick.started_ms // 1000)
        return dispatcher._behind_ranges(planned, tick)  # noqa: SLF001

    return [(dispatcher, "_plan_or_quarantine", planned)]


def runs_left() -> list[Patch]:
    """A partial advance counts all that was claimed."""
    original = task_cursor.advance

    def advance(due: task_cursor.Due, following: int | None, claimed: int, **last: Any) -> Update:
        return original(due, following, claimed + (following is not None), **last)

    return [(task_cursor, "advance", advance)]


def uncorrected() -> list[Patch]:
    """A dispatcher goes by its own clock, if it is not too far off."""

    def correct_clock(self: Tick) -> None:
        self.hopeless = self.watch.skew.hopeless

    return [(Tick, "correct_clock", correct_clock)]


def anybodys() -> list[Patch]:
    """A claim may be taken over at once."""
    return [(Tick, "claim_until", property(lambda self: self.started_ms))]


def next_slot() -> list[Patch]:
    """A cursor that is due a second behind a slot is taken to stand at the slot after it."""
    there: Any = due_plan
    original = there._first_slot  # noqa: SLF001  # planted in the flow

    def first_slot(due: task_cursor.Due) -> int | None:
        slot = original(due)
        behind = slot is not None and due.next_run_at - slot == 1
        return due.schedule.next(slot) if behind and slot is not None else slot

    return [(there, "_first_slot", first_slot)]


def one_list() -> list[Patch]:
    """All lists of a dispatch have one key, and the last one stands for all."""
    original = manifest.listing

    def listing(*given: Any, **named: Any) -> list[manifest.Manifest]:
        return original(*given, **named | {"earlier": 0})

    return [(manifest, "listing", listing)]
