"""What stands beside the runs: metrics, alarms, the dashboard, and what a deployment ends with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from onthedot.local import clients
from onthedot.store import invocation_metrics
from tests.e2e.kit import Local, until
from tests.infra import deployed


def of(local: Local, service: str) -> Any:
    return clients.client(service, local.stack.endpoint)


def metric_lines(local: Local, function: str) -> list[dict[str, Any]]:
    """Returns what a function has printed of itself."""
    name = local.stack.outputs[function]
    group = of(local, "lambda").get_function_configuration(FunctionName=name)["LoggingConfig"]
    events = of(local, "logs").filter_log_events(logGroupName=group["LogGroup"])["events"]
    return [json.loads(each["message"]) for each in events if '"_aws"' in each["message"]]


@pytest.mark.parametrize(
    ("function", "names"),
    [("DispatchFunction", invocation_metrics.TICK), ("AuditFunction", invocation_metrics.MINUTE)],
)
def test_each_minute_has_its_line_of_metrics(
    local: Local, function: str, names: tuple[str, ...]
) -> None:
    local.invoke(function)

    line = until(lambda: metric_lines(local, function), bool)[-1]

    assert line["service"] == "OnTheDot"
    assert line["_aws"]["CloudWatchMetrics"][0]["Namespace"] == invocation_metrics.NAMESPACE
    counted = {name for name in names if not name.endswith(("_ms", "_percent"))} - {"not_fired"}
    assert counted <= set(line)
    metrics = {each["Name"] for each in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert metrics <= set(names)


def test_the_alarms_and_the_dashboard_stand(local: Local) -> None:
    watching = of(local, "cloudwatch")

    alarms = watching.describe_alarms()["MetricAlarms"]
    board = watching.list_dashboards()["DashboardEntries"][0]["DashboardName"]
    body = watching.get_dashboard(DashboardName=board)["DashboardBody"]

    left_out = local.stack.outputs["AlarmsLeftOut"].split(", ")
    assert len(alarms) + len(left_out) == len(deployed.resources("AWS::CloudWatch::Alarm"))
    assert "Is it firing?" in body


def test_a_deployment_ends_with_the_address_and_makes_no_second_key(local: Local) -> None:
    said = local.stack.run("infra.welcome")

    assert local.stack.outputs["Url"] in said
    assert "There is an admin key already" in said
    assert "otd_" not in said


def test_a_large_payload_lies_in_the_bucket_and_reaches_its_handler(local: Local) -> None:
    who = "x" * 40_000
    task_id = local.register("large", cron="0 0 1 1 *", payload={"who": who})

    run = local.settled(local.trigger(task_id))

    kept = of(local, "s3").list_objects_v2(Bucket=local.stack.outputs["BlobsBucket"])
    assert [each["Key"].split("/")[:2] for each in kept["Contents"]] == [["tasks", task_id]]
    assert run["status"] == "succeeded"
    assert run["payload"] == {"who": who}
