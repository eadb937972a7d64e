"""Every alarm has its page and its metric, every metric its place, and silence is no good news."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from infra.rules import RULES
from onthedot.api.door.routes import ROUTES
from onthedot.records.runs.run_status import FINAL
from onthedot.store import invocation_metrics
from onthedot.upkeep import bulk_operations
from onthedot.upkeep.ledger import Ledger
from tests.infra import deployed
from tests.schedule.samples import NOON_MS, run
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


def severities() -> dict[str, str]:
    """Whether an alarm is a page or a ticket, by its name: the description begins with both."""
    found = [re.match(r"(Page|Ticket): ([\w-]+)\. ", each["AlarmDescription"]) for each in alarms()]
    return {each[2]: each[1] for each in found if each}


def dashboard() -> str:
    """Returns the dashboard's text, with what only the cloud knows left out."""
    body = deployed.properties("AWS::CloudWatch::Dashboard")[0]["DashboardBody"]
    return "".join(part if isinstance(part, str) else "X" for part in body["Fn::Join"][1])


def test_every_alarm_has_its_page_and_every_page_its_alarm() -> None:
    pages = {name for name in tree.files() if name.startswith(RUNBOOK)}

    assert pages - {f"{RUNBOOK}README.md"} == pages_named()


def test_the_runbook_names_every_alarm_and_says_whether_it_pages() -> None:
    listed = [
        (name, severity)
        for names, severity in re.findall(
            r"^\| \[([\w, -]+)\]\([\w-]+\.md\) \| ([\w; :]+) \|",
            tree.text(f"{RUNBOOK}README.md"),
            re.MULTILINE,
        )
        for name in names.split(", ")
    ]

    assert {name for name, _ in listed} == set(severities())
    assert len(severities()) == len(alarms())
    for name, severity in listed:
        assert severities()[name].lower() in severity


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


def test_cloudwatch_may_publish_to_the_topic_of_every_alarm() -> None:
    """From the alarm by its action to the topic, and to that topic's policy."""
    policies = deployed.properties("AWS::SNS::TopicPolicy")
    for each in alarms():
        (action,) = each["AlarmActions"]
        statements = [
            statement
            for policy in policies
            if action in policy["Topics"]
            for statement in policy["PolicyDocument"]["Statement"]
        ]
        (allowed,) = [one for one in statements if one["Effect"] == "Allow"]
        assert allowed["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
        assert (allowed["Action"], allowed["Resource"]) == ("sns:Publish", action)
        # What is refused is only what comes without TLS.
        refused = [one for one in statements if one["Effect"] == "Deny"]
        assert [one["Condition"] for one in refused] == [{"Bool": {"aws:SecureTransport": "false"}}]


def test_the_local_cloud_leaves_out_only_alarms_that_compute_and_names_them() -> None:
    local = deployed.template(metric_math="false")
    held = [
        each["Properties"]
        for each in local["Resources"].values()
        if each["Type"] == "AWS::CloudWatch::Alarm"
    ]
    left_out = local["Outputs"]["AlarmsLeftOut"]["Value"].split(", ")

    assert [each for each in held if "Metrics" in each] == []
    assert set(left_out) < set(severities())
    assert len(held) + len(left_out) == len(alarms())
    assert "AlarmsLeftOut" not in deployed.template()["Outputs"]


@pytest.mark.parametrize("name", ["ticks", "audits"])
def test_silence_counts_as_zero_and_rings_after_three_minutes(name: str) -> None:
    """Without FILL, CloudWatch looks further back than three periods and rings minutes later."""
    (alarm,) = [
        each
        for each in alarms()
        if any(
            part.get("MetricStat", {}).get("Metric", {}).get("MetricName") == name
            for part in each.get("Metrics", ())
        )
    ]
    (computed,) = [part for part in alarm["Metrics"] if "Expression" in part]
    (measured,) = [part for part in alarm["Metrics"] if "MetricStat" in part]

    assert computed["Expression"] == "FILL(m, 0)"
    assert measured["MetricStat"]["Period"] * alarm["EvaluationPeriods"] == 180
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)


def test_one_late_run_of_a_day_is_enough_for_the_alarms_of_lateness() -> None:
    """Beside any number of others: a share would hide it, a percentile over minutes too."""
    rules = {rule.name: rule for rule in RULES}
    ledger = Ledger()
    for late_ms in (60_000, *([5] * 1_000)):
        started_ms = NOON_MS + late_ms
        ended_ms = started_ms + 1
        ledger.note(run(status="succeeded", attempt=1, started_ms=started_ms, ended_ms=ended_ms))

    for name in ("late", "slow-pickup"):
        rule = rules[name]
        assert ledger.figures()[rule.metric] == 1 > rule.limit
        assert (rule.statistic, rule.periods, rule.out_of) == ("Sum", 1, 0)


def test_each_function_each_table_and_each_index_has_an_alarm_of_its_own_or_shares_one() -> None:
    names = set(severities())
    counted = {
        (metric["MetricName"], *(one["Name"] for one in metric.get("Dimensions", ())))
        for each in alarms()
        for part in each.get("Metrics", ())
        if (metric := part.get("MetricStat", {}).get("Metric"))
    }

    for function in ("dispatch", "work", "bury", "audit", "api"):
        assert {f"{function}-fails", f"{function}-throttled"} <= names
    for name in ("ReadThrottleEvents", "WriteThrottleEvents"):
        assert (name, "TableName") in counted
        assert (name, "GlobalSecondaryIndexName", "TableName") in counted
    assert {"events-dropped", "rule-failed", "oldest-message"} <= names


def test_the_first_row_asks_the_four_questions() -> None:
    titles = re.findall(r'"title":"([^"]+)"', dashboard())

    questions = [title.split("?")[0] for title in titles if "?" in title]
    assert questions == ["Is it firing", "On time", "Once", "Stuck"]


def test_the_dashboard_is_whole_json() -> None:
    assert json.loads(dashboard())["widgets"]


def test_the_bill_in_the_docs_counts_what_there_is() -> None:
    counted = f"{len(EMITTED)} metrics, {len(alarms())} alarms, 1 dashboard"

    assert counted in tree.text("docs/deploying.md")
