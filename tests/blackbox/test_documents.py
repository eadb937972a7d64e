"""What the API says of itself: its document, its problems' pages, its health, its trail."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from jsonschema_rs import validator_for

from tests.blackbox.receiver import Reply
from tests.blackbox.stack import PROJECT
from tests.blackbox.user import HELLO, YEARLY, instant, until
from tests.blackbox.world import World

PARAMETER = re.compile(r"\{(\w+)\}")


def test_every_route_of_the_document_answers_and_knows_no_stranger(world: World) -> None:
    document = world.stranger.get("/v1/openapi.json")
    open_to_all = {"/v1/health", "/v1/openapi.json", "/problems/{code}"}
    routes = [
        (method.upper(), path)
        for path, methods in document["paths"].items()
        for method in methods
        if path not in open_to_all
    ]

    assert document["openapi"].startswith("3.")
    assert len(routes) > 50
    for method, path in routes:
        answer = world.stranger.ask(method, PARAMETER.sub("x", path))
        assert answer.refusal == (401, "unauthenticated"), (method, path)


def test_answers_are_as_the_document_says(world: World) -> None:
    user = world.tenant()
    task = user.task(target=world.hook().target)["task_id"]
    run = user.ran(task)["run_id"]
    user.schedule("yearly", cron=YEARLY, max_runs=9, tags={"team": "billing"})
    user.said(200, "POST", "/v1/schedules/yearly/pause", {"until": instant(time.time() + 900)})
    user.settled(user.trigger("yearly"))
    user.said(201, "POST", "/v1/calendars", {"calendar_id": "xmas", "dates": ["2027-12-25"]})
    document = user.get("/v1/openapi.json")
    names = {"schedule": "yearly", "task_id": task, "run_id": run, "calendar_id": "xmas"}
    names |= {"tenant_id": user.tenant, "key_id": user.walked("/v1/keys")[0]["key_id"]}

    checked = 0
    for path, methods in document["paths"].items():
        wanted = PARAMETER.findall(path)
        if "get" not in methods or not set(wanted) <= set(names):
            continue
        content = methods["get"]["responses"]["200"]["content"]
        if "schema" not in content.get("application/json", {}):
            continue
        answer = user.get(PARAMETER.sub(lambda found: names[found[1]], path))
        schema = {**content["application/json"]["schema"], "components": document["components"]}
        assert [each.message for each in validator_for(schema).iter_errors(answer)] == [], path
        checked += 1
    assert checked >= 20


def test_every_field_of_a_schedule_and_a_task_is_explained_with_an_example(world: World) -> None:
    schemas = world.stranger.get("/v1/openapi.json")["components"]["schemas"]
    fields = {
        f"{of}.{name}": field
        for of in ("ScheduleIn", "TaskIn")
        for name, field in schemas[of]["properties"].items()
    }

    assert len(fields) > 40
    for name, field in fields.items():
        assert len(field["description"]) > 20, name
        assert field["examples"], name
    defaults = {
        name: fields[f"ScheduleIn.{name}"]["default"]
        for name in ("misfire", "overlap", "max_attempts", "priority")
    }
    assert defaults == {"misfire": "latest", "overlap": "skip", "max_attempts": 3, "priority": 2}


def test_every_problem_of_the_document_has_its_page(world: World) -> None:
    stranger = world.stranger
    pages = [each.stem for each in (PROJECT / "docs" / "problems").glob("*.md")]

    assert len(pages) > 20
    for page in pages:
        answer = stranger.ask("GET", f"/problems/{page}")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/markdown")
        assert len(answer.text) > 40
    assert stranger.ask("GET", "/problems/nothing").status == 404


def test_a_problem_leads_to_its_page_and_to_its_request(world: World) -> None:
    answer = world.operator.ask("GET", "/v1/runs/nothing", X_Request_Id="my-own-id")

    assert answer.headers["x-request-id"] == answer.json["request_id"] == "my-own-id"
    assert answer.json["instance"] == "/v1/runs/nothing"
    page = world.stranger.ask("GET", answer.json["type"])
    assert page.status == 200


def test_health_is_open_to_all_and_good(world: World) -> None:
    health = until(
        lambda: world.stranger.get("/v1/health"), lambda seen: seen["status"] == "ok", 150
    )

    assert (health["tick"], health["audit"], health["queue"]) == ("ok", "ok", "ok")
    assert health["tzdata"]


def test_large_changes_are_short_lines_of_the_trail(world: World) -> None:
    user = world.tenant()
    # Four bytes each: what counts is bytes, as in the store.
    faces = "\U0001f600" * 65_000
    target = {"type": "http", "url": "https://example.com/"}
    body: dict[str, Any] = {"name": "large", "cron": YEARLY}

    user.said(201, "POST", "/v1/schedules", {**body, "target": {**target, "body": faces}})
    edited = {**body, "target": {**target, "body": f"new {faces[:-4]}"}}
    user.said(200, "PUT", "/v1/schedules/large", edited, If_Match="*")
    headers = {f"x-{number}": "h" * 1_000 for number in range(30)}
    beyond = user.ask(
        "PATCH", "/v1/schedules/large", {"target": {"headers": headers}}, If_Match="*"
    )
    trail = user.ask("GET", "/v1/audit?limit=200")

    assert beyond.refusal == (413, "payload_too_large")
    assert len(trail.text) < 20_000
    changed = next(each for each in trail.json["data"] if each["what"] == "schedule.changed")
    assert changed["before"]["target"]["body"] != changed["after"]["target"]["body"]


def test_what_an_operator_changes_in_a_tenant_is_on_the_trail(world: World) -> None:
    user, operator = world.tenant(running_max=3), world.operator

    operator.said(200, "PUT", f"/v1/tenants/{user.tenant}", {"running_max": 5})

    trail = operator.get("/v1/audit?what=tenant.changed&limit=200")["data"]
    changed = next(each for each in trail if each["about"] == user.tenant)
    assert (changed["before"]["running_max"], changed["after"]["running_max"]) == (3, 5)


def test_the_trail_says_who_did_what(world: World) -> None:
    user = world.tenant()
    user.ask(
        "POST",
        "/v1/schedules",
        {"name": "told", "cron": YEARLY, "target": HELLO},
        X_Request_Id="by-me",
    )
    user.said(200, "PATCH", "/v1/schedules/told", {"description": "new"}, If_Match="*")
    user.said(200, "POST", "/v1/schedules/told/pause")
    user.said(204, "DELETE", "/v1/schedules/told")

    trail = user.walked("/v1/audit")

    told = [each["what"] for each in trail if each["what"].startswith("schedule.")]
    assert told == [
        "schedule.deleted",
        "schedule.paused",
        "schedule.changed",
        "schedule.created",
    ]
    changed = next(each for each in trail if each["what"] == "schedule.changed")
    assert changed["after"]["description"] == "new"
    created = next(each for each in trail if each["what"] == "schedule.created")
    assert (created["request_id"], created["key_id"]) == ("by-me", changed["key_id"])


def test_the_command_line_of_the_readme_answers_as_the_readme_shows() -> None:
    program = str(Path(sys.executable).with_name("onthedot"))
    shown = subprocess.run(
        [
            *(program, "next", "30 2 * * *", "--tz", "America/New_York"),
            *("--from", "2027-03-13T00:00:00Z", "--count", "3"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    refused = subprocess.run(
        [program, "next", "0 9 31 2 *"], capture_output=True, text=True, check=False
    )
    readme = (PROJECT / "README.md").read_text()

    for line in [*shown.stdout.splitlines(), *refused.stderr.splitlines()]:
        assert line.rstrip() in readme
    assert refused.returncode == 2


def test_a_batch_of_questions_is_answered_by_the_line() -> None:
    asked = '{"cron": "0 9 * * *", "after": "2027-01-01T00:00:00Z"}\nnonsense\n{"cron": "x"}\n'

    answered = subprocess.run(
        [str(Path(sys.executable).with_name("onthedot")), "next", "--batch"],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert len(answered) == 3
    assert '"2027-01-01T09:00:00Z"' in answered[0]
    assert '"error"' in answered[1]
    assert '"error"' in answered[2]


def test_the_stack_says_how_late_a_run_was_first_started(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(500))
    retry = {"backoff": "fixed", "base_sec": 3, "cap_sec": 3, "jitter": "none"}
    task = user.task(name=f"late-{user.tenant}", target=hook.target, retry=retry, max_attempts=2)
    assert user.ran(task["task_id"])["reason"] == "attempts_exhausted"

    def lines() -> list[str]:
        said = world.stack.output.read_text().splitlines()
        return [line for line in said if task["name"] in line and "dead" in line]

    (line,) = until(lines, bool)

    assert re.search(r"dead \(attempts_exhausted\) +\d+ ms late$", line), line
    assert line.startswith(task["run_at"])


def test_the_stack_says_each_fire_as_a_line_and_keeps_its_key_to_its_owner(world: World) -> None:
    folder = world.stack.folder

    assert (folder / "run.json").stat().st_mode & 0o077 == 0
    assert (folder / "admin-key").stat().st_mode & 0o077 == 0
    assert (folder / "admin-key").read_text().strip() == world.stack.key
    names = {each["name"] for each in world.operator.walked("/v1/schedules")}
    assert {"every-ten-seconds", "every-minute-in-paris", "every-90-seconds"} <= names
    assert "weekday_report" in names
