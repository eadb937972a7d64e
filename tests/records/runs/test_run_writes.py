"""What each write leaves on a row: only an outcome has an end of life, and some a mark."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Life, Run, parse
from onthedot.records.runs.run_status import FINAL, OPEN
from tests.schedule.samples import NOON_MS, run


def left(seen: Run, life: Life) -> dict[str, object]:
    """Returns the attributes that a settle sets besides the life."""
    sets = dict(run_writes.settle(seen, life, now_ms=NOON_MS).sets)
    del sets["life"]
    return sets


LISTED = {"status", "reason", "attention", "attention_at"}
RUNNING = run(status="running", attempt=1, owner="W", lease_ms=NOON_MS + 1)


@pytest.mark.parametrize("status", sorted(FINAL))
def test_an_outcome_ends_ninety_days_later(status: str) -> None:
    marks = left(RUNNING, run(status=status, reason="why").life)

    assert marks["expires_at"] == NOON_MS // 1000 + 90 * 86_400
    wanted = LISTED if status in ("dead", "missed") else set()
    assert set(marks) - {"error_fp"} == {"expires_at"} | wanted


@pytest.mark.parametrize("status", sorted(OPEN))
def test_an_open_row_has_no_end(status: str) -> None:
    assert set(left(RUNNING, run(status=status).life)) == (
        LISTED if status == "retrying" else set()
    )
    assert "expires_at" not in run_writes.insert(run(status=status), now_ms=NOON_MS).item


def test_what_wants_attention_is_found_by_tenant_and_time() -> None:
    marks = left(RUNNING, run(status="dead", reason="permanent").life)

    assert marks["attention"] == "acme#dead"
    assert marks["attention_at"] == f"{NOON_MS}#2026-11-18T12:00:00Z"
    assert (marks["status"], marks["reason"]) == ("dead", "permanent")


def test_what_retries_is_listed_once_and_leaves_the_list_when_it_starts_again() -> None:
    retrying = run(status="retrying", attempt=1, attention="acme#retrying")
    begun = run_writes.started(retrying, owner="W", msg="M", now_ms=NOON_MS, lease_ms=NOON_MS + 1)

    assert "attention" not in dict(run_writes.stamp(retrying, 2, now_ms=NOON_MS).sets)
    assert run_writes.start(retrying, begun, now_ms=NOON_MS).removes == (
        "attention",
        "attention_at",
    )
    assert begun.attention == ""


def test_a_long_run_is_listed_until_it_ends() -> None:
    marks = dict(run_writes.extend(RUNNING, RUNNING.life, long=True, now_ms=NOON_MS).sets)
    listed = replace(RUNNING, attention="acme#long")

    assert (marks["attention"], marks["status"]) == ("acme#long", "running")
    again = run_writes.extend(listed, RUNNING.life, long=True, now_ms=NOON_MS)
    assert (len(again.sets), again.removes) == (1, ())
    over = run_writes.settle(listed, run(status="succeeded").life, now_ms=NOON_MS)
    assert over.removes == ("attention", "attention_at")


def test_a_row_is_read_as_it_was_put() -> None:
    whole = run(
        "2026-11-18T12:00:00Z~b1",
        status="dead",
        attempt=2,
        error={"type": "X"},
        attempts=({"attempt": 1, "outcome": "failed"},),
        slot="2026-11-18T12:00:00Z",
        backfill_id="bkf_1",
        payload_ref="ref",
        replay_of="other",
        cancel_ms=5,
        cancel_by="user",
    )

    listed = replace(whole, attention="acme#dead")
    assert parse(run_writes.insert(whole, now_ms=NOON_MS).item) == listed
    assert parse(run_writes.insert(run(), now_ms=NOON_MS).item) == run()


def test_what_a_newer_version_keeps_besides_is_passed_over() -> None:
    item = dict(run_writes.insert(run(), now_ms=NOON_MS).item)
    newer = item | {"life": item["life"] | {"novel": 1}, "colour": "red"}

    assert parse(newer) == run()


def test_a_takeover_keeps_what_became_of_the_lost_attempt() -> None:
    seen = run(status="running", attempt=1, owner="W1", started_ms=NOON_MS, lease_ms=NOON_MS + 9)
    begun = run_writes.started(
        seen, owner="W2", msg="m", now_ms=NOON_MS + 50, lease_ms=NOON_MS + 99
    )

    attempt = begun.life.its_attempt
    assert (attempt.number, attempt.owner, attempt.lease_ms) == (2, "W2", NOON_MS + 99)
    assert [(one["attempt"], one["outcome"]) for one in begun.life.attempts] == [(1, "lost")]
    assert attempt.first_started_ms == NOON_MS


def test_a_first_start_has_no_history() -> None:
    begun = run_writes.started(run(), owner="W", msg="m", now_ms=NOON_MS + 4, lease_ms=NOON_MS + 9)

    attempt = begun.life.its_attempt
    assert (attempt.number, attempt.first_started_ms, begun.life.attempts) == (1, None, ())
    assert attempt.started_ms == NOON_MS + 4


def test_a_start_forgets_who_has_sent_it() -> None:
    seen = run(claim_id="D", claim_until=9)
    begun = run_writes.started(seen, owner="W", msg="m", now_ms=NOON_MS, lease_ms=NOON_MS + 9)

    assert begun.life.claim is None


def test_a_heartbeat_moves_nothing_but_the_lease() -> None:
    sets = dict(run_writes.settle(RUNNING, RUNNING.life, now_ms=NOON_MS).sets)

    assert set(sets) == {"life"}
