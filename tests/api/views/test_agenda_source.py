"""What a tenant has coming: short lists are read each time, long ones are kept for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from onthedot.api.views import agenda_source
from onthedot.api.views.fire_agenda import Agenda
from tests.simulation.calm import FREE, NOON, wait
from tests.simulation.faults.faults import Profile
from tests.simulation.stage import Stage, make_stage, make_task, staged


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    agenda_source.forget()
    yield
    agenda_source.forget()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks are a long list, four a very long one, and six are as many as are read."""
    monkeypatch.setattr(agenda_source, "_ANEW_UP_TO", 2)
    monkeypatch.setattr(agenda_source, "_MANY", 4)
    monkeypatch.setattr(agenda_source, "LISTED_MAX", 6)


def put(stage: Stage, *names: str, tenant_id: str = "acme") -> None:
    for name in names:
        listed = {"listed": f"{tenant_id}#s", "created_at": "2026-11-18T11:00:00.000Z"}
        task = make_task(
            name, "*/5 * * * *", stage.world, tenant_id=tenant_id, shown=listed, **FREE
        )
        stage.register(task)


def put_once(stage: Stage, name: str, start_at: str) -> None:
    shown = {"listed": "acme#t", "created_at": start_at, "start_at": start_at}
    once = f"at({start_at[:-1]})"
    made = make_task(name, once, stage.world, prefix="tsk", **FREE)
    # A one-off task has no cron of its own.
    stage.register(replace(made, shown=shown))


def reads(stage: Stage) -> int:
    return sum(entry[2] == "query" for entry in stage.world.trace)


def coming(stage: Stage, tenant_id: str = "acme") -> Agenda:
    """Asks within a process, so that its calls are on record."""
    return asked(stage, agenda_source.coming, tenant_id)


def asked(stage: Stage, ask: Callable[[str], Agenda], tenant_id: str = "acme") -> Agenda:
    found: list[Agenda] = []
    stage.world.spawn("api", lambda: found.append(ask(tenant_id)))
    wait(stage, stage.world.now_us / 1_000_000 + 0.5)
    return found[0]


@pytest.mark.usefixtures("few")
def test_a_short_list_is_read_each_time(stage: Stage) -> None:
    put(stage, "a", "b")
    coming(stage)
    before = reads(stage)

    assert coming(stage).size == 2
    assert reads(stage) == before + 2


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("names", "kept_sec"), [("abc", 60), ("abcd", 60), ("abcde", 300)])
def test_a_long_list_is_kept_for_a_minute_and_a_very_long_one_for_five(
    stage: Stage, names: str, kept_sec: int
) -> None:
    put(stage, *names)
    read_ms = coming(stage).read_ms
    put(stage, "z")
    wait(stage, kept_sec - 2)
    assert coming(stage).read_ms == read_ms
    wait(stage, kept_sec + 1)

    found = coming(stage)

    assert (found.size, found.complete) == (len(names) + 1, True)
    assert found.read_ms >= (NOON + kept_sec + 1) * 1000


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("names", "complete"), [("abcdef", True), ("abcdefg", False)])
def test_no_more_are_read_than_a_tenant_may_have(
    stage: Stage, names: str, *, complete: bool
) -> None:
    put(stage, *names)

    found = coming(stage)

    assert (found.size, found.complete) == (6, complete)


@pytest.mark.parametrize(
    ("schedules", "tasks"), [("abcdefg", ""), ("", "abcdefg"), ("abcdefg", "hijklmn")]
)
@pytest.mark.usefixtures("few")
def test_a_list_is_complete_only_if_its_schedules_and_its_tasks_are(
    stage: Stage, schedules: str, tasks: str
) -> None:
    put(stage, *schedules)
    for name in tasks:
        put_once(stage, name, "2026-11-18T13:00:00Z")

    assert not coming(stage).complete


def test_a_task_that_was_due_yesterday_is_not_to_come(stage: Stage) -> None:
    for name, start_at in (("past", "2026-11-17T12:00:00Z"), ("next", "2026-11-18T12:00:05Z")):
        put_once(stage, name, start_at)

    assert coming(stage).size == 1


def test_who_waits_no_longer_is_told_what_was_read_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each page has three entries at most, and the first one takes all the time there is."""
    monkeypatch.setattr(agenda_source, "_PATIENCE_SEC", 0.0)
    stage = make_stage(1, Profile(short_page=1.0))
    with staged(stage):
        put(stage, *"abcdefgh")
        found = coming(stage)
        stage.world.close()

    assert 0 < found.size < len("abcdefgh")
    assert not found.complete


def test_a_look_in_passing_takes_what_is_known_for_a_minute(stage: Stage) -> None:
    put(stage, "a")
    assert asked(stage, agenda_source.neighbours).size == 1
    put(stage, "b")

    assert asked(stage, agenda_source.neighbours).size == 1
    wait(stage, 62)
    assert asked(stage, agenda_source.neighbours).size == 2


@pytest.mark.usefixtures("few")
def test_a_look_in_passing_reads_no_very_long_list(stage: Stage) -> None:
    put(stage, *"abcde")

    found = asked(stage, agenda_source.neighbours)

    assert (found.size, found.complete) == (4, False)


@pytest.mark.usefixtures("few")
def test_the_latest_lists_are_kept_and_no_more_than_fit(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenda_source, "_REMEMBERED_MAX", 6)
    for tenant_id in ("acme", "beta", "gamma"):
        put(stage, *(f"{tenant_id} {each}" for each in "abc"), tenant_id=tenant_id)
    first = coming(stage, "acme").read_ms
    second = coming(stage, "beta").read_ms
    assert coming(stage, "acme").read_ms == first
    coming(stage, "gamma")

    assert coming(stage, "beta").read_ms == second
    assert coming(stage, "acme").read_ms > first


@pytest.mark.usefixtures("few")
def test_one_list_is_kept_whatever_its_length(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenda_source, "_REMEMBERED_MAX", 1)
    put(stage, *"abc")
    read_ms = coming(stage).read_ms

    assert coming(stage).read_ms == read_ms


def test_what_was_read_again_is_the_latest(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is read again goes behind the others."""
    monkeypatch.setattr(agenda_source, "_ANEW_UP_TO", 0)
    monkeypatch.setattr(agenda_source, "_REMEMBERED_MAX", 2)
    for tenant_id in ("acme", "beta", "gamma"):
        put(stage, f"of {tenant_id}", tenant_id=tenant_id)
    coming(stage, "acme")
    second = coming(stage, "beta").read_ms
    wait(stage, 30)
    monkeypatch.setattr(agenda_source, "_KEPT_MS", 10_000)
    third = coming(stage, "acme").read_ms
    monkeypatch.setattr(agenda_source, "_KEPT_MS", 60_000)
    coming(stage, "gamma")

    assert coming(stage, "acme").read_ms == third
    assert coming(stage, "beta").read_ms > second
