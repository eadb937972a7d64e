"""Workers of one's own: leases, heartbeats, what they say, steps once, `onthedot worker` itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.blackbox.user import User, pause_for, seconds, until
from tests.blackbox.world import World

HANDLERS = """
from onthedot import Context, Fail, OnTheDot, RetryLater, Skip

app = OnTheDot("outside")


@app.job()
def shout(ctx: Context, word: str) -> str:
    return word.upper()


@app.job()
def nothing(ctx: Context) -> None:
    raise Skip("there was nothing to do")


@app.job()
def broken(ctx: Context) -> None:
    raise Fail("for good")


@app.job()
def later(ctx: Context) -> dict:
    if ctx.checkpoint is None:
        raise RetryLater(after=1, checkpoint={"page": 7})
    return ctx.checkpoint


@app.job()
def odd(ctx: Context) -> object:
    return {1, 2}


@app.job()
def paid(ctx: Context) -> str:
    receipt = ctx.once("payment", lambda: f"paid in attempt {ctx.attempt}")
    if ctx.attempt == 1:
        raise ValueError("the network went away")
    return receipt
"""


def leased(by: User, queue: str, **fields: object) -> dict[str, Any]:
    """Returns the next run of a queue."""
    body = {"queue": queue, "wait_sec": 2, **fields}
    found = until(lambda: by.said(200, "POST", "/v1/leases", body)["data"], bool)
    return dict(found[0])


def said(worker: User, lease: dict[str, Any], word: str, **fields: object) -> Any:
    """Tells something of a run that is leased."""
    path = f"/v1/runs/{lease['run']['run_id']}/{word}"
    answer = worker.ask("POST", path, {"attempt": lease["attempt"], **fields})
    assert answer.status in {200, 204}, answer
    return answer.json if answer.text else None


def test_a_leased_run_is_kept_by_heartbeats_and_completed(world: World) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    task = user.task(target={"type": "pull", "queue": "gpu"}, payload={"n": 1}, timeout_sec=120)

    lease = leased(worker, "gpu", lease_sec=10, worker="box-1")
    kept = said(worker, lease, "heartbeat", lease_sec=30, progress={"percent": 40})
    shown = user.run(lease["run"]["run_id"])
    said(worker, lease, "complete", result={"ok": True})
    said(worker, lease, "complete", result={"ok": True})
    run = user.run(user.ran(task["task_id"])["run_id"])

    assert (lease["attempt"], lease["run"]["payload"]) == (1, {"n": 1})
    assert seconds(kept["lease_until"]) > seconds(lease["lease_until"])
    assert kept["cancel_requested"] is False
    assert (shown["status"], shown["progress"]) == ("running", {"percent": 40})
    assert "box-1" in shown["worker"]
    assert (run["status"], run["result"]) == ("succeeded", {"ok": True})


def test_a_run_that_its_worker_leaves_is_leased_again_and_the_old_word_refused(
    world: World,
) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    task = user.task(target={"type": "pull", "queue": "gpu"}, timeout_sec=120)
    first = leased(worker, "gpu", lease_sec=10)

    second = leased(worker, "gpu", lease_sec=60)
    late = worker.ask(
        "POST", f"/v1/runs/{first['run']['run_id']}/complete", {"attempt": first["attempt"]}
    )
    said(worker, second, "complete")

    assert second["run"]["run_id"] == first["run"]["run_id"]
    assert second["attempt"] == 2
    assert late.refusal == (409, "lease_lost")
    run = user.run(user.ran(task["task_id"])["run_id"])
    assert [each["outcome"] for each in run["attempts"]][:2] == ["lost", "succeeded"]


def test_a_worker_may_fail_for_good_put_off_and_give_back(world: World) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    task = user.task(target={"type": "pull", "queue": "gpu"}, max_attempts=2)

    first = leased(worker, "gpu")
    said(worker, first, "fail", release=True, checkpoint={"page": 3}, retry_in_sec=1)
    second = leased(worker, "gpu")
    said(worker, second, "fail", error="not yet", retry_in_sec=3)
    third = leased(worker, "gpu")
    said(worker, third, "fail", error={"type": "Broken", "message": "it is"}, permanent=True)
    run = user.run(user.ran(task["task_id"])["run_id"])

    assert second["checkpoint"] == {"page": 3}
    assert (run["status"], run["reason"]) == ("dead", "permanent")
    assert [each["outcome"] for each in run["attempts"]] == ["released", "failed", "failed"]
    assert (run["error"]["type"], run["error"]["message"]) == ("Broken", "it is")


def test_a_key_for_named_queues_has_to_do_with_no_other_queue(world: World) -> None:
    user = world.tenant()
    every, emails = user.with_key("worker"), user.with_key("worker", queues=["emails"])
    user.task(target={"type": "pull", "queue": "gpu"})
    user.task(target={"type": "pull", "queue": "emails"})
    other, own = leased(every, "gpu"), leased(emails, "emails")
    where = f"/v1/runs/{other['run']['run_id']}"

    refused = emails.ask("POST", "/v1/leases", {"queue": "gpu", "wait_sec": 0})
    words = [
        emails.ask("POST", f"{where}/{word}", {"attempt": other["attempt"], **more})
        for word, more in (("heartbeat", {}), ("complete", {}), ("fail", {"error": "mine"}))
    ]
    said(emails, own, "complete", result="sent")
    said(every, other, "complete", result="drawn")

    assert refused.refusal == (403, "forbidden")
    assert [each.refusal for each in words] == [(404, "not_found")] * 3
    assert user.settled(own["run"]["run_id"])["result"] == "sent"
    assert user.settled(other["run"]["run_id"])["result"] == "drawn"


def test_a_step_is_recorded_once_for_every_attempt(world: World) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    user.task(target={"type": "pull", "queue": "gpu"}, max_attempts=3)
    first = leased(worker, "gpu")

    before = said(worker, first, "once", key="invoice")
    made = said(worker, first, "once", key="invoice", value="inv-1")
    said(worker, first, "fail", error="then it broke", retry_in_sec=1)
    second = leased(worker, "gpu")
    after = said(worker, second, "once", key="invoice", value="inv-2")
    said(worker, second, "complete")

    assert before == {"recorded": False, "value": None}
    assert (made["value"], after) == ("inv-1", {"recorded": True, "value": "inv-1"})


def test_a_worker_that_is_asked_to_stop_is_told_by_its_heartbeat(world: World) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    user.task(target={"type": "pull", "queue": "gpu"}, timeout_sec=120)
    lease = leased(worker, "gpu")

    user.said(202, "POST", f"/v1/runs/{lease['run']['run_id']}/cancel")

    assert said(worker, lease, "heartbeat")["cancel_requested"] is True
    said(worker, lease, "fail", error="stopped")
    assert user.settled(lease["run"]["run_id"])["status"] == "cancelled"


def test_previous_success_is_the_slot_that_last_succeeded(world: World) -> None:
    user = world.tenant()
    worker = user.with_key("worker")
    user.schedule("pulled", cron="*/3 * * * * *", target={"type": "pull", "queue": "gpu"})

    first = leased(worker, "gpu")
    said(worker, first, "complete")
    second = leased(worker, "gpu")
    told = worker.get(f"/v1/runs/{second['run']['run_id']}/previous-success")
    said(worker, second, "complete")

    assert told["previous_success"] == first["run"]["scheduled_for"]
    user.said(204, "DELETE", "/v1/schedules/pulled")


def test_a_queue_with_nothing_in_it_answers_after_the_wait(world: World) -> None:
    worker = world.tenant().with_key("worker")

    assert worker.said(200, "POST", "/v1/leases", {"queue": "empty", "wait_sec": 1})["data"] == []


def test_the_worker_program_does_what_its_handlers_raise(world: World) -> None:
    user, folder = world.tenant(), world.folder()
    worker = user.with_key("worker")
    (folder / "outside_jobs.py").write_text(HANDLERS)
    retry = {"backoff": "fixed", "base_sec": 1, "cap_sec": 1, "jitter": "none"}
    target = {"type": "pull", "queue": "box"}
    fields: dict[str, Any] = {"target": target, "retry": retry, "max_attempts": 3}
    payloads: dict[str, Any] = {"shout": {"word": "hey"}}
    names = ["shout", "nothing", "broken", "later", "paid", "odd"]
    made = [user.task(name=each, payload=payloads.get(each, {}), **fields) for each in names]

    process = program(worker, folder)
    try:
        runs = [user.run(user.ran(task["task_id"])["run_id"]) for task in made]
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)

    shout, nothing, broken, later, paid, odd = runs
    assert code == 0
    assert (shout["status"], shout["result"]) == ("succeeded", "HEY")
    assert (nothing["status"], nothing["note"]) == ("skipped", "there was nothing to do")
    assert (broken["status"], broken["reason"]) == ("dead", "permanent")
    assert later["result"] == {"page": 7}
    assert (paid["result"], paid["attempt"]) == ("paid in attempt 1", 2)
    assert (odd["status"], odd["result"]["unreadable"]) == ("succeeded", True)
    assert (odd["result"]["text"], odd["result"]["note"][:15]) == ("{1, 2}", "set is no JSON:")


def test_the_run_of_a_worker_that_was_killed_is_taken_over(world: World) -> None:
    user, folder = world.tenant(), world.folder()
    worker = user.with_key("worker")
    (folder / "outside_jobs.py").write_text(
        HANDLERS.replace("return word.upper()", "import time; time.sleep(60)")
    )
    target = {"type": "pull", "queue": "box"}
    task = user.task(name="shout", payload={"word": "x"}, target=target, timeout_sec=300)
    process = program(worker, folder)
    try:
        where = f"/v1/tasks/{task['task_id']}"
        until(lambda: user.get(where)["run"], lambda run: run and run["status"] == "running")
    finally:
        process.kill()
        process.wait(10)
    pause_for(1)

    second = leased(worker, "box")
    said(worker, second, "complete", result="by hand")

    assert second["attempt"] == 2
    assert user.run(user.ran(task["task_id"])["run_id"])["result"] == "by hand"


def program(worker: User, folder: Path) -> subprocess.Popen[bytes]:
    """Returns `onthedot worker`, in a folder with handlers of its own."""
    command = [str(Path(sys.executable).with_name("onthedot")), "worker", "--queue", "box"]
    known = {"ONTHEDOT_URL": worker.url, "ONTHEDOT_API_KEY": worker.key}
    return subprocess.Popen(
        [*command, "--module", "outside_jobs", "--at-once", "4", "--lease-sec", "10"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **known},
    )
