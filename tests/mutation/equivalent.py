"""Changes that change nothing which a caller, a target or an operator could see, and why."""

from __future__ import annotations

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


EQUIVALENT = (
    Equivalent(
        "onthedot.flows.loops",
        "_in_turn",
        "first = clock.now_ms() // 60_000 % max(1, len(pointers))",
        "2",
        "one loop alone is first whichever way the list is turned",
    ),
    Equivalent(
        "onthedot.flows.work",
        "_until_next",
        "moments = [job.wake_ms - now_ms for job in waiting if job.wake_ms > now_ms]",
        "job.wake_ms >= now_ms",
        "a job that wakes in this very millisecond is looked at in this round or the next",
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
    Equivalent(
        "onthedot.flows.minute",
        "_result",
        "if left <= 0:",
        "left < 0",
        "an act whose time is over to the very tick is waited for no time at all, and then left",
    ),
    Equivalent(
        "onthedot.flows.tallies",
        "keep",
        "after = now_sec + 1",
        "2",
        "between two minutes any second bounds the same minutes",
    ),
    Equivalent(
        "onthedot.flows.long_runs",
        "_unusual",
        "return len(past) >= _TOO_FEW and duration_ms(run) > _TIMES_LONGER * percentile(past, 95)",
        "96",
        "of twenty durations at most both name the same one",
    ),
    *(
        Equivalent(
            module,
            function,
            "page=1,",
            "2",
            "one item is taken, however many a page may have",
        )
        for module, function in (
            ("onthedot.flows.tallies", "newest"),
            ("onthedot.flows.pulse", "recent"),
        )
    ),
    Equivalent(
        "onthedot.flows.recent",
        "Walk.places",
        "if self._queries > QUERIES_MAX and newest_ms < self.begun_ms:",
        "self._queries >= QUERIES_MAX",
        "a page may end one question sooner, and the next one goes on from there",
    ),
    Equivalent(
        "onthedot.flows.bury",
        "_dealt_with",
        "return _sent_afresh(run, 0)",
        "1",
        "a message that SQS has given up on for minutes comes back a second later",
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


# Why all that `_by_a_tick` names changes nothing.
A_TICK = "a flow reads its clock at some moment: one millisecond later is as good, by any rule"
_BOUNDS = ((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "))
_CLOCKS = ("now_ms", "clock.monotonic()")


def is_known(change: Change) -> bool:
    return by_a_tick(change) or any(each.is_of(change) for each in EQUIVALENT)


def by_a_tick(change: Change) -> bool:
    """Whether only the very tick of a clock that the flow itself reads is decided otherwise."""
    if not change.module.startswith("onthedot.flows.") or change.before.startswith("0 "):
        return False
    reads = any(clock in change.before for clock in _CLOCKS) and "// 1000" not in change.before
    turned = (change.before.replace(*bound) for bound in _BOUNDS)
    return reads and change.after in turned
