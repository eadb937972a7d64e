"""Where a run that outside workers fetch stands in their index, and when it stands in none."""

from __future__ import annotations

import pytest

from onthedot.records.runs import pull
from onthedot.records.runs.run_status import FINAL
from tests.schedule.samples import NOON_MS, run

QUEUE = "pull:1:gpu:large"
FETCHED = run(queue=QUEUE)


def test_a_queue_is_named_by_priority_and_by_a_name_that_may_have_colons() -> None:
    assert pull.queue_of(1, "gpu:large") == QUEUE
    assert pull.pulled(QUEUE)
    assert not pull.pulled("normal")


def test_a_worker_has_the_queues_of_its_names_and_one_without_names_has_all() -> None:
    assert pull.within(QUEUE, ["cpu", "gpu:large"])
    assert not pull.within(QUEUE, ["gpu"])
    assert pull.within(QUEUE, [])
    assert pull.within("normal", [])
    assert not pull.within("normal", ["normal"])


def test_the_parts_of_a_partition_go_by_urgency_and_end_with_what_is_due() -> None:
    parts = pull.ranges(NOON_MS)

    assert [first for first, _ in parts] == ["1#", "2#", "3#", "9#"]
    assert {last[2:] for _, last in parts} == {f"{NOON_MS:013}"}


@pytest.mark.parametrize("status", ["claimed", "waiting", "retrying", "awaiting"])
def test_what_is_open_stands_by_its_due_time(status: str) -> None:
    life = run(status=status, attempt=1, lease_ms=NOON_MS + 9).life

    assert pull.marks(FETCHED, life) == (
        ("pull", "acme#gpu:large"),
        ("pull_at", f"1#{NOON_MS:013}"),
    )
    assert pull.unmarked(FETCHED, life) == ()


def test_what_is_under_a_lease_stands_by_the_end_of_it_behind_all_others() -> None:
    life = run(status="running", attempt=1, lease_ms=NOON_MS + 9).life

    assert dict(pull.marks(FETCHED, life))["pull_at"] == f"9#{NOON_MS + 9:013}"


@pytest.mark.parametrize("status", sorted(FINAL))
def test_what_is_over_is_taken_off_the_index(status: str) -> None:
    life = run(status=status).life

    assert pull.marks(FETCHED, life) == ()
    assert pull.unmarked(FETCHED, life) == ("pull", "pull_at")


def test_what_goes_by_messages_stands_in_no_index() -> None:
    assert pull.marks(run(), run().life) == ()
    assert pull.unmarked(run(), run(status="succeeded").life) == ()
