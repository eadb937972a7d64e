"""Large payloads that nothing names any more are put aside; what is wanted stays, or comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from moto import mock_aws

from bench import recording
from lambdas import work
from onthedot.launch.replay import Wish, replay
from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_row import row_key
from onthedot.records.tasks import kept_versions, payloads, task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.edit import edit
from onthedot.store import aws, blobs, clock, conditional_writer, table_reads
from onthedot.store.tasks import read
from onthedot.upkeep import payload_sweep
from tests.engines.place import Place, surroundings
from tests.engines.tasks import create, task

LARGE = {"text": "e" * payloads.INLINE_MAX_BYTES}
OTHER = {"text": "o" * payloads.INLINE_MAX_BYTES}
DAY_MS = 86_400_000
Swept = Callable[..., int]
pytestmark = pytest.mark.usefixtures("place")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(conditional_writer, "BATCH", 1)
    monkeypatch.setattr(recording, "calls", [])
    monkeypatch.setenv("BLOBS_BUCKET", "blobs")
    with surroundings(monkeypatch), mock_aws():
        aws.client("s3").create_bucket(Bucket="blobs")
        yield Place.made(monkeypatch)
        blobs._got.cache_clear()  # noqa: SLF001 a bucket a test, and what is in it never changes


@pytest.fixture
def hours_later(monkeypatch: pytest.MonkeyPatch) -> Swept:
    """Returns what the audit of some minute does when the bucket's objects are two days old."""
    began_ms = clock.local_ms()

    def swept(minute: int = 7) -> int:
        hour_ms = 3_600_000
        now_ms = (began_ms + 2 * DAY_MS) // hour_ms * hour_ms + minute * 60_000
        with monkeypatch.context() as later:
            later.setattr(clock, "local_ms", lambda: now_ms)
            return put_aside()

    return swept


def put_aside() -> int:
    """Sweeps, and gives how many objects it put aside."""
    before = len(objects("aside/"))
    payload_sweep.step()
    return len(objects("aside/")) - before


def objects(kind: str = "") -> list[str]:
    listed = aws.client("s3").list_objects_v2(Bucket="blobs", Prefix=kind)
    return [each["Key"] for each in listed.get("Contents", ())]


def edited(registered: Task, payload: object) -> None:
    assert edit(registered.task_id, lambda seen, _: replace(seen, payload=payload)) is not None


def forget(registered: Task) -> None:
    """Deletes the versions that edits have kept, as TTL does 300 days later."""
    parts = kept_versions.since(0)
    for item in [*table_reads.rows(("task_id", registered.task_id), "part", parts, table="tasks")]:
        table_reads.delete("tasks", {name: item[name] for name in ("task_id", "part")})


def test_what_a_task_or_a_run_names_stays(hours_later: Swept) -> None:
    create(task(1, "0 0 1 1 *", payload=LARGE))
    other = create(task(2, "0 0 1 1 *"))
    trigger(other.task_id, payload=OTHER)

    assert hours_later() == 0
    assert sorted(key.split("/")[0] for key in objects()) == ["runs", "tasks"]


def test_what_an_edit_left_is_put_aside_and_found_by_whoever_still_has_its_name(
    hours_later: Swept,
) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    (former,) = objects()
    edited(registered, OTHER)

    # Runs of the former version were given it.
    assert hours_later() == 0
    forget(registered)
    assert hours_later() == 1
    assert objects("aside/") == [f"aside/{former}"]
    assert len(objects("tasks/")) == 1
    assert blobs.get(former) is not None
    known = read(registered.task_id)
    assert known is not None
    assert known.task.payload == OTHER


def test_going_back_to_a_former_payload_puts_it_anew(hours_later: Swept) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    edited(registered, OTHER)
    edited(registered, LARGE)

    assert hours_later() == 0
    forget(registered)
    assert hours_later() == 2
    known = read(registered.task_id)
    assert known is not None
    assert known.task.payload == LARGE


def test_a_table_set_back_finds_its_payloads_again(hours_later: Swept) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    before = table_reads.get(task_spec.TABLE, task_spec.spec_key(registered.task_id))
    assert before is not None
    edited(registered, {"small": True})
    forget(registered)
    assert hours_later() == 1

    table_reads.put(task_spec.TABLE, before)
    known = read(registered.task_id)
    assert known is not None
    assert known.task.payload == LARGE
    hours_later()
    assert objects("aside/") == []
    assert len(objects("tasks/")) == 1


def test_a_run_keeps_its_own_as_long_as_it_may_be_run_again(
    place: Place, hours_later: Swept
) -> None:
    registered = create(task(1, "0 0 1 1 *"))
    run = trigger(registered.task_id, payload=LARGE)
    assert run is not None
    place.poll(lambda event: work.handler(event, None))

    assert hours_later() == 0
    again = replay(run.run_id, Wish(by="key_1", payload=None, key=""))
    assert again is not None
    side = table_reads.get("runs", {**row_key(run.run_id), "scheduled_for": run.payload_ref})
    assert side is not None
    # Longer than its row, which lives for 90 days after its end.
    assert side["expires_at"] > run.life.due_ms / 1000 + 365 * 86_400


def test_what_belongs_to_a_run_that_is_forgotten_is_put_aside(hours_later: Swept) -> None:
    registered = create(task(1, "0 0 1 1 *"))
    run = trigger(registered.task_id, payload=LARGE)
    assert run is not None
    table_reads.delete("runs", {**row_key(run.run_id), "scheduled_for": run.payload_ref})

    assert hours_later() == 1
    assert objects("runs/") == []


def test_what_was_put_today_may_be_named_in_a_moment() -> None:
    blobs.put("tasks/sch_X/1-0", "{}")
    now_ms = clock.local_ms() // 3_600_000 * 3_600_000 + 7 * 60_000

    with pytest.MonkeyPatch.context() as soon:
        soon.setattr(clock, "local_ms", lambda: now_ms)
        assert put_aside() == 0
    assert objects() == ["tasks/sch_X/1-0"]


def test_it_looks_once_an_hour_and_leaves_alone_what_is_not_ours(hours_later: Swept) -> None:
    for key in ("notes.txt", "runs/odd", "tasks/sch_X/odd"):
        blobs.put(key, "{}")
    blobs.put("tasks/sch_X/1-0", "{}")

    assert hours_later(minute=8) == 0
    assert hours_later() == 1
    assert objects() == ["aside/tasks/sch_X/1-0", "notes.txt", "runs/odd", "tasks/sch_X/odd"]


def test_a_long_list_is_gone_through_page_by_page(
    hours_later: Swept, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        blobs.put(f"tasks/sch_{number}/1-0", "{}")
    whole = blobs.listed
    monkeypatch.setattr(blobs, "listed", lambda after: whole(after)[:2])

    assert hours_later() == 5
