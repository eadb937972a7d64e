"""Changes of the worker that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent


def _turned(first: str, second: str) -> str:
    """Returns how a change reads that turns two effects around; `first` comes first in the code."""
    return f"if True: ⏎     {second} ⏎     {first}"


_WORK, _JOB, _READY = "onthedot.work.worker", "onthedot.work.job", "onthedot.work.prepared_start"
_SETTLING = "onthedot.work.settlement"

WORK = (
    *(
        Equivalent(module, function, source, _turned(source, second), reason)
        for module, function, source, second, reason in (
            (
                _WORK,
                "work",
                "watch = aws.watching()",
                "batch = received(event)",
                "the watch is to begin before a store is called, and an event is only read",
            ),
            (
                _WORK,
                "work",
                "_not_before_receipt(watch, batch)",
                "batch.drop_foreign()",
                "both only narrow what is known of the clock, in any order",
            ),
            (
                _WORK,
                "_shift",
                "_stop_late(running)",
                "strays.end_late()",
                "the one is about runs that are ours, the other about those that are not",
            ),
        )
    ),
    Equivalent(
        _JOB,
        "_load",
        'rows = table_reads.by_key(found[run_row.TABLE], "task_id", "scheduled_for")',
        _turned(
            "rows = table_reads.by_key(found[run_row.TABLE], 'task_id', 'scheduled_for')",
            "specs = table_reads.by_key(found[task_spec.TABLE], 'task_id')",
        ),
        "both only sort what has been read",
    ),
    Equivalent(
        _SETTLING,
        "settle",
        "put_off(job for job in ended if not job.over)",
        _turned("put_off((job for job in ended if not job.over))", "batch.delete_done()"),
        "what is put off keeps its message either way",
    ),
    Equivalent(
        _SETTLING,
        "_settle",
        "_read_back(doubtful)",
        _turned(
            "_read_back(doubtful)",
            "_close(batch, [job for job in ended if job.written and (not job.over)])",
        ),
        "what is read back would be closed in the next round, a moment later",
    ),
    *(
        Equivalent(
            _READY,
            "still_ready",
            "return job.ready is not None and clock.now_ms() < job.wake_ms + HOLD_MAX_SEC * 1000",
            after,
            "what is not taken for ready is decided on once more, with the same answer",
        )
        for after in (
            "return None",
            "job.wake_ms - HOLD_MAX_SEC * 1000",
            "HOLD_MAX_SEC // 1000",
        )
    ),
    Equivalent(
        _WORK,
        "work",
        "jobs = batch.jobs(ids.token(12))",
        "13",
        "an owner's name is drawn, and is compared as a whole",
    ),
    Equivalent(
        _WORK,
        "_shift",
        "calm = 0.0",
        "1.0",
        "nothing ends before the first start, which sets it",
    ),
    Equivalent(
        _WORK,
        "_not_before_receipt",
        "latest_ms = max((message.received_ms for message in batch.messages), default=0)",
        "1",
        "both times are in 1970, and tell the clock nothing",
    ),
    Equivalent(
        "onthedot.work.batch",
        "_message",
        'received_ms=int(attributes.get("ApproximateFirstReceiveTimestamp", 0)),',
        "1",
        "both times are in 1970, and tell the clock nothing",
    ),
    Equivalent(
        "onthedot.work.outside.lease",
        "_job",
        "attempt = run.life.starts + 1",
        "2",
        "the code only checks that it is above the row's own attempt",
    ),
    Equivalent(
        "onthedot.work.outside.lease",
        "take",
        "over = (leased[0], pull.ranges(now_ms - MARGIN_SEC * 1000)[-1][1])",
        "now_ms + MARGIN_SEC * 1000",
        "runs with a live lease are read too, and are left alone because of their rows",
    ),
    Equivalent(
        "onthedot.work.gates.concurrency_key",
        "Starts.booked",
        "at_ms = max([now_ms - self.behind_ms, *(last_ms + 1 for last_ms in latest[-1:])])",
        "2",
        "each start is booked behind all before it, so the last is the latest of any number",
    ),
    Equivalent(
        "onthedot.work.outside.lease",
        "_started",
        "return [each for each in leased if each], any(job.most for job in jobs)",
        "all((job.most for job in jobs))",
        "all are of one tenant; where no row was left, one more look at its permits says no more",
    ),
    Equivalent(
        "onthedot.work.gates.tenant_quota",
        "_taken_before",
        "return Later(max(1, (permit.lease_ms - clock.now_ms()) // 1000 + MARGIN_SEC + 1))",
        "1001",
        "a wait of at most 26 s is one second shorter, and ends six seconds after the lease anyway",
    ),
    Equivalent(
        "onthedot.records.runs.manifest",
        "Manifest.item",
        '"entries": _packed([each[:3] for each in self.entries]),',
        "4",
        "the fourth is what `after` says, which is read instead of it",
    ),
    Equivalent(
        "onthedot.schedule.slots",
        "ElapsedSlots.prev",
        "return slot if slot >= 0 else None",
        "1",
        "the only slot between the two is the first second of 1970",
    ),
    Equivalent(
        "onthedot.registry.edit",
        "_recount",
        "tuple(run.key for run in claimed if _due(run) > edge),",
        "_due(run) >= edge",
        "a key that the cursor has passed may stand among those ahead: it never comes upon it",
    ),
    Equivalent(
        "onthedot.registry.edit",
        "_recount",
        "edge = max(edge, known.due.next_run_at - 1)",
        "2",
        "a key that the cursor has passed may stand among those ahead: it never comes upon it",
    ),
    Equivalent(
        "onthedot.work.refill",
        "Refill.moment_ms",
        "if self.asked is not None or not busy or any(was_lost(job.run) for job in running):",
        "all((was_lost(job.run) for job in running))",
        "a run whose worker was lost is worked alone: it is all that runs",
    ),
)
