"""Every alarm has its page and its metric, every metric its place, and silence is no good news."""

from __future__ import annotations

import json
import re
from typing import Any

from infra.rules import RULES
from onthedot.api.door.routes import ROUTES
from onthedot.records.runs.run_status import FINAL
from onthedot.store import invocation_metrics
from onthedot.upkeep import bulk_operations
from tests.infra import deployed
from tests.tidy import tree

RUNBOOK = "docs/runbook/"
PARTS = ("## What it means", "## Check", "## Fix", "## Verify")
EMITTED = (
    set(invocation_metrics.TICK) | set(invocation_metrics.MINUTE) | set(invocation_metrics.MESSAGES)
)


def alarms() -> list[dict[str, Any]]:
    return deployed.properties("AWS::CloudWatch::Alarm")


def pages_named() -> set[str]:
    return {
        re.findall(r"docs/runbook/[\w-]+\.md", each["AlarmDescription"])[0] for each in alarms()
    }


def dashboard() -> str:
    """Returns the dashboard's text, with what only the cloud knows left out."""
    body = deployed.properties("AWS::CloudWatch::Dashboard")[0]["DashboardBody"]
    return "".join(part if isinstance(part, str) else "X" for part in body["Fn::Join"][1])


def test_every_alarm_has_its_page_and_every_page_its_alarm() -> None:
    pages = {name for name in tree.files() if name.startswith(RUNBOOK)}

    assert pages - {f"{RUNBOOK}README.md"} == pages_named()
    assert len(pages_named()) == len(alarms())


def test_every_page_says_what_it_means_and_what_to_do() -> None:
    for page in pages_named():
        text = tree.text(page)

        assert [part for part in PARTS if part not in text] == []


def test_the_runbook_lists_every_page() -> None:
    listed = re.findall(r"\]\(([\w-]+\.md)\)", tree.text(f"{RUNBOOK}README.md"))

    assert {f"{RUNBOOK}{name}" for name in listed} == pages_named()


def test_every_route_that_a_page_tells_to_ask_is_served() -> None:
    named = {
        path for page in pages_named() for path in re.findall(r"`GET ([\w/-]+)", tree.text(page))
    }
    served = [route.pattern for route in ROUTES if route.method == "GET"]

    assert named
    assert [path for path in named if not any(each.fullmatch(path) for each in served)] == []


def test_every_metric_an_alarm_or_the_dashboard_names_is_emitted_and_the_reverse() -> None:
    watched = {rule.metric for rule in RULES}
    shown = set(re.findall(rf'"{invocation_metrics.NAMESPACE}","(\w+)"', dashboard()))

    assert watched | shown == EMITTED


def test_every_metric_is_counted_somewhere() -> None:
    """By its name in the code, or as the outcome of a run, or as a percentile of a measure."""
    rooms = tuple(f"onthedot/{room}/" for room in "dispatch launch work upkeep records".split())
    files = (name for name in tree.modules() if name.startswith((*rooms, "lambdas/")))
    code = "".join(map(tree.text, files))
    measured = {f"{name}_p{p}_ms" for name in ("lag", "pickup", "duration") for p in (50, 95, 99)}
    named = {name for name in EMITTED if re.search(rf'["\s(]{name}(["=])', code)}

    assert EMITTED - named - FINAL - measured == set()


def test_the_runbook_explains_each_count_of_a_minute_that_is_no_metric() -> None:
    told = {
        "completed",
        "events_refused",
        "events_told",
        "loops_put_off",
        *bulk_operations.FIGURES.values(),
    }
    explained = tree.text(f"{RUNBOOK}README.md")

    assert told & EMITTED == set()
    assert [name for name in sorted(told) if f"`{name}`" not in explained] == []


def test_every_alarm_speaks_to_the_topic_when_it_begins_and_when_it_is_over() -> None:
    for each in alarms():
        assert len(each["AlarmActions"]) == 1
        assert each["OKActions"] == each["AlarmActions"]


def test_no_alarm_needs_what_the_local_cloud_cannot_do() -> None:
    assert [each for each in alarms() if "Metrics" in each] == []


def test_silence_of_the_dispatcher_or_the_audit_is_an_alarm() -> None:
    breaching = {each["MetricName"] for each in alarms() if each["TreatMissingData"] == "breaching"}

    assert breaching == {"ticks", "audits", "not_fired"}


def test_a_dispatcher_that_is_silent_for_three_minutes_is_dead() -> None:
    dead_man = next(each for each in alarms() if each.get("MetricName") == "ticks")

    assert dead_man["Period"] * dead_man["EvaluationPeriods"] == 180
    assert (dead_man["ComparisonOperator"], dead_man["Threshold"]) == ("LessThanThreshold", 1)


def test_the_first_row_asks_the_four_questions() -> None:
    titles = re.findall(r'"title":"([^"]+)"', dashboard())

    questions = [title.split("?")[0] for title in titles if "?" in title]
    assert questions == ["Is it firing", "On time", "Once", "Stuck"]


def test_the_dashboard_is_whole_json() -> None:
    assert json.loads(dashboard())["widgets"]


def test_the_bill_in_the_docs_counts_what_there_is() -> None:
    counted = f"{len(EMITTED)} metrics, {len(alarms())} alarms, 1 dashboard"

    assert counted in tree.text("docs/deploying.md")
