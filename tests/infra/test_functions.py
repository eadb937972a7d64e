"""The functions as the template has them: which there are, how long they run, what may be late."""

from __future__ import annotations

from typing import Any

import pytest

from infra.polling import SHARES
from onthedot.api.door.routes import ROUTES
from onthedot.records.timings import (
    CLAIM_SEC,
    DISPATCH_LIMIT_SEC,
    LEASE_SEC,
    RECEIVES_MAX,
    TICK_SEC,
)
from tests.infra import deployed
from tests.tidy.tree import ROOT

DAY_SEC = 86_400


def functions() -> dict[str, dict[str, Any]]:
    """By the name of their file."""
    found = deployed.properties("AWS::Lambda::Function")
    return {each["Handler"].split(".")[1]: each for each in found}


def named(kind: str, part: str) -> dict[str, Any]:
    """Returns the one resource of a kind whose logical id has this in it."""
    found = [each for name, each in deployed.resources(kind).items() if part in name]
    assert len(found) == 1
    properties: dict[str, Any] = found[0]["Properties"]
    return properties


def mappings() -> dict[str, dict[str, Any]]:
    """Returns each queue's event source mapping, by the queue's name."""
    found = deployed.properties("AWS::Lambda::EventSourceMapping")
    queues = ("High", "Normal", "Low", "Dead")
    return {
        queue: each
        for each in found
        for queue in queues
        if each["EventSourceArn"]["Fn::GetAtt"][0].startswith(f"Queues{queue}")
    }


def test_every_file_in_lambdas_is_a_function_and_the_reverse() -> None:
    files = {path.stem for path in (ROOT / "lambdas").glob("*.py")} - {"__init__"}

    assert set(functions()) == files


@pytest.mark.parametrize("name", ["dispatch", "work", "bury", "audit", "api"])
def test_all_are_made_alike(name: str) -> None:
    function = functions()[name]

    assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])
    assert function["LoggingConfig"]["LogFormat"] == "JSON"
    assert "FunctionName" not in function


def test_nothing_has_a_name_that_a_second_stack_would_want_too() -> None:
    kinds = {
        "AWS::CloudWatch::Alarm": "AlarmName",
        "AWS::CloudWatch::Dashboard": "DashboardName",
        "AWS::DynamoDB::Table": "TableName",
        "AWS::Events::Rule": "Name",
        "AWS::IAM::Role": "RoleName",
        "AWS::Lambda::Function": "FunctionName",
        "AWS::Logs::LogGroup": "LogGroupName",
        "AWS::S3::Bucket": "BucketName",
        "AWS::SNS::Topic": "TopicName",
        "AWS::SQS::Queue": "QueueName",
    }
    for kind, name in kinds.items():
        assert deployed.properties(kind)
        assert [each for each in deployed.properties(kind) if name in each] == []


def test_a_dispatcher_has_ended_before_its_claims_lapse() -> None:
    timeout = functions()["dispatch"]["Timeout"]

    assert DISPATCH_LIMIT_SEC < timeout <= CLAIM_SEC


def test_only_the_api_may_know_who_may_ask() -> None:
    with_access = [
        name
        for name, function in functions().items()
        if "ACCESS_TABLE" in function["Environment"]["Variables"]
    ]

    assert with_access == ["api"]


def test_a_chain_of_messages_is_no_mistake() -> None:
    """A backoff of a day is a hundred hops; Lambda would end it at the sixteenth."""
    allowed = {name for name, each in functions().items() if each.get("RecursiveLoop") == "Allow"}

    assert allowed == {"work", "bury"}


@pytest.mark.parametrize("queue", ["High", "Normal", "Low"])
def test_a_message_stays_hidden_while_a_worker_may_have_it(queue: str) -> None:
    properties = named("AWS::SQS::Queue", f"Queues{queue}")

    assert properties["VisibilityTimeout"] == functions()["work"]["Timeout"] + 60
    assert properties["VisibilityTimeout"] > LEASE_SEC
    assert properties["RedrivePolicy"]["maxReceiveCount"] == RECEIVES_MAX
    assert properties["MessageRetentionPeriod"] == 14 * DAY_SEC


