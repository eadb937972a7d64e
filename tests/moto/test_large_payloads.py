"""A large payload lies in the bucket, and nobody who registers, edits, runs or asks can tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from moto import mock_aws

from bench import recording
from lambdas import work
from onthedot.launch.trigger import trigger
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.payloads import INLINE_MAX_BYTES
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.edit import edit
from onthedot.store import aws, blobs, conditional_writer, table_reads
from onthedot.store.tasks import read
from onthedot.work.outside import lease
from tests.engines.place import Place, rows, surroundings
from tests.engines.tasks import create, task

LARGE = {"text": "é" * INLINE_MAX_BYTES, "for": "{{run_id}}"}
SMALL = {"text": "e" * 1_000}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(conditional_writer, "BATCH", 1)
    monkeypatch.setattr(recording, "calls", [])
    monkeypatch.setenv("BLOBS_BUCKET", "blobs")
    with surroundings(monkeypatch), mock_aws():
        aws.client("s3").create_bucket(Bucket="blobs")
        yield Place.made(monkeypatch)
        blobs._got.cache_clear()  # noqa: SLF001 a bucket a test, and what is in it never changes


def objects() -> list[str]:
    listed = aws.client("s3").list_objects_v2(Bucket="blobs")
    return [each["Key"] for each in listed.get("Contents", ())]


def stored(registered: Task) -> str:
    """Returns what the item says of the payload."""
    item = table_reads.get(task_spec.TABLE, task_spec.spec_key(registered.task_id))
    assert item is not None
    return str(item["payload"])


def known(registered: Task) -> object:
    """Returns the payload as a caller sees it who asks for the task."""
    found = read(registered.task_id)
    assert found is not None
    return found.task.payload


def run_now(place: Place, registered: Task, payload: object = None) -> str:
    """Triggers it and lets a worker have it; gives its outcome."""
    trigger(registered.task_id, payload=payload)
    assert place.poll(lambda event: work.handler(event, None)) == 1
    (run,) = rows(registered.task_id).values()
    return f"{run.life.status} {run.life.reason}".strip()


def test_a_small_payload_stays_with_its_task(place: Place) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=SMALL))

    assert objects() == []
    assert known(registered) == SMALL
    assert run_now(place, registered) == "succeeded"


def test_a_large_one_lies_in_the_bucket_and_reaches_its_target(place: Place) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))

    assert len(objects()) == 1
    assert stored(registered) == f"@{objects()[0]}"
    assert objects()[0].startswith(f"tasks/{registered.task_id}/1-")
    assert known(registered) == LARGE
    assert run_now(place, registered) == "succeeded"
    assert recording.calls[0].payload == LARGE | {"for": recording.calls[0].run_id}


@pytest.mark.usefixtures("place")
def test_an_edit_of_something_else_leaves_it_where_it_is() -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    before = stored(registered)

    edited = edit(registered.task_id, lambda seen, _: replace(seen, timeout_sec=7))

    assert edited is not None
    assert (edited.task.timeout_sec, edited.task.payload) == (7, LARGE)
    assert stored(registered) == before
    assert len(objects()) == 1


def test_an_edit_of_the_payload_puts_another(place: Place) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    larger = LARGE | {"more": "words"}

    edit(registered.task_id, lambda seen, _: replace(seen, payload=larger))
    assert known(registered) == larger
    edit(registered.task_id, lambda seen, _: replace(seen, payload=SMALL))

    assert known(registered) == SMALL
    assert len(objects()) == 2
    assert run_now(place, registered) == "succeeded"
    assert recording.calls[0].payload == SMALL


def test_a_run_may_have_a_large_one_of_its_own(place: Place) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=SMALL))

    assert run_now(place, registered, payload=LARGE) == "succeeded"
    assert recording.calls[0].payload["text"] == LARGE["text"]
    assert known(registered) == SMALL


def test_a_run_whose_payload_is_gone_says_so_and_is_not_tried_again(place: Place) -> None:
    registered = create(task(1, "0 0 1 1 *", payload=LARGE))
    aws.client("s3").delete_object(Bucket="blobs", Key=objects()[0])

    assert run_now(place, registered) == "dead payload_unreadable"
    assert recording.calls == []
    assert known(registered) is None


@pytest.mark.usefixtures("place")
def test_a_template_that_gives_too_much_ends_a_workers_run_and_no_other() -> None:
    pulled = {"type": "pull", "queue": "gpu"}
    payloads = ({"all": "{{run_id}}" * 25_000}, {"all": "{{run_id}}"})
    large, healthy = (
        create(replace(task(number, "0 0 1 1 *"), target=pulled, payload=payload))
        for number, payload in enumerate(payloads, 1)
    )
    for each in (large, healthy):
        trigger(each.task_id)

    leased = lease.take("gpu", tenant_id="acme", most=10, worker="box", lease_sec=60)

    assert [each.task.task_id for each in leased] == [healthy.task_id]
    (run,) = rows(large.task_id).values()
    assert (run.life.status, run.life.reason) == ("dead", "permanent")
    assert run.life.its_end.error["type"] == "TemplateTooLarge"
