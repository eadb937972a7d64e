"""Carries plans out: list, claim, send, advance, always in this order.

The manifest is written before anything can be lost. The advance acknowledges the send.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from onthedot.dispatch.due_plan import Firing, Plan, Unfired
from onthedot.dispatch.tick import Claim, Fate, Tick, fate_of
from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.keys import item_key
from onthedot.records.runs import manifest, run_row, run_writes
from onthedot.records.runs.manifest import Manifest
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks import exhausted_schedules, task_cursor, task_spec
from onthedot.records.tasks.task_cursor import Due
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, run_messages, table_reads
from onthedot.store.conditional_writer import Over


def write_lists(manifests: Sequence[Manifest]) -> None:
    """Puts each manifest into the minute in which the audit must look at it."""
    for each in manifests:
        table_reads.put(manifest.TABLE, each.item())


def list_the_missed(records: Sequence[Run], *, by: str, now_ms: int) -> None:
    """Lists missed runs that users must be told of. On an ordinary day there are none."""
    missed = [record for record in records if record.life.status == Status.MISSED]
    if missed:
        entries = [manifest.entry(record) for record in missed]
        write_lists(manifest.listing(by, entries, now_ms=now_ms))


def list_the_exhausted(cursors: Sequence[Update], over: Over | None = None) -> list[Update]:
    """Lists schedules before their cursors leave the index: later nothing would find them.

    Returns the cursors whose schedules could not be listed. They wait for the next tick.
    """
    leaving = [write for write in cursors if task_cursor.leaves(write)]
    if not leaving:
        return []
    lines = exhausted_schedules.lines(leaving, clock.now_ms() // 1000)
    outcomes = (
        conditional_writer.write(lines, over) if over else conditional_writer.write_many(lines)
    )
    listed = zip(leaving, outcomes, strict=True)
    return [write for write, outcome in listed if outcome is Outcome.UNSURE]


def carry_out(plans: Sequence[Plan], tick: Tick) -> list[Due]:
    """Carries plans out in the one order that loses nothing. Returns cursors to plan again."""
    wanted = [claim for each in plans for claim in _claims(each, tick)]
    if wanted and not tick.over:
        _list(wanted, tick)
        _claim(wanted, tick)
        _send(wanted, tick)
    return _advance(plans, wanted, tick)


def _claims(each: Plan, tick: Tick) -> list[Claim]:
    planned: list[Firing | Unfired] = [*each.firings, *each.unfired]
    slots = sorted(planned, key=lambda one: one.slot)
    return [Claim(due=each.due, run=_row(each.due, planned, tick)) for planned in slots]


def _row(due: Due, planned: Firing | Unfired, tick: Tick) -> run_row.Run:
    life = run_row.Life(
        status=Status.CLAIMED,
        tv=due.version,
        schedule_version=due.schedule_version,
        due_ms=planned.due * 1000,
        claim=run_row.Claim(by=tick.dispatch_id),
    )
    if isinstance(planned, Unfired):
        life = run_row.ended(
            life, planned.status, planned.reason, now_ms=tick.started_ms, note=planned.note
        )
    else:
        waited = run_row.BEHIND if planned.behind else ""
        life = replace(life, claim=tick.claim, claimed_ms=tick.started_ms, waited=waited)
    return run_row.Run(
        task_id=due.task_id,
        key=nominal(planned.slot),
        tenant_id=due.tenant_id,
        origin=planned.origin,
        queue=due.queue,
        life=life,
    )


def _list(wanted: Sequence[Claim], tick: Tick) -> None:
    """Writes manifests first: if the dispatcher dies after a claim, only the audit finds it."""
    entries = [manifest.entry(claim.run) for claim in wanted]
    lists = manifest.listing(tick.dispatch_id, entries, now_ms=tick.started_ms, earlier=tick.lists)
    tick.lists += len(lists)
    conditional_writer.call(lambda: write_lists(lists), lambda: tick.over)


def _claim(wanted: Sequence[Claim], tick: Tick) -> None:
    inserts = [run_writes.insert(claim.run, now_ms=tick.started_ms) for claim in wanted]
    outcomes = conditional_writer.write(inserts, lambda: tick.over)
    doubtful = []
    for claim, outcome in zip(wanted, outcomes, strict=True):
        claim.fate = Fate.MINE if outcome is Outcome.DONE else Fate.LEFT
        if outcome is not Outcome.DONE:
            doubtful.append(claim)
    tick.count("claimed", len(wanted) - len(doubtful))
    tick.count("suppressed", outcomes.count(Outcome.REFUSED))
    if doubtful and not tick.over:
        _resolve(doubtful, tick)


def _resolve(doubtful: Sequence[Claim], tick: Tick) -> None:
    """Reads back the rows that were not surely put: another's, or ours after a lost answer."""
    keys = [item_key(c.run.task_id, c.run.key) for c in doubtful]
    bounded = dict.fromkeys(c.due.task_id for c in doubtful if c.due.runs_left is not None)
    cursors = [task_spec.cursor_key(task_id) for task_id in bounded]
    wanted = {run_row.TABLE: keys} | ({task_spec.TABLE: cursors} if cursors else {})
    items = conditional_writer.call(lambda: table_reads.get_many(wanted), lambda: tick.over)
    found = table_reads.by_key(items[run_row.TABLE], "task_id", "scheduled_for")
    by_edit = {item["task_id"]: item.get("ahead", ()) for item in items.get(task_spec.TABLE, ())}
    taking = []
    for claim in doubtful:
        claim.counted = claim.run.key in by_edit.get(claim.due.task_id, ())
        item = found.get((claim.run.task_id, claim.run.key))
        seen = run_row.readable(item) if item else None
        claim.fate = fate_of(claim, seen, tick.dispatch_id, clock.now_ms(), force=tick.force)
        if claim.fate is Fate.TAKE and seen and claim.is_given_up:
            # The run may wait in a line. Its worker will know.
            claim.run = seen
        if claim.fate is Fate.DONE:
            claim.found = seen
        if claim.fate is Fate.TAKE and seen:
            taking.append((claim, seen))
    if tick.over:
        return
    outcomes = conditional_writer.write(
        [_taking(claim, seen, tick) for claim, seen in taking], lambda: tick.over
    )
    for (claim, seen), outcome in zip(taking, outcomes, strict=True):
        claim.fate = Fate.MINE if outcome is Outcome.DONE else Fate.LEFT
        if claim.fires:
            life = replace(seen.life, claim=tick.claim, due_ms=_due_ms(claim, seen))
            claim.run = replace(claim.run, life=life)
    tick.count("taken_over", sum(claim.fate is Fate.MINE for claim, _ in taking))