def test_dead_messages_are_kept_as_long_and_go_nowhere_else() -> None:
    properties = named("AWS::SQS::Queue", "QueuesDead")

    assert properties["MessageRetentionPeriod"] == 14 * DAY_SEC
    assert "RedrivePolicy" not in properties
    assert properties["VisibilityTimeout"] >= 6 * functions()["bury"]["Timeout"]


def test_batches_are_small_come_at_once_and_are_answered_message_by_message() -> None:
    assert set(mappings()) == {"High", "Normal", "Low", "Dead"}
    for mapping in mappings().values():
        assert mapping["BatchSize"] == 10
        assert mapping.get("MaximumBatchingWindowInSeconds", 0) == 0
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_each_queue_has_its_share_of_the_workers() -> None:
    at_once = {
        queue.lower(): mapping["ScalingConfig"]["MaximumConcurrency"]
        for queue, mapping in mappings().items()
        if queue != "Dead"
    }

    assert sum(SHARES.values()) == 100
    assert at_once == {"high": 80, "normal": 80, "low": 40}


def test_a_rule_ticks_once_a_minute_and_never_again_for_the_same_minute() -> None:
    rule = named("AWS::Events::Rule", "EveryMinute")

    assert rule["ScheduleExpression"] == "rate(1 minute)"
    assert len(rule["Targets"]) == 2
    for target in rule["Targets"]:
        assert target["RetryPolicy"] == {
            "MaximumEventAgeInSeconds": TICK_SEC,
            "MaximumRetryAttempts": 0,
        }
    for invoked in deployed.properties("AWS::Lambda::EventInvokeConfig"):
        assert invoked["MaximumRetryAttempts"] == 0
        assert invoked["MaximumEventAgeInSeconds"] == TICK_SEC


def test_every_route_is_deployed_for_all_lead_to_the_api_function() -> None:
    routes = deployed.properties("AWS::ApiGatewayV2::Route")
    integration = deployed.properties("AWS::ApiGatewayV2::Integration")[0]

    assert ROUTES
    assert [route["RouteKey"] for route in routes] == ["$default"]
    assert integration["IntegrationUri"]["Fn::GetAtt"][0].startswith("FunctionsApi")
    assert integration["PayloadFormatVersion"] == "2.0"


def test_the_door_is_throttled_and_keeps_a_log_without_headers() -> None:
    stage = deployed.properties("AWS::ApiGatewayV2::Stage")[0]

    assert stage["DefaultRouteSettings"] == {
        "ThrottlingBurstLimit": 1_000,
        "ThrottlingRateLimit": 500,
    }
    assert "$context.status" in stage["AccessLogSettings"]["Format"]
    assert "header" not in stage["AccessLogSettings"]["Format"].lower()


def test_logs_end_and_data_does_not() -> None:
    for group in deployed.properties("AWS::Logs::LogGroup"):
        assert group["RetentionInDays"] == 30
    kept = [*deployed.resources("AWS::S3::Bucket").values()]
    kept += deployed.resources("AWS::DynamoDB::Table").values()

    assert {each["DeletionPolicy"] for each in kept} == {"RetainExceptOnCreate"}


def test_no_custom_resource_is_deployed() -> None:
    kinds = {each["Type"] for each in deployed.template()["Resources"].values()}

    assert [kind for kind in kinds if "Custom" in kind] == []


def test_the_api_is_updated_before_the_audit_that_notes_what_it_must_understand() -> None:
    found = deployed.template()["Resources"]
    (audit,) = [
        each
        for name, each in found.items()
        if each["Type"] == "AWS::Lambda::Function" and name.startswith("FunctionsAudit")
    ]

    assert any(name.startswith("FunctionsApi") for name in audit["DependsOn"])
    assert {found[name]["Type"] for name in audit["DependsOn"]} >= {"AWS::Lambda::Function"}
