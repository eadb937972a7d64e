"""Audits runs: each listed run is checked when its time has come, until it is final.

The audit only sends messages, so it cannot run anything twice. The start decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import inf

from onthedot.dispatch.range_rows import covering
from onthedot.records.keys import is_slot_key, item_key, manifest_keys, row_of
from onthedot.records.runs import manifest, run_row, run_writes
from onthedot.records.runs.manifest import Entry, Manifest
from onthedot.records.runs.run_row import End, Life, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.timings import MARGIN_SEC
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import parse_nominal
from onthedot.store import (
    aws,
    clock,
    conditional_writer,
    run_messages,
    stored_runs,
    table_reads,
    tasks,
)
from onthedot.upkeep.events import notifications
from onthedot.upkeep.events.cloud_event import Event, of_ended
from onthedot.upkeep.events.cloud_event import of_run as event_of
from onthedot.upkeep.failing_tasks import Ward
from onthedot.upkeep.ledger import Ledger
from onthedot.upkeep.separate_steps import Apart
from onthedot.work import outside_handover

LOOK_BACK_MIN = 30
# Seconds: a day, and one hour for the hour that has just begun.
_DAY_SEC = 25 * 3_600
_PART_SEC = _DAY_SEC // 60
# Seconds. The claim may still be under way: a stalled dispatcher may put it yet.
MISSING_FOR_SEC = 600
# Milliseconds that the clock's minute may take to reach the audit.
_ON_TIME_MS = 5_000
_MINUTES_AT_ONCE = 4
_LEASE_OVER_SEC = 45
_CARRY_MIN = (1, 2, 4, 8, 15)


def audit(
    seen: Ledger | None = None, *, look_back_min: int | None = None, work_sec: float = inf
) -> Ledger:
    """Reads the manifests of the last minutes, sends what is overdue, carries on what is open.

    After an outage there is much to check. After `work_sec` it stops; the next minute continues.
    """
    back_min = LOOK_BACK_MIN if look_back_min is None else look_back_min
    seen = Ledger() if seen is None else seen
    this_minute = clock.now_ms() // 60_000 * 60
    minutes = range(this_minute - back_min * 60, this_minute + 1, 60)
    portions = [
        minutes[first : first + _MINUTES_AT_ONCE]
        for first in range(0, len(minutes), _MINUTES_AT_ONCE)
    ]
    _look_at_each(portions, seen, work_sec)
    _glance_at(this_minute + 60, seen)
    return seen


def _glance_at(coming: int, seen: Ledger) -> None:
    """Sends runs of the coming minute that are overdue already. The lists stay for that minute.

    Otherwise an audit that begins late would find a lost message up to a minute too late.
    """
    now_ms = clock.now_ms()
    if now_ms < (coming - 60) * 1000 + _ON_TIME_MS:
        return
    apart = Apart()
    with apart.each("glancing at the coming minute's lists"):
        for source in _manifests([coming]):
            entries = [each for each in source.entries if _is_overdue(each.due_ms, now_ms)]
            rows = _rows(entries)
            _send_again([run for run in rows.values() if _overdue(run, now_ms)], seen)
    apart.end()


def audit_older(seen: Ledger, work_sec: float = inf) -> None:
    """Checks a sixtieth of the last day, so that each hour checks all of it.

    It finds what was left when the audit stood still for longer than its half hour.
    """
    this_minute = clock.now_ms() // 60_000 * 60
    hour = this_minute // 3_600 * 3_600
    first = hour - _DAY_SEC + (this_minute - hour) // 60 * _PART_SEC
    _look_at_each([range(first, first + _PART_SEC, 60)], seen, work_sec)


def _look_at_each(portions: Iterable[Iterable[int]], seen: Ledger, work_sec: float) -> None:
    """Checks each list. One that cannot be read or handled now stays, and blocks no other."""
    over = clock.monotonic() + work_sec
    ward, apart = Ward(), Apart()
    for minutes in portions:
        if clock.monotonic() > over:
            break
        with apart.each("reading the lists of some minutes"):
            for source in takewhile(lambda _: clock.monotonic() <= over, _manifests(minutes)):
                with apart.each(f"the list {source.partition} {source.sort}"):
                    _look_at(source, seen, ward)
    apart.end()


def _manifests(minutes: Iterable[int]) -> Iterator[Manifest]:
    """Reads manifests. Nearly all partitions are empty, so all are read at once, eventually
    consistent.

    A list that is not visible yet is found next minute. A list that was deleted is checked twice.
    """
    partitions = [partition for minute in minutes for partition in manifest_keys(minute)]
    for items in aws.in_parallel(_listed, partitions):
        yield from (manifest.parse(item) for item in items)


def _listed(partition: str) -> list[table_reads.Item]:
    found = table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~"), consistent=False)
    return list(found)


def _look_at(source: Manifest, seen: Ledger, ward: Ward) -> None:
    """Carries on first and deletes last: after a crash in between a list is checked twice."""
    now_ms = clock.now_ms()
    rows = _rows(source.entries)
    open_entries = []
    overdue: list[Run] = []
    told: list[Event] = []
    ended: list[Run] = []
    for listed in source.entries:
        run = rows.get(row_of(listed.run_id))
        if run is None:
            if _still_missing(listed, source, seen):
                open_entries.append(listed)
            continue
        if run.final:
            seen.note(run)
            ended.append(run)
            told += [event] if (event := of_ended(run)) else []
            continue
        open_entries.append(listed)
        if _overdue(run, now_ms):
            overdue.append(run)
    _send_again(overdue, seen)
    notifications.keep(told)
    ward.note(ended)
    if open_entries:
        wait_sec = _CARRY_MIN[min(source.carried, len(_CARRY_MIN) - 1)] * 60
        check_sec = now_ms // 60_000 * 60 + wait_sec
        table_reads.put(manifest.TABLE, manifest.carried(source, open_entries, check_sec).item())
    for item in manifest.recent(source, _for_lists(source, rows)):
        table_reads.put(manifest.TABLE, item)
    table_reads.delete(manifest.TABLE, item_key(source.partition, source.sort))


def _for_lists(source: Manifest, rows: Mapping[tuple[str, str], Run]) -> list[Entry]:
    """Returns the entries by which lists of recent runs find them, with the rows' due times.

    After the first check these are only runs whose due time an edit has changed.
    """
    seen = [(listed, rows.get(row_of(listed.run_id))) for listed in source.entries]
    due = [(listed, run.life.due_first_ms if run else listed.due_ms) for listed, run in seen]
    if source.carried:
        due = [(listed, due_ms) for listed, due_ms in due if due_ms != listed.due_ms]
    return [listed.due_at(due_ms) for listed, due_ms in due]


def _rows(entries: Iterable[Entry]) -> dict[tuple[str, str], Run]:
    return stored_runs.of(run_row.row_key(listed.run_id) for listed in entries)


def _send_again(overdue: Sequence[Run], seen: Ledger) -> None:
    resent = outside_handover.to_resend(overdue)
    if resent:
        seen.count("resent", len(resent))
    run_messages.send_when_due(resent, "resend")


def _overdue(run: Run, now_ms: int) -> bool:
    """Tells whether an open run should have moved on by now."""
    if run.final:
        return False
    if run.life.status in (Status.RUNNING, Status.AWAITING):
        return now_ms > run.life.lease_ms + (_LEASE_OVER_SEC + MARGIN_SEC) * 1000
    return _is_overdue(run.life.due_ms, now_ms)


def _is_overdue(due_ms: int, now_ms: int) -> bool:
    return now_ms >= due_ms + manifest.OVERDUE_SEC * 1000


def _still_missing(listed: Entry, source: Manifest, seen: Ledger) -> bool:
    """Tells whether to look for a row again. After ten minutes without a reason it is a miss."""
    now_ms = clock.now_ms()
    if now_ms < source.since_ms + MISSING_FOR_SEC * 1000:
        return True
    task_id, key = row_of(listed.run_id)
    try:
        cursor = tasks.cursor(task_id)
        if cursor is None or cursor.version > listed.tv or not is_slot_key(key):
            return False
        due = cursor.schedule.due_at(parse_nominal(key))
    except UNREADABLE:
        # An edit may still repair it, or the release that wrote it may come back.
        return True
    if due >= cursor.next_run_at:
        return False
    life = Life(
        status=Status.MISSED,
        reason=Reason.UNACCOUNTED,
        tv=listed.tv,
        schedule_version=cursor.schedule_version,
        due_ms=due * 1000,
        end=End(ended_ms=now_ms),
    )
    record = Run(
        task_id=task_id,
        key=key,
        tenant_id=cursor.tenant_id,
        origin="schedule",
        queue=cursor.queue,
        life=life,
    )
    if covering(record) is None:
        conditional_writer.write_one(run_writes.insert(record, now_ms=now_ms))
        # Counted last: if the write fails, the next minute finds the run and counts it.
        seen.count("unaccounted")
        notifications.keep([event_of("missed", record)])
    return False
