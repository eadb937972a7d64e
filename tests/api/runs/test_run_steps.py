"""Steps that outside workers record: fenced by the attempt, the first value for all of them."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.api.door.routes import ROUTES
from tests.api.kit import Answer, Api
from tests.api.runs.test_leases import said, taken, triggered
from tests.tidy.tree import ROOT


@pytest.fixture
def run_id(api: Api) -> str:
    """Returns a run that a worker has."""
    made = triggered(api, "train")
    taken(api)
    return made


def asked(api: Api, run_id: str, **body: Any) -> Answer:
    return said(api, run_id, "once", key="charge", **body)


def test_a_step_is_not_recorded_before_its_value_is_said(api: Api, run_id: str) -> None:
    assert asked(api, run_id).body == {"recorded": False, "value": None}
    assert asked(api, run_id, value={"id": 7}).body == {"recorded": True, "value": {"id": 7}}
    assert asked(api, run_id).body == {"recorded": True, "value": {"id": 7}}
    assert said(api, run_id, "once", key="other").body["recorded"] is False


def test_a_value_of_null_is_a_value(api: Api, run_id: str) -> None:
    assert asked(api, run_id, value=None).body == {"recorded": True, "value": None}


def test_the_first_value_stays_also_for_the_next_attempt(api: Api, run_id: str) -> None:
    asked(api, run_id, value="first")
    api.now_ms += 60_000 + 5_001
    taken(api, worker="box-2")

    assert asked(api, run_id, value="late").body["code"] == "lease_lost"
    assert asked(api, run_id, attempt=2, value="second").body["value"] == "first"


def test_a_run_that_has_ended_records_nothing_more(api: Api, run_id: str) -> None:
    said(api, run_id, "complete")

    assert asked(api, run_id, value=1).body["code"] == "lease_lost"


def test_a_run_that_a_worker_of_ours_has_records_its_steps_itself(api: Api) -> None:
    api.schedule("own", target={"type": "python", "handler": "hello"})
    own = api.call("POST /v1/schedules/own/trigger", {}).body["run_id"]

    assert asked(api, own).body["code"] == "lease_lost"


def test_a_value_that_is_too_large_is_refused_where_it_stands(api: Api, run_id: str) -> None:
    refused = asked(api, run_id, value="x" * 40_000)

    assert refused.status == 422
    assert refused.body["errors"][0]["pointer"] == "/value"


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_step_needs_a_name_of_its_own(api: Api, run_id: str, key: str) -> None:
    refused = said(api, run_id, "once", key=key)

    assert (refused.status, refused.body["errors"][0]["pointer"]) == (422, "/key")


def test_the_previous_success_is_the_run_before_it_that_succeeded(api: Api, run_id: str) -> None:
    worker = api.key("worker")
    before = api.call(f"GET /v1/runs/{run_id}/previous-success", key=worker)
    due_at = api.call(f"GET /v1/runs/{run_id}").body["due_at"]
    said(api, run_id, "complete")
    api.now_ms += 1_000
    after = api.call("POST /v1/schedules/train/trigger", {}).body["run_id"]

    found = api.call(f"GET /v1/runs/{after}/previous-success", key=worker)

    assert before.body == {"previous_success": None}
    assert found.body == {"previous_success": due_at}


def test_every_route_of_a_worker_is_told_of_on_its_page() -> None:
    page = (ROOT / "docs" / "runs.md").read_text().partition("## Leases")[2].partition("\n## ")[0]

    for route in ROUTES:
        if route.role == "worker":
            said = route.path.rsplit("/", 1)[-1]
            assert f"| `{said}` |" in page or route.path in page, route.key
