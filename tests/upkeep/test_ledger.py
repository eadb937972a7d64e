"""The figures of a minute follow from its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.records.runs.run_status import FINAL
from onthedot.upkeep.ledger import Ledger
from onthedot.upkeep.minute_tally import Tally
from tests.schedule.samples import NOON_MS, run


def succeeded(lag_ms: int, duration_ms: int) -> dict[str, Any]:
    """Returns a run of one attempt."""
    started_ms = NOON_MS + lag_ms
    return {
        "status": "succeeded",
        "attempt": 1,
        "started_ms": started_ms,
        "ended_ms": started_ms + duration_ms,
    }


def test_outcomes_are_counted_and_nothing_else_is_made_up() -> None:
    ledger = Ledger()
    for status in sorted(FINAL):
        ledger.note(run(status=status, reason="any"))

    assert ledger.figures() == dict.fromkeys(FINAL, 1)
    assert Ledger().figures() == {}


def test_lateness_and_durations_have_their_percentiles() -> None:
    ledger = Ledger()
    for number in range(1, 101):
        ledger.note(run(**succeeded(number, number * 10)))

    figures = ledger.figures()
    assert (figures["lag_p50_ms"], figures["lag_p99_ms"], figures["lag_max_ms"]) == (51, 100, 100)
    assert (figures["duration_p50_ms"], figures["duration_max_ms"]) == (510, 1_000)
    assert figures["succeeded"] == 100


def test_what_waited_as_its_user_had_it_wait_is_not_late() -> None:
    ledger = Ledger()
    ledger.note(run(**succeeded(9_000, 5), waited="line"))
    ledger.note(run(**succeeded(3, 5)))

    figures = ledger.figures()
    assert (figures["lag_max_ms"], figures["pickup_max_ms"]) == (3, 3)
    assert figures["succeeded"] == 2


def test_a_retried_run_counts_its_attempts_and_not_its_lateness() -> None:
    ledger = Ledger()
    outcomes = ("failed", "lost", "failed", "lost")
    attempts = tuple({"outcome": outcome} for outcome in outcomes)
    seen = run(**succeeded(9_000, 5), attempts=attempts, first_started_ms=NOON_MS + 3)
    ledger.note(replace(seen, stale=({"attempt": 2, "outcome": "stale"},)))

    figures = ledger.figures()
    assert (figures["retries"], figures["leases_lost"], figures["doubled"]) == (4, 2, 1)
    assert "lag_max_ms" not in figures
    assert figures["duration_max_ms"] == 5


def test_attempts_and_lost_leases_are_booked_under_their_tenant() -> None:
    ledger, booked = Ledger(), Tally()
    life = succeeded(9_000, 5) | {"attempt": 3, "attempts": ({"outcome": "lost"},)}
    noted = run(**life)
    booked.count(noted.tenant_id, "succeeded")
    booked.count(noted.tenant_id, "attempts", 3)
    booked.count(noted.tenant_id, "leases_lost", 1)

    ledger.note(noted)

    assert ledger.tally == booked


def test_each_outcome_is_booked_under_its_tenant() -> None:
    ledger, booked = Ledger(), Tally()
    noted = run(status="missed", reason="any")
    booked.count(noted.tenant_id, "missed")

    ledger.note(noted)

    assert ledger.tally == booked
    assert ledger.tally != Tally()
