"""Changes that change nothing which a caller, a target or an operator could see, and why."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.mutation.changes import Change


class Equivalent(NamedTuple):
    """One of them, by its text: lines move."""

    module: str
    function: str
    source: str
    after: str
    reason: str

    def is_of(self, change: Change) -> bool:
        given = (change.module, change.at.function, change.source, change.after)
        return given == self[:4]


def _turned(first: str, second: str) -> str:
    """How a change reads that turns two effects around; `first` comes first in the code."""
    return f"if True: ⏎     {second} ⏎     {first}"


_WORK, _JOB, _READY = "onthedot.flows.work", "onthedot.flows.job", "onthedot.flows.ready"
_SETTLING = "onthedot.flows.settling"
EQUIVALENT = (
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
                "aside.put_aside(batch)",
                "both only narrow what is known of the clock, in any order",
            ),
            (
                _WORK,
                "_shift",
                "strays = Strays()",
                "began_ms = clock.now_ms()",
                "no time passes between the two",
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
        'rows = tables.by_key(found[runs.TABLE], "task_id", "scheduled_for")',
        _turned(
            "rows = tables.by_key(found[runs.TABLE], 'task_id', 'scheduled_for')",
            "specs = tables.by_key(found[tasks.TABLE], 'task_id')",
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
            module,
            function,
            source,
            "pass",
            "it only says that our own code is wrong, and what follows raises as well",
        )
        for module, function, source in (
            (
                _SETTLING,
                "_life_after",
                'raise LookupError(f"{job.ticket.run_id} ran without a task")',
            ),
            (_JOB, "Job.deadline_ms", 'raise LookupError(f"{self.ticket.run_id} has no task")'),
            (_JOB, "Job.held", 'raise LookupError(f"{self.ticket.run_id} has no row")'),
            (_READY, "_under", 'raise LookupError(f"{run.run_id} was not decided to start")'),
        )
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
        "_shift(batch, jobs, worker=ids.token(12))",
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
        "a clock that shows 1970 is told as little by the one as by the other",
    ),
    Equivalent(
        "onthedot.flows.loops",
        "_in_turn",
        "first = clock.now_ms() // 60_000 % max(1, len(pointers))",
        "2",
        "one loop alone is first whichever way the list is turned",
    ),
    Equivalent(
        "onthedot.core.bound",
        "counts",
        "claimed = is_slot_key(run.key) and life.claimed_ms > 0",
        "1",
        "a time in milliseconds since 1970 is never one",
    ),
    Equivalent(
        "onthedot.core.gate",
        "write",
        'item = {"task_id": seen.task_id, "scheduled_for": GATE, "rev": 1, "lists": lists}',
        "2",
        "a revision is compared with itself only, and any but zero will do",
    ),
    *(
        Equivalent(
            "onthedot.flows.ready",
            "prepare",
            "lease_ms=now_ms + LEASE_SEC * 1000,",
            after,
            "a placeholder: `begin` puts the lease of its sending in its place",
        )
        for after in ("now_ms - LEASE_SEC * 1000", "LEASE_SEC // 1000", "1001")
    ),
    *(
        Equivalent(
            "onthedot.core.stretches",
            "stretches",
            source,
            after,
            "where the clock does not jump, nothing is cut off and no seam is left",
        )
        for source, after in (
            ('if not policy.elapsed and after < 0 and policy.overlap == "last":', "after <= 0"),
            ('if not policy.elapsed and before < 0 and policy.overlap == "first":', "before <= 0"),
            ('if not policy.elapsed and before > 0 and policy.gap != "skip":', "before >= 0"),
        )
    ),
)


# Why all that `by_a_tick` names changes nothing.
A_TICK = "a flow reads its clock at some moment: one millisecond later is as good, by any rule"
_BOUNDS = ((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "))
_CLOCKS = ("now_ms", "clock.monotonic()")
# The same of `by_a_thousandth`, and of `by_its_own_check`.
A_THOUSANDTH = "a length of time that is our own choice: clocks and calls are off by more than that"
ITS_OWN_CHECK = "zip is told that both are as long by construction, which it then checks"
_OUR_SECONDS = re.compile(r"\b_?[A-Z][A-Z_]*_SEC \* 1000\b")


def is_known(change: Change) -> bool:
    return (
        by_a_tick(change)
        or by_a_thousandth(change)
        or by_its_own_check(change)
        or any(each.is_of(change) for each in EQUIVALENT)
    )


def by_a_tick(change: Change) -> bool:
    """Whether only the very tick of a clock that the flow itself reads is decided otherwise."""
    if not change.module.startswith("onthedot.flows.") or change.before.startswith("0 "):
        return False
    reads = any(clock in change.before for clock in _CLOCKS) and "// 1000" not in change.before
    turned = (change.before.replace(*bound) for bound in _BOUNDS)
    return reads and change.after in turned


def by_a_thousandth(change: Change) -> bool:
    """Whether only one of our own lengths of time, in seconds, is longer by a thousandth."""
    if not change.module.startswith("onthedot.flows.") or change.source.count("1000") != 1:
        return False
    return (change.before, change.after) == ("1000", "1001") and bool(
        _OUR_SECONDS.search(change.source)
    )


def by_its_own_check(change: Change) -> bool:
    """Whether only a zip does not check any more what holds by construction."""
    strict = change.source.count("True") == change.source.count("strict=True") > 0
    return strict and (change.before, change.after) == ("True", "False")
