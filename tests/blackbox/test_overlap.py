"""What waits for what: overlap, shared keys, rates, and a tenant's share of the workers."""

from __future__ import annotations

from itertools import pairwise
from threading import Event
from typing import Any

from tests.blackbox.receiver import Reply
from tests.blackbox.user import YEARLY, User, until
from tests.blackbox.world import World

WAIT = {"type": "python", "handler": "wait"}
SLOW = Reply(after_sec=7)


def times(user: User, ids: list[str]) -> list[tuple[str, str]]:
    """Returns when each began and ended, in the order in which they began; all have succeeded."""
    ended = [user.settled(run_id) for run_id in ids]
    assert [run["status"] for run in ended] == ["succeeded"] * len(ids)
    return sorted((run["started_at"], run["ended_at"]) for run in ended)


def at_once(spans: list[tuple[str, str]]) -> int:
    """Returns how many ran at the same time, at most."""
    return max(sum(b <= begin < e for b, e in spans) for begin, _ in spans)


def test_skip_lets_one_run_and_skips_what_comes_meanwhile(world: World) -> None:
    user, hook = world.tenant(), world.hook(SLOW)
    user.schedule("skips", cron="*/2 * * * * *", target=hook.target, overlap="skip", max_runs=6)

    def outcomes() -> set[tuple[str, str | None]]:
        return {(run["status"], run["reason"]) for run in user.runs("skips", "&status=final")}

    until(outcomes, lambda seen: {("succeeded", None), ("skipped", "overlap")} <= seen)
    ran = sorted(call.at for call in hook.calls)
    assert all(later - earlier >= 7 for earlier, later in pairwise(ran))


def test_queue_runs_each_one_after_the_other(world: World) -> None:
    user, released = world.tenant(), Event()
    hook = world.hook(Reply(once=released))
    user.schedule("queues", cron=YEARLY, target=hook.target, overlap="queue")

    ids = [user.trigger("queues") for _ in range(4)]
    waiting = wait_for(user, ids, 3)
    released.set()

    assert {run["reason"] for run in waiting} == {"overlap"}
    assert at_once(times(user, ids)) == 1
    assert len(hook.calls) == 4


def test_a_queue_takes_no_more_than_its_limit(world: World) -> None:
    user, released = world.tenant(), Event()
    hook = world.hook(Reply(once=released))
    user.schedule("short", cron=YEARLY, target=hook.target, overlap="queue", queue_max=1)

    first = user.trigger("short")
    user.at(first, "running")
    ids = [user.trigger("short") for _ in range(3)]
    full = until(lambda: [user.run(each) for each in ids], lambda runs: count(runs, "skipped") == 2)
    released.set()
    ended = [user.settled(each) for each in ids]

    assert count(full, "waiting") == 1
    outcomes = sorted((run["status"], run["reason"] or "") for run in ended)
    assert outcomes == [("skipped", "queue_full"), ("skipped", "queue_full"), ("succeeded", "")]


def test_allow_runs_at_most_so_many_at_once(world: World) -> None:
    user, released = world.tenant(), Event()
    hook = world.hook(Reply(once=released))
    user.schedule("two", cron=YEARLY, target=hook.target, overlap="allow", max_concurrent=2)

    ids = [user.trigger("two") for _ in range(5)]
    wait_for(user, ids, 3)
    called = until(lambda: hook.calls, lambda calls: len(calls) >= 2)
    assert len(called) == 2
    released.set()

    assert at_once(times(user, ids)) <= 2


def test_allow_without_a_number_lets_all_run_beside_each_other(world: World) -> None:
    user, released = world.tenant(), Event()
    hook = world.hook(Reply(once=released))
    user.schedule("free", cron=YEARLY, target=hook.target, overlap="allow")

    ids = [user.trigger("free") for _ in range(3)]
    until(lambda: hook.calls, lambda calls: len(calls) == 3)
    released.set()

    assert at_once(times(user, ids)) == 3


def test_cancel_previous_lets_the_newest_have_its_place(world: World) -> None:
    user = world.tenant()
    user.schedule("newest", cron=YEARLY, target=WAIT, overlap="cancel_previous")

    first = user.trigger("newest", payload={"seconds": 90})
    user.at(first, "running")
    second = user.trigger("newest", payload={"seconds": 1})

    old, new = user.settled(first), user.settled(second)
    assert (old["status"], old["reason"]) == ("cancelled", "previous")
    assert new["status"] == "succeeded"


def test_runs_that_share_a_key_share_its_places(world: World) -> None:
    user, released = world.tenant(), Event()
    held, free = world.hook(Reply(once=released)), world.hook()
    key = {"key": "{{payload.customer}}", "max_running": 1}
    for name, hook in (("one", held), ("two", held), ("three", free)):
        user.schedule(name, cron=YEARLY, target=hook.target, concurrency_key=key, overlap="allow")

    shared = [user.trigger(name, payload={"customer": "acme"}) for name in ("one", "two", "one")]
    waiting = wait_for(user, shared, 2)
    other = user.settled(user.trigger("three", payload={"customer": "beta"}))
    released.set()

    assert {run["reason"] for run in waiting} == {"concurrency_key"}
    assert other["status"] == "succeeded"
    assert at_once(times(user, shared)) == 1


def test_a_rate_spreads_starts_over_its_time(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    key = {"key": "all", "rate": {"count": 1, "per_sec": 4}}
    user.schedule("rated", cron=YEARLY, target=hook.target, concurrency_key=key, overlap="allow")

    ids = [user.trigger("rated") for _ in range(3)]
    times(user, ids)

    calls = sorted(call.at for call in hook.calls)
    # Which of three starts was late may bring two nearer together, but never all three.
    assert calls[2] - calls[0] >= 4


def test_a_tenants_running_max_holds_and_another_tenant_is_not_held_up(world: World) -> None:
    user, other, released = world.tenant(running_max=1), world.tenant(), Event()
    held = world.hook(Reply(once=released))
    user.schedule("waits", cron=YEARLY, target=held.target, overlap="allow")
    other.schedule("hello", cron=YEARLY)

    ids = [user.trigger("waits") for _ in range(3)]
    waiting = wait_for(user, ids, 2)
    free = other.settled(other.trigger("hello"))
    released.set()

    assert {run["reason"] for run in waiting} == {"tenant"}
    assert {run["attempt"] for run in waiting} == {0}
    assert free["status"] == "succeeded"
    assert at_once(times(user, ids)) == 1
    assert {user.run(each)["attempt"] for each in ids} == {1}


def test_a_waiting_run_can_be_cancelled(world: World) -> None:
    user, released = world.tenant(), Event()
    hook = world.hook(Reply(once=released))
    user.schedule("queues", cron=YEARLY, target=hook.target, overlap="queue")
    first = user.trigger("queues")
    user.at(first, "running")
    second = user.trigger("queues")
    user.at(second, "waiting")

    cancelled = user.said(200, "POST", f"/v1/runs/{second}/cancel")
    released.set()

    assert (cancelled["status"], cancelled["attempt"]) == ("cancelled", 0)
    assert user.settled(first)["status"] == "succeeded"
    assert len(hook.calls) == 1


def count(runs: list[dict[str, Any]], status: str) -> int:
    return sum(run["status"] == status for run in runs)


def wait_for(user: User, ids: list[str], waiting: int) -> list[dict[str, Any]]:
    """Returns those of the runs that wait, once so many do."""
    seen = until(
        lambda: [user.run(each) for each in ids], lambda runs: count(runs, "waiting") == waiting
    )
    return [run for run in seen if run["status"] == "waiting"]
