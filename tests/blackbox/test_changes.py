"""What is acknowledged governs: pauses, edits, deletions, and the versions they go by."""

from __future__ import annotations

import time

import pytest

from tests.blackbox.user import HELLO, YEARLY, User, instant, pause_for, pause_until, seconds, until
from tests.blackbox.world import World

AHEAD_SEC = 12


def far(user: User, name: str = "far", **fields: object) -> str:
    """Registers what does not fire now, and gives its ETag."""
    made = {"name": name, "cron": YEARLY, "target": HELLO, **fields}
    answer = user.ask("POST", "/v1/schedules", made)
    assert answer.status == 201, answer
    return answer.headers["etag"]


def test_a_pause_that_was_answered_before_a_slot_governs_it(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    slot = int(time.time()) + AHEAD_SEC
    user.schedule("paused", cron=f"at({instant(slot)[:-1]})", target=hook.target)

    pause_until(slot - 3)
    shown = user.said(200, "POST", "/v1/schedules/paused/pause", {"reason": "a freeze"})
    acknowledged = time.time()
    pause_until(slot + 8)

    assert (shown["status"], shown["next_run_at"]) == ("paused", None)
    assert (shown["paused"]["reason"], shown["paused"]["until"]) == ("a freeze", None)
    assert acknowledged > slot or hook.calls == []


def test_slots_of_a_pause_are_skipped_and_a_resume_goes_on_from_now(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("twos", cron="*/2 * * * * *", target=hook.target)
    until(lambda: hook.calls, bool)
    user.said(200, "POST", "/v1/schedules/twos/pause")
    begun = time.time()
    pause_for(10)
    called, ending = len(hook.calls), time.time()

    shown = user.said(200, "POST", "/v1/schedules/twos/resume")
    until(lambda: hook.calls, lambda calls: len(calls) > called)

    assert (shown["status"], shown["paused"]) == ("active", None)
    # What was claimed before the pause and is received after it is skipped for its edit.
    where = f"/v1/schedules/twos/slots?from={instant(begun + 1)}&to={instant(ending - 4)}"
    passed = user.walked(where)
    assert len(passed) >= 1
    assert {(slot["status"], slot["reason"]) for slot in passed} == {("skipped", "paused")}
    user.said(204, "DELETE", "/v1/schedules/twos")


def test_a_pause_with_an_end_is_over_by_itself(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("twos", cron="*/2 * * * * *", target=hook.target, overlap="allow")
    end = int(time.time()) + 30
    end += end % 2

    shown = user.said(200, "POST", "/v1/schedules/twos/pause", {"until": instant(end)})
    paused = time.time()

    def slots() -> set[float]:
        """Returns those of the pause, and later ones."""
        found = {seconds(call.headers["onthedot-scheduled-for"]) for call in hook.calls}
        return {slot for slot in found if slot > paused}

    seen = until(slots, lambda found: end in found)

    assert seconds(shown["paused"]["until"]) == end
    assert min(seen) == end
    user.said(204, "DELETE", "/v1/schedules/twos")


def test_a_resume_with_catch_up_shows_its_plan_first(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("threes", cron="*/3 * * * * *", target=hook.target, overlap="queue")
    user.said(200, "POST", "/v1/schedules/threes/pause")
    pause_for(2)
    began = len(hook.calls)
    pause_for(10)

    plan = user.said(200, "POST", "/v1/schedules/threes/resume", {"catchup": "all"})
    assert user.get("/v1/schedules/threes")["status"] == "paused"
    token = plan["plan_token"]
    user.said(200, "POST", f"/v1/schedules/threes/resume?plan_token={token}", {"catchup": "all"})
    planned = [seconds(slot) for slot in plan["effects"]["will_run"]]

    assert len(planned) >= 3

    def slots() -> set[float]:
        calls = hook.calls[began:]
        return {seconds(call.headers["onthedot-scheduled-for"]) for call in calls}

    until(slots, lambda seen: set(planned) <= seen)
    user.said(204, "DELETE", "/v1/schedules/threes")


def test_an_edit_just_before_a_slot_governs_it(world: World) -> None:
    user, old, new = world.tenant(), world.hook(), world.hook()
    slot = int(time.time()) + AHEAD_SEC
    user.schedule("edited", cron=f"at({instant(slot)[:-1]})", target=old.target)

    pause_until(slot - 3)
    user.said(200, "PATCH", "/v1/schedules/edited", {"target": new.target}, If_Match="*")
    acknowledged = time.time()
    until(lambda: old.calls + new.calls, bool)

    assert acknowledged > slot or old.calls == []
    assert len(old.calls + new.calls) == 1


def test_a_slot_that_an_edit_drops_does_not_fire_and_one_that_stays_fires_once(
    world: World,
) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("fours", cron="*/4 * * * * *", target=hook.target, overlap="allow")
    until(lambda: hook.calls, bool)

    user.said(200, "PATCH", "/v1/schedules/fours", {"cron": "*/12 * * * * *"}, If_Match="*")
    acknowledged = time.time()

    def slots() -> list[float]:
        found = [seconds(call.headers["onthedot-scheduled-for"]) for call in hook.calls]
        return [slot for slot in found if slot > acknowledged]

    seen = until(slots, lambda found: len(found) >= 2)
    assert [slot % 12 for slot in seen] == [0] * len(seen)
    assert len(seen) == len(set(seen))
    user.said(204, "DELETE", "/v1/schedules/fours")


def test_a_deleted_schedule_fires_no_more_and_its_name_is_free(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    made = user.schedule("twos", cron="*/2 * * * * *", target=hook.target)
    until(lambda: hook.calls, bool)

    user.said(204, "DELETE", "/v1/schedules/twos")
    acknowledged = time.time()
    pause_for(8)

    late = [call for call in hook.calls if call.at > acknowledged]
    assert [call for call in late if seconds(call.headers["onthedot-due-at"]) > acknowledged] == []
    assert user.ask("GET", "/v1/schedules/twos").refusal == (404, "not_found")
    assert user.runs(made["task_id"])
    again = user.schedule("twos", cron=YEARLY)
    assert again["task_id"] != made["task_id"]


def test_a_paused_schedule_can_still_be_triggered(world: World) -> None:
    user = world.tenant()
    far(user, status="paused")

    run = user.settled(user.trigger("far"))

    assert run["status"] == "succeeded"
    assert user.get("/v1/schedules/far")["status"] == "paused"


def test_a_version_is_an_etag_that_writes_go_by(world: World) -> None:
    user = world.tenant()
    first = far(user)

    same = user.ask("GET", "/v1/schedules/far", If_None_Match=first)
    changed = user.ask("PATCH", "/v1/schedules/far", {"description": "x"}, If_Match=first)
    late = user.ask("PATCH", "/v1/schedules/far", {"description": "y"}, If_Match=first)

    assert (same.status, same.text) == (304, "")
    assert changed.status == 200
    assert changed.headers["etag"] != first
    assert changed.headers["etag"] == f'"{changed.json["version"]}"'
    assert late.refusal == (412, "version_mismatch")
    assert user.get("/v1/schedules/far")["description"] == "x"


def test_a_put_makes_and_replaces_only_with_the_version(world: World) -> None:
    user = world.tenant()
    body = {"name": "put", "cron": YEARLY, "target": HELLO}
    put = "/v1/schedules/put"

    nothing = user.ask("PUT", put, body, If_Match='"1"')
    made = user.ask("PUT", put, body)
    blind = user.ask("PUT", put, body)
    only_new = user.ask("PUT", put, body, If_None_Match="*")
    replaced = user.ask("PUT", put, {**body, "description": "z"}, If_Match=made.headers["etag"])

    assert nothing.refusal == (412, "version_mismatch")
    assert made.status == 201
    assert blind.refusal == (428, "version_required")
    assert only_new.refusal == (412, "version_mismatch")
    assert (replaced.status, replaced.json["description"]) == (200, "z")


def test_a_patch_leaves_what_is_missing_and_resets_what_is_null(world: World) -> None:
    user = world.tenant()
    far(user, tags={"team": "a", "env": "b"}, max_attempts=7, payload={"a": 1, "b": 2})

    patch = {"tags": {"env": None}, "max_attempts": None, "payload": {"b": None, "c": 3}}
    shown = user.said(200, "PATCH", "/v1/schedules/far", patch, If_Match="*")

    assert shown["tags"] == {"team": "a"}
    assert shown["max_attempts"] == 3
    assert shown["payload"] == {"a": 1, "c": 3}
    assert shown["cron"] == YEARLY


def test_what_was_read_can_be_written_back_but_not_with_a_read_only_field_changed(
    world: World,
) -> None:
    user = world.tenant()
    far(user)
    read = user.ask("GET", "/v1/schedules/far")

    back = user.ask("PUT", "/v1/schedules/far", read.json, If_Match=read.headers["etag"])
    forged = user.ask("PUT", "/v1/schedules/far", {**read.json, "version": 99}, If_Match="*")

    assert back.status == 200
    assert forged.refusal == (400, "read_only_field")


def test_a_name_is_taken_once(world: World) -> None:
    user = world.tenant()
    far(user)

    again = user.ask("POST", "/v1/schedules", {"name": "far", "cron": YEARLY, "target": HELLO})

    assert again.refusal == (409, "name_taken")


def test_a_task_can_be_put_off_and_cancelled_before_it_starts_and_not_after(
    world: World,
) -> None:
    user, hook = world.tenant(), world.hook()
    far_off = user.task(delay_sec=3_600, target=hook.target)["task_id"]
    soon = user.task(delay_sec=3_600, target=hook.target)["task_id"]

    user.said(200, "POST", f"/v1/tasks/{soon}/reschedule", {"delay_sec": 3})
    gone = user.said(200, "POST", f"/v1/tasks/{far_off}/cancel")
    run = user.ran(soon)
    late = user.ask("POST", f"/v1/tasks/{soon}/cancel")

    assert gone["status"] == "cancelled"
    assert run["status"] == "succeeded"
    assert late.refusal in {(409, "already_started"), (409, "already_finished")}
    assert {call.run_id for call in hook.calls} == {run["run_id"]}


@pytest.mark.parametrize("many", [8])
def test_of_many_changes_with_one_version_one_is_made(world: World, many: int) -> None:
    user = world.tenant()
    tag = far(user)

    statuses = [
        user.ask("PATCH", "/v1/schedules/far", {"description": str(each)}, If_Match=tag).status
        for each in range(many)
    ]

    assert sorted(statuses) == [200] + [412] * (many - 1)


def test_max_runs_are_run_and_no_more(world: World) -> None:
    user, hook = world.tenant(), world.hook()

    # On a busy machine two may overlap; by default one is skipped then, and counts.
    every = {"cron": "*/2 * * * * *", "overlap": "allow"}
    made = user.schedule("three", **every, max_runs=3, target=hook.target)
    until(lambda: hook.calls, lambda calls: len(calls) >= 3)
    pause_for(8)

    assert made["max_runs"] == 3
    assert len(hook.calls) == 3
    assert user.settled(user.trigger("three"))["status"] == "succeeded"
