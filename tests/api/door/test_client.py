"""`onthedot.Client` against the API over HTTP: what it plans, carries out and keeps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot import ApiError, Client
from onthedot.upkeep import bulk_operations
from tests.api import ran
from tests.api.kit import Api
from tests.api.serving import served


@pytest.fixture
def client(api: Api) -> Iterator[Client]:
    with served() as port:
        made = Client(f"http://127.0.0.1:{port}", api.key())
        yield made
        made.transport.close()


def test_a_plan_does_nothing_until_it_is_executed_and_then_once(api: Api, client: Client) -> None:
    for _ in range(3):
        ran.dead(api)

    plan = client.dead_letters.plan_replay(reason="attempts_exhausted", rate_per_min=2)
    before = list(client.dead_letters.operations())
    begun, again = plan.execute(), plan.execute()
    bulk_operations.step()

    assert (plan.effects["runs"], before) == (3, [])
    assert again == begun
    assert client.dead_letters.operation(begun["operation_id"])["done"] == 2
    stopped = client.dead_letters.cancel(begun["operation_id"])
    assert (stopped["status"], stopped["done"]) == ("cancelled", 2)
    assert [each["kind"] for each in client.dead_letters.operations()] == ["replay"]


def test_a_plan_that_fits_no_more_is_refused(api: Api, client: Client) -> None:
    ran.dead(api)
    other = ran.dead(api)
    plan = client.dead_letters.plan_purge()
    client.runs.replay(other)

    with pytest.raises(ApiError, match="plan_stale"):
        plan.execute()


def test_dead_letters_are_walked_and_grouped_and_purged(api: Api, client: Client) -> None:
    died = [ran.dead(api), ran.dead(api), ran.dead(api, message="out of paper")]

    found = [each["run_id"] for each in client.dead_letters.iter(limit=2)]
    since = list(client.dead_letters.iter(from_="2026-11-19T00:00:00Z"))
    groups = client.dead_letters.groups()
    client.dead_letters.plan_purge(fingerprint=groups[0]["fingerprint"]).execute()
    bulk_operations.step()

    assert sorted(found) == sorted(died)
    assert since == []
    assert [group["count"] for group in groups] == [2, 1]
    assert [client.runs.get(each)["error"] is None for each in died] == [True, True, False]


def test_slots_of_the_past_are_planned_begun_and_followed(api: Api, client: Client) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")

    plan = client.backfills.plan(
        "report", from_="2026-11-18T10:00:00Z", to="2026-11-18T11:00:00Z", rate_per_min=3
    )
    begun = plan.execute()
    bulk_operations.step()
    halfway = client.backfills.get("report", begun["backfill_id"])
    stopped = client.backfills.cancel("report", begun["backfill_id"])

    assert plan.effects["runs"] == 5
    assert (begun["launched"], halfway["launched"]) == (0, 3)
    assert stopped["status"] == "cancelled"
    assert [each["backfill_id"] for each in client.backfills.iter("report")] == [
        begun["backfill_id"]
    ]


def test_a_calendar_is_kept_replaced_as_it_was_seen_and_forgotten(client: Client) -> None:
    made = client.calendars.create("us-holidays", dates=["2026-12-25"])
    seen = client.calendars.get("us-holidays")
    changed = client.calendars.replace(
        "us-holidays", {"dates": ["2026-12-25", "2027-01-01"]}, version=made["version"]
    )

    assert seen == made
    assert changed["version"] == 2
    with pytest.raises(ApiError, match="version_mismatch"):
        client.calendars.replace("us-holidays", {"dates": ["2026-12-26"]}, version=1)
    assert [each["dates"] for each in client.calendars.iter()] == [["2026-12-25", "2027-01-01"]]
    client.calendars.delete("us-holidays")
    assert list(client.calendars.iter()) == []


def test_a_key_is_made_shown_without_its_text_and_revoked(client: Client) -> None:
    made = client.keys.create("worker", name="box-1")

    assert made["key"].startswith(f"otd_{made['key_id'].removeprefix('key_')}_")
    assert "key" not in client.keys.get(made["key_id"])
    client.keys.revoke(made["key_id"])
    (revoked,) = (each for each in client.keys.iter() if each["key_id"] == made["key_id"])
    assert revoked["revoked_at"] is not None


def test_what_passed_in_a_pause_is_run_only_by_a_plan(api: Api, client: Client) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")
    client.schedules.pause("report", reason="a move", until="2026-11-19T00:00:00Z")
    api.now_ms += 3_600_000

    plan = client.schedules.plan_resume("report", "all")
    still = client.schedules.get("report")["status"]
    resumed = plan.execute()

    assert (len(plan.effects["will_run"]), still, resumed["status"]) == (4, "paused", "active")
    caught_up = list(client.schedules.runs("report", origin="catchup"))
    assert len(caught_up) == 4
    slots = client.schedules.slots(
        "report", from_="2026-11-18T12:15:00Z", to="2026-11-18T13:00:00Z"
    )
    assert [slot["status"] for slot in slots] == ["skipped"] * 4
    client.schedules.pause("report")
    assert client.schedules.resume("report")["status"] == "active"


def test_a_task_is_moved_and_a_run_without_a_log_has_none(api: Api, client: Client) -> None:
    task = client.tasks.create(delay_sec=600, target={"type": "python", "handler": "hello"})

    moved = client.tasks.reschedule(task["task_id"], delay_sec=1_200)

    assert moved["run_at"] == "2026-11-18T12:20:00Z"
    assert list(client.runs.logs(ran.dead(api))) == []
