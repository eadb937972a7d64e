"""The log of a run's attempt, from the stream that its row names, or why there is none."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.store import aws
from onthedot.targets.python import run_log
from tests.api import ran
from tests.api.kit import Api

STREAM = "2026/11/18/[$LATEST]1"


@dataclass
class Streams:
    """Streams of log lines as CloudWatch keeps them: pages forward, the same token at the end."""

    lines: dict[str, list[tuple[int, str]]]
    page: int = 2
    asked: list[dict[str, Any]] = field(default_factory=list)

    def get_log_events(self, **request: Any) -> dict[str, Any]:
        self.asked.append(request)
        if request["logStreamName"] not in self.lines:
            error = {"Error": {"Code": "ResourceNotFoundException"}}
            raise ClientError(error, "GetLogEvents")
        between = [
            {"timestamp": at, "message": text}
            for at, text in self.lines[request["logStreamName"]]
            if request["startTime"] <= at < request["endTime"]
        ]
        first = int(request.get("nextToken", "0"))
        shown = between[first : first + self.page]
        return {"events": shown, "nextForwardToken": str(first + len(shown))}


@pytest.fixture
def streams(api: Api) -> Streams:
    found = Streams({})
    others = aws.client
    api.settings.setattr(aws, "client", lambda name: found if name == "logs" else others(name))
    api.settings.setenv("WORK_LOG_GROUP", "/aws/lambda/work")
    return found


def line(run_id: str, message: str) -> str:
    return json.dumps({"level": "INFO", "message": message, "run_id": run_id, "attempt": 1})


def logged(api: Api, streams: Streams) -> str:
    """Returns a run whose handler said three things, beside another run and the platform."""
    run_id = ran.triggered(api)
    ran.started(run_id, log=STREAM)
    streams.lines[STREAM] = [
        (api.now_ms - 60_000, line(run_id, "of another attempt long ago")),
        (api.now_ms, "START RequestId: 1"),
        (api.now_ms, line(run_id, "one")),
        (api.now_ms + 10, line("sch_OTHER.20261118T120000Z", "not yours")),
        (api.now_ms + 20, line(run_id, "two")),
        (api.now_ms + 30, line(run_id, "three")),
    ]
    api.now_ms += 1_000
    ran.settled(run_id, "succeeded")
    return run_id


def test_only_lines_that_name_the_run_are_shown_page_by_page(api: Api, streams: Streams) -> None:
    run_id = logged(api, streams)

    said: list[str] = []
    answer = api.call(f"GET /v1/runs/{run_id}/logs").body
    while True:
        said += [each["message"] for each in answer["data"]]
        if answer["next_cursor"] is None:
            break
        answer = api.call(f"GET /v1/runs/{run_id}/logs?cursor={answer['next_cursor']}").body

    assert said == ["one", "two", "three"]
    assert streams.asked[0]["logGroupName"] == "/aws/lambda/work"


def test_each_line_says_when(api: Api, streams: Streams) -> None:
    streams.page = 10
    run_id = logged(api, streams)

    first = api.call(f"GET /v1/runs/{run_id}/logs").body["data"][0]

    assert (first["at"], first["level"]) == ("2026-11-18T12:00:00.000Z", "INFO")


def test_an_attempt_that_was_not_made_is_not_there(api: Api, streams: Streams) -> None:
    run_id = logged(api, streams)

    assert api.call(f"GET /v1/runs/{run_id}/logs?attempt=1").status == 200
    assert api.call(f"GET /v1/runs/{run_id}/logs?attempt=2").status == 404


def test_where_there_is_no_log_the_answer_says_why(api: Api, streams: Streams) -> None:
    run_id = ran.triggered(api)
    waiting = api.call(f"GET /v1/runs/{run_id}/logs").body
    ran.started(run_id)
    elsewhere = api.call(f"GET /v1/runs/{run_id}/logs").body
    gone = logged(api, streams)
    streams.lines.clear()
    early = api.call(f"GET /v1/runs/{gone}/logs").body
    api.now_ms += 3_600_000
    late = api.call(f"GET /v1/runs/{gone}/logs").body

    assert (waiting["data"], waiting["next_cursor"]) == ([], None)
    assert waiting["note"] == "No attempt has begun, so there is no log."
    assert elsewhere["note"].startswith("No log is kept for its worker")
    assert early["note"].startswith("There are no lines yet: they take some seconds")
    assert late["note"].startswith("No lines are kept: the attempt wrote none by ctx.log, or")


def test_on_one_machine_lines_are_read_from_where_the_worker_kept_them(
    api: Api, tmp_path: Path
) -> None:
    api.settings.setenv("WORK_LOG_GROUP", "/aws/lambda/work")
    api.settings.setenv("RUN_LOGS", str(tmp_path))
    api.settings.setenv("AWS_LAMBDA_LOG_STREAM_NAME", "worker-1")
    api.settings.setattr(time, "time_ns", lambda: api.now_ms * 1_000_000)
    run_id = ran.triggered(api)
    ran.started(run_id, log="worker-1")
    before = api.call(f"GET /v1/runs/{run_id}/logs").body
    for number in range(1_001):
        run_log.of({"run_id": run_id}).info("counted", number=number, where="Zürich")
        run_log.of({"run_id": "another"}).info("not yours")

    first = api.call(f"GET /v1/runs/{run_id}/logs").body
    second = api.call(f"GET /v1/runs/{run_id}/logs?cursor={first['next_cursor']}").body
    while second["next_cursor"]:
        first["data"] += second["data"]
        second = api.call(f"GET /v1/runs/{run_id}/logs?cursor={second['next_cursor']}").body

    shown = first["data"] + second["data"]
    assert before["note"].startswith("There are no lines yet")
    assert [each["number"] for each in shown] == list(range(1_001))
    assert {each["where"] for each in shown} == {"Zürich"}
    assert (tmp_path / "worker-1").stat().st_mode & 0o077 == 0
