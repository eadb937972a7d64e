"""What anybody may know of the scheduler: whether it is alive, and nothing that costs much."""

from __future__ import annotations

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.dispatch.due_tasks import KEY
from onthedot.store import table_reads
from tests.api.kit import Answer, Api
from tests.api.signs import audited, ticked

SECONDS = 1_000


def asked(api: Api) -> Answer:
    """As a load balancer asks: without a key."""
    return api.call("GET /v1/health", key="")


def after(api: Api, seconds: int) -> Answer:
    """Some time after a tick and an audit."""
    ticked(api)
    audited(api)
    api.now_ms += seconds * SECONDS
    return asked(api)


@pytest.mark.parametrize(
    ("seconds", "code", "status", "tick"),
    [
        (0, 200, "ok", "ok"),
        (90, 200, "ok", "ok"),
        (91, 200, "degraded", "late"),
        (180, 200, "degraded", "late"),
        (181, 503, "down", "stopped"),
    ],
)
def test_with_the_dispatcher_dead_for_three_minutes_it_is_down(
    api: Api, seconds: int, *, code: int, status: str, tick: str
) -> None:
    answer = after(api, seconds)

    assert (answer.status, answer.body["status"], answer.body["tick"]) == (code, status, tick)


def test_with_the_audit_dead_it_is_degraded_and_the_queue_unknown(api: Api) -> None:
    audited(api)
    api.now_ms += 200 * SECONDS
    ticked(api)

    answer = asked(api)

    assert answer.status == 200
    assert answer.body["status"] == "degraded"
    assert (answer.body["tick"], answer.body["audit"]) == ("ok", "stopped")
    assert answer.body["queue"] == "unknown"


@pytest.mark.parametrize(("waiting", "queue"), [(500, "ok"), (501, "behind")])
def test_a_queue_that_nobody_empties_is_seen(api: Api, waiting: int, queue: str) -> None:
    ticked(api)
    audited(api, waiting)

    answer = asked(api)

    assert answer.body["queue"] == queue
    assert answer.body["status"] == ("ok" if queue == "ok" else "degraded")


def test_before_the_first_tick_nothing_is_known(api: Api) -> None:
    told = asked(api).body

    assert {told.pop(name) for name in ("tick", "audit", "queue")} == {"unknown"}
    assert told.pop("status") == "degraded"
    assert set(told) == {"tzdata"}


def test_rows_of_yesterdays_release_are_read(api: Api) -> None:
    table_reads.put("runs", KEY | {"mean": 0, "overdue": [], "open": False})
    minute = {"task_id": "stat#minutes", "scheduled_for": "2026-11-18T12:00:00Z", "tenants": {}}
    table_reads.put("runs", minute)
    api.now_ms += 30 * SECONDS

    answer = asked(api)

    assert (answer.status, answer.body["status"]) == (200, "degraded")
    assert (answer.body["tick"], answer.body["audit"]) == ("unknown", "ok")
    assert answer.body["queue"] == "unknown"


def test_a_stranger_who_asks_again_and_again_costs_two_reads_in_five_seconds(api: Api) -> None:
    asked(api)
    first = api.calls.total()
    counted = 0
    for _ in range(50):
        asked(api)
        counted += api.calls.total()
    api.now_ms += 5 * SECONDS
    asked(api)

    assert (first, counted, api.calls.total()) == (2, 0, 2)


def test_a_tick_whose_clock_is_too_far_off_is_no_sign_of_life(api: Api) -> None:
    # The store's clock is years from the one that stands still here.
    counts = dispatch([0]).counts

    assert counts["clock_offset_ms"] > 1_000_000
    assert asked(api).body["tick"] == "unknown"