def _taking(claim: Claim, seen: run_row.Run, tick: Tick) -> Update:
    now_ms = clock.now_ms()
    if claim.fires:
        due_ms = _due_ms(claim, seen)
        return run_writes.take_over_claim(seen, tick.claim, due_ms=due_ms, now_ms=now_ms)
    life = claim.run.life
    return run_writes.miss_claim(seen, life.status, life.reason, now_ms=now_ms)


def _due_ms(claim: Claim, seen: run_row.Run) -> int:
    """Returns the due time of a claim that is taken over: the plan's, or that of a later edit."""
    behind = claim.due.version < seen.life.tv
    return seen.life.due_ms if behind else claim.run.life.due_ms


def _send(wanted: Sequence[Claim], tick: Tick) -> None:
    """Sends every slot that is ours. Slots that SQS did not take stay unacknowledged."""
    mine = [claim for claim in wanted if claim.fate is Fate.MINE and claim.fires]
    if not mine or tick.over:
        _forget(mine)
        return
    unsent = run_messages.send_packed((claim.address, claim.ticket) for claim in mine)
    _forget([claim for claim in mine if claim.run.run_id in unsent])
    tick.count("sent", len(mine) - len(unsent))


def _forget(unsent: Iterable[Claim]) -> None:
    for claim in unsent:
        claim.fate = Fate.LEFT


def _advance(plans: Sequence[Plan], wanted: Sequence[Claim], tick: Tick) -> list[Due]:
    """Moves each cursor to its first slot that is neither final, nor started, nor sent by us.

    Returns the cursors of tasks whose planning continues at once.
    """
    if tick.over:
        return []
    by_task: dict[str, list[Claim]] = {}
    for claim in wanted:
        by_task.setdefault(claim.due.task_id, []).append(claim)
    moves: list[tuple[Update, Due | None]] = []
    for each in plans:
        claimed = by_task.get(each.due.task_id, [])
        kept = next((claim for claim in claimed if claim.fate is Fate.LEFT), None)
        following = each.following if kept is None else kept.run.life.due_ms // 1000
        if following != each.due.next_run_at:
            # Only slots behind the new cursor. The others are counted when the cursor passes them.
            passed = claimed if kept is None else claimed[: claimed.index(kept)]
            counted = sum(claim.counts for claim in passed)
            last = passed[-1].run.life.due_ms // 1000 if passed else None
            goes_on = each.goes_on and kept is None
            onward = task_cursor.behind(each.due, following, counted) if goes_on else None
            moves.append((task_cursor.advance(each.due, following, counted, last=last), onward))
    unlisted = list_the_exhausted([move for move, _ in moves], lambda: tick.over)
    moves = [each for each in moves if each[0] not in unlisted]
    outcomes = conditional_writer.write([move for move, _ in moves], lambda: tick.over)
    tick.count("advanced", sum(outcome is Outcome.DONE for outcome in outcomes))
    moved = zip(moves, outcomes, strict=True)
    return [onward for (_, onward), outcome in moved if onward and outcome is Outcome.DONE]
