"""The table of the protocol, line by line: what a worker does with the run that a message names."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.runs.run_status import FINAL, Reason, Status
from onthedot.records.timings import MARGIN_SEC
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.work.decision_table import (
    Await,
    Busy,
    Decision,
    Defer,
    Hint,
    Hold,
    Late,
    Over,
    Skip,
    Start,
    decide,
    suspect,
)
from tests.schedule.samples import NOON, NOON_MS, compiled, run, task

LEASE_MS = NOON_MS + 20_000
RUNNING: dict[str, Any] = {
    "status": "running",
    "attempt": 1,
    "msg": "mine",
    "lease_ms": LEASE_MS,
    "started_ms": NOON_MS,
}
MANUAL = "2026-11-18T12:00:00.500Z~mABC"
BACKFILL = "2026-11-17T12:00:00Z~b1"
ODD = compiled("1-59/2 * * * *")
OVER = pack(compile_schedule("* * * * *", end_at=NOON - 60))
LATE = compiled("* * * * *", 3_600)
# Due 59 s after its slot, and 2,018 s after it.
LATE_MS = NOON_MS + 59_000
MUCH_LATER = compiled("0 * * * *", 3_600)

START = Start(NOON_MS, 1)
LINES: dict[str, tuple[dict[str, Any], dict[str, Any], int, Decision]] = {
    "3 running, mine": (RUNNING, {}, NOON_MS + 8_000, Busy(18)),
    "3 until the margin is over": (RUNNING, {}, LEASE_MS + 5_000, Busy(1)),
    "3 awaiting": (RUNNING | {"status": "awaiting"}, {}, LEASE_MS + 1, Await()),
    # The message of the next attempt may be here before the answer that calls for it is written.
    "3 awaiting, and called for already": (
        RUNNING | {"status": "awaiting"},
        {},
        LEASE_MS,
        Busy(MARGIN_SEC + 1),
    ),
    "3 awaiting, to be cancelled": (
        RUNNING | {"status": "awaiting", "cancel_ms": 1},
        {},
        LEASE_MS + 1,
        Await(),
    ),
    "4 cancelled by a user": (
        {"cancel_ms": 1, "cancel_by": "user"},
        {},
        NOON_MS,
        Skip(Status.CANCELLED, Reason.USER),
    ),
    "4 by the next run": (
        {"cancel_ms": 1, "cancel_by": "previous"},
        {},
        NOON_MS,
        Skip(Status.CANCELLED, Reason.PREVIOUS),
    ),
    "4 before it is due": (
        {"cancel_ms": 1},
        {},
        NOON_MS - 60_000,
        Skip(Status.CANCELLED, Reason.USER),
    ),
    "4 deleted": ({}, {"status": "deleted"}, NOON_MS, Skip(Status.CANCELLED, Reason.TASK_DELETED)),
    "4 deleted, retrying": (
        {"status": "retrying", "attempt": 1},
        {"status": "deleted"},
        NOON_MS,
        Skip(Status.CANCELLED, Reason.TASK_DELETED),
    ),
    "4 deleted, manual": (
        {"key": MANUAL},
        {"status": "deleted"},
        NOON_MS,
        Skip(Status.CANCELLED, Reason.TASK_DELETED),
    ),
    "5 not due for a while": ({}, {}, NOON_MS - 60_000, Defer(59)),
    "5 by hops": ({}, {}, NOON_MS - 7_200_000, Defer(900)),
    "5 retrying": ({"status": "retrying", "attempt": 1}, {}, NOON_MS - 60_000, Defer(59)),
    "5 just too far to hold": ({}, {}, NOON_MS - 5_001, Defer(4)),
    "6 due within seconds": ({}, {}, NOON_MS - 5_000, Hold(NOON_MS, START)),
    "6 to be skipped then": ({}, {"status": "paused"}, NOON_MS - 1, Hold(NOON_MS)),
    "7 paused": ({}, {"status": "paused"}, NOON_MS, Skip(Status.SKIPPED, Reason.PAUSED)),
    "7 not a started one": (
        {"status": "retrying", "attempt": 1},
        {"status": "paused"},
        NOON_MS,
        START,
    ),
    "7 not a manual one": ({"key": MANUAL}, {"status": "paused"}, NOON_MS, START),
    "7 not a backfill": ({"key": BACKFILL}, {"status": "paused"}, NOON_MS, START),
    "8 no slot any more": (
        {},
        {"schedule_version": 2, "compiled": ODD},
        NOON_MS,
        Skip(Status.SKIPPED, Reason.SUPERSEDED),
    ),
    "8 after its end by now": (
        {},
        {"schedule_version": 2, "compiled": OVER},
        NOON_MS,
        Skip(Status.SKIPPED, Reason.ENDED),
    ),
    "8 a slot still": ({}, {"schedule_version": 2}, NOON_MS, Start(NOON_MS, 2)),
    "8 before the edit": (
        {},
        {"schedule_version": 2, "effective_from": NOON},
        NOON_MS,
        Skip(Status.SKIPPED, Reason.SUPERSEDED),
    ),
    "8 due later under it": (
        {},
        {"schedule_version": 2, "compiled": LATE},
        NOON_MS,
        Defer(58),
    ),
    "8 due much later under it, by hops": (
        {},
        {"schedule_version": 2, "compiled": MUCH_LATER},
        NOON_MS,
        Defer(900),
    ),
    "8 due just too late under it to hold": (
        {},
        {"schedule_version": 2, "compiled": LATE},
        LATE_MS - 5_001,
        Defer(4),
    ),
    "8 due within seconds under it": (
        {},
        {"schedule_version": 2, "compiled": LATE},
        LATE_MS - 5_000,
        Hold(LATE_MS),
    ),
    "8 due in a moment under it": (
        {},
        {"schedule_version": 2, "compiled": LATE},
        LATE_MS - 1,
        Hold(LATE_MS),
    ),
    "8 due under it": (
        {},
        {"schedule_version": 2, "compiled": LATE},
        LATE_MS,
        Start(LATE_MS, 2),
    ),
    "8 not a manual one": (
        {"key": MANUAL},
        {"schedule_version": 2, "compiled": ODD},
        NOON_MS,
        START,
    ),
    "9 in time": ({}, {}, NOON_MS + 90_000, START),
    "9 late": ({}, {}, NOON_MS + 90_001, Late(START)),
    "9 not a manual one": ({"key": MANUAL}, {}, NOON_MS + 90_000 + 1, START),
    "9 not a started one": (
        {"status": "retrying", "attempt": 1},
        {},
        NOON_MS + 90_000 + 1,
        START,
    ),
    "10 its last attempt was lost": (
        RUNNING | {"attempt": 3},
        {},
        LEASE_MS + 5_001,
        Skip(Status.DEAD, Reason.ATTEMPTS_EXHAUSTED),
    ),
    "10 released ones do not count": (
        RUNNING | {"attempt": 3, "released": 1},
        {},
        LEASE_MS + 5_001,
        START,
    ),
    "10 not one that was granted a retry": (
        {"status": "retrying", "attempt": 3},
        {"max_attempts": 2},
        NOON_MS,
        START,
    ),
    "12 claimed": ({}, {}, NOON_MS, START),
    "12 retrying": ({"status": "retrying", "attempt": 1}, {}, NOON_MS, START),
    "12 takeover": (RUNNING, {}, LEASE_MS + 5_001, START),
}


def hint(attempt: int = 1, receives: int = 1, message_id: str = "mine") -> Hint:
    """Returns a message."""
    return Hint(attempt=attempt, receives=receives, message_id=message_id)


@pytest.mark.parametrize("line", LINES)
def test_line(line: str) -> None:
    row, of_task, now_ms, expected = LINES[line]
    seen = run(**row)

    assert decide(seen, task(**of_task), hint(seen.life.starts + 1), now_ms) == expected


def test_line_1_a_missing_row_is_over() -> None:
    assert decide(None, task(), hint(), NOON_MS) == Over()


@pytest.mark.parametrize("status", sorted(FINAL))
def test_line_2_a_final_row_is_over(status: str) -> None:
    seen = run(status=status, attempt=1, cancel_ms=1)

    assert decide(seen, task(status="deleted"), hint(), NOON_MS) == Over()


@pytest.mark.parametrize(
    ("receives", "again_sec"), [(2, 120), (3, 240), (4, 480), (5, 900), (9, 900)]
)
def test_line_3_a_strangers_message_stays_out_of_the_way(receives: int, again_sec: int) -> None:
    seen = run(**RUNNING)
    stranger = hint(1, receives, "another")

    assert decide(seen, task(), stranger, NOON_MS) == Busy(again_sec)
    assert decide(seen, None, stranger, LEASE_MS + 5_000) == Busy(again_sec)


def test_line_3_a_message_seen_for_the_first_time_waits_for_the_lease() -> None:
    """As those do into which a pack was split whose worker died."""
    assert decide(run(**RUNNING), task(), hint(1, 1, "of a split"), NOON_MS) == Busy(26)


def test_line_3_the_next_attempts_message_waits_for_the_lease() -> None:
    assert decide(run(**RUNNING), task(), hint(2, 9, "another"), NOON_MS) == Busy(26)


def test_line_4_a_task_that_is_gone_counts_as_deleted() -> None:
    assert decide(run(), None, hint(), NOON_MS) == Skip(Status.CANCELLED, Reason.TASK_DELETED)


def test_line_4_what_awaits_for_a_task_that_is_gone_is_cancelled() -> None:
    awaiting = run(**(RUNNING | {"status": "awaiting"}))

    assert decide(awaiting, None, hint(), NOON_MS) == Skip(Status.CANCELLED, Reason.TASK_DELETED)


def test_line_11_the_message_of_an_attempt_that_has_been_is_over() -> None:
    seen = run(status="retrying", attempt=2)

    assert decide(seen, task(), hint(2), NOON_MS) == Over()
    assert decide(seen, task(), hint(3), NOON_MS) == START


def test_a_slot_is_skipped_only_when_it_is_due() -> None:
    paused = task(status="paused")

    assert decide(run(), paused, hint(), NOON_MS - 1) == Hold(NOON_MS)
    assert decide(run(), paused, hint(), NOON_MS - 60_000) == Defer(59)


@pytest.mark.parametrize(
    ("life", "late_ms", "found"),
    [
        ({}, 90_000, START),
        ({}, 90_001, Late(START)),
        ({"attempt": 1, "status": "retrying"}, 90_001, Start(NOON_MS, 1)),
        ({"key": MANUAL}, 90_001, START),
    ],
)
def test_a_slot_that_was_due_long_ago_and_has_not_started_is_late(
    life: dict[str, Any], late_ms: int, found: Decision
) -> None:
    assert decide(run(**life), task(), hint(2), NOON_MS + late_ms) == found


def test_a_run_whose_worker_was_lost_is_suspect_until_it_is_over() -> None:
    lost = ({"outcome": "lost"},)

    assert not suspect(None, NOON_MS)
    assert not suspect(run(), NOON_MS)
    assert not suspect(run(**RUNNING), LEASE_MS)
    assert suspect(run(**RUNNING), LEASE_MS + 1)
    assert suspect(run(status="retrying", attempt=1, attempts=lost), NOON_MS)
    assert suspect(run(status="retrying", attempts=({"outcome": "failed"}, *lost)), NOON_MS)
    assert not suspect(run(status="retrying", attempts=({"outcome": "failed"},)), NOON_MS)
    assert not suspect(run(status="dead", attempt=1, attempts=lost), NOON_MS)
