"""The audit looks at every listed run until it is final, asks less and less often, only sends."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.registry.run_cancel import cancel
from onthedot.schedule.time.instants import nominal
from onthedot.targets.attempt_outcome import Again, Done
from onthedot.upkeep import claims_audit
from onthedot.upkeep.claims_audit import audit
from onthedot.upkeep.ledger import Ledger
from tests.schedule.samples import lived
from tests.simulation.calm import (
    NOON,
    add,
    go,
    outcomes,
    partition,
    purge,
    put_run,
    runs,
    spoil,
    wait,
)
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.outside.bus import ARN
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users import user


def listed(stage: Stage, *run_ids: str, tv: int = 1) -> None:
    """Puts a manifest as a dispatch puts it that died before its first claim."""
    entries = [manifest.Entry(run_id, tv, "acme") for run_id in run_ids]
    now_ms = stage.world.epoch_us() // 1000
    for each in manifest.listing("DEAD", entries, now_ms=now_ms):
        put_run(stage, each.item())


def manifests(stage: Stage) -> list[tuple[str, int]]:
    """Returns the minute that each manifest is for, and how often it was carried."""
    return [(item["task_id"][17:22], item["carried"]) for item in partition(stage, "check#")]


def test_what_is_final_is_counted_and_its_manifest_goes(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 130)
    user.delete(task.task_id)
    wait(stage, 400)

    figures = audit().figures()

    assert figures["succeeded"] == 2
    assert figures["cancelled"] == 2
    assert figures["lag_max_ms"] < 100
    assert figures["duration_p50_ms"] >= 50
    assert manifests(stage) == []


def test_a_lost_message_is_sent_again_twenty_seconds_after_it_was_due(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    trigger(task.task_id)
    purge(stage)
    wait(stage, 19)
    assert "resent" not in audit().figures()
    wait(stage, 21)

    assert audit().figures()["resent"] == 1
    # It was late: nothing is waited for.
    wait(stage, 21.9)

    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_a_lost_retry_is_sent_again_as_the_next_attempt(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    stage.answer = lambda call: Again(Reason.FAILED, after_sec=20) if call.attempt == 1 else Done()
    trigger(task.task_id)
    wait(stage, 5)
    purge(stage)

    go(stage, 300, audited=True)

    assert [delivery.attempt for delivery in stage.deliveries] == [1, 2]
    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_what_stays_open_is_asked_for_less_and_less_often(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=7_200)
    trigger(task.task_id)
    minutes = []
    for minute in range(1, 60):
        wait(stage, minute * 60 + 30)
        audit()
        minutes.append(manifests(stage)[0])

    assert list(dict.fromkeys(minutes)) == [
        ("12:02", 1),
        ("12:04", 2),
        ("12:08", 3),
        ("12:16", 4),
        ("12:31", 5),
        ("12:46", 6),
        ("13:01", 7),
    ]


def test_a_crash_between_the_two_manifests_looks_twice(stage: Stage) -> None:
    run = trigger(add(stage, "0 0 * * *").task_id)
    assert run is not None
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=7_200)
    (before,) = partition(stage, "check#")
    wait(stage, 90)
    audit()
    put_run(stage, before)
    audit()

    assert manifests(stage) == [("12:02", 1)]


def test_a_row_that_nobody_put_is_waited_for_and_then_recorded_as_missed(stage: Stage) -> None:
    task = add(stage, "*/5 * * * *")
    listed(stage, f"{task.task_id}.20261118T120500Z")
    spoil(stage, task, "cursor", next_run_at=nominal(NOON + 600))
    for minute in range(1, 10):
        wait(stage, minute * 60 + 30)
        assert "unaccounted" not in audit().figures()

    wait(stage, 1_000)
    assert audit().figures() == {"unaccounted": 1}

    (found,) = runs(stage, task)
    assert (found.life.status, found.life.reason) == ("missed", "unaccounted")
    assert found.life.due_ms == (NOON + 300) * 1000
    assert manifests(stage) == []


@pytest.mark.parametrize("of", ["sch_SOME", "event#open"])
def test_a_missing_row_is_counted_once_though_it_or_its_event_was_not_written_at_first(
    of: str,
) -> None:
    """An alarm looks at that figure."""
    busy = Outage(from_sec=990, for_sec=30, table="runs", partition=of)
    stage, seen = make_stage(1, Profile(outages=(busy,))), Ledger()
    stage.places = (ARN,)
    with staged(stage):
        task = add(stage, "*/5 * * * *")
        listed(stage, f"{task.task_id}.20261118T120500Z")
        spoil(stage, task, "cursor", next_run_at=nominal(NOON + 600))
        for at_sec in (1_000, 1_060):
            stage.world.spawn("audit", lambda: audit(seen), at_sec=at_sec)
        wait(stage, 1_090)
        (found,) = runs(stage, task)
        assert len(partition(stage, "event#open")) == 1

    assert found.life.reason == "unaccounted"
    assert seen.counts["unaccounted"] == 1


def _edited(stage: Stage) -> None:
    user.pause(stage.tasks[0].task_id)


def _ahead(stage: Stage) -> None:
    spoil(stage, stage.tasks[0], "cursor", next_run_at=nominal(NOON + 300))


def _gone(stage: Stage) -> None:
    key = {"task_id": {"S": stage.tasks[0].task_id}, "part": {"S": "cursor"}}
    stage.world.store.delete_item(TableName="tasks", Key=key)


@pytest.mark.parametrize("why", [_edited, _ahead, _gone])
def test_a_row_whose_absence_is_explained_is_forgotten(
    stage: Stage, why: Callable[[Stage], None]
) -> None:
    task = add(stage, "*/5 * * * *")
    listed(stage, f"{task.task_id}.20261118T120500Z")
    spoil(stage, task, "cursor", next_run_at=nominal(NOON + 600))
    why(stage)
    before = outcomes(stage, task)

    go_audited(stage, 1_500)

    assert outcomes(stage, task) == before
    assert manifests(stage) == []


def test_a_row_of_a_task_that_cannot_be_read_stays_on_its_list(stage: Stage) -> None:
    """An edit may heal the task, and then the audit can say what became of the slot."""
    task = add(stage, "*/5 * * * *")
    listed(stage, f"{task.task_id}.20261118T120500Z")
    spoil(stage, task, "cursor", next_run_at=nominal(NOON + 600), compiled=b"?")

    go_audited(stage, 1_500)

    assert outcomes(stage, task) == {}
    assert len(manifests(stage)) == 1


def test_a_slot_that_a_range_covers_is_not_unaccounted(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *", misfire="none")
    listed(stage, f"{task.task_id}.20261118T120500Z")
    wait(stage, 1_300)
    go(stage, 1_400)
    register_ranges = [run for run in runs(stage, task) if run.range_to]
    assert register_ranges != []

    figures = audit().figures()

    assert "unaccounted" not in figures
    assert "12:05:00" not in outcomes(stage, task)


def test_an_unknown_run_that_has_no_slot_is_forgotten(stage: Stage) -> None:
    task = add(stage, "*/5 * * * *")
    listed(stage, f"{task.task_id}.20261118T120001.000Z~mABC")

    go_audited(stage, 1_500)

    assert outcomes(stage, task) == {}
    assert manifests(stage) == []


def test_nothing_is_sent_for_a_run_that_was_cancelled(stage: Stage) -> None:
    run = trigger(add(stage, "0 0 * * *").task_id)
    assert run is not None
    purge(stage)
    cancel(run.run_id)
    wait(stage, 100)

    assert audit().figures() == {"cancelled": 1}
    assert stage.deliveries == []


@pytest.mark.parametrize(
    ("life", "after_sec"),
    [
        ({"status": "claimed"}, 80),
        ({"status": "retrying", "attempt": 1}, 80),
        ({"status": "running", "attempt": 1, "owner": "W", "lease_ms": (NOON + 60) * 1000}, 110),
        ({"status": "awaiting", "attempt": 1, "owner": "W", "lease_ms": (NOON + 60) * 1000}, 110),
    ],
    ids=lambda life: life["status"] if isinstance(life, dict) else "",
)
def test_a_run_is_asked_after_once_it_is_overdue(
    stage: Stage, life: dict[str, Any], after_sec: int
) -> None:
    """What has a lease is left alone until that is over by any clock, and half a minute longer."""
    task = add(stage, "0 0 * * *")
    due_ms = (NOON - 600 if "lease_ms" in life else NOON + 60) * 1000
    run = Run(
        task_id=task.task_id,
        key="2026-11-18T12:00:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=lived(**{"due_ms": due_ms, **life}),
    )
    put_run(stage, dict(run_writes.insert(run, now_ms=due_ms).item))
    entry, since_ms = manifest.Entry(run.run_id, 1, "acme"), (NOON - 120) * 1000
    (each,) = manifest.listing("ONE", [entry], now_ms=since_ms)
    for at_sec, resent in ((after_sec - 0.05, False), (after_sec + 0.05, True)):
        put_run(stage, each.item())
        wait(stage, at_sec)
        assert ("resent" in audit().figures()) == resent


def _looked(stage: Stage, work_sec: float = inf) -> list[str]:
    """Lets a process look, so that its calls take their time; gives the minutes
    that it asked for.
    """
    before = len(stage.world.trace)
    stage.world.spawn("audit", lambda: audit(work_sec=work_sec))
    wait(stage, stage.world.now_us / 1_000_000 + 5)
    asked = [entry[3] for entry in stage.world.trace[before:] if entry[2] == "query"]
    keys = [str(each["ExpressionAttributeValues"]) for each in asked]
    return [key.partition("check#2026-11-18T")[2][:5] for key in keys if "check#" in key]


def test_an_audit_that_is_short_of_time_looks_at_the_oldest_lists_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_audit, "LOOK_BACK_MIN", 11)
    for minute in range(12):
        now_ms, due_ms = (NOON - 3_600) * 1000, (NOON - (minute + 1) * 60) * 1000
        entry = manifest.Entry("sch_gone.20261118T000000Z", 1, "acme").due_at(due_ms)
        for each in manifest.listing("GONE", [entry], now_ms=now_ms):
            put_run(stage, each.item())
    whole = sorted(each for each, _ in manifests(stage))
    assert len(whole) == 12

    asked = _looked(stage, 0.15)

    left = sorted(each for each, _ in manifests(stage))
    assert 0 < len(left) < len(whole)
    assert left == whole[-len(left) :]
    # It asks for no more than it could yet look at when it began to ask.
    assert len(asked) < len(whole)
    for _ in range(5):
        _looked(stage, 0.15)
    assert manifests(stage) == []


def test_an_audit_asks_for_each_of_its_minutes_once_and_at_half_the_price(stage: Stage) -> None:
    wait(stage, 59.9)

    asked = _looked(stage)

    wanted = [f"11:{minute}" for minute in range(30, 60)] + ["12:00", "12:01"]
    assert sorted(asked) == wanted
    queries = [entry[3] for entry in stage.world.trace if entry[2] == "query"]
    assert not any(each.get("ConsistentRead") for each in queries if "check#" in str(each))


def go_audited(stage: Stage, until_sec: int) -> None:
    """Lets the audit run each minute, and no tick."""
    figures: list[Any] = []
    for minute in range(1, until_sec // 60):
        wait(stage, minute * 60 + 30)
        figures.append(audit().figures())
    assert not any("unaccounted" in each for each in figures)


def test_after_the_first_look_only_what_has_another_due_time_is_listed_once_more(
    stage: Stage,
) -> None:
    """Lists of recent runs are found by due times, and an edit may change those."""
    moved, same = _row(NOON - 300, due_sec=NOON - 180), _row(NOON - 240, due_sec=NOON - 240)
    entries = [
        manifest.Entry(run.run_id, 1, "acme").due_at((NOON - ago) * 1000)
        for run, ago in ((moved, 300), (same, 240))
    ]
    (source,) = manifest.listing("ONE", entries, now_ms=(NOON - 240) * 1000)
    put_run(stage, source.item() | {"carried": 1})
    for run in (moved, same):
        put_run(stage, dict(run_writes.insert(run, now_ms=NOON * 1000).item))

    audit()

    lists = [manifest.parse(item) for item in partition(stage, "recent#")]
    found = [(each.run_id, each.due_ms) for one in lists for each in one.entries]
    assert found == [(moved.run_id, (NOON - 180) * 1000)]


def _row(slot: int, due_sec: int) -> Run:
    """Returns a run that is over, of a schedule that is gone."""
    life = lived(status="succeeded", due_ms=due_sec * 1000, ended_ms=NOON * 1000)
    return Run(
        task_id="sch_A",
        key=nominal(slot),
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=life,
    )
