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
    *(
        Equivalent(
            module,
            function,
            source,
            "2",
            "a revision is compared with itself only, and any that differs will do",
        )
        for module, function, source in (
            ("onthedot.core.gate", "write", '(("lists", lists), ("rev", seen.rev + 1)),'),
            (
                "onthedot.core.keyed",
                "Starts.write",
                '(("starts", list(wanted.at_ms)), ("rev", self.rev + 1)),',
            ),
            (
                "onthedot.core.keyed",
                "Starts.write",
                'item = {**rate_key(self.place), "rev": 1, "starts": list(wanted.at_ms)}',
            ),
        )
    ),
    Equivalent(
        "onthedot.flows.previous",
        "previous_success",
        '("task_id", task_id), "scheduled_for", ("0", key), newest_first=True, page=20',
        "21",
        "how many rows a page has is seen by nobody but the store",
    ),
    Equivalent(
        "onthedot.flows.trigger",
        "trigger",
        "at = moment or Moment(clock.now_ms(), ids.token(6))",
        "7",
        "a token is long enough that two differ, and longer ones do, too",
    ),
    Equivalent(
        "onthedot.flows.permits",
        "_come_back",
        "wait_sec = max(1, (permit.lease_ms - clock.now_ms()) // 1000 + MARGIN_SEC + 1)",
        "2",
        "who looks again a second later finds the same: that the lease is over, or the run started",
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


# Why all that `by_its_type` names changes nothing.
A_TYPE = "it is said for its type: None fails at its next use, and nobody catches either"


def is_known(change: Change) -> bool:
    ruled = by_a_tick(change) or by_its_type(change)
    return ruled or any(each.is_of(change) for each in EQUIVALENT)


def by_its_type(change: Change) -> bool:
    """Whether only the name of the error differs by which what cannot be is refused."""
    return change.before.startswith("raise LookupError(") and change.after == "pass"


def by_a_tick(change: Change) -> bool:
    """Whether only the very tick of a clock that the flow itself reads is decided otherwise."""
    if not change.module.startswith("onthedot.flows.") or change.before.startswith("0 "):
        return False
    reads = any(clock in change.before for clock in _CLOCKS) and "// 1000" not in change.before
    turned = (change.before.replace(*bound) for bound in _BOUNDS)
    return reads and change.after in turned
