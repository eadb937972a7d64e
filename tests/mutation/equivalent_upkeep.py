"""Changes of what goes on minute by minute that change nothing anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

_AUDIT, _BURY = "onthedot.upkeep.claims_audit", "onthedot.work.dead_messages"
_AGAIN = "the list is deleted after both, so the next audit does both again after a death"


def _turned(first: str, second: str) -> str:
    """Returns how a change reads that turns two effects around; `first` comes first in the code."""
    return f"if True: ⏎     {second} ⏎     {first}"


_SEND = "_send_again(overdue, seen)"
_IN_MEMORY = "both go into memory, and nothing comes between the two"
UPKEEP = (
    Equivalent(
        _AUDIT,
        "_look_at",
        "seen.note(run)",
        _turned("seen.note(run)", "ended.append(run)"),
        _IN_MEMORY,
    ),
    Equivalent(
        _AUDIT,
        "_look_at",
        "wait_sec = _CARRY_MIN[min(source.carried, len(_CARRY_MIN) - 1)] * 60",
        "61",
        "a quarter of an hour and fifteen seconds end in the same minute",
    ),
    Equivalent(
        _AUDIT,
        "audit_older",
        "_look_at_each([range(first, first + _PART_SEC, 60)], seen, work_sec)",
        "61",
        "each of two dozen steps is a second longer, and they still name the same minutes",
    ),
    *(
        Equivalent(module, function, source, _turned(first, second), reason)
        for module, function, source, first, second, reason in (
            (_AUDIT, "_look_at", _SEND, _SEND, "notifications.keep(told)", _AGAIN),
            (
                _AUDIT,
                "_look_at",
                "notifications.keep(told)",
                "notifications.keep(told)",
                "ward.note(ended)",
                _AGAIN,
            ),
            (
                _BURY,
                "bury",
                "batch.delete_done()",
                "batch.delete_done()",
                "batch.count_put_aside()",
                "the figure of a batch is told when all of it is done, sooner or later",
            ),
        )
    ),
    Equivalent(
        "onthedot.upkeep.tallies",
        "keep",
        "hours = _parsed(_items(HOURS, hour_sec - (DAY_HOURS - 1) * HOUR_SEC, hour_sec - 1))",
        "2",
        "between two hours any second bounds the same hours",
    ),
    Equivalent(
        "onthedot.launch.backfill_flow",
        "_past",
        "return Past.of([])",
        "return None",
        "without slots, the answer is never used",
    ),
    Equivalent(
        "onthedot.records.tasks.bulk_operation",
        "moved",
        'return Update(TABLE, seen.key, (*sets, ("rev", seen.rev + 1), *ends), clauses)',
        "2",
        "a revision is only compared for equality, so any new number works",
    ),
    Equivalent(
        "onthedot.upkeep.failing_tasks",
        "_pause",
        'why = {**pause_ends.why(0, SYSTEM, reason), "at": moment(health.paused_ms)}',
        "1",
        "the same line replaces that time",
    ),
    Equivalent(
        "onthedot.registry.task_quota",
        "recount",
        'if now_ms - item.get("recounted_ms", 0) < AGAIN_MS:',
        "1",
        "what was never counted is taken for counted in 1970, a millisecond more or less",
    ),
    Equivalent(
        "onthedot.upkeep.ledger",
        "Ledger.note",
        'self.count("retries", len(outcomes))',
        _turned(
            "self.count('retries', len(outcomes))",
            "self.count('leases_lost', outcomes.count('lost'))",
        ),
        _IN_MEMORY,
    ),
    Equivalent(
        "onthedot.upkeep.payload_sweep",
        "step",
        "_sort_out([key for key, modified_ms in page if modified_ms < old])",
        "modified_ms <= old",
        "a payload is put aside after a day, or after a day and a millisecond",
    ),
)
